/*
 * How writes overwrite: which repeat an earlier write exactly, which start where one started, and which start
 * elsewhere.  FTLs that map parts of pages profit from the first two.
 *
 * Memory: 23 to 46 bytes for each 32 KiB of a device that hold written sectors and for each distinct address
 * at which a write started.
 */
#ifndef TRACES_REWRITES_H
#define TRACES_REWRITES_H

#include "traces/tally.h"

struct rewrites {
	struct tally *written; /* by device and 32 KiB: a bit for each sector */
	struct tally *starts;  /* by device and sector: length of the latest write that started there */
	uint64_t exact, same_start, shifted;
};

struct rewrites rewrites_create(void);
void rewrites_free(struct rewrites *);

/* Counts the next write, not empty.  `device` is below 2^20, sectors are below 2^44. */
void rewrites_add(struct rewrites *, uint32_t device, uint64_t first, uint64_t sectors);

/* Prefetches the places of a write in the tables. */
void rewrites_expect(const struct rewrites *, uint32_t device, uint64_t first, uint64_t sectors);

#endif
