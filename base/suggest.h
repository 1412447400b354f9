/*
 * "did you mean ...": the known name nearest to a misspelt one.  Edit distance in which
 * swapping two neighbours counts once and case does not count.  Knows words only.
 */
#ifndef BASE_SUGGEST_H
#define BASE_SUGGEST_H

#include <stdbool.h>
#include <stddef.h>

/* Start with the misspelt word, { .word = word }, and offer every known name. */
struct suggestion {
	const char *word;
	const char *nearest; /* NULL as long as nothing offered is near */
	size_t distance;     /* of the nearest */
};

/* True when `name` is near the word and nearer than those before it; the pointer is kept. */
bool suggestion_offer(struct suggestion *, const char *name);

/* The same for a NULL-ended list: the nearest name or NULL. */
const char *suggest(const char *word, const char *const *names);

#endif
