#include "ftl/mrsm/tree.h"

#include "base/bits.h"
#include "base/fault.h"
#include "base/memory.h"
#include "base/prefetch.h"

#include <string.h>

/* A piece as one number that sorts by place: first sub-page within its page, length - 1, slot, physical
 * page. */
#define OFFSET_SHIFT 44
#define LENGTH_SHIFT 38
#define SLOT_SHIFT   32
#define SIX_BITS     63u

#define SMALLEST_ROOM 2u

/* Where a piece stands, among those that begin in its page; index == their count: behind the last one. */
struct place {
	uint32_t page, index;
};

void mrsm_tree_init(
	struct mrsm_tree *t, lpn_t pages, uint32_t ppns, uint32_t subs_per_page, uint32_t region_pages)
{
	*t = (struct mrsm_tree){ .subs_per_page = subs_per_page, .subs = pages * subs_per_page };
	t->pages = pages;
	t->ppns = ppns;
	t->region_subs = region_pages * subs_per_page;
	t->page_shift = (uint32_t)__builtin_ctz(subs_per_page);
	t->region_shift = (uint32_t)__builtin_ctz(t->region_subs);
	t->regions = (pages + region_pages - 1) / region_pages;
	t->page = memory_array(pages, sizeof *t->page, "extent tree");
	t->leaf = pool_create(sizeof(struct mrsm_tree_leaf), "extent tree");
	t->region = memory_array(t->regions, sizeof *t->region, "extent tree");
	t->cells = SMALLEST_ROOM;                  /* the first array is not used: 0 ends the lists */
	t->cells_room = 2 * SMALLEST_ROOM + pages; /* grows; memory that is never used costs nothing */
	t->cell = memory_array(t->cells_room, sizeof *t->cell, "extent tree");
}

void mrsm_tree_release(struct mrsm_tree *t)
{
	memory_free(t->page);
	pool_free(&t->leaf);
	memory_free(t->region);
	memory_free(t->cell);
}

/* ---- arrays of cells: rooms are powers of two, an unused array holds the next one's place ---- */

static uint32_t mrsm_tree_class_of(uint32_t room)
{
	return (uint32_t)__builtin_ctz(room / SMALLEST_ROOM);
}

static void mrsm_tree_reserve_cells(struct mrsm_tree *t, uint32_t cells)
{
	if (cells <= t->cells_room)
		return;
	while (t->cells_room < cells)
		t->cells_room += t->cells_room / 2;
	t->cell = memory_resize(t->cell, t->cells_room, sizeof *t->cell, "extent tree");
}

static uint32_t mrsm_tree_take_array(struct mrsm_tree *t, uint32_t room)
{
	uint32_t *first = &t->free[mrsm_tree_class_of(room)], at = *first;

	if (at) {
		*first = (uint32_t)t->cell[at];
		return at;
	}
	at = t->cells;
	mrsm_tree_reserve_cells(t, at + room);
	memset(t->cell + at, 0, room * sizeof *t->cell);
	t->cells = at + room;
	return at;
}

static void mrsm_tree_give_array(struct mrsm_tree *t, uint32_t at, uint32_t room)
{
	uint32_t *first = &t->free[mrsm_tree_class_of(room)];

	t->cell[at] = *first;
	*first = at;
}

/* Moves the leaf's pieces to an array of another room; 0 when the leaf has become empty. */
static void mrsm_tree_change_room(struct mrsm_tree *t, struct mrsm_tree_leaf *leaf, uint32_t room)
{
	uint32_t at = room ? mrsm_tree_take_array(t, room) : 0;

	if (leaf->room) {
		memcpy(t->cell + at, t->cell + leaf->at, leaf->count * sizeof *t->cell);
		mrsm_tree_give_array(t, leaf->at, leaf->room);
	}
	leaf->at = at;
	leaf->room = (uint16_t)room;
}

/* ---- one piece ---- */

static uint64_t mrsm_tree_encode(uint32_t offset, struct mrsm_piece p)
{
	return (uint64_t)offset << OFFSET_SHIFT | (uint64_t)(p.length - 1) << LENGTH_SHIFT |
	       (uint64_t)p.slot << SLOT_SHIFT | p.ppn;
}

