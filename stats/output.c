/* realpath() belongs to the X/Open part of POSIX. */
#define _XOPEN_SOURCE 700

#include "stats/output.h"

#include "base/hash.h"
#include "base/memory.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Has the name of a file that is begun and not committed, or NULL: then it is free. */
struct output_place {
	const char *_Atomic name;
	struct output_place *next;
};

/* The only state outside a struct here: a signal handler needs it.  Threads may save drives at once, so
 * places are added and never removed: there are as many as files were begun at the same time. */
static struct output_place *_Atomic begun;

/* Not memory_array(): a place outlives the guarded call that adds it. */
static bool output_add_place(const char *name)
{
	struct output_place *place = calloc(1, sizeof *place);

	if (!place)
		return false;
	atomic_init(&place->name, name);
	place->next = atomic_load(&begun);
	while (!atomic_compare_exchange_weak(&begun, &place->next, place))
		;
	return true;
}

/* False: there is no memory. */
static bool output_note(const char *name)
{
	for (struct output_place *place = atomic_load(&begun); place; place = place->next) {
		const char *none = NULL;

		if (atomic_compare_exchange_strong(&place->name, &none, name))
			return true;
	}
	return output_add_place(name);
}

static void output_forget(const char *name)
{
	for (struct output_place *place = atomic_load(&begun); place; place = place->next) {
		const char *its = name;

		if (atomic_compare_exchange_strong(&place->name, &its, NULL))
			return;
	}
}

void outputs_remove(void)
{
	for (struct output_place *place = atomic_load(&begun); place; place = place->next) {
		const char *name = atomic_load(&place->name);

		if (name)
			unlink(name);
	}
}

/* EBUSY: another program writes it. */
static bool output_fault(const char *what, const char *path, int error, struct fault *fault)
{
	return fault_set(fault, "cannot %s \"%s\": %s", what, path,
		error == EBUSY ? "another program is writing it" : strerror(error));
}

#define PARTIAL ".partial-"

/* Longest name that the name of its partial file can begin with. */
#define STEM_MOST 220

static const char *output_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* What the name of the partial file begins with: the name, or a checksum of a longer one. */
static void output_stem(const char *name, char *stem /* [STEM_MOST + 1] */)
{
	size_t length = strlen(name);

	if (length <= STEM_MOST)
		memcpy(stem, name, length + 1);
	else
		snprintf(stem, STEM_MOST, "%016" PRIx64, hash_bytes(HASH_NOTHING, name, length));
}

static char *output_temporary_name(const char *path)
{
	const char *name = output_name(path);
	size_t room = (size_t)(name - path) + STEM_MOST + 32;
	char *temporary = memory_array(room, 1, "output file name"), stem[STEM_MOST + 1];

	output_stem(name, stem);
	snprintf(temporary, room, "%.*s%s" PARTIAL "%ld", (int)(name - path), path, stem, (long)getpid());
	return temporary;
}

/* Does the name still lead to the opened file?  Its writer may have renamed it, and begun another. */
static bool output_is_named(int descriptor, const char *name)
{
	struct stat file, named;

	return !fstat(descriptor, &file) && !stat(name, &named) && file.st_ino == named.st_ino &&
	       file.st_dev == named.st_dev;
}

/* Is another program still writing the file?  If not, its writer was killed, and the file is removed; under
 * the lock, because a writer may have created it just now and be about to lock it. */
static bool output_is_written(const char *partial)
{
	int descriptor = open(partial, O_RDWR | O_NOFOLLOW), error = 0;

	if (descriptor < 0)
		return false;
	if (lockf(descriptor, F_TLOCK, 0))
		error = errno;
	else if (output_is_named(descriptor, partial))
		unlink(partial);
	close(descriptor);
	return error == EACCES || error == EAGAIN;
}

/* Does another program write a file with this name? */
static bool output_others_write(const char *path, const char *own)
{
	const char *slash = strrchr(path, '/');
	char *folder = memory_string(slash ? path : ".", "output folder"), *partial, name[STEM_MOST + 1];
	struct dirent *entry;
	bool found = false;
	DIR *list;

	output_stem(output_name(path), name);
	if (slash)
		folder[slash == path ? 1 : slash - path] = 0;
	list = opendir(folder);
	while (list && !found && (entry = readdir(list))) {
		if (strncmp(entry->d_name, name, strlen(name)) ||
			strncmp(entry->d_name + strlen(name), PARTIAL, strlen(PARTIAL)))
			continue;
		partial = memory_array(strlen(folder) + strlen(entry->d_name) + 2, 1, "output file name");
		sprintf(partial, "%s/%s", folder, entry->d_name);
		found = strcmp(entry->d_name, output_name(own)) && output_is_written(partial);
		memory_free(partial);
	}
	if (list)
		closedir(list);
	memory_free(folder);
	return found;
}

