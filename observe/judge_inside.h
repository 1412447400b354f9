/*
 * Shared by the files of the judge. Internal to observe/.
 *
 *	judge.c            requests, operations issued and their dependencies, erases outside time
 *	judge_ops.c        operations start and end: dependencies, order in their block, data
 *	judge_wordlines.c  programs by wordline: pages that are programmed together, passes
 *	judge_memory.c     room in memory for what a host writes, FLUSH and FUA
 *	judge_hardware.c   commands of units: planes, cells, bus, suspension
 */
#ifndef OBSERVE_JUDGE_INSIDE_H
#define OBSERVE_JUDGE_INSIDE_H

#include "base/fault.h"
#include "base/bits.h"
#include "base/pool.h"
#include "base/ring.h"
#include "observe/judge.h"

enum judged_room { JUDGED_NO_ROOM_NEEDED, JUDGED_WITHOUT_ROOM, JUDGED_HAS_ROOM };

enum judged_stage { JUDGED_MADE, JUDGED_STARTED, JUDGED_DONE };

struct judged_op {
	struct made_op made;
	enum judged_stage stage;
	uint64_t request;             /* serial number */
	uint64_t writer;              /* of a forwarded read: the program whose data it takes */
	uint32_t data;                /* number of the data that it reads, copies or programs */
	uint32_t place;               /* in the order of its block, from 0 in each epoch */
	uint32_t life, source_life;   /* of the blocks it writes and reads */
	uint32_t epoch, source_epoch; /* epochs of these blocks when it was issued */
	uint32_t waits;               /* list of its dependencies, or INDEX_NONE */
	ppn_t at;                     /* where it reads, or the page of a program or erase */
	uint32_t at_epoch;            /* epoch of the block of that page */
	bool held;                    /* a program: the controller's memory holds its page */
	bool slc;                     /* it writes to, or erases, a block in SLC mode */
	bool passed;                  /* the first of two passes is done */
	uint32_t retries;             /* senses that fail */
	bool again;                   /* the second pass has started while the cells do the first */
	uint32_t command_again;       /* `command` of that second pass */
	uint32_t command;             /* of its unit, once it has started: index of judged_unit.now */
	uint32_t wordline;            /* of the program, or INDEX_NONE */
	bool left;                    /* work in idle time no longer waits for it */
	uint64_t number;              /* of a program: in order of issue, from 0 */
	uint64_t room_place;          /* the same, counting only programs that take room in memory */
	enum judged_room room;
};

/* The pages that one command programs in a plane, until all of them are programmed. */
struct judged_wordline {
	uint32_t next;                /* in the free list */
	ppn_t first;                  /* its first page */
	uint32_t life;                /* of its block */
	uint32_t made;                /* programs issued */
	uint32_t begun, passed, done; /* programs: starts in all passes, ends of first and of last ones */
	uint32_t before, after;       /* the neighbours in its block, while they are not done; INDEX_NONE */
	tick_t ends;                  /* when its latest pass ended */
	bool data;                    /* it holds more than pads */
};

/* A dependency: on the operation `other`. */
struct judged_wait {
	uint32_t next;
	op_t other;
};

struct judged_request {
	uint64_t serial;
	tick_t released;
	uint32_t pending; /* operations not done */
	bool open, submitted;
	bool work;    /* no request, but work in idle time */
	bool durable; /* not done before its data is in flash */
	bool flushes; /* not done before the host's programs with numbers below `flushed` are */
	uint64_t flushed;
};

/* A life of a block that an erase has ended while operations that use it are in flight. */
struct judged_life {
	uint32_t next, life, users;
};

/* A life of a block ends with an erase in time, an epoch with an erase outside time. */
struct judged_block {
	uint32_t made, started, done; /* programs, copies and erases of this epoch */
	uint32_t page;                /* lowest page that may be programmed next */
	uint32_t life, lives;         /* erases done, erases issued */
	uint32_t epoch;
	uint32_t users;    /* operations in flight that use its last life */
	uint32_t old;      /* ring of its earlier lives, from the first with users on; INDEX_NONE: none */
	uint32_t wordline; /* issued last, if it is not done; INDEX_NONE */
};

