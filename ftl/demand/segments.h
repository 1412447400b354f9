/*
 * The learned table of a group of 256 logical pages (LeaFTL).  A segment is a line through (logical page,
 * physical page): it stands for all of its pages and takes 8 bytes.  It is accurate if its pages have equal
 * distances and the line meets all of them; else it is approximate, the line misses by at most gamma, and
 * which pages it has is listed.
 *
 * Segments are in levels, the newest in level 0.  Those of a level do not overlap; a page belongs to the
 * first one, from level 0 down, that claims it.  An accurate segment goes on to claim pages in its middle
 * that newer ones have taken over.
 */
#ifndef FTL_DEMAND_SEGMENTS_H
#define FTL_DEMAND_SEGMENTS_H

#include "base/bits.h"
#include "base/state.h"
#include "types.h"

#define GROUP_PAGES 256u
#define GROUP_WORDS (GROUP_PAGES / BITS_WORD)

struct segment {
	uint64_t page[GROUP_WORDS]; /* the pages it claims, by number in the group */
	uint32_t intercept;         /* physical page, modulo 2^32 */
	uint16_t slope;             /* in 2^-14 */
	uint16_t level;
	uint8_t first, last; /* page that it claims */
	uint8_t stride;      /* of an accurate one; 0: approximate */
};

/* Of a group: by level, then by first page. */
struct segments {
	struct segment *segment;
	uint32_t used, room;
};

/* Page x of the group is in physical page y. */
struct point {
	uint8_t x;
	ppn_t y;
};

/* What learning needs meanwhile; one for all groups. */
struct learner {
	uint32_t gamma;          /* pages by which a line may miss */
	struct segment *fresh;   /* being learned */
	struct segment *leaving; /* that leave their level */
};

void learner_init(struct learner *, uint32_t gamma);
void learner_release(struct learner *);

void segments_release(struct segments *);

static inline void segments_clear(struct segments *s)
{
	s->used = 0;
}

/* Learns where these pages are, which are at least one, in ascending order. */
void segments_learn(struct segments *, struct learner *, const struct point *, uint32_t points);

/* Takes out what newer segments hide, and empty levels. */
void segments_compact(struct segments *);

/* The segment that the page belongs to; NULL: none.  *levels: how many were searched. */
const struct segment *segments_find(const struct segments *, uint8_t x, uint32_t *levels);

/* Where the page is by the line. */
static inline ppn_t segment_predict(const struct segment *s, uint8_t x)
{
	return s->intercept + (((uint32_t)s->slope * x + (1u << 13)) >> 14);
}

/* Number of pages that it claims. */
static inline uint32_t segment_pages(const struct segment *s)
{
	uint32_t pages = 0;

	for (uint32_t w = 0; w < GROUP_WORDS; w++)
		pages += (uint32_t)__builtin_popcountll(s->page[w]);
	return pages;
}

static inline uint32_t segments_levels(const struct segments *s)
{
	return s->used ? s->segment[s->used - 1].level + 1u : 0;
}

/* Bytes in the controller's memory: 4 for the group, 8 for a segment, and of an approximate one a byte for
 * each page and one more. */
uint32_t segments_bytes(const struct segments *);

/* The same as the released simulator counts: 5 for a segment of one page; of an approximate one a byte for
 * each change between pages that it has and pages that it has not. */
uint32_t segments_released_bytes(const struct segments *);

extern const struct state_row segments_state[];

/* Aborts unless levels and segments are in order. */
void segments_check(const struct segments *, uint32_t gamma);

#endif
