#define _DEFAULT_SOURCE /* madvise */
#include "base/memory.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* Arrays of this size or more get huge pages: tables of a drive are accessed at random, and each access would
 * miss the TLB, too. */
#define HUGE_FROM ((size_t)4 << 20)
#define HUGE_PAGE ((size_t)2 << 20)

#define FIRST_ROOM 16u /* elements of an array that grows */

/* Before each array. */
struct memory_head {
	_Alignas(max_align_t) size_t count;
};

static _Noreturn void out_of_memory(size_t count, size_t bytes, const char *what)
{
	fprintf(stderr,
		"ssd: out of memory: the %s needs %.1f MiB; a smaller drive (flash.blocks), buffer "
		"(dram.buffer_bytes) or trace (trace.limit) takes less\n",
		what, (double)count * (double)bytes / (1 << 20));
	exit(2);
}

/* A hint, which affects speed alone. */
static void prefer_huge_pages(void *array, size_t bytes)
{
#if defined MADV_HUGEPAGE && !defined NO_HUGE_PAGES
	size_t skip = -(uintptr_t)array % HUGE_PAGE;

	if (bytes >= HUGE_FROM)
		madvise((char *)array + skip, (bytes - skip) / HUGE_PAGE * HUGE_PAGE, MADV_HUGEPAGE);
#else
	(void)array;
	(void)bytes;
#endif
}

static bool memory_fits(size_t count, size_t bytes)
{
	return !bytes || count <= (SIZE_MAX - sizeof(struct memory_head)) / bytes;
}

/* Bytes of an array with its head.  Never the head alone: a pointer behind it would lie in no allocation, and
 * leak checkers would report the array. */
static size_t memory_room(size_t count, size_t bytes)
{
	return sizeof(struct memory_head) + (count && bytes ? count * bytes : 1);
}

void *memory_array(size_t count, size_t bytes, const char *what)
{
	struct memory_head *head = NULL;

	if (memory_fits(count, bytes))
		head = calloc(1, memory_room(count, bytes));
	if (!head)
		out_of_memory(count, bytes, what);
	prefer_huge_pages(head, count * bytes);
	head->count = count;
	return head + 1;
}

size_t memory_count(const void *array)
{
	return array ? ((const struct memory_head *)array)[-1].count : 0;
}

void *memory_resize(void *old, size_t count, size_t bytes, const char *what)
{
	struct memory_head *head = NULL;

	if (memory_fits(count, bytes))
		head = realloc(old ? (struct memory_head *)old - 1 : NULL, memory_room(count, bytes));
	if (!head)
		out_of_memory(count, bytes, what);
	head->count = count;
	return head + 1;
}

void *memory_enlarged(void *old, uint32_t *room, uint32_t count, size_t bytes, const char *what)
{
	uint32_t doubled = *room < UINT32_MAX / 2 ? 2 * *room : UINT32_MAX;

	*room = doubled > FIRST_ROOM ? doubled : FIRST_ROOM;
	if (*room < count)
		*room = count;
	return memory_resize(old, *room, bytes, what);
}

char *memory_string(const char *text, const char *what)
{
	size_t bytes = strlen(text) + 1;

	return memcpy(memory_array(bytes, 1, what), text, bytes);
}

void memory_free(void *array)
{
	free(array ? (struct memory_head *)array - 1 : NULL);
}