/* Of a page; NULL: it has none, since no piece begins in it or one is all of it. */
static struct mrsm_tree_leaf *mrsm_tree_leaf_of(const struct mrsm_tree *t, uint32_t page)
{
	uint32_t number = t->page[page];

	return number > t->ppns ? pool_at(&t->leaf, number - t->ppns - 1) : NULL;
}

/* Pieces that begin in the page. */
static uint32_t mrsm_tree_count_in(const struct mrsm_tree *t, uint32_t page)
{
	const struct mrsm_tree_leaf *leaf = mrsm_tree_leaf_of(t, page);

	return leaf ? leaf->count : t->page[page] > 0;
}

static struct mrsm_piece mrsm_tree_piece_at(const struct mrsm_tree *t, struct place at)
{
	const struct mrsm_tree_leaf *leaf = mrsm_tree_leaf_of(t, at.page);
	sub_t first = at.page << t->page_shift;
	uint64_t cell;

	if (!leaf)
		return (struct mrsm_piece){ first, t->subs_per_page, t->page[at.page] - 1, 0 };
	cell = t->cell[leaf->at + at.index];
	return (struct mrsm_piece){ first + (uint32_t)(cell >> OFFSET_SHIFT),
		((uint32_t)(cell >> LENGTH_SHIFT) & SIX_BITS) + 1, (ppn_t)cell,
		(uint32_t)(cell >> SLOT_SHIFT) & SIX_BITS };
}

static bool mrsm_tree_is_fine(const struct mrsm_tree *t, struct mrsm_piece p)
{
	return p.length != t->subs_per_page || mrsm_tree_offset(t, p.sub);
}

static void mrsm_tree_count_piece(struct mrsm_tree *t, struct mrsm_piece p, uint32_t change)
{
	struct mrsm_tree_region *region = &t->region[mrsm_tree_region_of(t, p.sub)];

	t->nodes += change;
	t->mapped += change * p.length;
	region->nodes += change;
	if (mrsm_tree_is_fine(t, p))
		region->fine += change;
}

/* Of these, the ones that begin at or before the offset. */
static uint32_t mrsm_tree_begin_by(
	const struct mrsm_tree *t, const struct mrsm_tree_leaf *leaf, uint32_t offset)
{
	const uint64_t *cell = t->cell + leaf->at;
	uint64_t limit = (uint64_t)(offset + 1) << OFFSET_SHIFT;
	uint32_t low = 0, count = leaf->count;

	while (count) {
		uint32_t half = count / 2;

		if (cell[low + half] < limit) {
			low += half + 1;
			count -= half + 1;
		} else {
			count = half;
		}
	}
	return low;
}

/* The piece that holds `sub`, or else the first one behind it in its page. */
static struct place mrsm_tree_find(const struct mrsm_tree *t, sub_t sub)
{
	struct place at = { mrsm_tree_page_of(t, sub), 0 }, before;
	const struct mrsm_tree_leaf *leaf = mrsm_tree_leaf_of(t, at.page);
	struct mrsm_piece p;

	if (!leaf && t->page[at.page])
		return at;
	at.index = leaf ? mrsm_tree_begin_by(t, leaf, mrsm_tree_offset(t, sub)) : 0;
	before = at;
	if (at.index)
		before.index--;
	else if (at.page && mrsm_tree_leaf_of(t, at.page - 1)) /* one that is all of its page ends there */
		before = (struct place){ at.page - 1, mrsm_tree_count_in(t, at.page - 1) - 1 };
	else
		return at;
	p = mrsm_tree_piece_at(t, before);
	return p.sub + p.length > sub ? before : at;
}

/* A page in which no piece began gets a leaf. */
static struct mrsm_tree_leaf *mrsm_tree_open_leaf(struct mrsm_tree *t, uint32_t *page)
{
	uint32_t number = pool_take(&t->leaf);
	struct mrsm_tree_leaf *leaf = pool_at(&t->leaf, number);

	*page = t->ppns + 1 + number;
	*leaf = (struct mrsm_tree_leaf){ 0 };
	return leaf;
}