/*
 * Devices, pipes and whatever lies in /dev or /proc (such as /dev/stdout, even when it
 * leads to a plain file) cannot be replaced by renaming.
 */
static bool output_is_direct(const char *path)
{
	struct stat status;

	if (strncmp(path, "/dev/", 5) == 0 || strncmp(path, "/proc/", 6) == 0)
		return true;
	return stat(path, &status) == 0 && !S_ISREG(status.st_mode);
}

/* Standard output is duplicated, not opened again, which would overwrite what is already printed to a
 * plain file. */
static FILE *output_open_direct(const char *path)
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
static char *output_final_name(const char *path)
{
	char target[PATH_MAX];
	struct stat status;

	if (lstat(path, &status) == 0 && S_ISLNK(status.st_mode) && realpath(path, target))
		return memory_string(target, "output file name");
	return memory_string(path, "output file name");
}

static void output_release(struct output *output)
{
	if (output->temporary)
		output_forget(output->temporary);
	memory_free(output->path);
	memory_free(output->temporary);
	*output = (struct output){ 0 };
}

/* A new file, or -1.  What has its name is removed and not written to: a program with the same number left it
 * when it was killed, or somebody put a link there.  With EBUSY such a program still writes it. */
static int output_create_new(const char *partial)
{
	int descriptor;

	while ((descriptor = open(partial, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0666)) < 0 &&
		errno == EEXIST) {
		if (output_is_written(partial)) {
			errno = EBUSY;
			return -1;
		}
		if (unlink(partial) && errno != ENOENT)
			return -1;
	}
	return descriptor;
}

/* Locked for the life of the process; where locks are not supported, nothing is refused or removed.  Created
 * again if another program has removed it before it was locked. */
static FILE *output_create(const char *partial)
{
	struct stat status;
	FILE *stream = NULL;
	int descriptor;

	while ((descriptor = output_create_new(partial)) >= 0 && !lockf(descriptor, F_LOCK, 0) &&
		!fstat(descriptor, &status) && !status.st_nlink)
		close(descriptor);
	if (descriptor >= 0 && !(stream = fdopen(descriptor, "w")))
		close(descriptor);
	return stream;
}

/* Renaming needs no right to write to the old file, so that right is checked. */
static FILE *output_open_beside(struct output *output)
{
	if ((access(output->path, W_OK) && errno != ENOENT) || !output_note(output->temporary))
		return NULL;
	return output_create(output->temporary);
}

static bool output_begin(struct output *output, const char *path, bool shared, struct fault *fault)
{
	int error;

	*output = (struct output){ 0 };
	if (!*path)
		return output_fault("create", path, ENOENT, fault);
	if (output_is_direct(path)) {
		output->path = memory_string(
			strcmp(path, "/dev/stdout") ? path : "standard output", "output file name");
		output->stream = output_open_direct(path);
	} else {
		output->path = output_final_name(path);
		output->temporary = output_temporary_name(output->path);
		output->stream = output_open_beside(output);
	}
	error = errno;
	if (!output->stream) {
		output_release(output);
		return output_fault("create", path, error, fault);
	}
	if (!output->temporary || !output_others_write(output->path, output->temporary) || shared)
		return true;
	output_fault("create", output->path, EBUSY, fault);
	output_abandon(output);
	return false;
}

bool output_open(struct output *output, const char *path, struct fault *fault)
{
	return output_begin(output, path, false, fault);
}

bool output_open_shared(struct output *output, const char *path, struct fault *fault)
{
	return output_begin(output, path, true, fault);
}

/* Why an earlier write failed, of which only that is known: what stops further bytes, of a file that will be
 * removed, or one to a pipe or device.  EIO: nothing does. */
static int output_reason(int descriptor, bool file)
{
	static const char more[4096];

	for (int i = 0; i < (file ? 16 : 1); i++)
		if (write(descriptor, more, file ? sizeof more : 1) < 0)
			return errno;
	return EIO;
}

/* 0 if every byte has been written, and those of a file are on the disk; else the error. */
static int output_flush(FILE *stream, bool file)
{
	errno = 0;
	if (fflush(stream) != 0 || ferror(stream))
		return errno ? errno : output_reason(fileno(stream), file);
	return file && fsync(fileno(stream)) ? errno : 0;
}

/* Renames the file while it is still locked: otherwise another program would remove it. */
bool output_commit(struct output *output, struct fault *fault)
{
	int error = output_flush(output->stream, output->temporary);

	if (!error && output->temporary && rename(output->temporary, output->path) != 0)
		error = errno;
	if (fclose(output->stream) != 0 && !error)
		error = errno;
	if (error) {
		output_fault("write", output->path, error, fault);
		if (output->temporary)
			unlink(output->temporary);
	}
	output_release(output);
	return !error;
}

void output_abandon(struct output *output)
{
	if (output->stream)
		fclose(output->stream);
	if (output->temporary)
		unlink(output->temporary);
	output_release(output);
}
