#include "base/fault.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

bool fault_set(struct fault *fault, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(fault->text, sizeof fault->text, format, args);
	va_end(args);
	return false;
}

void bug_at(const char *file, int line, const char *format, ...)
{
	va_list args;

	fprintf(stderr, "ssd: BUG in %s:%d: ", file, line);
	va_start(args, format);
	vfprintf(stderr, format, args);
	va_end(args);
	fputc('\n', stderr);
	abort();
}