static void mrsm_tree_insert(struct mrsm_tree *t, struct mrsm_piece p)
{
	uint32_t offset = mrsm_tree_offset(t, p.sub), *page = &t->page[mrsm_tree_page_of(t, p.sub)], index;
	struct mrsm_tree_leaf *leaf;
	uint64_t *cell;

	mrsm_tree_count_piece(t, p, 1);
	if (!mrsm_tree_is_fine(t, p)) {
		*page = p.ppn + 1;
		return;
	}
	leaf = *page ? mrsm_tree_leaf_of(t, mrsm_tree_page_of(t, p.sub)) : mrsm_tree_open_leaf(t, page);
	if (leaf->count == leaf->room)
		mrsm_tree_change_room(t, leaf, leaf->room ? 2u * leaf->room : SMALLEST_ROOM);
	index = mrsm_tree_begin_by(t, leaf, offset);
	cell = t->cell + leaf->at;
	memmove(cell + index + 1, cell + index, (leaf->count - index) * sizeof *cell);
	cell[index] = mrsm_tree_encode(offset, p);
	leaf->count++;
}

static void mrsm_tree_erase(struct mrsm_tree *t, struct place at)
{
	struct mrsm_tree_leaf *leaf = mrsm_tree_leaf_of(t, at.page);
	uint64_t *cell;

	mrsm_tree_count_piece(t, mrsm_tree_piece_at(t, at), -1u);
	if (!leaf) {
		t->page[at.page] = 0;
		return;
	}
	cell = t->cell + leaf->at;
	leaf->count--;
	memmove(cell + at.index, cell + at.index + 1, (leaf->count - at.index) * sizeof *cell);
	if (!leaf->count) {
		mrsm_tree_change_room(t, leaf, 0);
		pool_give(&t->leaf, t->page[at.page] - t->ppns - 1);
		t->page[at.page] = 0;
	} else if (leaf->room > SMALLEST_ROOM && leaf->count <= leaf->room / 4)
		mrsm_tree_change_room(t, leaf, leaf->room / 2u);
}

/* ---- what others see ---- */

/* The first piece that reaches into [sub, end); false if there is none. */
static bool mrsm_tree_first_in(const struct mrsm_tree *t, sub_t sub, sub_t end, struct place *at)
{
	if (sub >= end)
		return false;
	for (*at = mrsm_tree_find(t, sub); at->index == mrsm_tree_count_in(t, at->page);
		*at = (struct place){ at->page + 1, 0 })
		if (at->page + 1 == t->pages || (at->page + 1) << t->page_shift >= end)
			return false;
	return mrsm_tree_piece_at(t, *at).sub < end;
}

static struct mrsm_piece mrsm_tree_clip(struct mrsm_piece p, sub_t from, sub_t end)
{
	uint32_t cut = p.sub < from ? from - p.sub : 0;
	sub_t p_end = p.sub + p.length < end ? p.sub + p.length : end;

	return (struct mrsm_piece){ p.sub + cut, p_end - (p.sub + cut), p.ppn, p.slot + cut };
}

bool mrsm_tree_search(const struct mrsm_tree *t, sub_t *at, sub_t end, struct mrsm_piece *p)
{
	struct place place;

	if (!mrsm_tree_first_in(t, *at, end, &place))
		return false;
	*p = mrsm_tree_clip(mrsm_tree_piece_at(t, place), *at, end);
	*at = p->sub + p->length;
	return true;
}

int mrsm_tree_take(struct mrsm_tree *t, sub_t *at, sub_t end, struct mrsm_piece *p)
{
	struct place place;
	struct mrsm_piece whole;
	int left = 0;

	if (!mrsm_tree_first_in(t, *at, end, &place))
		return -1;
	whole = mrsm_tree_piece_at(t, place);
	*p = mrsm_tree_clip(whole, *at, end);
	mrsm_tree_erase(t, place);
	if (whole.sub < p->sub) {
		mrsm_tree_insert(t, mrsm_tree_clip(whole, whole.sub, p->sub));
		left++;
	}
	if (p->sub + p->length < whole.sub + whole.length) {
		mrsm_tree_insert(t, mrsm_tree_clip(whole, p->sub + p->length, whole.sub + whole.length));
		left++;
	}
	*at = p->sub + p->length;
	return left;
}

