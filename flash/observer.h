/*
 * What the medium tells those that observe it: the judge of time, the accounts of latencies, tracers
 * (observe/).  It knows them only as tables of these functions, each of which may be NULL.  flash/events.h is
 * where they are called from.
 *
 * Operations are named by handle, whose low 32 bits are small numbers from 1 up and are used again; requests
 * by ticket; dies, or chips whose dies take turns, by number as units; pages are physical.
 */
#ifndef FLASH_OBSERVER_H
#define FLASH_OBSERVER_H

#include "flash/event.h"

#include <stdarg.h>

struct flash;

struct flash_hears {
	/* Requests.  A ticket is taken; for work in idle time; for a request that is done only when its data
	 * is in flash; and only when all data written before is.  All its operations are issued; they may
	 * start at a later time.  The request is done; nothing is in flight. */
	void (*begun)(void *, uint32_t ticket);
	void (*works)(void *, uint32_t ticket, uint64_t idle_ns, tick_t now);
	void (*durable)(void *, uint32_t ticket);
	void (*flushes)(void *, uint32_t ticket);
	void (*submitted)(void *, uint32_t ticket, uint64_t look_ups, tick_t now);
	void (*delayed)(void *, uint32_t ticket, tick_t until);
	void (*completed)(void *, uint32_t ticket, tick_t now);
	void (*drained)(void *);

	/* Operations that are issued.  One waits for another because the FTL said so; or because of the
	 * order of the block or of where the data is.  Its request no longer holds it back (INDEX_NONE: it
	 * has none). */
	void (*made)(void *, const struct made_op *);
	void (*waits)(void *, op_t op, op_t other);
	void (*follows)(void *, op_t op, op_t other);
	void (*released)(void *, op_t op, uint32_t ticket, tick_t now);

	/* What it waited for is over: operation `by` of the same request; anything else. */
	void (*continued)(void *, op_t op, op_t by);
	void (*waited)(void *, op_t op, bool for_background, tick_t now);

	/* So many of its senses will fail; it reads its page at the source of the copy that moves it. */
	void (*repeated)(void *, op_t op, uint32_t times);
	void (*reads_at)(void *, op_t op, ppn_t source);

	/* It is ready, at its unit; its page has room in memory; it is part of a command that begins; the
	 * first of its two passes has ended; it is done. */
	void (*ready)(void *, op_t op, uint32_t unit, tick_t now);
	void (*has_room)(void *, op_t op, tick_t now);
	void (*started)(void *, op_t op, uint32_t unit, tick_t now);
	void (*passed)(void *, op_t op, tick_t now);
	void (*done)(void *, op_t op, tick_t now);

	/* It waits for its unit once more, as if it had not begun; and begins once more. */
	void (*waits_again)(void *, op_t op, uint32_t unit, tick_t now);
	void (*begins_again)(void *, op_t op, uint32_t unit, tick_t now);

	/* Its request does not wait for it any more, though it is not done; or because it is. */
	void (*left)(void *, op_t op, tick_t now);
	void (*finished)(void *, op_t op, uint32_t ticket);

	/* A pass of a wordline, whose time is that of its programs.  The time of an operation until now
	 * belongs to a part. */
	void (*pass_made)(void *, op_t op, enum cause);
	void (*spent)(void *, op_t op, enum part, tick_t now);

	/* Units.  One turns to a command, of background work or not; takes or leaves the bus; its cells;
	 * begins its command again; stops it for a read, and resumes it. */
	void (*turns)(void *, uint32_t unit, bool to_background, tick_t now);
	void (*bus)(void *, uint32_t unit, enum bus_use, tick_t now);
	void (*cells)(void *, uint32_t unit, bool takes, tick_t now);
	void (*senses_again)(void *, uint32_t unit, tick_t now);
	void (*suspended)(void *, uint32_t unit, tick_t now);
	void (*resumed)(void *, uint32_t unit);

	/* A command, whose first operation is `first`, is busy at a place; the last such span of a unit at
	 * a place ends at `to` instead. */
	void (*busy)(void *, op_t first, struct busy_span);
	void (*busy_until)(void *, uint32_t unit, enum busy_place, tick_t to);

	/* Data.  The page programmed last holds some, or all, of what another page holds; the request is
	 * answered from a page; a die has failed; a read of one of its pages is answered from others. */
	void (*kept)(void *, ppn_t page, ppn_t from);
	void (*copied)(void *, ppn_t page, ppn_t from);
	void (*answers)(void *, ppn_t);
	void (*die_lost)(void *, uint32_t die);
	void (*rebuilt)(void *, ppn_t page, const ppn_t *others, uint32_t n);

	/* Outside time: the page holds data of another, or new data (PPN_NONE); the block of that page is
	 * erased.  At any time: the empty block is in SLC mode from now on, or is not. */
	void (*placed)(void *, ppn_t page, ppn_t from);
	void (*cleared)(void *, ppn_t first);
	void (*mode)(void *, ppn_t first, bool slc);

	/* The reason for the FTL's next operations, in words. */
	void (*note)(void *, const char *format, va_list);
};

/* A field of the struct that observes, `context`. */
struct flash_observer {
	struct flash_observer *next; /* of the medium's list */
	const struct flash_hears *hears;
	void *context;
};

/* From now on; no longer, if it did.  While anyone observes, each copy is an operation of its own. */
void flash_observe(struct flash *, struct flash_observer *);
void flash_dismiss(struct flash *, struct flash_observer *);

#endif
