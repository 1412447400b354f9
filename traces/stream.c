#include "traces/stream.h"

#include "base/memory.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

const char *stream_printable(const char *text, char line[FAULT_BYTES])
{
	size_t bytes = 0;

	for (; text[bytes] && bytes < FAULT_BYTES - 1; bytes++)
		line[bytes] = (unsigned char)text[bytes] < ' ' || text[bytes] == 0x7f ? '?' : text[bytes];
	while (bytes && text[bytes - 1] == '\n')
		bytes--;
	line[bytes] = '\0';
	return line;
}

bool stream_fail(struct stream *s, const char *what, const char *why)
{
	char line[FAULT_BYTES];

	if (!s->broken)
		fault_set(s->fault, "%s: %s: %s", s->path, what, stream_printable(why, line));
	s->broken = true;
	return false;
}

/* ---- the copy of a pipe ---- */

static const char *stream_folder(void)
{
	const char *folder = getenv("TMPDIR");

	return folder && *folder ? folder : "/tmp";
}

/* The file has no name, so it disappears with the program, however that ends. */
static bool stream_open_copy(struct stream *s)
{
	char name[256];

	if (snprintf(name, sizeof name, "%s/ssdlab-pipe-XXXXXX", stream_folder()) >= (int)sizeof name)
		return stream_fail(s, "cannot be read twice", "the path in TMPDIR is too long");
	s->kept_fd = mkstemp(name);
	if (s->kept_fd < 0)
		return stream_fail(s, stream_folder(), strerror(errno));
	unlink(name);
	return true;
}

static bool stream_keep(struct stream *s, const char *bytes, size_t n)
{
	if (s->kept + n > STREAM_KEPT_MAX)
		return stream_fail(
			s, "cannot be read twice", "of a pipe at most 4 GiB are kept; give it as a file");
	for (ssize_t done; n; bytes += done, n -= (size_t)done, s->kept += (uint64_t)done) {
		done = write(s->kept_fd, bytes, n);
		if (done < 0 && errno == EINTR)
			done = 0;
		if (done < 0)
			return stream_fail(s, stream_folder(), strerror(errno));
	}
	return true;
}

/* ---- reading ---- */

/* Waits until a pipe has bytes.  A signal with a handler ends the wait, so that the program can end. */
static bool stream_wait(struct stream *s)
{
	struct pollfd stream = { .fd = s->fd, .events = POLLIN };

	return poll(&stream, 1, -1) >= 0 || stream_fail(s, "cannot be read", strerror(errno));
}

static ssize_t stream_read_file(struct stream *s, char *to, size_t bytes)
{
	ssize_t got;

	if (s->read >= s->kept && !stream_wait(s))
		return -1;
	do
		got = s->read < s->kept ? pread(s->kept_fd, to, bytes, (off_t)s->read)
					: read(s->fd, to, bytes);
	while (got < 0 && errno == EINTR);
	if (got < 0)
		stream_fail(s, "cannot be read", strerror(errno));
	else if (s->kept_fd >= 0 && s->read == s->kept && !stream_keep(s, to, (size_t)got))
		got = -1;
	return got;
}

ssize_t stream_read(struct stream *s, char *to, size_t bytes)
{
	ssize_t got;

	if (s->fd >= 0) {
		got = stream_read_file(s, to, bytes);
	} else {
		got = (ssize_t)(bytes < s->total - s->read ? bytes : s->total - s->read);
		memcpy(to, s->memory + s->read, (size_t)got);
	}
	if (got > 0)
		s->read += (uint64_t)got;
	return got;
}

/* ---- opening ---- */

static void stream_init(struct stream *s, const char *path, struct fault *fault)
{
	*s = (struct stream){ .fd = -1, .kept_fd = -1, .fault = fault };
	s->path = memory_string(path, "trace name");
}

bool stream_open(struct stream *s, const char *path, bool again, struct fault *fault)
{
	struct stat status;
	off_t start;

	stream_init(s, path, fault);
	s->fd = strcmp(path, "-") ? open(path, O_RDONLY | O_CLOEXEC) : STDIN_FILENO;
	if (s->fd < 0)
		return stream_fail(s, "cannot be opened", strerror(errno));
	if (fstat(s->fd, &status))
		return stream_fail(s, "cannot be opened", strerror(errno));
	if (S_ISDIR(status.st_mode))
		return stream_fail(s, "is a directory", "a trace is a file");
	if (!S_ISREG(status.st_mode))
		return !again || stream_open_copy(s);
	start = lseek(s->fd, 0, SEEK_CUR);
	s->start = start > 0 ? (uint64_t)start : 0;
	s->total = (uint64_t)status.st_size > s->start ? (uint64_t)status.st_size - s->start : 0;
	return true;
}

void stream_open_memory(
	struct stream *s, const char *name, const void *bytes, size_t size, struct fault *fault)
{
	stream_init(s, name, fault);
	s->memory = bytes;
	s->total = size;
}

void stream_close(struct stream *s)
{
	if (s->fd > STDIN_FILENO)
		close(s->fd);
	if (s->kept_fd >= 0)
		close(s->kept_fd);
	memory_free(s->path);
}

/* A pipe is read again from the kept copy. */
bool stream_rewind(struct stream *s)
{
	s->read = 0;
	if (s->fd >= 0 && s->kept_fd < 0 && lseek(s->fd, (off_t)s->start, SEEK_SET) < 0)
		return stream_fail(s, "cannot be read twice", strerror(errno));
	return true;
}