void mrsm_tree_put(struct mrsm_tree *t, struct mrsm_piece p)
{
	while (p.length) {
		uint32_t room = t->region_subs - (p.sub & (t->region_subs - 1));
		struct mrsm_piece part =
			mrsm_tree_clip(p, p.sub, p.sub + (p.length < room ? p.length : room));

		mrsm_tree_insert(t, part);
		p.sub += part.length;
		p.slot += part.length;
		p.length -= part.length;
	}
}

struct mrsm_piece mrsm_tree_move(struct mrsm_tree *t, sub_t sub, ppn_t to)
{
	struct place at = mrsm_tree_find(t, sub);
	const struct mrsm_tree_leaf *leaf = mrsm_tree_leaf_of(t, at.page);
	struct mrsm_piece p;

	BUG_ON(at.index == mrsm_tree_count_in(t, at.page) || mrsm_tree_piece_at(t, at).sub != sub,
		"no extent begins at sub-page %u", sub);
	p = mrsm_tree_piece_at(t, at);
	p.ppn = to;
	if (leaf)
		t->cell[leaf->at + at.index] = mrsm_tree_encode(mrsm_tree_offset(t, sub), p);
	else
		t->page[at.page] = to + 1;
	return p;
}

ppn_t mrsm_tree_peek(const struct mrsm_tree *t, lpn_t page)
{
	const struct mrsm_tree_leaf *leaf = mrsm_tree_leaf_of(t, page);

	return leaf ? (ppn_t)t->cell[leaf->at] : mrsm_tree_whole(t, page);
}

void mrsm_tree_expect_later(const struct mrsm_tree *t, sub_t sub)
{
	prefetch(&t->page[mrsm_tree_page_of(t, sub)]);
}

void mrsm_tree_expect(const struct mrsm_tree *t, sub_t sub)
{
	const struct mrsm_tree_leaf *leaf = mrsm_tree_leaf_of(t, mrsm_tree_page_of(t, sub));

	if (leaf)
		prefetch(t->cell + leaf->at);
}

/* Each page has had one array of each room at most, and one more while it moved. */
static uint64_t mrsm_tree_most_cells(const struct mrsm_tree *t)
{
	return SMALLEST_ROOM + 4 * ((uint64_t)t->pages + 1) * t->subs_per_page;
}

static bool mrsm_tree_is_room(const struct mrsm_tree_leaf *leaf)
{
	return leaf->count && leaf->count <= leaf->room && !(leaf->room & (leaf->room - 1)) &&
	       !(leaf->room % SMALLEST_ROOM) && leaf->room < SMALLEST_ROOM << TREE_CLASSES;
}

/* Every leaf is free or belongs to one page. */
static bool mrsm_tree_leaves_hold(void *tree)
{
	const struct mrsm_tree *t = tree;

	if (!pool_is_named_once(&t->leaf, t->page, t->pages, t->ppns))
		return false;
	for (uint32_t page = 0; page < t->pages; page++)
		if (mrsm_tree_leaf_of(t, page) && !mrsm_tree_is_room(mrsm_tree_leaf_of(t, page)))
			return false;
	return true;
}

static bool mrsm_tree_cells_hold(void *tree)
{
	const struct mrsm_tree *t = tree;

	return t->cells >= SMALLEST_ROOM && t->cells <= mrsm_tree_most_cells(t);
}

const struct state_row mrsm_tree_state[] = {
	STATE_FIXED(subs_per_page, page_shift, region_shift, subs, region_subs, pages, ppns, regions),
	STATE_NUMBERS(struct mrsm_tree, page),
	STATE_POOL(struct mrsm_tree, leaf, STATE_OWN(struct mrsm_tree, pages), NULL),
	STATE_RESTORED(mrsm_tree_leaves_hold),
	STATE_NUMBERS(struct mrsm_tree, region),
	STATE_NUMBER(struct mrsm_tree, free),
	STATE_NUMBER(struct mrsm_tree, nodes),
	STATE_NUMBER(struct mrsm_tree, mapped),
	STATE_GROWN(struct mrsm_tree, cell, cells, cells_room, STATE_UNBOUNDED, NULL),
	STATE_RESTORED(mrsm_tree_cells_hold),
	{ 0 },
};

