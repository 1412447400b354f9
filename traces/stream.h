/*
 * The bytes of a trace as stored: a file, a pipe, or memory.  Independent of compression and lines.
 */
#ifndef TRACES_STREAM_H
#define TRACES_STREAM_H

#include "base/fault.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define STREAM_KEPT_MAX (4ull << 30) /* bytes of a pipe */

struct stream {
	char *path;
	int fd; /* -1: memory */
	const char *memory;
	uint64_t start;       /* of a file: its position when it was opened */
	uint64_t read, total; /* bytes since the start; 0: unknown */
	int kept_fd;          /* copy of the data of a pipe; -1: none is kept */
	uint64_t kept;        /* bytes */
	struct fault *fault;  /* of the call in progress: libarchive calls back */
	bool broken;          /* a fault has been described; the first one counts */
};

/* "-" is standard input.  `again`: it will be rewound, and data from a pipe is kept in an unnamed file in
 * $TMPDIR (/tmp).  False and a fault; it must be closed even so. */
bool stream_open(struct stream *, const char *path, bool again, struct fault *);

/* Bytes in memory, which must outlive it; `name` is used in messages. */
void stream_open_memory(struct stream *, const char *name, const void *bytes, size_t size, struct fault *);
void stream_close(struct stream *);

/* Reads at most `bytes` bytes; 0: the end; -1: a fault is described. */
ssize_t stream_read(struct stream *, char *to, size_t bytes);

/* Back to the first byte.  False and a fault if that is not possible. */
bool stream_rewind(struct stream *);

/* Describes "PATH: WHAT: WHY" on one line.  Returns false. */
bool stream_fail(struct stream *, const char *what, const char *why);

/* A text from an archive or a library as one printable line. */
const char *stream_printable(const char *text, char line[FAULT_BYTES]);

#endif
