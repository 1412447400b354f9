/*
 * A witness of what requests cause on the medium: their operations, what each waited for, and when it became ready,
 * started and was done; and, if it is to, what buses and dies do meanwhile.  For explaining a request, for pictures and
 * timelines; a run without a witness pays a branch.
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

/* A bus or a die works for a command of one or several planes; a die also while it stops what a read interrupts. */
struct watched_span {
	uint32_t
		unit; /* the die (flash.interleave = false: chip) that works, or for which its channel's bus does */
	uint32_t op;     /* the first of the command; WATCHED_EARLIER: of a request that is not watched */
	uint32_t planes; /* operations of the command */
	enum op_kind kind;
	enum cause cause;
	bool bus;
	tick_t from, to;
};

/* A decision, in words. */
struct watched_note {
	uint32_t ops; /* made before it */
	char text[116];
};

struct watch {
	bool open;  /* a request is being taken in: operations made now are its own */
	bool spans; /* buses and dies are watched, too, while it is open or an operation is not done */
	struct watched_op *op;
	struct watched_wait *wait;
	struct watched_note *note;
	struct watched_span *span;
	uint32_t *place; /* of the operation made last in each place of the schedule's pool: its index + 1 */
	uint32_t ops, waits, notes, spans_seen, op_room, wait_room, note_room, span_room, place_room;
	uint32_t unfinished; /* operations */
};

void watch_release(struct watch *);

/* For the schedule: an operation is made, something is decided, it waits for another, and goes its way. */
WATCHING watch_made(struct watch *, struct watched_op);
WATCHING watch_note(struct watch *, const char *format, va_list);
WATCHING watch_waits(struct watch *, op_t op, op_t other);
WATCHING watch_ready(struct watch *, op_t, tick_t now);
WATCHING watch_started(struct watch *, op_t, tick_t now);
WATCHING watch_done(struct watch *, op_t, tick_t now);

/* A command of which `op` is the first begins on a bus or a die; `planes` and the times are known, `op` of the span is
 * not.  A die is interrupted: it is busy until `to` instead. */
WATCHING watch_works(struct watch *, op_t, struct watched_span);
WATCHING watch_stops(struct watch *, uint32_t unit, tick_t to);

#endif
