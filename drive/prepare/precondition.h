/*
 * The state a drive is in before the first request, reached through the FTL itself but outside time and
 * statistics: every state is one the FTL could have come to by serving writes.
 *
 *   aged       `used` of the pages programmed, none live (what SSDsim's aging does, except that
 *              it leaves a few pages of each block free; here blocks are filled)
 *   synthetic  `used` programmed and `valid` live (ICPP'23, section 4.1: 90 % and 39.8 %); pages that the
 *              workload touches (premap = pages) or reads before it writes them (sectors, as SSDsim;
 *              requests: before all else) are live first.  Layout mixed: live pages are spread at random
 *              over all used ones; apart: they fill blocks of their own, as after SSDsim's aging, which fills
 *              blocks with dead pages before anything is written
 *   fill       every logical page written once, ascending or in runs of seeded random order: all that the
 *              host layer exports, or the whole device without the layer
 *   trace      a trace is replayed until `used` is reached
 *
 * In the modes aged and synthetic `used` is reached to the page, whatever the FTL and the layout, and mapping
 * pages that an FTL programs on the way are part of it.  `valid` is exact for data; live mapping pages come
 * on top.  This requires room for the mapping pages between `valid` and `used`, a placement that does not
 * depend on the page (static striping puts copies of a page in one plane), and a `used` at which no plane
 * must be collected.
 */
#ifndef PREPARE_PRECONDITION_H
#define PREPARE_PRECONDITION_H

#include "drive/drive.h"
#include "drive/prepare/workload.h"

/* The state reached, for the report. */
struct precondition_result {
	uint64_t used_pages, valid_pages;
	uint64_t footprint_pages, replayed; /* as in struct drive_past */
};

/* Must the workload be read for the pages it touches? */
bool precondition_reads(const struct precondition_settings *);

/*
 * Reads the workload and the warm-up trace, if the settings let the drive's state depend on them, and records
 * them as the drive's past.  The workload, which must not have been read, is rewound; it may be NULL if it
 * need not be read.  NULL and a fault: one of them cannot be read.
 */
struct preparation *preparation_read(struct drive *, struct workload *, struct fault *);
void preparation_free(struct preparation *);

/* Prepares the drive.  False and a fault: it cannot hold what is asked for. */
bool preparation_apply(struct preparation *, struct drive *, struct fault *);

/* preparation_read() and preparation_apply(), then precondition_count(). */
bool precondition(struct drive *, struct workload *, struct precondition_result *, struct fault *);

/* Counts the present contents of the drive and its past. */
void precondition_count(const struct drive *, struct precondition_result *);

#endif
