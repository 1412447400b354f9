/*
 * Reads that are repeated: how often is decided when a read is issued (retry.h).  Each time the data leaves
 * the die, decoding it takes retry.ecc_ns and fails, and the die, which takes no other command meanwhile,
 * senses the page again.  A copy does all this inside the die: its time in the cells contains it.  Internal
 * to flash/.
 */
#ifndef FLASH_REPEAT_H
#define FLASH_REPEAT_H

#include "flash/schedule_inside.h"

/* May reads be repeated, or are they counted? */
HOT bool has_repeats(const struct schedule *s, bool plain)
{
	return !plain && s->flash->retry;
}

/* Will the read be repeated? */
HOT bool repeat_follows(const struct op *op, bool plain)
{
	return !plain && op->retries;
}

/* The data of a sense has left the die. */
void repeat_decode(struct schedule *, uint32_t unit);

/* Decoding it has failed: senses again. */
void repeat_sense(struct schedule *, uint32_t unit);

#endif
