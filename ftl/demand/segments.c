#include "ftl/demand/segments.h"

#include "base/fault.h"
#include "base/memory.h"

#include <string.h>

void learner_init(struct learner *l, uint32_t gamma)
{
	l->gamma = gamma;
	l->fresh = memory_array(GROUP_PAGES, sizeof *l->fresh, "learned segments");
	l->leaving = memory_array(GROUP_PAGES, sizeof *l->leaving, "learned segments");
}

void learner_release(struct learner *l)
{
	memory_free(l->fresh);
	memory_free(l->leaving);
}

void segments_release(struct segments *s)
{
	memory_free(s->segment);
}

/* ---- a line through points ---- */

/* n / d, with d > 0. */
struct fraction {
	int64_t n, d;
};

static bool fraction_less(struct fraction a, struct fraction b)
{
	return a.n * b.d < b.n * a.d;
}

/* The slope in the middle of the two, in 2^-14, rounded to the nearest; halves up. */
static uint16_t segment_slope(struct fraction least, struct fraction most)
{
	int64_t n = least.n * most.d + most.n * least.d, d = 2 * least.d * most.d;

	return (uint16_t)(((n << 14) * 2 + d) / (2 * d));
}

/* How many points, from the first, are in consecutive places and within gamma of one line through the first.
 * The line's slope. */
static uint32_t segment_reach(const struct point *p, uint32_t points, int64_t gamma, uint16_t *slope)
{
	struct fraction least = { 0 }, most = { 0 };
	uint32_t n = 1;

	for (; n < points && p[n].y == p[n - 1].y + 1; n++) {
		struct fraction low = { n - gamma, p[n].x - p[0].x }, high = { n + gamma, p[n].x - p[0].x };

		if (n > 1 && fraction_less(low, least))
			low = least;
		if (n > 1 && fraction_less(most, high))
			high = most;
		if (fraction_less(high, low))
			break;
		least = low;
		most = high;
	}
	*slope = n > 1 ? segment_slope(least, most) : 0;
	return n;
}

static uint32_t segment_miss(const struct segment *s, struct point p)
{
	ppn_t at = segment_predict(s, p.x);

	return at - p.y < p.y - at ? at - p.y : p.y - at;
}

/* The distance of the points if it is the same between all of them, else 0. */
static uint8_t points_stride(const struct point *p, uint32_t points)
{
	uint8_t stride = points > 1 ? (uint8_t)(p[1].x - p[0].x) : 1;

	for (uint32_t i = 2; i < points; i++)
		if (p[i].x - p[i - 1].x != stride)
			return 0;
	return stride;
}

/* The segment of the first points; returns their number.  What the rounded slope misses is left to the next
 * one. */
static uint32_t segment_learn(struct segment *s, const struct point *p, uint32_t points, uint32_t gamma)
{
	uint32_t n, count;

	*s = (struct segment){ .first = p[0].x };
	count = segment_reach(p, points, gamma, &s->slope);
	s->intercept = p[0].y - (((uint32_t)s->slope * p[0].x + (1u << 13)) >> 14);
	for (n = 1; n < count && segment_miss(s, p[n]) <= gamma; n++)
		;
	s->stride = points_stride(p, n);
	for (uint32_t i = 0; i < n; i++) {
		bits_set(s->page, p[i].x);
		if (segment_miss(s, p[i]))
			s->stride = 0;
	}
	s->last = p[n - 1].x;
	return n;
}

/* ---- levels ---- */

static bool segment_overlaps(const struct segment *a, const struct segment *b)
{
	return a->first <= b->last && b->first <= a->last;
}

