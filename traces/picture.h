/*
 * Arrivals over time, and over time and address, in grids of fixed size whose cells double when the trace
 * outgrows them: one pass and constant memory for any trace.
 */
#ifndef TRACES_PICTURE_H
#define TRACES_PICTURE_H

#include "types.h"

#define PICTURE_TIMES     512u
#define PICTURE_ADDRESSES 256u

struct picture {
	uint64_t time_step;                                   /* ns per column */
	uint64_t address_step;                                /* bytes per row */
	uint32_t times, addresses;                            /* columns and rows in use */
	uint32_t reads[PICTURE_TIMES], writes[PICTURE_TIMES]; /* requests */
	uint32_t heat[PICTURE_TIMES][PICTURE_ADDRESSES];      /* requests that start there */
};

/* An empty one; to be released with memory_free(). */
struct picture *picture_create(void);

/* Adds a request `time` ns after the first; trims are left out. */
void picture_add(struct picture *, tick_t time, uint64_t address, enum request_type);

#endif
