/*
 * State as a list of memory regions.  A room that owns state names its regions, always in the same order;
 * whoever visits them saves, loads or compares the drive without knowing what they mean.
 *
 * What was read from a file may be anything.  So a room also declares, behind each region, what its numbers
 * are bound by, before anybody uses them as an index or a size; saying it twice costs nothing, and a drive
 * that is saved must keep it, too.  What takes more than a bound is the affair of the room's check, which a
 * loaded drive is put to.
 */
#ifndef BASE_REGIONS_H
#define BASE_REGIONS_H

#include "base/index.h"

#include <stdbool.h>

#define STATE_DEPTH 12u

struct regions {
	void (*visit)(struct regions *, void *bytes, size_t size);
	/* of a run in its midst: operations are under way, and their handles keep their meaning */
	bool running;
	uint64_t most;        /* bytes that a file can still hold, for sizes that nothing else bounds */
	const void *device;   /* its numbers are limits of state rows (base/state.h): struct geometry */
	const void *schedule; /* knows which handles of operations have been given out, so far: */
	bool (*knows)(const void *schedule, uint64_t op);
	/* Where rows are visited: names of fields, each in the struct that the one before leads to. */
	const char *path[STATE_DEPTH], *field;
	uint32_t depth;
	char place[160]; /* the same in words, of what is broken: "map.partial" */
	/* of what was declared: the first that does not hold, NULL so far; then visiting ends */
	const char *broken;
};

static inline void regions_visit(struct regions *r, void *bytes, size_t size)
{
	if (!r->broken)
		r->visit(r, bytes, size);
}

/* Declares what holds of the regions before; `what` names it: "page table".  Once something is broken nothing
 * more is asked, so that what is asked may lean on what was declared before: even a bool of a file may be
 * neither. */
#define regions_require(r, holds, what) ((r)->broken || (holds) ? (void)0 : regions_break(r, what))

static inline void regions_break(struct regions *r, const char *what)
{
	r->broken = what;
}

/* The numbers of an array, or one member of each of its elements: of 1, 2, 4 or 8 bytes. */
struct regions_numbers {
	struct array_field field;
	size_t bytes;
};

#define NUMBERS(array)          ((struct regions_numbers){ ARRAY_ELEMENTS(array), sizeof *(array) })
#define NUMBERS_OF(array, name) ((struct regions_numbers){ ARRAY_FIELD(array, name), sizeof(array)->name })

uint64_t regions_number(struct regions_numbers, size_t i);

/* Declares that each is below a bound, or else, in the second form, INDEX_NONE. */
void regions_below(struct regions *, struct regions_numbers, size_t count, uint64_t bound, const char *what);
void regions_below_or_none(
	struct regions *, struct regions_numbers, size_t count, uint64_t bound, const char *what);

/* How many of so many bytes each a file can still hold, for arrays that nothing else bounds. */
static inline uint32_t regions_most(const struct regions *r, size_t bytes)
{
	return r->most / bytes < INDEX_NONE ? (uint32_t)(r->most / bytes) : INDEX_NONE - 1;
}

#endif
