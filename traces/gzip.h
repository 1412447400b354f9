/*
 * The checksum at the end of a gzip file, which libarchive does not look at: a flipped bit often
 * unpacks to other digits.  Watches the packed bytes go in and the unpacked bytes come out.
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

/* After the last of both: are they what was packed?  Of several files in one (members, RFC 1952
 * section 2.2) the borders are not known here; such a file is believed. */
bool gzip_check_holds(const struct gzip_check *);

#endif
