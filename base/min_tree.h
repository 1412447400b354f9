/*
 * A winner tree: an array of numbers of which the least is always known.  Setting a number takes log2(count)
 * steps, reading the least takes none.  A number that was never set, or was unset, counts as the greatest.
 */
#ifndef BASE_MIN_TREE_H
#define BASE_MIN_TREE_H

#include "base/memory.h"

#define MIN_TREE_UNSET UINT64_MAX

struct min_tree {
	uint32_t count, leaves; /* leaves: a power of two, at least 2 */
	/* node[leaves + i]: number i; node[i]: the lesser of 2i and 2i + 1; node[1]: the least */
	uint64_t *node;
};

static inline struct min_tree min_tree_create(uint32_t count, const char *what)
{
	struct min_tree t = { .count = count, .leaves = 2 };

	while (t.leaves < count)
		t.leaves *= 2;
	t.node = (uint64_t *)memory_array((size_t)t.leaves * 2, sizeof *t.node, what);
	for (size_t i = 0; i < (size_t)t.leaves * 2; i++)
		t.node[i] = MIN_TREE_UNSET;
	return t;
}

static inline void min_tree_free(struct min_tree *t)
{
	memory_free(t->node);
}

static inline uint64_t min_tree_get(const struct min_tree *t, uint32_t i)
{
	return t->node[t->leaves + i];
}

static inline uint64_t min_tree_least(const struct min_tree *t)
{
	return t->node[1];
}

/* Sets a number and leaves the least as it was, until min_tree_set() is called for this number. */
static inline void min_tree_set_leaf(struct min_tree *t, uint32_t i, uint64_t value)
{
	t->node[t->leaves + i] = value;
}

/* Goes up to the top even where nothing changes any more: the branch that stops would be mispredicted. */
static inline void min_tree_set(struct min_tree *t, uint32_t number, uint64_t value)
{
	uint64_t *node = t->node;
	size_t i = (size_t)t->leaves + number;

	for (node[i] = value; i > 1; node[i] = value) {
		uint64_t other = node[i ^ 1];

		value = other < value ? other : value;
		i /= 2;
	}
}

/* Index of the least number, of equal ones the first at or behind `from`, cyclically. */
static inline uint32_t min_tree_first_least(const struct min_tree *t, uint32_t from)
{
	uint64_t least = t->node[1];
	uint32_t i = t->leaves + from;

	if (t->node[i] == least)
		return from;
	while (i > 1 && (i & 1 || t->node[i + 1] != least))
		i /= 2;
	i += i > 1;
	while (i < t->leaves)
		i = 2 * i + (t->node[2 * i] != least);
	return i - t->leaves;
}

#endif
