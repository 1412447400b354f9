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
};

/* Indices of operations. */
struct traced_wait {
	uint32_t op, other;
};

/* A bus or a unit (a die, or a chip without flash.interleave) is busy with a command; a unit is also busy
 * while its cells stop. */
struct traced_span {
	uint32_t unit;   /* that is busy, or that uses the bus of its channel */
	uint32_t op;     /* index of the command's first operation, or TRACED_EARLIER */
	uint32_t planes; /* operations of the command */
	enum op_kind kind;
	enum cause cause;
	bool bus;
	tick_t from, to;
};

/* A decision of an FTL, in words. */
struct traced_note {
	uint32_t ops; /* issued before it */
	char text[116];
};

/* Zeroed: a tracer that has recorded nothing. */
struct tracer {
	bool open;     /* operations issued now are recorded */
	bool hardware; /* so are busy times, while it is open or a recorded operation is in flight */
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

/* The unit's command, of which `first` is the first operation, begins on a bus or in the cells; `op` of the
 * span is not set.  A suspended unit is busy until `to` instead. */
void tracer_works(struct tracer *, op_t first, struct traced_span);
void tracer_suspended(struct tracer *, uint32_t unit, tick_t to);

#endif