/* The operations that a unit serves as one command. */
struct judged_command {
	enum op_kind kind;
	uint32_t left; /* operations not done; 0: no command */
	uint32_t die;
	uint32_t page;                  /* offset in its block, of the first operation */
	uint32_t target;                /* the same of the page that a copy writes */
	unsigned modes;                 /* of the first operation: judge_modes() */
	uint64_t planes;                /* bit per plane of the die */
	uint32_t first_plane, wordline; /* wordline of the operation that joined last, or INDEX_NONE */
	bool passed;                    /* second pass of programs by wordline */
	tick_t begun, command_ns, cells, bus_spent, cells_spent, since;
	uint64_t in_sectors, out_sectors;
	uint32_t suspensions;
	bool in_cells, cells_seen;
	uint32_t retries;     /* senses that follow the present one */
	tick_t sent;          /* when it left the bus */
	uint64_t bus_request; /* number of its request for the bus, while it waits; 0: does not wait */
	tick_t requested_at;
};

/* Two commands if one of them uses the cache register. */
struct judged_unit {
	struct judged_command now[2], suspended;
	uint32_t last;    /* index of the command that began last */
	uint32_t stopped; /* index that the suspended command had */
	uint32_t on_bus;  /* index of the command on the bus, or INDEX_NONE */
	bool stopping;    /* the cells are stopping, until stopped_at */
	tick_t since;     /* when the command took the bus */
	tick_t free_from; /* when the cells ended last */
	tick_t stopped_at;
	uint32_t reads; /* issued and not started */
};

struct judged_channel {
	bool taken;
	tick_t left; /* when the bus was used last */
};

struct judge {
	struct flash_observer observer;
	struct judge_settings settings;
	uint32_t pages, pages_per_plane, units_per_channel;
	uint32_t lost;         /* a die that has failed, or INDEX_NONE */
	struct judged_op *op;  /* by the low half of their handles */
	struct pool waits;     /* struct judged_wait */
	struct pool lives;     /* struct judged_life */
	struct pool wordlines; /* struct judged_wordline */
	struct judged_request *request;
	uint32_t ops, op_room, requests, request_room;
	uint64_t serial, open_requests, open_ops, held;
	uint32_t work;     /* ticket of the work in idle time that is not over; INDEX_NONE */
	uint64_t programs; /* made */
	uint64_t room_made, room_given, in_memory; /* that take room: issued, given it, holding it now */
	uint32_t ticket;                           /* of the request that issues operations */
	tick_t last;                               /* time of the last event */
	tick_t left;                               /* completion of the last request */

	struct judged_unit *unit;
	struct judged_channel *channel;
	uint64_t bus_requests;
	uint64_t loads; /* programs loaded while reads were issued and not started */
	uint32_t asks;  /* unit whose read data lets a command that begins now request the bus first */
	struct judged_block *block;
	/* Per page, number of its data: once every operation issued is done, and now; 0: none. */
	uint32_t *meant, *present;
	uint64_t *mode;   /* bit per block: operations issued for it now are in SLC mode */
	uint64_t *slc;    /* bit per page: it was programmed in SLC mode */
	uint64_t *writer; /* per page: the last operation issued that writes it */
	uint64_t *reader; /* per page: the last read issued */
	uint32_t data;    /* last number given to data */
};

static inline bool judge_is_lost(const struct judge *j, ppn_t ppn)
{
	return ppn / j->pages_per_plane / j->settings.planes_per_die == j->lost;
}

static inline struct judged_op *judge_find(const struct judge *j, uint64_t id)
{
	uint32_t slot = (uint32_t)id - 1;

	return id && slot < j->ops && j->op[slot].made.op == id ? &j->op[slot] : NULL;
}

static inline bool judge_is_done(const struct judge *j, uint64_t id)
{
	const struct judged_op *d = judge_find(j, id);

	return !d || d->stage == JUDGED_DONE;
}

