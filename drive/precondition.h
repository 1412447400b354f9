/*
 * The state a drive is in before the first request, reached through the FTL itself but outside
 * time and statistics: every state is one the FTL could have come to by serving writes.
 *
 *   aged       `used` of the pages programmed, none live (what SSDsim's aging does, except that
 *              it leaves a few pages of each block free; here blocks are filled)
 *   synthetic  `used` programmed and `valid` live; the pages that the workload touches are the first to be
 *              live (ICPP'23, section 4.1: 90 % and 39.8 %).  Layout mixed: live pages are spread at random
 *              over all used ones; apart: they fill blocks of their own, as after SSDsim's aging, which
 *              fills blocks with dead pages before anything is written
 *   fill       every logical page written once, ascending or in runs of seeded random order
 *   trace      a trace is replayed until `used` is reached
 *
 * In the modes aged and synthetic `used` is reached to the page, whatever the FTL and the layout, and mapping pages
 * that an FTL programs on the way are part of it.  `valid` is exact for data; live mapping pages come on top.
 * This takes room for the mapping pages between `valid` and `used`, a placement that does not depend on the page
 * (static striping puts copies of a page in one plane), and a `used` from which no plane must be collected.
 */
#ifndef DRIVE_PRECONDITION_H
#define DRIVE_PRECONDITION_H

#include "drive/drive.h"
#include "drive/workload.h"

/* What was reached, for the report. */
struct precondition_result {
	uint64_t used_pages, valid_pages;
	uint64_t footprint_pages; /* pages the workload touches (reads, for premapping alone) */
	uint64_t replayed;        /* requests of the warm-up trace */
};

/* Must the workload be read for the pages it touches? */
bool precondition_reads(const struct precondition_settings *);

/* Prepares the drive for the workload, which must not have been read, and is rewound if it has to be read; else it may
 * be NULL.  False and a fault: the workload or the warm-up trace cannot be read, or the drive cannot hold what is
 * asked for. */
bool precondition(struct drive *, struct workload *, struct precondition_result *, struct fault *);

/* Counts what the drive holds now. */
void precondition_count(const struct drive *, struct precondition_result *);

#endif
