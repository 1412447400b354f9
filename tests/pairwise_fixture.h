/*
 * Combinations of many choices, few enough to run them all: every choice of one factor meets every choice of
 * each other factor in at least one row.  The rows follow from the numbers of choices alone.
 */
#ifndef TESTS_PAIRWISE_FIXTURE_H
#define TESTS_PAIRWISE_FIXTURE_H

#include "base/memory.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct pairwise {
	size_t factors, rows;
	const size_t *choices; /* of each factor; the caller's */
	size_t *row;           /* rows x factors: the number of a choice */
	bool *met;             /* of two choices, counted over all factors */
};

#define PAIRWISE_OPEN SIZE_MAX /* not chosen yet */

/* Choice i of factor f among all choices of all factors; with f = factors: how many there are. */
static inline size_t pairwise_index(const struct pairwise *p, size_t f, size_t i)
{
	while (f)
		i += p->choices[--f];
	return i;
}

static inline bool *pairwise_met(const struct pairwise *p, size_t f, size_t i, size_t g, size_t j)
{
	return &p->met[pairwise_index(p, f, i) * pairwise_index(p, p->factors, 0) + pairwise_index(p, g, j)];
}

/* How many pairs meet for the first time if the row takes choice i of factor f. */
static inline size_t pairwise_gain(const struct pairwise *p, const size_t *row, size_t f, size_t i)
{
	size_t gain = 0;

	for (size_t g = 0; g < p->factors; g++)
		gain += g != f && row[g] != PAIRWISE_OPEN && !*pairwise_met(p, f, i, g, row[g]);
	return gain;
}

/* The choice that gains most.  Which of equal ones it is varies from row to row, in another order for each
 * factor. */
static inline size_t pairwise_best(const struct pairwise *p, const size_t *row, size_t f)
{
	size_t first =
		(size_t)(((uint64_t)p->rows + 1) * 0x9e3779b97f4a7c15u >> (3 * f % 48)) % p->choices[f];
	size_t best = first;

	for (size_t k = 1; k < p->choices[f]; k++) {
		size_t i = (first + k) % p->choices[f];

		if (pairwise_gain(p, row, f, i) > pairwise_gain(p, row, f, best))
			best = i;
	}
	return best;
}

/* A row in which these two choices meet, and as many others as can be had. */
static inline void pairwise_add(struct pairwise *p, size_t f, size_t i, size_t g, size_t j)
{
	size_t *row;

	p->row = memory_resize(p->row, (p->rows + 1) * p->factors, sizeof *p->row, "combinations");
	row = p->row + p->rows * p->factors;
	for (size_t h = 0; h < p->factors; h++)
		row[h] = h == f ? i : h == g ? j : PAIRWISE_OPEN;
	for (size_t h = 0; h < p->factors; h++)
		if (row[h] == PAIRWISE_OPEN)
			row[h] = pairwise_best(p, row, h);
	for (size_t a = 0; a < p->factors; a++)
		for (size_t b = 0; b < p->factors; b++)
			*pairwise_met(p, a, row[a], b, row[b]) = true;
	p->rows++;
}

static inline void pairwise_make(struct pairwise *p, const size_t *choices, size_t factors)
{
	size_t all;

	*p = (struct pairwise){ .choices = choices, .factors = factors };
	all = pairwise_index(p, factors, 0);
	p->met = memory_array(all * all, sizeof *p->met, "combinations");
	for (size_t f = 0; f < factors; f++)
		for (size_t g = f + 1; g < factors; g++)
			for (size_t i = 0; i < choices[f]; i++)
				for (size_t j = 0; j < choices[g]; j++)
					if (!*pairwise_met(p, f, i, g, j))
						pairwise_add(p, f, i, g, j);
}

static inline void pairwise_free(struct pairwise *p)
{
	memory_free(p->row);
	memory_free(p->met);
}

#endif
