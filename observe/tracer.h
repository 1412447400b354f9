/*
 * A tracer records the operations that requests cause: their dependencies, and when each became ready,
 * started and was done; on request also the busy times of buses and units.  Used to explain a request, for
 * pictures and timelines.
 */
#ifndef OBSERVE_TRACER_H
#define OBSERVE_TRACER_H

#include "flash/observer.h"

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

/* A decision of an FTL, in words. */
struct traced_note {
	uint32_t ops; /* issued before it */
	char text[116];
};

/* Zeroed: a tracer that has recorded nothing. */
struct tracer {
	struct flash_observer observer;
	bool open;     /* operations issued now are recorded */
	bool hardware; /* so are busy times, while it is open or a recorded operation is in flight */
	struct traced_op *op;
	struct traced_wait *wait;
	struct traced_note *note;
	struct busy_span *span;
	uint32_t ops, waits, notes, spans;
	uint32_t op_room, wait_room, note_room, span_room;
	uint32_t *place; /* by the low half of a handle: index + 1 of the last recorded operation; 0 = none */
	uint32_t place_room;
	uint32_t unfinished; /* recorded operations in flight */
};

void tracer_release(struct tracer *);

/* Observes the medium, for any time. */
struct flash_observer *tracer_observer(struct tracer *);

#endif
