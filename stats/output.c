/* realpath() belongs to the X/Open part of POSIX. */
#define _XOPEN_SOURCE 700

#include "stats/output.h"

#include "base/memory.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool cannot(const char *what, const char *path, int error, struct fault *fault)
{
	return fault_set(fault, "cannot %s \"%s\": %s", what, path, strerror(error));
}

static char *temporary_name(const char *path)
{
	size_t room = strlen(path) + 32;
	char *name = memory_array(room, 1, "output file name");

	snprintf(name, room, "%s.partial-%ld", path, (long)getpid());
	return name;
}

/*
 * Devices, pipes and whatever lies in /dev or /proc (such as /dev/stdout, even when it
 * leads to a plain file) cannot be replaced by renaming.
 */
static bool is_direct(const char *path)
{
	struct stat status;

	if (strncmp(path, "/dev/", 5) == 0 || strncmp(path, "/proc/", 6) == 0)
		return true;
	return stat(path, &status) == 0 && !S_ISREG(status.st_mode);
}

/* Standard output is shared, not opened again: a second opening would write over what
 * the program has already printed to a plain file. */
static FILE *open_direct(const char *path)
{
	FILE *stream;
	int descriptor;

	if (strcmp(path, "/dev/stdout") != 0)
		return fopen(path, "w");
	fflush(stdout);
	descriptor = dup(STDOUT_FILENO);
	if (descriptor < 0)
		return NULL;
	stream = fdopen(descriptor, "w");
	if (!stream)
		close(descriptor);
	return stream;
}

/* The file a symbolic link leads to, so that renaming keeps the link; else the path itself. */
static char *final_name(const char *path)
{
	char target[PATH_MAX];
	struct stat status;

	if (lstat(path, &status) == 0 && S_ISLNK(status.st_mode) && realpath(path, target))
		return memory_string(target, "output file name");
	return memory_string(path, "output file name");
}

static void release(struct output *output)
{
	memory_free(output->path);
	memory_free(output->temporary);
	*output = (struct output){ 0 };
}

bool output_open(struct output *output, const char *path, struct fault *fault)
{
	int error;

	*output = (struct output){ 0 };
	if (!*path)
		return cannot("create", path, ENOENT, fault);
	if (is_direct(path)) {
		output->path = memory_string(
			strcmp(path, "/dev/stdout") ? path : "standard output", "output file name");
		output->stream = open_direct(path);
	} else {
		output->path = final_name(path);
		output->temporary = temporary_name(output->path);
		/* Renaming needs no right to write the old file; its owner's wish counts. */
		if (access(output->path, W_OK) == 0 || errno == ENOENT)
			output->stream = fopen(output->temporary, "w");
	}
	if (output->stream)
		return true;
	error = errno;
	release(output);
	return cannot("create", path, error, fault);
}

/* 0 when every byte written so far has been taken, else the reason. */
static int close_stream(FILE *stream)
{
	int error = 0;

	errno = 0;
	if (fflush(stream) != 0 || ferror(stream))
		error = errno ? errno : EIO;
	if (fclose(stream) != 0 && !error)
		error = errno;
	return error;
}

bool output_commit(struct output *output, struct fault *fault)
{
	int error = close_stream(output->stream);

	if (!error && output->temporary && rename(output->temporary, output->path) != 0)
		error = errno;
	if (error) {
		cannot("write", output->path, error, fault);
		if (output->temporary)
			unlink(output->temporary);
	}
	release(output);
	return !error;
}

void output_abandon(struct output *output)
{
	if (output->stream)
		fclose(output->stream);
	if (output->temporary)
		unlink(output->temporary);
	release(output);
}
