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
	memory_free(s->list);
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

/* The mean of the two slopes, in units of 2^-14, rounded to the nearest; halves up. */
static uint16_t segment_slope(struct fraction least, struct fraction most)
{
	int64_t n = least.n * most.d + most.n * least.d, d = 2 * least.d * most.d;

	return (uint16_t)(((n << 14) * 2 + d) / (2 * d));
}

/* Returns how many points, from the first on, are in consecutive places and within gamma of one line through
 * the first.  Sets *slope to that of the line. */
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

/* The distance between neighbouring points if it is always the same, else 0. */
static uint8_t points_stride(const struct point *p, uint32_t points)
{
	uint8_t stride = points > 1 ? (uint8_t)(p[1].x - p[0].x) : 1;

	for (uint32_t i = 2; i < points; i++)
		if (p[i].x - p[i - 1].x != stride)
			return 0;
	return stride;
}

/* Learns a segment of the first points; returns their number.  The first point that the rounded line misses,
 * and all after it, are left to the next segment. */
static uint32_t segment_learn(
	struct loose_segment *loose, const struct point *p, uint32_t points, uint32_t gamma)
{
	struct segment *s = &loose->segment;
	uint32_t n, count;

	*loose = (struct loose_segment){ .segment = { .first = p[0].x } };
	count = segment_reach(p, points, gamma, &s->slope);
	s->intercept = p[0].y - (((uint32_t)s->slope * p[0].x + (1u << 13)) >> 14);
	for (n = 1; n < count && segment_miss(s, p[n]) <= gamma; n++)
		;
	s->stride = points_stride(p, n);
	for (uint32_t i = 0; i < n; i++) {
		bits_set(loose->pages.bits, p[i].x);
		if (segment_miss(s, p[i]))
			s->stride = 0;
	}
	s->last = p[n - 1].x;
	return n;
}

/* ---- pages ---- */

static struct group_pages pages_between(uint32_t first, uint32_t last)
{
	struct group_pages pages = { { 0 } };

	for (uint32_t w = first / BITS_WORD; w <= last / BITS_WORD; w++) {
		uint32_t begin = w * BITS_WORD;

		pages.bits[w] = bits_below(last - begin < BITS_WORD ? last - begin + 1 : BITS_WORD) &
				~bits_below(first > begin ? first - begin : 0);
	}
	return pages;
}

static void pages_add(struct group_pages *to, const struct group_pages *pages)
{
	for (uint32_t w = 0; w < GROUP_WORDS; w++)
		to->bits[w] |= pages->bits[w];
}

static bool pages_meet(const struct group_pages *a, const struct group_pages *b)
{
	uint64_t both = 0;

	for (uint32_t w = 0; w < GROUP_WORDS; w++)
		both |= a->bits[w] & b->bits[w];
	return both;
}

static struct group_pages segment_list(const struct segments *s, const struct segment *segment)
{
	struct group_pages pages = { { 0 } };

	if (!segment->stride)
		return s->list[segment->list];
	if (segment->stride == 1)
		return pages_between(segment->first, segment->last);
	for (uint32_t x = segment->first; x <= segment->last; x += segment->stride)
		bits_set(pages.bits, x);
	return pages;
}

uint32_t segment_pages(const struct segments *s, const struct segment *segment)
{
	uint32_t count = 0;

	if (segment->stride)
		return (uint32_t)(segment->last - segment->first) / segment->stride + 1;
	for (uint32_t w = 0; w < GROUP_WORDS; w++)
		count += (uint32_t)__builtin_popcountll(s->list[segment->list].bits[w]);
	return count;
}

/* ---- levels ---- */

static bool segment_overlaps(const struct segment *a, const struct segment *b)
{
	return a->first <= b->last && b->first <= a->last;
}

/* Takes pages away from a segment.  False: it has none left.  An accurate segment still claims pages that lie
 * between those left. */
static bool segment_trim(struct segments *s, struct segment *segment, const struct group_pages *taken)
{
	struct group_pages left = segment_list(s, segment);
	uint32_t first, last = 0;

	for (uint32_t w = 0; w < GROUP_WORDS; w++) {
		left.bits[w] &= ~taken->bits[w];
		if (left.bits[w])
			last = w * BITS_WORD + BITS_WORD - 1 - (uint32_t)__builtin_clzll(left.bits[w]);
	}
	first = bits_next(left.bits, GROUP_WORDS, 0);
	if (first == INDEX_NONE)
		return false;
	segment->first = (uint8_t)first;
	segment->last = (uint8_t)last;
	if (!segment->stride) {
		s->list_bytes -= segment_pages(s, segment);
		s->list[segment->list] = left;
		s->list_bytes += segment_pages(s, segment);
	}
	return true;
}

/* Drops the list of a segment that is removed; the last list gets its number. */
static void segments_drop_list(struct segments *s, const struct segment *gone)
{
	s->list_bytes -= segment_pages(s, gone) + 1;
	if (gone->list == --s->lists)
		return;
	s->list[gone->list] = s->list[s->lists];
	for (uint32_t k = 0; k < s->used; k++)
		if (!s->segment[k].stride && s->segment[k].list == s->lists)
			s->segment[k].list = gone->list;
}

