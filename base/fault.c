#include "base/fault.h"

#include "base/guard.h"

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
	struct guard *guard = guard_present();
	va_list args;

	if (guard && !guard->aborts) {
		guard->file = file;
		guard->line = line;
		va_start(args, format);
		vsnprintf(guard->fault.text, sizeof guard->fault.text, format, args);
		va_end(args);
		guard_end(GUARD_BUG);
	}
	fprintf(stderr, "ssd: BUG in %s:%d: ", file, line);
	va_start(args, format);
	vfprintf(stderr, format, args);
	va_end(args);
	fputc('\n', stderr);
	abort();
}
