#include "gc/space/slots.h"

#include "base/fault.h"
#include "base/memory.h"

#include <inttypes.h>

void slots_init(struct slots *s, struct space *space, uint32_t per_page, owner_t lists)
{
	*s = (struct slots){ .space = space,
		.per_page = per_page,
		.shift = (uint32_t)__builtin_ctz(per_page),
		.full = bits_below(per_page),
		.lists = lists };
	s->live = memory_array(
		bits_words((size_t)space_device(space)->pages * per_page), sizeof *s->live, "valid slots");
	space_use_slots(space, s->shift);
	s->list = pool_create(per_page * (uint32_t)sizeof(uint32_t), "slot lists");
}

void slots_release(struct slots *s)
{
	memory_free(s->live);
	pool_free(&s->list);
}

owner_t slots_take_list(struct slots *s)
{
	owner_t owner = s->lists + pool_take(&s->list);

	memset(slots_list(s, owner), 0xff, s->list.bytes);
	return owner;
}

static void slots_set(struct slots *s, ppn_t ppn, mask_t slots)
{
	size_t bit = slots_bit(s, ppn);

	s->live[bit / 64] |= slots << bit % 64;
}

static void slots_clear(struct slots *s, ppn_t ppn, mask_t slots)
{
	size_t bit = slots_bit(s, ppn);

	s->live[bit / 64] &= ~(slots << bit % 64);
}

static void slots_change_dead(struct slots *s, block_t b, uint32_t change)
{
	if (change)
		space_set_dead_slots(s->space, b, space_dead_slots(s->space, b) + change);
}

void slots_fill(struct slots *s, ppn_t ppn, uint32_t count)
{
	slots_set(s, ppn, bits_below(count));
	slots_change_dead(s, space_block_of(s->space, ppn), s->per_page - count);
}

void slots_kill(struct slots *s, ppn_t ppn, uint32_t slot, uint32_t count)
{
	block_t b = space_block_of(s->space, ppn);
	mask_t live = slots_live(s, ppn), dying = bits_below(count) << slot;
	owner_t owner = flash_owner(s->space->flash, ppn);

	BUG_ON((live & dying) != dying, "slots %u to %u of page %u die, valid are 0x%" PRIx64, slot,
		slot + count, ppn, live);
	slots_clear(s, ppn, dying);
	if (live != dying) {
		slots_change_dead(s, b, count);
		return;
	}
	space_release(s->space, ppn);
	slots_change_dead(s, b, count - s->per_page);
	if (owner >= s->lists)
		pool_give(&s->list, owner - s->lists);
}

void slots_move(struct slots *s, ppn_t from, ppn_t to)
{
	slots_set(s, to, s->full);
	slots_clear(s, from, s->full);
}

const struct state_row slots_state[] = {
	STATE_FIXED(space, per_page, shift, full, lists),
	STATE_NUMBERS(struct slots, live),
	STATE_POOL(struct slots, list, NULL),
	{ 0 },
};

/* ---- invariants ---- */

/* Marks a list.  Aborts if it is marked already: it is used by two pages, or by one although it is free. */
static void slots_mark(const struct slots *s, uint32_t list, uint64_t *marked)
{
	BUG_ON(list >= s->list.used || bits_get(marked, list),
		"slot list %u of %u has two pages, or is free, too", list, s->list.used);
	bits_set(marked, list);
}

/* Aborts unless every list belongs to a page or is free. */
static void slots_check_lists(const struct slots *s, uint64_t *marked)
{
	for (uint32_t i = s->list.free; i != INDEX_NONE; i = *(const uint32_t *)pool_at(&s->list, i))
		slots_mark(s, i, marked);
	for (uint32_t i = 0; i < s->list.used; i++)
		BUG_ON(!bits_get(marked, i), "slot list %u belongs to no page", i);
}

uint64_t slots_check(const struct slots *s, bool (*data)(const void *context, owner_t), const void *context)
{
	const struct geometry *g = s->space->geometry;
	uint64_t total = 0, *marked = memory_array(bits_words(s->list.used), sizeof *marked, "slot lists");

	for (block_t b = 0; b < g->blocks; b++) {
		uint32_t dead = 0, used = blocks_programmed(s->space->blocks, b);

		for (uint32_t k = 0; k < g->pages_per_block; k++) {
			ppn_t ppn = space_page(s->space, b, k);
			uint32_t live = (uint32_t)__builtin_popcountll(slots_live(s, ppn));
			owner_t owner = flash_owner(s->space->flash, ppn);
			bool holds = k < used && owner != OWNER_NONE && data(context, owner);

			BUG_ON(holds != (live > 0), "page %u of owner %u has %u valid slots", ppn, owner,
				live);
			dead += holds ? s->per_page - live : 0;
			if (holds && owner >= s->lists)
				slots_mark(s, owner - s->lists, marked);
			total += live;
		}
		BUG_ON(dead != space_dead_slots(s->space, b),
			"block %u has %u dead slots in live pages, %u are counted", b, dead,
			space_dead_slots(s->space, b));
	}
	slots_check_lists(s, marked);
	memory_free(marked);
	return total;
}
