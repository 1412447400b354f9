/*
 * SSDsim's trace lines: `time device sector sectors operation`.  The shared readers give
 * requests; here the line itself matters (is the last one terminated?), and the file is
 * read twice.  Knows nothing of drives.
 */
#ifndef LEGACY_SCAN_H
#define LEGACY_SCAN_H

#include "base/fault.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum scan_status { SCAN_LINE, SCAN_END, SCAN_BAD };

struct legacy_line {
	int64_t time;     /* ns */
	uint32_t sector;  /* below 2^31 */
	uint32_t sectors; /* 1 .. 2^31-1 */
	bool read;
	bool terminated; /* ends in a newline */
};

struct legacy_scan {
	FILE *file;
	const char *path; /* the caller's; for messages */
	char *buffer;
	size_t start, end; /* unread bytes of the buffer */
	bool exhausted;    /* the file has no more */
	uint64_t line;     /* number of the line last returned, from 1 */
	int64_t last_time;
	uint64_t blank;      /* lines without a number, skipped */
	uint64_t disordered; /* lines earlier than their predecessor */
};

/* False and a fault if the file cannot be opened or cannot be read twice. */
bool legacy_scan_open(struct legacy_scan *, const char *path, struct fault *);
void legacy_scan_close(struct legacy_scan *);

/* Back to the first line. */
void legacy_scan_rewind(struct legacy_scan *);

/* The next line.  SCAN_BAD: the fault names file, line and what is wrong. */
enum scan_status legacy_scan_next(struct legacy_scan *, struct legacy_line *, struct fault *);

/* Parses one line of `bytes` bytes without its newline; `what` receives the complaint.
 * False also for a blank line, with an empty complaint. */
bool legacy_scan_line(const char *text, size_t bytes, struct legacy_line *, const char **what);

#endif