/* The pages of the other are no longer its own.  False: it has none left. */
static bool segment_trim(struct segment *s, const struct segment *other)
{
	uint64_t left[GROUP_WORDS], any = 0;
	uint32_t last = 0;

	for (uint32_t w = 0; w < GROUP_WORDS; w++) {
		left[w] = s->page[w] & ~other->page[w];
		any |= left[w];
		if (left[w])
			last = w * BITS_WORD + BITS_WORD - 1 - (uint32_t)__builtin_clzll(left[w]);
	}
	if (!any)
		return false;
	s->first = (uint8_t)bits_next(left, GROUP_WORDS, 0);
	s->last = (uint8_t)last;
	for (uint32_t w = 0; w < GROUP_WORDS; w++) {
		uint32_t from = s->first > w * BITS_WORD ? s->first - w * BITS_WORD : 0;
		uint32_t end = s->last >= w * BITS_WORD ? s->last - w * BITS_WORD + 1 : 0;

		if (s->stride) /* still claims what lies between */
			left[w] = from < BITS_WORD && end ? s->page[w] & bits_below(end) & ~bits_below(from)
							  : 0;
		s->page[w] = left[w];
	}
	return true;
}

static void segments_remove(struct segments *s, uint32_t i)
{
	s->used--;
	memmove(s->segment + i, s->segment + i + 1, (s->used - i) * sizeof *s->segment);
}

static void segments_insert(struct segments *s, struct segment new)
{
	uint32_t i = 0;

	s->segment =
		memory_grown(s->segment, &s->room, s->used + 1, sizeof *s->segment, "segments of a group");
	while (i < s->used && (s->segment[i].level < new.level ||
				      (s->segment[i].level == new.level && s->segment[i].first < new.first)))
		i++;
	memmove(s->segment + i + 1, s->segment + i, (s->used - i) * sizeof *s->segment);
	s->segment[i] = new;
	s->used++;
}

static bool segments_overlap(const struct segments *s, uint32_t level, const struct segment *new)
{
	for (uint32_t i = 0; i < s->used && s->segment[i].level <= level; i++)
		if (s->segment[i].level == level && segment_overlaps(&s->segment[i], new))
			return true;
	return false;
}

/* Trims what is in level 0 by a new segment; what still overlaps it leaves.  Returns how many have left. */
static uint32_t segments_make_way(
	struct segments *s, const struct segment *new, struct segment *leaving, uint32_t left)
{
	for (uint32_t i = 0; i < s->used && !s->segment[i].level;) {
		struct segment *old = &s->segment[i];
		bool overlaps = segment_overlaps(old, new), any = !overlaps || segment_trim(old, new);

		if (!any) {
			segments_remove(s, i);
		} else if (overlaps && segment_overlaps(old, new)) {
			leaving[left++] = *old;
			segments_remove(s, i);
		} else {
			i++;
		}
	}
	return left;
}

/* Those that left level 0 go to level 1 if there is nothing in their way; else all such to a new level in
 * between. */
static void segments_lower(struct segments *s, struct segment *leaving, uint32_t left)
{
	uint32_t stuck = 0;

	for (uint32_t i = 0; i < left; i++) {
		leaving[i].level = 1;
		if (segments_overlap(s, 1, &leaving[i]))
			leaving[stuck++] = leaving[i];
		else
			segments_insert(s, leaving[i]);
	}
	for (uint32_t i = 0; stuck && i < s->used; i++)
		s->segment[i].level += s->segment[i].level > 0;
	for (uint32_t i = 0; i < stuck; i++)
		segments_insert(s, leaving[i]);
}

/* Every segment trims the older ones. */
static void segments_trim_all(struct segments *s)
{
	for (uint32_t i = 0; i < s->used; i++)
		for (uint32_t k = i + 1; k < s->used;) {
			struct segment *old = &s->segment[k];

			if (old->level > s->segment[i].level && segment_overlaps(old, &s->segment[i]) &&
				!segment_trim(old, &s->segment[i]))
				segments_remove(s, k);
			else
				k++;
		}
}

/* From the newest on, each rises as long as nothing overlaps it in the level above. */
void segments_compact(struct segments *s)
{
	uint32_t all;

	segments_trim_all(s);
	all = s->used;
	for (uint32_t i = 0; i < all; i++) {
		struct segment rising = s->segment[i];

		s->used = i; /* those before it are in their places */
		while (rising.level && !segments_overlap(s, rising.level - 1u, &rising))
			rising.level--;
		segments_insert(s, rising);
	}
}

#define LEVELS_MOST 1000u /* a group with more is compacted at once */