static inline struct judged_block *judge_block(const struct judge *j, ppn_t ppn)
{
	return &j->block[ppn / j->settings.pages_per_block];
}

/* A page has been programmed in that mode. */
static inline void judge_programmed(struct judge *j, ppn_t page, bool slc)
{
	if (slc)
		bits_set(j->slc, page);
	else
		bits_clear(j->slc, page);
}

static inline ppn_t judge_target(const struct judged_op *d)
{
	return d->made.kind == OP_COPY ? d->made.to : d->made.ppn;
}

static inline bool judge_reads(const struct judged_op *d)
{
	return d->made.kind == OP_READ || d->made.kind == OP_COPY;
}

static inline bool judge_writes(const struct judged_op *d)
{
	return d->made.kind == OP_PROGRAM || d->made.kind == OP_COPY;
}

static inline const char *judge_kind_name(const struct judged_op *d)
{
	static const char *const names[] = { "read", "program", "copy", "erase", "forwarded read", "FLUSH" };

	return names[d->made.kind];
}

/* judge_hardware.c: the read data of unit `asks` no longer lets a command go first and requests the bus. */
void judge_settle(struct judge *);

static inline void judge_pass_time(struct judge *j, tick_t now)
{
	BUG_ON(now < j->last, "time goes back from %llu to %llu", (unsigned long long)j->last,
		(unsigned long long)now);
	if (now > j->last)
		judge_settle(j);
	j->last = now;
}

static inline struct judged_wait *judge_wait(const struct judge *j, uint32_t wait)
{
	return (struct judged_wait *)pool_at(&j->waits, wait);
}

static inline struct judged_life *judge_life(const struct judge *j, uint32_t life)
{
	return (struct judged_life *)pool_at(&j->lives, life);
}

/* The links of the rings of lives. */
static inline struct array_field judge_life_links(const struct judge *j)
{
	struct judged_life *life = (struct judged_life *)j->lives.object;

	return ARRAY_FIELD(life, next);
}

/* ---- judge_wordlines.c: a program that is a part of a wordline ---- */

/* It is issued; starts; ends the first of two passes; is done. */
void judge_made_part(struct judge *, struct judged_op *);
void judge_start_part(struct judge *, const struct judged_op *);
void judge_pass_part(struct judge *, struct judged_op *, tick_t now);
void judge_end_part(struct judge *, const struct judged_op *, tick_t now);

/* May work in idle time end before the operation does, because its wordline lacks pages? */
bool judge_may_be_left(const struct judge *, const struct judged_op *);

/* ---- judge_memory.c ---- */

/* A program is issued; is done. */
void judge_made_program(struct judge *, struct judged_op *);
void judge_end_program(struct judge *, const struct judged_op *);

/* The request completes: aborts if it is a FLUSH and a program made before it is not done. */
void judge_check_flushed(const struct judge *, const struct judged_request *);

/* ---- judge_ops.c ---- */

/* May the operations of its request start? */
bool judge_is_released(const struct judge *, const struct judged_op *, tick_t now);

/* Are all dependencies of the operation done? */
bool judge_waits_are_over(const struct judge *, const struct judged_op *);

/* Aborts unless the request is released and all dependencies of the operation are done. */
void judge_check_waits(const struct judge *, const struct judged_op *, tick_t now);

/* Has the read been held up only by other commands of its unit? */
bool judge_is_waiting(const struct judge *, const struct judged_op *, tick_t now);

static inline uint32_t judge_unit(const struct judge *j, const struct judged_op *d)
{
	return d->at / j->pages_per_plane / j->settings.planes_per_die / j->settings.dies_per_unit;
}

/* ---- judge_hardware.c ---- */

/* The operation becomes part of the command that its unit starts now. */
void judge_join_command(struct judge *, uint32_t unit, struct judged_op *, tick_t now);

/* The operation is done: aborts unless its command took the time it should. */
void judge_leave_command(struct judge *, uint32_t unit, const struct judged_op *, tick_t now);

#endif
