/*
 * The one line that tells a user about a mistake on the command line.
 */
#include "cli/cli.h"

#include <stdarg.h>
#include <stdio.h>

int cli_mistake(const char *format, ...)
{
	va_list args;

	fputs("ssd: ", stderr);
	va_start(args, format);
	vfprintf(stderr, format, args);
	va_end(args);
	fputc('\n', stderr);
	return STATUS_USER;
}
