#include "flash/loads.h"

struct loads loads_create(uint32_t dies)
{
	struct loads l = { .ns = min_tree_create(dies, "dies"), .words = bits_words(dies) };

	l.idle = memory_array(l.words, sizeof *l.idle, "dies");
	l.changed = memory_array(l.words, sizeof *l.changed, "dies");
	for (uint32_t die = 0; die < dies; die++)
		loads_change(&l, die, -min_tree_get(&l.ns, die));
	return l;
}

void loads_free(struct loads *l)
{
	min_tree_free(&l->ns);
	memory_free(l->idle);
	memory_free(l->changed);
}

uint32_t loads_least_of_busy(struct loads *l, uint32_t from)
{
	for (size_t word = 0; word < l->words; word++)
		for (; l->changed[word]; l->changed[word] &= l->changed[word] - 1) {
			uint32_t die =
				(uint32_t)(word * BITS_WORD) + (uint32_t)__builtin_ctzll(l->changed[word]);

			min_tree_set(&l->ns, die, min_tree_get(&l->ns, die));
		}
	return min_tree_first_least(&l->ns, from);
}

/* The bits of idle and changed dies follow from the loads. */
static void loads_restored(void *loads)
{
	struct loads *l = loads;

	for (uint32_t die = 0; die < l->ns.count; die++)
		loads_change(l, die, 0);
}

const struct state_row loads_state[] = {
	STATE_FIXED(words),
	STATE_STRUCT(struct loads, ns, min_tree_state),
	STATE_REBUILT(idle, changed),
	STATE_RESTORED(loads_restored),
	{ 0 },
};
