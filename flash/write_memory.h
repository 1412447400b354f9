/*
 * The controller's memory for data that the host writes (host.write_done = memory).  A write is complete as
 * soon as each of its pages has room, which it keeps until it has been programmed.  A read of such a page is
 * answered from memory, whatever flash.forward_bytes says, as soon as its data is there.
 *
 * Room is given in the order in which programs are issued, to none before its request is released; a program
 * without room does not start.  If it were given in the order in which programs ask for it, a drive could
 * come to a halt: a request with fewer look-ups takes the last room, and its page stands in its block, or its
 * wordline, behind one that has none.  In the order of issue, pages with room wait only for others with room,
 * apart from neighbours in a wordline: so the memory must hold a wordline for each pass in each plane
 * (drive/durable.h).
 *
 * A FLUSH is an operation of the controller (OP_FLUSH) that is done when all programs with cause host issued
 * before it are.  Internal to flash/.
 */
#ifndef FLASH_WRITE_MEMORY_H
#define FLASH_WRITE_MEMORY_H

#include "flash/schedule_inside.h"

/* Does the program of a page with this owner take room?  Pads that a buffer reads and rewrites hold data of
 * the host; pads without an owner hold none. */
HOT bool write_memory_takes(const struct schedule *s, const struct op *op, owner_t owner, bool plain)
{
	return !plain && s->memory.pages &&
	       (op->cause == CAUSE_HOST || (op->cause == CAUSE_PAD && owner != OWNER_NONE));
}

/* Does such a program, which has been released, need room?  Has it been given some? */
HOT bool write_memory_lacks(const struct op *op, bool plain)
{
	return !plain && op->room == ROOM_LATER;
}

HOT bool write_memory_holds(const struct op *op, bool plain)
{
	return !plain && op->room == ROOM_GIVEN;
}

/* Does a write that completes in memory not wait for an operation with this cause: the read of its old
 * data? */
HOT bool write_memory_frees(const struct io *io, enum cause cause, bool plain)
{
	return !plain && cause == CAUSE_RMW && !io->durable && io->flash->schedule->memory.pages;
}

/* Such a program is issued; its request is released; it is done. */
void write_memory_enter(struct schedule *, uint32_t index);
void write_memory_ask(struct schedule *, uint32_t index);
void write_memory_leave(struct schedule *);

/* The statistics begin. */
void write_memory_start(struct schedule *);

/* Between two requests: aborts unless pages with room and programs without are as counted. */
void write_memory_check(const struct schedule *);

extern const struct state_row write_memory_state[];

#endif
