/*
 * The rows of finished requests, made text and written on a second core, a block of them at a time.  What cannot be
 * written the stream remembers.  Knows nothing of drives.
 */
#ifndef LEGACY_ROW_WRITER_H
#define LEGACY_ROW_WRITER_H

#include "base/beside.h"

#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

struct row {
	int64_t arrival, begin, end; /* ns */
	uint32_t sector, sectors;
	bool read;
};

struct row_writer {
	FILE *out;
	struct row_block *block; /* two: rows are put into one while the other is written */
	uint32_t taken;          /* the one they are put into */
	char *text;
	int64_t time_first; /* digits of the time written last before its last eight, as text of 8 columns */
	char time_text[16];
	off_t sent;
	struct beside writing;
};

/* Until it is closed the stream is its own, and the struct stays where it is. */
void row_writer_open(struct row_writer *, FILE *out);

void row_writer_put(struct row_writer *, const struct row *);

/* All rows are in the stream. */
void row_writer_close(struct row_writer *);

#endif
