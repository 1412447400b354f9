/*
 * The learned table of a group of 256 logical pages (LeaFTL).  A segment is a line through points (logical
 * page, physical page): it represents all of its pages and takes 8 bytes.  It is accurate if its pages have
 * equal distances and the line meets all of them; else it is approximate: the line misses by at most gamma,
 * and its pages are listed.
 *
 * Segments are in levels, the newest in level 0.  Those of a level do not overlap; a page belongs to the
 * first one, from level 0 down, that claims it.  An accurate segment still claims pages in its middle that
 * newer ones have taken over.
 */
#ifndef FTL_DEMAND_SEGMENTS_H
#define FTL_DEMAND_SEGMENTS_H

#include "base/bits.h"
#include "base/state.h"
#include "types.h"

#define GROUP_PAGES 256u
#define GROUP_WORDS (GROUP_PAGES / BITS_WORD)

/* Pages of a group, a bit each. */
struct group_pages {
	uint64_t bits[GROUP_WORDS];
};

struct segment {
	uint32_t intercept; /* physical page, modulo 2^32 */
	uint32_t list;      /* of an approximate one: number of the list of its pages */
	uint16_t slope;     /* in 2^-14 */
	uint16_t level;
	uint8_t first, last; /* page that it claims */
	uint8_t stride;      /* of an accurate one; 0: approximate */
};

/* The segments of a group, sorted by level, then by first page.  Lists are in no order. */
struct segments {
	struct segment *segment;
	uint32_t used, room;
	struct group_pages *list;
	uint32_t lists, list_room;
	uint32_t list_bytes; /* in the controller's memory: one for each page of a list, and one per list */
};

/* A segment that is not, or no longer, in the table of its group, with its pages. */
struct loose_segment {
	struct segment segment;
	struct group_pages pages;
};

/* Page x of the group is in physical page y. */
struct point {
	uint8_t x;
	ppn_t y;
};

/* Settings and working memory of learning; one for all groups. */
struct learner {
	uint32_t gamma;                /* pages by which a line may miss */
	struct loose_segment *fresh;   /* being learned */
	struct loose_segment *leaving; /* leaving level 0 */
};

void learner_init(struct learner *, uint32_t gamma);
void learner_release(struct learner *);

void segments_release(struct segments *);

static inline void segments_clear(struct segments *s)
{
	s->used = s->lists = s->list_bytes = 0;
}

/* Learns the places of these pages: at least one, in ascending order. */
void segments_learn(struct segments *, struct learner *, const struct point *, uint32_t count);

/* Removes pages that newer segments hide, and moves segments up where nothing overlaps them. */
void segments_compact(struct segments *);

/* The segment that the page belongs to; NULL: none.  *levels: how many were searched. */
const struct segment *segments_find(const struct segments *, uint8_t x, uint32_t *levels);

/* The physical page that the line predicts. */
static inline ppn_t segment_predict(const struct segment *s, uint8_t x)
{
	return s->intercept + (((uint32_t)s->slope * x + (1u << 13)) >> 14);
}

/* Does it claim the page? */
static inline bool segment_claims(const struct segments *s, const struct segment *segment, uint8_t x)
{
	if (x < segment->first || x > segment->last)
		return false;
	if (segment->stride)
		return segment->stride == 1 || (x - segment->first) % segment->stride == 0;
	return bits_get(s->list[segment->list].bits, x);
}

/* Number of pages that it claims. */
uint32_t segment_pages(const struct segments *, const struct segment *);

static inline uint32_t segments_levels(const struct segments *s)
{
	return s->used ? s->segment[s->used - 1].level + 1u : 0;
}

/* Bytes in the controller's memory: 4 for the group, 8 for a segment, and the lists. */
static inline uint32_t segments_bytes(const struct segments *s)
{
	return 4 + 8 * s->used + s->list_bytes;
}

/* The same as the released simulator counts: 5 for a segment of one page; in addition, for an approximate
 * one, a byte for each change between pages that it has and pages that it lacks. */
uint32_t segments_released_bytes(const struct segments *);

extern const struct state_row segments_state[];

/* Aborts unless levels and segments are in order. */
void segments_check(const struct segments *, uint32_t gamma);

#endif
