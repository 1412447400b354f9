/*
 * A workload on a drive, one request at a time, forwards and back.  Going back is playing it again from the start: the
 * same input gives the same drive, so nothing need be kept or undone.
 *
 * After a step the drive has taken in the request, and time has passed until the next one may enter; what its
 * operations did meanwhile is in the explanation.
 */
#ifndef WATCH_PLAYER_H
#define WATCH_PLAYER_H

#include "prepare/precondition.h"
#include "run/run.h"

#define PLAYER_LPNS 16u /* touched last, that are remembered */

struct player {
	const struct settings *settings;
	const char *name; /* of the workload */
	bool verify;
	struct drive *drive;
	struct workload workload;
	struct run run;                 /* run.requests: steps made */
	struct explanation explanation; /* of the last step; not seen: there was none */
	enum run_end end;               /* RUN_DRIVE_FAILED: no step can follow */

	/* The medium before the last step, and bits of pages on their way to flash when it was taken in. */
	owner_t *owner;
	struct flash_block *block;
	uint64_t *pending;
	uint64_t in_drive; /* requests then, this one included */

	lpn_t lpn[PLAYER_LPNS]; /* touched last, of the device, latest first, each once */
	uint32_t lpns;
};

/* False and a fault: drive or workload cannot be.  player_close() must follow either way. */
bool player_open(struct player *, const struct settings *, const char *name, bool verify, struct fault *);
void player_close(struct player *);

/* Steps that can be made? */
static inline bool player_more(const struct player *p)
{
	return p->end == RUN_DONE && p->run.status == TRACE_OK;
}

/* One step.  False and a fault: what follows in the trace is bad. */
bool player_step(struct player *, struct fault *);

/* To behind step number `step`, backwards, too; as far as there are steps. */
bool player_go(struct player *, uint64_t step, struct fault *);

/* Did the last step erase a block, or touch the page? */
bool player_collected(const struct player *);
bool player_touched(const struct player *, lpn_t);

#endif
