#include "ftl/demand/heads.h"

#define HASHED_ENTRIES(h) HASHED((h)->entry, offset, chain)

void heads_init(struct heads *h, uint32_t entries)
{
	h->entry = memory_array(entries, sizeof *h->entry, "bitmap of a mapping page");
	h->code = memory_array(entries, sizeof *h->code, "bitmap of a mapping page");
	h->hash = hash_create(entries, "bitmap of a mapping page");
}

void heads_release(struct heads *h)
{
	memory_free(h->entry);
	memory_free(h->code);
	hash_free(&h->hash);
}

/* Walks from the last entry to the first; the index holds the nearest later entry of each offset. */
static void heads_find_again(struct heads *h, uint32_t count)
{
	hash_clear(&h->hash);
	for (uint32_t i = count; i--;) {
		uint32_t next = hash_find(&h->hash, HASHED_ENTRIES(h), h->entry[i].offset);

		h->entry[i].again = next;
		if (next != INDEX_NONE)
			hash_remove(&h->hash, HASHED_ENTRIES(h), next);
		hash_add(&h->hash, HASHED_ENTRIES(h), i);
	}
}

/* An entry with the offset of the long run continues it. A run that interrupts the long one is short if the
 * long one continues after it. */
uint32_t heads_encode(struct heads *h, uint32_t count)
{
	uint32_t last = 0, heads = 1; /* of the long run */

	heads_find_again(h, count);
	h->code[0] = HEADS_LONG_HEAD;
	for (uint32_t i = 1; i < count; i++) {
		bool follows = h->entry[i].offset == h->entry[i - 1].offset;

		if (h->entry[i].offset == h->entry[last].offset) {
			h->code[i] = HEADS_LONG;
			last = i;
		} else if (follows && h->code[i - 1] & HEADS_SHORT) {
			h->code[i] = HEADS_SHORT;
		} else {
			h->code[i] = h->entry[last].again == INDEX_NONE ? HEADS_LONG_HEAD : HEADS_SHORT_HEAD;
			last = h->code[i] == HEADS_LONG_HEAD ? i : last;
			heads++;
		}
	}
	return heads;
}