static void segments_remove(struct segments *s, uint32_t i)
{
	struct segment gone = s->segment[i];

	s->used--;
	memmove(s->segment + i, s->segment + i + 1, (s->used - i) * sizeof *s->segment);
	if (!gone.stride)
		segments_drop_list(s, &gone);
}

/* The first segment of a later level, or of this one that begins behind page x. */
static uint32_t segments_behind(const struct segments *s, uint32_t level, uint32_t x)
{
	uint32_t from = 0, end = s->used;

	while (from < end) {
		uint32_t middle = (from + end) / 2;
		const struct segment *at = &s->segment[middle];

		if (at->level < level || (at->level == level && at->first <= x))
			from = middle + 1;
		else
			end = middle;
	}
	return from;
}

static void segments_place(struct segments *s, struct segment new)
{
	uint32_t i = segments_behind(s, new.level, new.first);

	memmove(s->segment + i + 1, s->segment + i, (s->used - i) * sizeof *s->segment);
	s->segment[i] = new;
	s->used++;
}

static void segments_insert(struct segments *s, const struct loose_segment *loose)
{
	struct segment new = loose->segment;

	s->segment =
		memory_grown(s->segment, &s->room, s->used + 1, sizeof *s->segment, "segments of a group");
	if (!new.stride) {
		s->list = memory_grown(
			s->list, &s->list_room, s->lists + 1, sizeof *s->list, "lists of segments");
		new.list = s->lists;
		s->list[s->lists++] = loose->pages;
		s->list_bytes += segment_pages(s, &new) + 1;
	}
	segments_place(s, new);
}

static bool segments_overlap(const struct segments *s, uint32_t level, const struct segment *new)
{
	uint32_t i = segments_behind(s, level, new->last);

	return i && s->segment[i - 1].level == level && segment_overlaps(&s->segment[i - 1], new);
}

/* Trims the segments of level 0 by a new one.  Those that still overlap it leave: they are added to the
 * `left` ones in `leaving`.  Returns the new number of these. */
static uint32_t segments_make_way(
	struct segments *s, const struct loose_segment *new, struct loose_segment *leaving, uint32_t left)
{
	uint32_t i = segments_behind(s, 0, new->segment.first);

	i -= i > 0; /* one that begins before may reach into it */
	while (i < s->used && !s->segment[i].level && s->segment[i].first <= new->segment.last) {
		struct segment *old = &s->segment[i];
		bool overlaps = segment_overlaps(old, &new->segment);
		bool any = !overlaps || segment_trim(s, old, &new->pages);

		if (!any) {
			segments_remove(s, i);
		} else if (overlaps && segment_overlaps(old, &new->segment)) {
			leaving[left++] = (struct loose_segment){ *old, segment_list(s, old) };
			segments_remove(s, i);
		} else {
			i++;
		}
	}
	return left;
}

/* Segments that left level 0 go to level 1 if they overlap nothing there; all others go to a new level
 * between the two. */
static void segments_lower(struct segments *s, struct loose_segment *leaving, uint32_t left)
{
	uint32_t stuck = 0;

	for (uint32_t i = 0; i < left; i++) {
		leaving[i].segment.level = 1;
		if (segments_overlap(s, 1, &leaving[i].segment))
			leaving[stuck++] = leaving[i];
		else
			segments_insert(s, &leaving[i]);
	}
	for (uint32_t i = 0; stuck && i < s->used; i++)
		s->segment[i].level += s->segment[i].level > 0;
	for (uint32_t i = 0; i < stuck; i++)
		segments_insert(s, &leaving[i]);
}

/*
 * Trims a segment by those of newer levels, which are among the first `count`.  They trim it one after
 * another: an accurate segment claims pages lost in its middle again before the next one trims it.  False: it
 * has no page left.
 */
static bool segments_trim_by_newer(struct segments *s, uint32_t count, struct segment *old)
{
	for (uint32_t i = 0; i < count && s->segment[i].level < old->level; i++) {
		struct group_pages pages;

		if (!segment_overlaps(&s->segment[i], old))
			continue;
		pages = segment_list(s, &s->segment[i]);
		if (!segment_trim(s, old, &pages))
			return false;
	}
	return true;
}

static void segments_trim_all(struct segments *s)
{
	struct group_pages newer = { { 0 } }, level = newer; /* claimed in newer levels; in this one */
	uint32_t kept = 0;

	for (uint32_t i = 0; i < s->used; i++) {
		struct segment segment = s->segment[i];
		struct group_pages pages = segment_list(s, &segment);

		if (kept && segment.level > s->segment[kept - 1].level) {
			pages_add(&newer, &level);
			level = (struct group_pages){ { 0 } };
		}
		if (pages_meet(&pages, &newer)) {
			if (!segments_trim_by_newer(s, kept, &segment)) {
				if (!segment.stride)
					segments_drop_list(s, &segment);
				continue;
			}
			pages = segment_list(s, &segment);
		}
		pages_add(&level, &pages);
		s->segment[kept++] = segment;
	}
	s->used = kept;
}

