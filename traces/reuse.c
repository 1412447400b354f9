#include "traces/reuse.h"

#include "base/bits.h"
#include "base/memory.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

#define PAGES_MAX 65536u          /* sampled at once */
#define SLOTS     (4 * PAGES_MAX) /* of the table */
#define POSITIONS (4 * PAGES_MAX) /* of the stack */
#define WORDS     (POSITIONS / BITS_WORD)
#define DISTANCES 64u
#define FREE      UINT32_MAX

/*
 * The stack is an array of positions in order of last access; a page that is accessed again leaves a gap and
 * moves to the end.  `live` is the set of positions that are no gaps, `sums` a binary indexed tree over its
 * words: the pages above a position are counted in logarithmic time and in 48 KiB.  At the end of the array
 * the gaps are removed.
 */
struct reuse {
	uint64_t *page; /* by position */
	uint64_t *live; /* by position, a bit each: no gap */
	uint32_t *sums; /* tree, from 1: of the bits of each word */
	uint32_t *slot; /* table of positions by page; FREE */
	uint32_t next;  /* first unused position */
	uint32_t pages;
	unsigned halvings;       /* rate = 2^-halvings */
	double below[DISTANCES]; /* accesses at a distance of 2^(i-1) to 2^i - 1; [0]: of 0 */
	double first, all;
};

struct reuse *reuse_create(void)
{
	struct reuse *r = memory_array(1, sizeof *r, "reuse distances");

	r->page = memory_array(POSITIONS, sizeof *r->page, "reuse distances");
	r->live = memory_array(WORDS, sizeof *r->live, "reuse distances");
	r->sums = memory_array(WORDS + 1, sizeof *r->sums, "reuse distances");
	r->slot = memory_array(SLOTS, sizeof *r->slot, "reuse distances");
	memset(r->slot, 0xff, SLOTS * sizeof *r->slot);
	return r;
}

void reuse_free(struct reuse *r)
{
	if (!r)
		return;
	memory_free(r->page);
	memory_free(r->live);
	memory_free(r->sums);
	memory_free(r->slot);
	memory_free(r);
}

static uint64_t reuse_hash(uint64_t page)
{
	page ^= page >> 31;
	page *= 0x7fb5d329728ea185u;
	page ^= page >> 27;
	page *= 0x81dadef4bc2dd44du;
	return page ^ page >> 33;
}

static bool reuse_is_sampled(const struct reuse *r, uint64_t h)
{
	return !r->halvings || h >> (64 - r->halvings) == 0;
}

/* The slot with the position of the page, or the free one where it belongs. */
static uint32_t *reuse_find(const struct reuse *r, uint64_t page, uint64_t h)
{
	uint32_t i = (uint32_t)h & (SLOTS - 1);

	while (r->slot[i] != FREE && r->page[r->slot[i]] != page)
		i = (i + 1) & (SLOTS - 1);
	return &r->slot[i];
}

static void reuse_tree_add(struct reuse *r, uint32_t position, uint32_t amount)
{
	for (uint32_t i = position / BITS_WORD + 1; i <= WORDS; i += i & -i)
		r->sums[i] += amount;
}

static void reuse_set(struct reuse *r, uint32_t position)
{
	bits_set(r->live, position);
	reuse_tree_add(r, position, 1);
}

static void reuse_clear(struct reuse *r, uint32_t position)
{
	bits_clear(r->live, position);
	reuse_tree_add(r, position, UINT32_MAX);
}

/* Pages below this position. */
static uint32_t reuse_pages_below(const struct reuse *r, uint32_t position)
{
	uint64_t word = r->live[position / BITS_WORD] & bits_below(position % BITS_WORD);
	uint32_t sum = (uint32_t)__builtin_popcountll(word);

	for (uint32_t i = position / BITS_WORD; i; i &= i - 1)
		sum += r->sums[i];
	return sum;
}

/* Moves the sampled pages to the bottom, without gaps. */
static void reuse_squeeze(struct reuse *r)
{
	uint32_t kept = 0;

	for (uint32_t i = 0; i < r->next; i++)
		if (bits_get(r->live, i) && reuse_is_sampled(r, reuse_hash(r->page[i])))
			r->page[kept++] = r->page[i];
	memset(r->live, 0, WORDS * sizeof *r->live);
	memset(r->sums, 0, (WORDS + 1) * sizeof *r->sums);
	memset(r->slot, 0xff, SLOTS * sizeof *r->slot);
	r->next = r->pages = kept;
	for (uint32_t i = 0; i < kept; i++) {
		*reuse_find(r, r->page[i], reuse_hash(r->page[i])) = i;
		reuse_set(r, i);
	}
}

/* Counts an access at a distance measured among the sampled pages. */
static void reuse_count(struct reuse *r, uint32_t distance)
{
	uint64_t scaled = (uint64_t)distance << r->halvings;

	r->below[scaled ? 64 - __builtin_clzll(scaled) : 0] += ldexp(1, (int)r->halvings);
}

void reuse_add(struct reuse *r, uint64_t page)
{
	uint64_t h = reuse_hash(page);
	uint32_t *slot;

	if (!reuse_is_sampled(r, h))
		return;
	r->all += ldexp(1, (int)r->halvings);
	slot = reuse_find(r, page, h);
	if (*slot != FREE) {
		reuse_clear(r, *slot);
		reuse_count(r, r->pages - 1 - reuse_pages_below(r, *slot));
	} else {
		r->first += ldexp(1, (int)r->halvings);
		r->pages++;
	}
	*slot = r->next;
	r->page[r->next] = page;
	reuse_set(r, r->next++);
	while (r->pages > PAGES_MAX) {
		r->halvings++;
		reuse_squeeze(r);
	}
	if (r->next == POSITIONS)
		reuse_squeeze(r);
}

void reuse_expect(const struct reuse *r, uint64_t page)
{
	__builtin_prefetch(&r->slot[reuse_hash(page) & (SLOTS - 1)]);
}

double reuse_share_below(const struct reuse *r, unsigned log2_pages)
{
	double sum = 0;

	for (unsigned i = 0; i <= log2_pages && i < DISTANCES; i++)
		sum += r->below[i];
	return r->all > 0 ? sum / r->all : 0;
}

double reuse_first_share(const struct reuse *r)
{
	return r->all > 0 ? r->first / r->all : 0;
}
