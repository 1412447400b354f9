/*
 * "did you mean ...": the known name nearest to a misspelt one, by edit distance.  Swapping two neighbouring
 * letters is one edit; case is ignored.
 */
#ifndef BASE_SUGGEST_H
#define BASE_SUGGEST_H

#include <stdbool.h>
#include <stddef.h>

/* Begin with the misspelt word, { .word = word }, and offer every known name. */
struct suggestion {
	const char *word;
	const char *nearest; /* NULL: no name offered so far is near */
	size_t distance;     /* of the nearest */
};

/* True if `name` is near the word and nearer than all before it.  The pointer is kept. */
bool suggestion_offer(struct suggestion *, const char *name);

/* The same for a NULL-ended list: the nearest name or NULL. */
const char *suggest(const char *word, const char *const *names);

#endif