void segments_learn(struct segments *s, struct learner *l, const struct point *points, uint32_t count)
{
	uint32_t fresh = 0, left = 0;

	for (uint32_t i = 0; i < count; fresh++)
		i += segment_learn(&l->fresh[fresh], points + i, count - i, l->gamma);
	for (uint32_t i = 0; i < fresh; i++) {
		left = segments_make_way(s, &l->fresh[i], l->leaving, left);
		segments_insert(s, l->fresh[i]);
	}
	segments_lower(s, l->leaving, left);
	if (segments_levels(s) > LEVELS_MOST)
		segments_compact(s);
}

const struct segment *segments_find(const struct segments *s, uint8_t x, uint32_t *levels)
{
	for (uint32_t i = 0; i < s->used; i++)
		if (bits_get(s->segment[i].page, x)) {
			*levels = s->segment[i].level + 1u;
			return &s->segment[i];
		}
	*levels = segments_levels(s);
	return NULL;
}

/* ---- the rest ---- */

uint32_t segments_bytes(const struct segments *s)
{
	uint32_t bytes = 4;

	for (uint32_t i = 0; i < s->used; i++)
		bytes += 8 + (s->segment[i].stride ? 0 : segment_pages(&s->segment[i]) + 1);
	return bytes;
}

/* Changes between pages that it has and pages that it has not; that to the last page counts as its end. */
static uint32_t segment_changes(const struct segment *s)
{
	uint32_t changes = 0;

	for (uint32_t x = s->first + 1u; x < s->last; x++)
		changes += bits_get(s->page, x) != bits_get(s->page, x - 1);
	return changes;
}

uint32_t segments_released_bytes(const struct segments *s)
{
	uint32_t bytes = 4;

	for (uint32_t i = 0; i < s->used; i++) {
		const struct segment *segment = &s->segment[i];

		if (segment->first == segment->last)
			bytes += 5;
		else
			bytes += 8 + (segment->stride ? 0 : segment_changes(segment));
	}
	return bytes;
}

static const struct state_row segment_state[] = {
	STATE_NUMBER(struct segment, page),
	STATE_NUMBER(struct segment, intercept),
	STATE_NUMBER(struct segment, slope),
	STATE_NUMBER(struct segment, level),
	STATE_NUMBER(struct segment, first),
	STATE_NUMBER(struct segment, last),
	STATE_NUMBER(struct segment, stride),
	{ 0 },
};

const struct state_row segments_state[] = {
	STATE_GROWN(struct segments, segment, used, room, STATE_UNBOUNDED, segment_state),
	{ 0 },
};

static void segments_check_one(const struct segment *s, uint32_t gamma)
{
	BUG_ON(!bits_get(s->page, s->first) || !bits_get(s->page, s->last),
		"a segment does not claim its first page, %u, or its last, %u", s->first, s->last);
	for (uint32_t x = 0; x < GROUP_PAGES; x++) {
		bool within = x >= s->first && x <= s->last;

		BUG_ON(bits_get(s->page, x) && !within, "a segment of pages %u to %u claims page %u",
			s->first, s->last, x);
		BUG_ON(s->stride && within && bits_get(s->page, x) != !((x - s->first) % s->stride),
			"an accurate segment of pages %u to %u, %u apart, is wrong about page %u", s->first,
			s->last, s->stride, x);
	}
	BUG_ON(!s->stride && !gamma, "an approximate segment, although gamma is 0");
}

void segments_check(const struct segments *s, uint32_t gamma)
{
	for (uint32_t i = 0; i < s->used; i++) {
		const struct segment *segment = &s->segment[i];
		uint32_t level = i ? segment[-1].level : 0;

		segments_check_one(segment, gamma);
		BUG_ON(segment->level != level && segment->level != level + 1u,
			"a segment of level %u follows one of level %u", segment->level, level);
		BUG_ON(i && segment->level == level && segment[-1].last >= segment->first,
			"segments of level %u overlap at page %u", level, segment->first);
		BUG_ON(!i && segment->level, "nothing is in level 0");
	}
}
