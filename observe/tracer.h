/*
 * A tracer records the operations that requests cause: their dependencies, and when each became ready,
 * started and was done; on request also the busy times of buses and units.  Used to explain a request, for
 * pictures and timelines.
 */
#ifndef OBSERVE_TRACER_H
#define OBSERVE_TRACER_H

#include "observe/event.h"

#include <stdarg.h>

/* Index of an operation that is not recorded, because it was issued before recording began. */
#define TRACED_EARLIER UINT32_MAX

struct traced_op {
	struct made_op made;
	tick_t ready, start, done; /* TICK_NEVER: not yet */
	tick_t until;              /* its request waited for it until then; TICK_NEVER: still, or never */
};

/* Indices of operations. */
struct traced_wait {
	uint32_t op, other;
};

/* Where a unit (a die, or a chip without flash.interleave) serves a command. */
enum traced_place { TRACED_CELLS, TRACED_BUS, TRACED_REGISTER };

/* The cells of a unit, the bus of its channel or its cache register are busy with a command; cells also while
 * they stop. */
struct traced_span {
	uint32_t unit;
	uint32_t op;     /* index of the command's first operation, or TRACED_EARLIER */
	uint32_t planes; /* operations of the command */
	enum op_kind kind;
	enum cause cause;
	enum traced_place place;
	tick_t from, to;
};

/* A decision of an FTL, in words. */
struct traced_note {
	uint32_t ops; /* issued before it */
	char text[116];
};

/* Zeroed: a tracer that has recorded nothing. */
struct tracer {
	struct tracer *next; /* of the schedule */
	bool open;           /* operations issued now are recorded */
	bool hardware;       /* so are busy times, while it is open or a recorded operation is in flight */
	struct traced_op *op;
	struct traced_wait *wait;
	struct traced_note *note;
	struct traced_span *span;
	uint32_t ops, waits, notes, spans;
	uint32_t op_room, wait_room, note_room, span_room;
	uint32_t *place; /* by the low half of a handle: index + 1 of the last recorded operation; 0 = none */
	uint32_t place_room;
	uint32_t unfinished; /* recorded operations in flight */
};

void tracer_release(struct tracer *);

/* Events (flash/events.h). */
void tracer_made(struct tracer *, const struct made_op *);
void tracer_note(struct tracer *, const char *format, va_list);
void tracer_waits(struct tracer *, op_t op, op_t other);
void tracer_ready(struct tracer *, op_t, tick_t now);
void tracer_started(struct tracer *, op_t, tick_t now);
void tracer_done(struct tracer *, op_t, tick_t now);
void tracer_left(struct tracer *, op_t, tick_t now); /* its request waits for it no longer */

/* tracer_works(): a command, whose first operation is `first`, begins at a place; the tracer sets `op` of the
 * span.  tracer_ends(): the last span of the unit at that place ends at `to` instead. */
void tracer_works(struct tracer *, op_t first, struct traced_span);
void tracer_ends(struct tracer *, uint32_t unit, enum traced_place, tick_t to);

#endif
