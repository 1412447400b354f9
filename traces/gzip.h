/*
 * The checksums of a gzip file (RFC 1952), which libarchive does not look at: a flipped bit often unpacks to other
 * digits.  Watches the packed bytes go in and the unpacked bytes come out.
 *
 * A file may consist of several (members, section 2.2), each with its own checksum and length behind it.  Where one
 * ends nobody tells; but what looks like the head of a member stands behind the checksum and the length of the one
 * before, and if what has been unpacked has both, it is one.  Zeros may follow the last.
 */
#ifndef TRACES_GZIP_H
#define TRACES_GZIP_H

#include <stdbool.h>
#include <stddef.h>

struct gzip_check;

struct gzip_check *gzip_check_create(void);
void gzip_check_free(struct gzip_check *);

/* The next bytes of the file. */
void gzip_check_packed(struct gzip_check *, const void *bytes, size_t);

/* The next bytes of what it holds. */
void gzip_check_unpacked(struct gzip_check *, const void *bytes, size_t);

/* After the last of both: are they what was packed, and nothing else? */
bool gzip_check_holds(struct gzip_check *);

#endif
