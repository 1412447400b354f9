#include "base/memory.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static _Noreturn void out_of_memory(size_t count, size_t bytes, const char *what)
{
	fprintf(stderr, "ssd: out of memory: the %s needs %.1f MiB; use a smaller drive or trace\n",
	        what, (double)count * (double)bytes / (1 << 20));
	exit(2);
}

void *memory_array(size_t count, size_t bytes, const char *what)
{
	void *array = calloc(count ? count : 1, bytes);

	if (!array)
		out_of_memory(count, bytes, what);
	return array;
}

void *memory_resize(void *old, size_t count, size_t bytes, const char *what)
{
	void *array = NULL;

	if (count <= SIZE_MAX / bytes)
		array = realloc(old, (count ? count : 1) * bytes);
	if (!array)
		out_of_memory(count, bytes, what);
	return array;
}

char *memory_string(const char *text, const char *what)
{
	size_t bytes = strlen(text) + 1;

	return memcpy(memory_array(bytes, 1, what), text, bytes);
}

void memory_free(void *array)
{
	free(array);
}
