/*
 * Two counters for each 64-bit key: an open-addressed hash table that grows with the number of distinct keys
 * (16 bytes each, times 1.4 to 2.9 for free slots; while it grows, 1.5 times that).
 */
#ifndef TRACES_TALLY_H
#define TRACES_TALLY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct tally;

/* Counters stop at their largest value. */
struct tally_entry {
	uint64_t key;
	uint32_t count[2]; /* not both 0 */
};

struct tally *tally_create(const char *what);
void tally_free(struct tally *);

/* Adds one to a counter of a key, which is made if it is new.  Valid until the next call. */
const struct tally_entry *tally_add(struct tally *, uint64_t key, int which);

/* The counters of a key, 0 if it is new; the caller must set one of them at once. */
struct tally_entry *tally_at(struct tally *, uint64_t key);

/* Prefetches the place of a key. */
void tally_expect(const struct tally *, uint64_t key);

/* NULL: no such key. */
const struct tally_entry *tally_find(const struct tally *, uint64_t key);

uint64_t tally_keys(const struct tally *);

/* Walks the entries in no order: start with *position 0, NULL at the end. */
const struct tally_entry *tally_next(const struct tally *, size_t *position);

/* Copies of all entries by ascending keys, to be released with memory_free(). */
struct tally_entry *tally_sorted(const struct tally *);

#endif
