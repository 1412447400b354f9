/* What the commands share: remarks on stderr, files and folders. */
#include "base/memory.h"
#include "cli/cli.h"

#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

void cli_note(const char *format, ...)
{
	va_list args;

	fputs("ssd: ", stderr);
	va_start(args, format);
	vfprintf(stderr, format, args);
	va_end(args);
	fputc('\n', stderr);
}

void cli_warn(void *context, const char *text)
{
	(void)context;
	cli_note("warning: %s", text);
}

static void end_quietly(int signal_number)
{
	(void)signal_number;
	_exit(STATUS_DONE);
}

void cli_listing(void)
{
	signal(SIGPIPE, end_quietly);
}

bool cli_make_folder(const char *folder, struct fault *fault)
{
	char *path = memory_string(folder, "path");
	bool done = true;

	/* The root itself is there; an empty path has nothing behind its first byte. */
	for (char *slash = strchr(path + (*path == '/'), '/'); done; slash = strchr(slash + 1, '/')) {
		if (slash)
			*slash = 0;
		if (mkdir(path, 0777) && errno != EEXIST)
			done = fault_set(fault, "%s: cannot be created: %s", path, strerror(errno));
		if (!slash)
			break;
		*slash = '/';
	}
	memory_free(path);
	return done;
}
