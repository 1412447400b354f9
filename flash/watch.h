/*
 * A witness of what one request causes on the medium: its operations, what each waited for, and
 * when it became ready, started and was done.  For explaining a request; a run without a witness pays a branch.
 */
#ifndef FLASH_WATCH_H
#define FLASH_WATCH_H

#include "flash/flash.h"

#include <stdarg.h>

/* A run without a witness is to stay free of what follows. */
#define WATCHING __attribute__((cold)) void

/* Of `other`: an operation of an earlier request. */
#define WATCHED_EARLIER UINT32_MAX

struct watched_op {
	op_t op;
	enum op_kind kind;
	enum cause cause;
	ppn_t ppn, to; /* `to`: target of a copy */
	owner_t owner; /* whose page it was when the request was taken in; of an erase OWNER_NONE */
	uint32_t sectors;
	bool detached;             /* the request does not wait for it */
	tick_t ready, start, done; /* TICK_NEVER: not yet */
};

struct watched_wait {
	uint32_t op, other; /* indices */
};

/* A decision, in words. */
struct watched_note {
	uint32_t ops; /* made before it */
	char text[116];
};

struct watch {
	bool open; /* the request is being taken in: operations made now are its own */
	struct watched_op *op;
	struct watched_wait *wait;
	struct watched_note *note;
	uint32_t ops, waits, notes, op_room, wait_room, note_room;
};

void watch_release(struct watch *);

/* For the schedule: an operation is made, something is decided, it waits for another, and goes its way. */
WATCHING watch_made(struct watch *, struct watched_op);
WATCHING watch_note(struct watch *, const char *format, va_list);
WATCHING watch_waits(struct watch *, op_t op, op_t other);
WATCHING watch_ready(struct watch *, op_t, tick_t now);
WATCHING watch_started(struct watch *, op_t, tick_t now);
WATCHING watch_done(struct watch *, op_t, tick_t now);

#endif
