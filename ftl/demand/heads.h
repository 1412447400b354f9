/*
 * The bitmaps of S-FTL: how many places must be stored for a mapping page in which entries continue each
 * other.
 *
 * An entry is represented by its offset, the place it maps to minus its index in the page: an entry continues
 * another one if their offsets are equal. Unmapped entries share an offset that no place has, so they
 * continue each other.
 *
 * With one bit, an entry is a head, whose place is stored, or continues the entry before it. Entry 0 is a
 * head.
 *
 * With two bits, a short run may interrupt a long one.  00: it continues the nearest head 10 before it; 01:
 * it continues the entry before it, which is 01 or a head 11; 10: head of a long run; 11: head of a short
 * one.
 *
 * Entries that continue the one before them do not change the number of heads, so callers may leave them out.
 */
#ifndef FTL_DEMAND_HEADS_H
#define FTL_DEMAND_HEADS_H

#include "base/hash.h"

#include <stdbool.h>

enum heads_code { HEADS_LONG, HEADS_SHORT, HEADS_LONG_HEAD, HEADS_SHORT_HEAD };

struct heads_entry {
	uint32_t offset, chain;
	uint32_t again; /* the next entry of this offset */
};

/* Working memory for pages of a fixed number of entries. */
struct heads {
	struct heads_entry *entry;
	uint8_t *code; /* enum heads_code, of the page encoded last */
	struct hash hash;
};

void heads_init(struct heads *, uint32_t entries);
void heads_release(struct heads *);

/* Encodes the first `count` > 0 entries, whose offsets are set, with two bits each.  Returns the number of
 * heads. */
uint32_t heads_encode(struct heads *, uint32_t count);

#endif
