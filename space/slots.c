#include "space/slots.h"

#include "base/fault.h"
#include "base/memory.h"

static size_t words(const struct slots *s)
{
	return bits_words((size_t)s->space->geometry->pages * s->per_page);
}

void slots_init(struct slots *s, struct space *space, uint32_t per_page, owner_t lists)
{
	uint64_t pairs = (uint64_t)lists + space->geometry->pages; /* a list for each */

	*s = (struct slots){ .space = space,
		.per_page = per_page,
		.shift = (uint32_t)__builtin_ctz(per_page),
		.full = bits_below(per_page),
		.lists = lists,
		.pairs = pairs < OWNER_NONE ? (owner_t)pairs : OWNER_NONE };
	s->most_pairs = (OWNER_NONE - s->pairs) >> s->shift;
	s->live = memory_array(words(s), sizeof *s->live, "live slots");
	space_have_slots(space, s->shift);
	s->list = pool_create(per_page * (uint32_t)sizeof(sub_t), "slot lists");
	s->pair = pool_create(sizeof(struct slots_pair), "pairs of runs");
}

void slots_release(struct slots *s)
{
	memory_free(s->live);
	pool_free(&s->list);
	pool_free(&s->pair);
}

static void bear(struct slots *s, ppn_t ppn, mask_t slots)
{
	size_t bit = slots_bit(s, ppn);

	s->live[bit / 64] |= slots << bit % 64;
}

static void bury(struct slots *s, ppn_t ppn, mask_t slots)
{
	size_t bit = slots_bit(s, ppn);

	s->live[bit / 64] &= ~(slots << bit % 64);
}

/* ---- pairs and lists ---- */

owner_t slots_take_pair(struct slots *s, sub_t first, uint32_t run, sub_t second)
{
	owner_t owner;

	if (s->pair.free == INDEX_NONE && s->pair.used >= s->most_pairs)
		return OWNER_NONE;
	owner = s->pairs + (pool_take(&s->pair) << s->shift) + run;
	*slots_pair(s, owner) = (struct slots_pair){ first, second };
	return owner;
}

owner_t slots_take_list(struct slots *s)
{
	owner_t owner = s->lists + pool_take(&s->list);

	for (uint32_t i = 0; i < s->per_page; i++)
		slots_list(s, owner)[i] = UINT32_MAX;
	return owner;
}

static void forget_name(struct slots *s, owner_t owner)
{
	if (owner >= s->pairs)
		pool_give(&s->pair, (owner - s->pairs) >> s->shift);
	else if (owner >= s->lists)
		pool_give(&s->list, owner - s->lists);
}

/* ---- life and death ---- */

static void slots_change_dead(struct slots *s, block_t b, uint32_t change)
{
	if (change)
		space_set_dead_slots(s->space, b, space_dead_slots(s->space, b) + change);
}

void slots_fill(struct slots *s, ppn_t ppn, uint32_t count)
{
	bear(s, ppn, bits_below(count));
	slots_change_dead(s, geometry_block(s->space->geometry, ppn), s->per_page - count);
}

void slots_kill(struct slots *s, ppn_t ppn, uint32_t slot, uint32_t count)
{
	block_t b = geometry_block(s->space->geometry, ppn);
	mask_t live = slots_live(s, ppn), dying = bits_below(count) << slot;
	owner_t owner = flash_owner(s->space->flash, ppn);

	BUG_ON((live & dying) != dying, "slots %u to %u of page %u die, live are 0x%llx", slot, slot + count,
		ppn, (unsigned long long)live);
	bury(s, ppn, dying);
	if (live != dying) {
		slots_change_dead(s, b, count);
		return;
	}
	space_release(s->space, ppn);
	slots_change_dead(s, b, count - s->per_page);
	forget_name(s, owner);
}

void slots_move(struct slots *s, ppn_t from, ppn_t to)
{
	bear(s, to, s->full);
	bury(s, from, s->full);
}

const struct state_row slots_state[] = {
	STATE_FIXED(space, per_page, shift, full, lists, pairs, most_pairs),
	STATE_NUMBERS(struct slots, live),
	STATE_POOL(struct slots, list, GEOMETRY(pages), NULL),
	STATE_POOL(struct slots, pair, STATE_OWN(struct slots, most_pairs), NULL),
	{ 0 },
};

/* ---- invariants ---- */

/* Of the lists or the pairs, which are `seen` once. */
static uint32_t see(const struct pool *p, uint32_t i, uint64_t *seen)
{
	BUG_ON(i >= p->used || bits_get(seen, i), "number %u of %u %s has two pages, or is free, too", i,
		p->used, p->what);
	bits_set(seen, i);
	return 1;
}

static uint32_t see_free(const struct pool *p, uint64_t *seen)
{
	uint32_t free = 0;

	for (uint32_t i = p->free; i != INDEX_NONE; i = *(const uint32_t *)pool_at(p, i))
		free += see(p, i, seen);
	return free;
}

static uint64_t *none_seen(const struct pool *p)
{
	return memory_array(bits_words(p->used), sizeof(uint64_t), p->what);
}

uint64_t slots_check(const struct slots *s, bool (*data)(const void *context, owner_t), const void *context)
{
	const struct geometry *g = s->space->geometry;
	uint64_t total = 0, *listed = none_seen(&s->list), *paired = none_seen(&s->pair);
	uint32_t seen = 0;

	for (block_t b = 0; b < g->blocks; b++) {
		uint32_t hollow = 0;

		for (ppn_t ppn = geometry_first_page(g, b); ppn < geometry_first_page(g, b + 1); ppn++) {
			uint32_t live = (uint32_t)__builtin_popcountll(slots_live(s, ppn));
			owner_t owner = flash_owner(s->space->flash, ppn);
			bool holds = ppn - geometry_first_page(g, b) < s->space->flash->block[b].next &&
				     owner != OWNER_NONE && data(context, owner);

			BUG_ON(holds != (live > 0), "page %u of owner %u has %u live slots", ppn, owner,
				live);
			hollow += holds ? s->per_page - live : 0;
			if (holds && owner >= s->pairs)
				seen += see(&s->pair, (owner - s->pairs) >> s->shift, paired);
			else if (holds && owner >= s->lists)
				seen += see(&s->list, owner - s->lists, listed);
			total += live;
		}
		BUG_ON(hollow != space_dead_slots(s->space, b),
			"block %u has %u unused slots in live pages, %u are counted", b, hollow,
			space_dead_slots(s->space, b));
	}
	seen += see_free(&s->list, listed) + see_free(&s->pair, paired);
	memory_free(listed);
	memory_free(paired);
	BUG_ON(seen != s->list.used + s->pair.used, "%u slot lists and pairs belong to no page",
		s->list.used + s->pair.used - seen);
	return total;
}