/* From the newest on, each segment rises as long as nothing overlaps it in the level above. */
void segments_compact(struct segments *s)
{
	uint32_t all;

	segments_trim_all(s);
	all = s->used;
	for (uint32_t i = 0; i < all; i++) {
		struct segment rising = s->segment[i];

		if (!rising.level)
			continue;
		s->used = i; /* those before it are in their places */
		while (rising.level && !segments_overlap(s, rising.level - 1u, &rising))
			rising.level--;
		segments_place(s, rising);
	}
	s->used = all;
}

#define LEVELS_MOST 1000u /* a group with more is compacted at once */

void segments_learn(struct segments *s, struct learner *l, const struct point *points, uint32_t count)
{
	uint32_t fresh = 0, left = 0;

	for (uint32_t i = 0; i < count; fresh++)
		i += segment_learn(&l->fresh[fresh], points + i, count - i, l->gamma);
	for (uint32_t i = 0; i < fresh; i++) {
		left = segments_make_way(s, &l->fresh[i], l->leaving, left);
		segments_insert(s, &l->fresh[i]);
	}
	segments_lower(s, l->leaving, left);
	if (segments_levels(s) > LEVELS_MOST)
		segments_compact(s);
}

const struct segment *segments_find(const struct segments *s, uint8_t x, uint32_t *levels)
{
	for (uint32_t i = 0; i < s->used; i++)
		if (segment_claims(s, &s->segment[i], x)) {
			*levels = s->segment[i].level + 1u;
			return &s->segment[i];
		}
	*levels = segments_levels(s);
	return NULL;
}

/* ---- the rest ---- */

/* Number of changes between pages that the segment has and pages that it lacks; one at its last page is not
 * counted. */
static uint32_t segment_changes(const struct segments *s, const struct segment *segment)
{
	const uint64_t *pages = s->list[segment->list].bits;
	uint32_t changes = 0;

	for (uint32_t x = segment->first + 1u; x < segment->last; x++)
		changes += bits_get(pages, x) != bits_get(pages, x - 1);
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
			bytes += 8 + (segment->stride ? 0 : segment_changes(s, segment));
	}
	return bytes;
}

static const struct state_row segment_state[] = {
	STATE_NUMBER(struct segment, intercept),
	STATE_NUMBER(struct segment, list),
	STATE_NUMBER(struct segment, slope),
	STATE_NUMBER(struct segment, level),
	STATE_NUMBER(struct segment, first),
	STATE_NUMBER(struct segment, last),
	STATE_NUMBER(struct segment, stride),
	{ 0 },
};

static const struct state_row group_pages_state[] = {
	STATE_NUMBER(struct group_pages, bits),
	{ 0 },
};

const struct state_row segments_state[] = {
	STATE_GROWN(struct segments, segment, used, room, segment_state),
	STATE_GROWN(struct segments, list, lists, list_room, group_pages_state),
	STATE_NUMBER(struct segments, list_bytes),
	{ 0 },
};

static void segments_check_one(const struct segments *s, const struct segment *segment, uint32_t gamma)
{
	struct group_pages pages;

	BUG_ON(segment->first > segment->last, "a segment begins with page %u and ends with %u",
		segment->first, segment->last);
	pages = segment_list(s, segment);
	BUG_ON(!bits_get(pages.bits, segment->first) || !bits_get(pages.bits, segment->last),
		"a segment does not claim its first page, %u, or its last, %u", segment->first,
		segment->last);
	for (uint32_t x = 0; x < GROUP_PAGES; x++)
		BUG_ON(bits_get(pages.bits, x) && (x < segment->first || x > segment->last),
			"a segment of pages %u to %u claims page %u", segment->first, segment->last, x);
	BUG_ON(!segment->stride && !gamma, "an approximate segment, although gamma is 0");
}

void segments_check(const struct segments *s, uint32_t gamma)
{
	uint32_t list_bytes = 0, lists = 0;

	for (uint32_t i = 0; i < s->used; i++) {
		const struct segment *segment = &s->segment[i];
		uint32_t level = i ? segment[-1].level : 0;

		segments_check_one(s, segment, gamma);
		BUG_ON(segment->level != level && segment->level != level + 1u,
			"a segment of level %u follows one of level %u", segment->level, level);
		BUG_ON(i && segment->level == level && segment[-1].last >= segment->first,
			"segments of level %u overlap at page %u", level, segment->first);
		BUG_ON(!i && segment->level, "nothing is in level 0");
		lists += !segment->stride;
		list_bytes += segment->stride ? 0 : segment_pages(s, segment) + 1;
	}
	BUG_ON(list_bytes != s->list_bytes || lists != s->lists,
		"%u lists of %u bytes are counted as %u of %u", lists, list_bytes, s->lists, s->list_bytes);
}
