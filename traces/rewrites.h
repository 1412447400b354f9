/*
 * How writes meet what was written before: of those that overwrite a sector, which repeat an earlier write exactly,
 * which only begin where one began, and which begin elsewhere.  An FTL that keeps pieces of pages lives on the
 * difference.
 *
 * Memory: 23 to 46 bytes for each 32 KiB of a device that hold written sectors and for each distinct address at which
 * a write began.
 */
#ifndef TRACES_REWRITES_H
#define TRACES_REWRITES_H

#include "traces/tally.h"

struct rewrites {
	struct tally *written; /* by device and 32 KiB: a bit for each sector */
	struct tally *starts;  /* by device and sector: length of the latest write that began there */
	uint64_t exact, same_start, shifted;
};

struct rewrites rewrites_create(void);
void rewrites_free(struct rewrites *);

/* The next write, in sectors, not empty.  `device` is below 2^20, sectors below 2^44. */
void rewrites_add(struct rewrites *, uint32_t device, uint64_t first, uint64_t sectors);

/* It will come soon: fetches its places in the tables. */
void rewrites_expect(const struct rewrites *, uint32_t device, uint64_t first, uint64_t sectors);

#endif
