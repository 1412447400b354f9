/*
 * Operations on the medium, their kinds and causes: the vocabulary of the medium and of those that observe it
 * (flash/observer.h).
 */
#ifndef FLASH_EVENT_H
#define FLASH_EVENT_H

#include "types.h"

/* Handle of an operation; 0 = none.  It is never used again: after the operation is done it means "done". */
typedef uint64_t op_t;
#define OP_NONE ((op_t)0)

enum op_kind {
	OP_READ,
	OP_PROGRAM,
	OP_COPY,
	OP_ERASE,
	OP_KINDS,

	/* Of the controller alone: they take no flash operation and no time. */
	OP_FORWARD = OP_KINDS, /* a read answered from the controller's memory */
	OP_FLUSH               /* done when the programs that it waits for are */
};

/* The cause of an operation.  Every counter of the medium is kept per cause. */
enum cause {
	CAUSE_HOST,      /* data that the host reads or writes */
	CAUSE_RMW,       /* read-modify-write: old data that a partial write must keep */
	CAUSE_MAP,       /* mapping pages */
	CAUSE_MERGE,     /* merges of log blocks or areas with their data */
	CAUSE_PAD,       /* pages a buffer reads to write a whole block */
	CAUSE_GC,        /* valid pages moved out of a victim, and its erase */
	CAUSE_GC_MAP,    /* the same for mapping pages */
	CAUSE_GC_UPDATE, /* mapping pages rewritten because GC moved the pages they map */
	CAUSE_WEAR,      /* wear levelling */

	/* The counters of these are reported by the features that they belong to. */
	CAUSES_ALWAYS,
	CAUSE_FOLD = CAUSES_ALWAYS, /* valid pages moved from SLC blocks to normal ones */
	CAUSE_REFRESH,              /* valid pages moved before they become unreadable */
	CAUSE_PARITY,               /* parity pages, and reads that replace the read of a lost page */
	CAUSE_SEARCH,               /* pages read for their spare area, to find where another page is */
	CAUSES
};

/* Background work: no request waits for it.  CAUSE_PARITY is no part of it, because requests wait for reads
 * of parity; its programs are issued with `detached` of struct io. */
static inline bool cause_is_background(enum cause cause)
{
	const unsigned background = 1u << CAUSE_GC | 1u << CAUSE_GC_MAP | 1u << CAUSE_GC_UPDATE |
				    1u << CAUSE_WEAR | 1u << CAUSE_FOLD | 1u << CAUSE_REFRESH;

	return background >> cause & 1;
}

/* "host", "rmw", ... as in the names of the statistics. */
const char *cause_name(enum cause);

/* "read", "program", "copy", "erase", "forward", "flush" */
const char *op_name(enum op_kind);

/* Parts of the time of a request; what they are, observe/accounts.h says. */
enum part { PART_CONTROLLER, PART_MAP, PART_DIE, PART_COLLECTION, PART_BUS, PART_CELLS, PARTS };

/* How a unit uses its bus: no longer; for a command and the data of a program; for the data of a read. */
enum bus_use { BUS_LEFT, BUS_SENDS, BUS_RECEIVES };

/* Where a unit (a die, or a chip without flash.interleave) serves a command. */
enum busy_place { BUSY_CELLS, BUSY_BUS, BUSY_REGISTER };

/* The cells of a unit, the bus of its channel or its cache register are busy with a command; cells also while
 * they stop. */
struct busy_span {
	uint32_t unit;
	uint32_t op;     /* of the observer: its number for the command's first operation */
	uint32_t planes; /* operations of the command */
	enum op_kind kind;
	enum cause cause;
	enum busy_place place;
	tick_t from, to;
};

/* An operation that is issued. */
struct made_op {
	op_t op;
	enum op_kind kind;
	enum cause cause;
	ppn_t ppn, to;            /* `to`: target of a copy */
	owner_t owner;            /* of the page written or read; OWNER_NONE for an erase */
	uint32_t sectors, ticket; /* INDEX_NONE: of no request */
	bool awaited;             /* by the request that has this ticket */
	bool rebuilt;             /* a forward: not from memory, but from the other pages of a stripe */
};

#endif
