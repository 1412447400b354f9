/*
 * Why a flash operation happens.  Every counter of the medium is kept per cause.
 */
#ifndef FLASH_CAUSE_H
#define FLASH_CAUSE_H

enum cause {
	CAUSE_HOST,      /* data the host asked for or wrote */
	CAUSE_RMW,       /* old data that a partial write must keep */
	CAUSE_MAP,       /* mapping pages */
	CAUSE_MERGE,     /* log blocks or areas folded into their data */
	CAUSE_PAD,       /* pages a buffer reads to write a whole block */
	CAUSE_GC,        /* live data moved out of a victim, and the victim's erase */
	CAUSE_GC_MAP,    /* the same for mapping pages */
	CAUSE_GC_UPDATE, /* mapping pages rewritten because collection moved what they map */
	CAUSE_WEAR,      /* wear levelling */
	CAUSES
};

/* "host", "rmw", ... as in the names of the statistics. */
const char *cause_name(enum cause);

/* Housekeeping that no request waits for (GC and what follows). */
static inline _Bool cause_is_background(enum cause cause)
{
	return cause >= CAUSE_GC;
}

#endif
