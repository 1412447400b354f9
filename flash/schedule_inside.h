/*
 * What the files of the schedule share.  Internal to flash/.
 */
#ifndef FLASH_SCHEDULE_INSIDE_H
#define FLASH_SCHEDULE_INSIDE_H

#include "base/heap.h"
#include "flash/loads.h"
#include "flash/ops.h"
#include "flash/schedule.h"
#include "flash/timers.h"

enum phase {
	PHASE_IDLE,
	PHASE_WOKEN, /* to be given a command when all that is ready waits */
	PHASE_IN,    /* waits for or uses the bus: command, and data of a program */
	PHASE_CELL,  /* the cell array works */
	PHASE_OUT,   /* waits for or uses the bus: data of a read */
	PHASE_STOP,  /* the cell array stops what a read interrupts */
};

/* What works on its own: a die, or a whole chip when its dies may not be interleaved. */
struct unit {
	enum phase phase;
	struct queue reads, others; /* ready operations; FIFO scheduling uses `others` only */
	uint32_t command;           /* operations being served as one command */
	uint32_t suspended;         /* a command that was interrupted, or INDEX_NONE */
	tick_t suspended_ns;        /* what is left of it */
	uint64_t passed;            /* read commands since another operation was first kept waiting */
	uint32_t next;              /* in the line of units that wait for the bus, or of those woken */
	bool brings_data;           /* with its command */
	uint64_t in_ns, cell_ns, out_ns;
};

struct channel {
	uint32_t user;              /* unit on the bus, or INDEX_NONE */
	struct queue first, others; /* units that wait for it */
};

/* Operations of a request that become ready together. */
struct release {
	tick_t when;
	uint64_t order;
	uint32_t first_op, ticket;
};

struct schedule {
	struct flash *flash;
	const struct geometry *geometry;
	const struct flash_settings *settings;
	struct ops ops;
	struct timers timers; /* one per unit: the end of what it does, on the bus or in the cells */
	tick_t now;

	uint32_t units;
	struct unit *unit;
	struct channel *channel;
	struct queue woken;                   /* units */
	struct divisor per_unit, per_channel; /* dies, units */
	uint32_t *transfer_ns;                /* of so many sectors, up to a page of each plane of a die */
	uint64_t command_ns[OP_KINDS],
		plane_command_ns[OP_KINDS]; /* of a command's first plane, of each other */

	struct heap releases;
	uint64_t release_order;

	struct queue answered; /* forwarded reads that are done and not yet finished */
	bool answering;
	uint64_t held, room; /* pages held in the controller's memory, and how many fit */

	struct queue completed; /* tickets */
	uint64_t under_way;     /* operations and releases */
	struct loads loads;
	uint32_t *place; /* of each die in them */
	struct busy busy;
	struct tracer *tracer;     /* NULL: none */
	struct accounts *accounts; /* NULL: none */
	uint8_t observers;         /* TO_JUDGE ... (events.h) */
};

static inline uint32_t unit_of(const struct schedule *s, const struct op *op)
{
	return divide(op->die, s->per_unit);
}

static inline struct channel *channel_of(const struct schedule *s, uint32_t u)
{
	return &s->channel[divide(u, s->per_channel)];
}

static inline struct flash_block *block_of(const struct schedule *s, ppn_t ppn)
{
	return &s->flash->block[geometry_block(s->geometry, ppn)];
}

#endif
