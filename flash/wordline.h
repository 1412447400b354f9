/*
 * Programs by wordline (flash.program_unit): one command programs all pages of a wordline.  It starts once
 * all of them are issued and ready, and they are done together.  With two passes (flash.passes) every
 * wordline is programmed twice: the second pass of a wordline follows the first one of the next in its block,
 * and completes its pages.  A wordline of pads alone has no second pass.
 *
 * The programs of pages are in no ring of a block and in no queue of a die; the passes of their wordline
 * (OP_WORDLINE, OP_SECOND_PASS) are.  The first pass is made with the first page of the wordline, the second
 * with the first page of the next one (in the last wordline of a block, with its own).  A wordline is open
 * until its last pass is in the ring and all of its pages are issued.  Internal to flash/.
 */
#ifndef FLASH_WORDLINE_H
#define FLASH_WORDLINE_H

#include "flash/order.h"
#include "flash/schedule_inside.h"

/* The order of `waits`. */
bool wordline_waits_before(const void *, const void *);

/* When the first of the waits ends. */
static inline tick_t wordline_first_due(const struct schedule *s)
{
	return s->waits.count ? ((const struct wordline_wait *)s->waits.element)->due : TICK_NEVER;
}

/* The program of a page becomes a part of its wordline. */
void wordline_add(struct schedule *, uint32_t index);

/* The program is ready. */
void wordline_page_ready(struct schedule *, uint32_t index);

/* The pass is done: so are the programs of the wordline, unless another one follows. */
void wordline_end_pass(struct schedule *, uint32_t index);

/* Sectors that a pass brings to the die. */
uint32_t wordline_sectors(const struct schedule *, const struct op *pass);

/* Between two events: aborts unless open wordlines and waits are consistent. */
void wordline_check(const struct schedule *);

/* Is the program one by wordline, whose wordline still lacks pages or data? */
bool wordline_is_early(const struct schedule *, uint32_t op);

/* The program of the page if it is in the open wordline of its block, which may have no pass in the ring;
 * else INDEX_NONE. */
uint32_t wordline_kept_back(const struct schedule *, ppn_t, uint32_t life);

/* ---- what the schedule asks ---- */

/* Are programs carried out by wordlines, but for those in SLC mode?  Is one with these flags? */
HOT bool has_wordlines(const struct schedule *s, bool plain)
{
	return !plain && s->open;
}

HOT bool wordline_takes(const struct schedule *s, uint8_t flags, bool plain)
{
	return has_wordlines(s, plain) && !(flags & OP_IN_SLC);
}

/* The same of an operation in flight; is it a pass of a wordline? */
HOT bool wordline_has(const struct op *op, bool plain)
{
	return !plain && ops_is_part(op);
}

HOT bool wordline_is_pass(const struct op *op, bool plain)
{
	return !plain && ops_is_pass(op);
}

/* When the first of the waits ends. */
HOT tick_t wordline_due(const struct schedule *s, bool plain)
{
	return plain ? TICK_NEVER : s->pad_due;
}

/* The operation in flight that writes the page in this life of its block, or INDEX_NONE. */
HOT uint32_t wordline_writer_of(const struct schedule *s, ppn_t ppn, uint32_t life, bool plain)
{
	uint32_t writer = order_writer(&s->ops, block_of(s, ppn), ppn, life);

	return writer == INDEX_NONE && has_wordlines(s, plain) ? wordline_kept_back(s, ppn, life) : writer;
}

#endif
