/*
 * The words for what happens on the medium: operations, their kinds and causes.  The medium (flash/) uses
 * them, and so do those who look on: the judge of time, the accounts of latencies and the tracer.
 * flash/events.h lists the events.
 */
#ifndef OBSERVE_EVENT_H
#define OBSERVE_EVENT_H

#include "types.h"

/* Handle of an operation; stays valid (and means "done") for ever.  0 = none. */
typedef uint64_t op_t;
#define OP_NONE ((op_t)0)

enum op_kind {
	OP_READ,
	OP_PROGRAM,
	OP_COPY,
	OP_ERASE,
	OP_KINDS,
	OP_FORWARD = OP_KINDS /* a read answered from the controller's memory: no flash, no time of its own */
};

/* Why a flash operation happens.  Every counter of the medium is kept per cause. */
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

/* Background work, that no request waits for: GC and what follows. */
static inline bool cause_is_background(enum cause cause)
{
	return cause >= CAUSE_GC;
}

/* "host", "rmw", ... as in the names of the statistics. */
const char *cause_name(enum cause);

/* "read", "program", "copy", "erase", "forward" */
const char *op_name(enum op_kind);

/* A new operation, as observers see it. */
struct made_op {
	op_t op;
	enum op_kind kind;
	enum cause cause;
	ppn_t ppn, to; /* `to`: target of a copy */
	owner_t owner; /* of the page written or read; of an erase OWNER_NONE */
	uint32_t sectors, ticket;
	bool awaited; /* by the request that has this ticket */
};

#endif
