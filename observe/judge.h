/*
 * The judge of time: an independent checker of the schedule.  It follows every operation from issue to
 * completion and aborts when the schedule does what no drive could do or breaks a dependency.
 *
 * It receives events and checks all of them: it keeps places, orders, times and the data of pages itself,
 * from the settings alone, and shares no code with the schedule.  Operations are named by handle (never 0,
 * low 32 bits dense), requests by ticket; pages are physical.
 *
 * Only the FTL knows which dependencies an operation needs.  The judge checks those on reads of data: kept
 * from another page (flash_holds_kept), answered to the host, or rebuilt from a stripe.  Nothing can check
 * that an operation waits for the load of its mapping page.
 */
#ifndef OBSERVE_JUDGE_H
#define OBSERVE_JUDGE_H

#include "base/state.h"
#include "flash/observer.h"

struct judge;

/* Kept out of the hot path of runs without a judge. */
#define JUDGING __attribute__((cold)) void

/* In the order of the choices of flash.bus_order and flash.multiplane. */
enum judged_bus { JUDGED_COMMAND_FIRST, JUDGED_FIRST_COME, JUDGED_DATA_FIRST };

enum judged_planes { JUDGED_ALONE, JUDGED_SAME_OFFSET, JUDGED_ANY_OFFSET };

struct judge_settings {
	uint32_t channels, dies_per_channel, planes_per_die, blocks_per_plane, pages_per_block, page_bytes;
	uint32_t dies_per_unit;             /* dies that share a command queue */
	const tick_t *read_ns, *program_ns; /* per page type, in turn; borrowed */
	size_t read_types, program_types;
	tick_t command_ns[3], plane_command_ns[3]; /* of a read, program, erase; for each further plane */
	tick_t slc_read_ns, slc_program_ns, slc_erase_ns; /* of blocks in SLC mode */
	uint64_t fold_passes;                             /* programs that folding a page takes */
	tick_t erase_ns, suspend_ns, resume_ns, dram_ns;
	enum judged_bus bus_order;
	enum judged_planes multiplane;
	bool multiplane_copy;
	bool by_wordline; /* program_ns is then per pass */
	uint32_t wordline_pages, passes;
	double bus_mb_per_s;
	uint64_t forward_bytes;
	tick_t ecc_ns;                    /* between two senses of a read */
	bool reads_first;                 /* before other ready operations of the die */
	bool cache_reads, cache_programs; /* what the die's cache register is used for */
	uint64_t memory_pages; /* room for writes, which are done once they have it; 0: once in flash */
};

struct judge *judge_create(const struct judge_settings *);
void judge_free(struct judge *);

/* Observes the medium, before the first operation. */
struct flash_observer *judge_observer(struct judge *);

/* What it hears (flash/observer.h), each of a judge.  Requests. */
JUDGING judge_begin(void *judge, uint32_t ticket);
JUDGING judge_works(void *judge, uint32_t ticket, uint64_t idle_ns, tick_t now); /* work in idle time */
JUDGING judge_durable(void *judge, uint32_t ticket); /* done only when its data is in flash */
JUDGING judge_flushes(void *judge, uint32_t ticket); /* and only when all data written before is */
JUDGING judge_submit(void *judge, uint32_t ticket, uint64_t look_ups, tick_t now);
JUDGING judge_delayed(void *judge, uint32_t ticket, tick_t until); /* its operations may start then */
JUDGING judge_completed(void *judge, uint32_t ticket, tick_t now);

/* Operations of the request begun last: issue, dependencies, data, start, completion. */
JUDGING judge_made(void *judge, const struct made_op *);
JUDGING judge_waits(void *judge, op_t op, op_t other);
JUDGING judge_kept(
	void *judge, ppn_t page, ppn_t from); /* the page programmed last holds data read from another */
JUDGING judge_copied(void *judge, ppn_t page, ppn_t from);    /* the same, and nothing else */
JUDGING judge_answers(void *judge, ppn_t);                    /* the request is answered from the page */
JUDGING judge_repeated(void *judge, op_t op, uint32_t times); /* this many of its senses fail */
JUDGING judge_lose_die(void *judge, uint32_t die);            /* it takes no new operation */
/* A read of a page of that die is answered from these others. */
JUDGING judge_rebuilt(void *judge, ppn_t page, const ppn_t *others, uint32_t n);
JUDGING judge_reads_at(void *judge, op_t op, ppn_t source);
JUDGING judge_entered_memory(void *judge, op_t op, tick_t now); /* in memory, for the page of a program */
JUDGING judge_started(void *judge, op_t op, uint32_t unit, tick_t now);
JUDGING judge_passed(void *judge, op_t op, tick_t now); /* the first of two passes has ended */
JUDGING judge_done(void *judge, op_t op, tick_t now);

/* The empty block of that page is in SLC mode from now on, or is not. */
JUDGING judge_mode(void *judge, ppn_t first, bool slc);

/* Outside time. */
JUDGING judge_placed(void *judge, ppn_t page, ppn_t from); /* `from`: PPN_NONE = new data */
JUDGING judge_cleared(void *judge, ppn_t first);           /* the block of that page is erased */

/* A unit (a die, or a chip whose dies take turns) takes and leaves the bus and its cells. */
JUDGING judge_bus(void *judge, uint32_t unit, enum bus_use, tick_t now);
JUDGING judge_cells(void *judge, uint32_t unit, bool takes, tick_t now);
JUDGING judge_senses_again(void *judge, uint32_t unit, tick_t now); /* its command begins again */
JUDGING judge_suspended(void *judge, uint32_t unit, tick_t now);    /* its command leaves the cells */
JUDGING judge_resumed(void *judge, uint32_t unit);                  /* before it takes them again */

/* Nothing is in flight. */
JUDGING judge_idle(void *judge);

/* Outside a run only the number of the data in each page. */
extern const struct state_row judge_state[];

#endif
