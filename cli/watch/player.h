/*
 * A workload on a drive, one request at a time, forwards and backwards.  To go back, the workload is replayed
 * from the start, which gives the same drive, so nothing has to be stored or undone.
 *
 * After a step the request has entered the drive and time has passed until the next one may enter; the
 * explanation has the operations of that time.
 */
#ifndef WATCH_PLAYER_H
#define WATCH_PLAYER_H

#include "drive/prepare/precondition.h"
#include "drive/run/explain.h"
#include "drive/run/run.h"

#define PLAYER_LPNS 16u /* pages remembered, those touched last */

struct player {
	const struct settings *settings;
	bool verify;
	struct drive *drive;
	struct workload workload;
	struct run run;                 /* run.requests: steps made */
	struct explanation explanation; /* of the last step, `seen` if there was one */
	enum run_end end;               /* RUN_DRIVE_FAILED: no step can follow */

	/* The medium before the last step, with a bit for each page not yet written to flash when the request
	 * entered. */
	owner_t *owner;
	struct flash_block *block;
	uint64_t *pending;
	/* Of pages of flash: the step that programmed them, 0 before the first one.  Of logical pages: how
	 * often the host has written them. */
	uint32_t *programmed, *writes;
	uint64_t in_drive; /* requests in the drive when the last one had entered, including it */

	lpn_t lpn[PLAYER_LPNS]; /* of the device, touched last, latest first, each once */
	uint32_t lpns;
};

/* False and a fault: there can be no such drive or workload.  player_close() must follow either way. */
bool player_open(
	struct player *, const struct settings *, char *const names[], size_t n, bool verify, struct fault *);
void player_close(struct player *);

/* Can a step be made? */
static inline bool player_more(const struct player *p)
{
	return p->end == RUN_DONE && p->run.status == TRACE_OK;
}

/* One step.  False and a fault: the trace is bad. */
bool player_step(struct player *, struct fault *);

/* To the state after step `step`, forwards or back, as far as there are steps. */
bool player_go(struct player *, uint64_t step, struct fault *);

/* Did the last step erase a block, or touch the page? */
bool player_collected(const struct player *);
bool player_touched(const struct player *, lpn_t);

#endif
