/*
 * The bytes of a trace file, unpacked, in lines or fixed-size records.  Independent of trace formats.  One
 * block in memory at a time.
 */
#ifndef TRACES_SOURCE_H
#define TRACES_SOURCE_H

#include "base/fault.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct source;

enum source_status { SOURCE_OK, SOURCE_END, SOURCE_BAD };

/* "-" is standard input.  `member` chooses a file of an archive (its whole path or its last part), and must
 * outlive the source; NULL: the archive must hold exactly one.  `again`: it will be rewound, and data from a
 * pipe is kept, at most 4 GiB, in an unnamed file in $TMPDIR (/tmp). */
struct source *source_open(const char *path, const char *member, bool again, struct fault *);

/* A source over bytes in memory, which must outlive it; `name` is used in messages. */
struct source *source_memory(
	const char *name, const void *bytes, size_t size, const char *member, struct fault *);

void source_close(struct source *);

/* Back to the first byte.  False and a fault if that is not possible. */
bool source_rewind(struct source *, struct fault *);

/* The first bytes, up to a block, without consuming them.  *size 0: empty.  *whole: that is all there is.
 * NULL and a fault if they cannot be read. */
const char *source_head(struct source *, size_t *size, bool *whole, struct fault *);

/* The next line without its end (\n or \r\n).  **end is a readable '\n' or '\r'.
 * Valid until the next call. */
enum source_status source_line(struct source *, const char **begin, const char **end, struct fault *);

/* True if the line read last ends in a newline; the last one of a file may not. */
bool source_line_ended(const struct source *);

/* The next `bytes` bytes (at most 4096); fewer at the end of the file is SOURCE_BAD. */
enum source_status source_record(struct source *, size_t bytes, const char **begin, struct fault *);

/* Reads the rest of a packed file to check that it is complete: damage may be why a line cannot be parsed.
 * False and a fault if it is not.  Nothing can be read afterwards. */
bool source_sound(struct source *, struct fault *);

const char *source_name(const struct source *);
uint64_t source_bytes_read(const struct source *);  /* of the file as stored */
uint64_t source_bytes_total(const struct source *); /* 0 when unknown */

#endif