/* Every array of cells belongs to one leaf or is in the list of its room. */
static void mrsm_tree_claim(const struct mrsm_tree *t, uint64_t *claimed, uint32_t at, uint32_t room)
{
	BUG_ON(!at || at % SMALLEST_ROOM || at + (uint64_t)room > t->cells, "cells %u to %llu of %u are used",
		at, (unsigned long long)at + room, t->cells);
	for (uint32_t i = at / SMALLEST_ROOM; i < (at + room) / SMALLEST_ROOM; i++) {
		BUG_ON(bits_get(claimed, i), "cell %u is used twice", i * SMALLEST_ROOM);
		bits_set(claimed, i);
	}
}

static void mrsm_tree_check_arrays(const struct mrsm_tree *t)
{
	uint32_t arrays = t->cells / SMALLEST_ROOM;
	uint64_t *claimed = memory_array(bits_words(arrays), sizeof *claimed, "extent tree");

	for (uint32_t page = 0; page < t->pages; page++)
		if (mrsm_tree_leaf_of(t, page))
			mrsm_tree_claim(
				t, claimed, mrsm_tree_leaf_of(t, page)->at, mrsm_tree_leaf_of(t, page)->room);
	for (uint32_t class = 0; class < TREE_CLASSES; class ++)
		for (uint32_t at = t->free[class]; at; at = (uint32_t)t->cell[at])
			mrsm_tree_claim(t, claimed, at, SMALLEST_ROOM << class);
	for (uint32_t i = 1; i < arrays; i++)
		BUG_ON(!bits_get(claimed, i), "cell %u is neither used nor free", i * SMALLEST_ROOM);
	memory_free(claimed);
}

static void mrsm_tree_check_page(const struct mrsm_tree *t, uint32_t page)
{
	const struct mrsm_tree_leaf *leaf = mrsm_tree_leaf_of(t, page);

	for (uint32_t i = 0; leaf && i < leaf->count; i++) {
		uint64_t offset = t->cell[leaf->at + i] >> OFFSET_SHIFT;
		struct mrsm_piece p = mrsm_tree_piece_at(t, (struct place){ page, i });

		BUG_ON(offset >= t->subs_per_page || p.length > t->subs - p.sub || !mrsm_tree_is_fine(t, p),
			"extent %u of page %u begins at sub-page %llu of %u", i, page,
			(unsigned long long)offset, t->subs_per_page);
		BUG_ON(i && offset <= t->cell[leaf->at + i - 1] >> OFFSET_SHIFT,
			"extent %u of page %u is out of order", i, page);
	}
}

void mrsm_tree_check(const struct mrsm_tree *t)
{
	struct mrsm_tree_region sum = { 0, 0 };
	uint32_t region = 0, nodes = 0, mapped = 0;
	struct mrsm_piece p;
	sub_t end = 0;

	mrsm_tree_check_arrays(t);
	for (uint32_t page = 0; page < t->pages; page++)
		mrsm_tree_check_page(t, page);
	for (sub_t at = 0; region < t->regions; region++, sum = (struct mrsm_tree_region){ 0, 0 }) {
		sub_t region_end = (region + 1) * t->region_subs;

		if (region_end > t->subs || region_end < t->region_subs)
			region_end = t->subs;
		while (mrsm_tree_next(t, &at, region_end, &p)) {
			BUG_ON(p.sub < end, "extents overlap at sub-page %u", p.sub);
			BUG_ON(p.slot + p.length > t->subs_per_page,
				"the extent at sub-page %u fills slots %u to %u of %u", p.sub, p.slot,
				p.slot + p.length, t->subs_per_page);
			sum.nodes++;
			sum.fine += mrsm_tree_is_fine(t, p);
			end = p.sub + p.length;
			mapped += p.length;
		}
		at = region_end;
		nodes += sum.nodes;
		BUG_ON(sum.nodes != t->region[region].nodes || sum.fine != t->region[region].fine,
			"region %u has %u extents, %u fine ones; counted are %u and %u", region, sum.nodes,
			sum.fine, t->region[region].nodes, t->region[region].fine);
	}
	BUG_ON(nodes != t->nodes || mapped != t->mapped,
		"the tree has %u extents of %u sub-pages; counted are %u of %u", nodes, mapped, t->nodes,
		t->mapped);
}
