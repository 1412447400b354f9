#include "ftl/mrsm/tree.h"

#include "base/bits.h"
#include "base/fault.h"
#include "base/memory.h"

static const char *const mrsm_tree_what = "extent tree";

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
	t->page = memory_array(pages, sizeof *t->page, mrsm_tree_what);
	t->node = pool_create(sizeof(struct mrsm_tree_node), mrsm_tree_what);
	t->region = memory_array(t->regions, sizeof *t->region, mrsm_tree_what);
}

void mrsm_tree_release(struct mrsm_tree *t)
{
	memory_free(t->page);
	pool_free(&t->node);
	memory_free(t->region);
}

/* ---- numbers of extents, as in mrsm_tree.page ---- */

static struct mrsm_tree_node *mrsm_tree_node_at(const struct mrsm_tree *t, uint32_t number)
{
	return pool_at(&t->node, number - t->ppns - 1);
}

/* The extent of this number, which begins in the page. */
static struct mrsm_piece mrsm_tree_piece(const struct mrsm_tree *t, lpn_t page, uint32_t number)
{
	sub_t first = page << t->page_shift;
	const struct mrsm_tree_node *n;

	if (number <= t->ppns)
		return (struct mrsm_piece){ first, t->subs_per_page, number - 1, 0 };
	n = mrsm_tree_node_at(t, number);
	return (struct mrsm_piece){ first + n->offset, n->length, n->ppn, n->slot };
}

/* The next extent that begins in the same page; 0 if there is none. */
static uint32_t mrsm_tree_after(const struct mrsm_tree *t, uint32_t number)
{
	return number <= t->ppns ? 0 : mrsm_tree_node_at(t, number)->next;
}

static bool mrsm_tree_is_page(const struct mrsm_tree *t, struct mrsm_piece p)
{
	return p.length == t->subs_per_page && !mrsm_tree_offset(t, p.sub);
}

/* ---- changes ---- */

static void mrsm_tree_count(struct mrsm_tree *t, struct mrsm_piece p, uint32_t change)
{
	struct mrsm_tree_region *region = &t->region[mrsm_tree_region_of(t, p.sub)];

	t->nodes += change;
	t->mapped += change * p.length;
	region->nodes += change;
	if (!mrsm_tree_is_page(t, p))
		region->fine += change;
}

static void mrsm_tree_insert(struct mrsm_tree *t, struct mrsm_piece p)
{
	uint32_t offset = mrsm_tree_offset(t, p.sub), *link = &t->page[mrsm_tree_page_of(t, p.sub)], number;

	mrsm_tree_count(t, p, 1);
	if (mrsm_tree_is_page(t, p)) {
		*link = p.ppn + 1;
		return;
	}
	number = t->ppns + 1 + pool_take(&t->node);
	while (*link && mrsm_tree_node_at(t, *link)->offset < offset)
		link = &mrsm_tree_node_at(t, *link)->next;
	*mrsm_tree_node_at(t, number) =
		(struct mrsm_tree_node){ *link, p.ppn, (uint16_t)p.length, (uint8_t)offset, (uint8_t)p.slot };
	*link = number;
}

static void mrsm_tree_remove(struct mrsm_tree *t, struct mrsm_piece p, uint32_t number)
{
	uint32_t *link = &t->page[mrsm_tree_page_of(t, p.sub)];

	mrsm_tree_count(t, p, -1u);
	while (*link != number)
		link = &mrsm_tree_node_at(t, *link)->next;
	*link = mrsm_tree_after(t, number);
	if (number <= t->ppns)
		return;
	mrsm_tree_node_at(t, number)->length = 0;
	pool_give(&t->node, number - t->ppns - 1);
}

/* ---- look-ups ---- */

/* The first page in which the extent that holds the sub-page may begin: its own, or the one before. */
static lpn_t mrsm_tree_search_from(const struct mrsm_tree *t, sub_t sub)
{
	lpn_t page = mrsm_tree_page_of(t, sub);
	uint32_t first = t->page[page];

	if (first && mrsm_tree_piece(t, page, first).sub <= sub)
		return page;
	return page && t->page[page - 1] > t->ppns ? page - 1 : page;
}

/* The number of the first extent that reaches into [sub, end), and the extent; 0 if there is none. */
static uint32_t mrsm_tree_first_in(const struct mrsm_tree *t, sub_t sub, sub_t end, struct mrsm_piece *p)
{
	if (sub >= end)
		return 0;
	for (lpn_t page = mrsm_tree_search_from(t, sub); page <= mrsm_tree_page_of(t, end - 1); page++)
		for (uint32_t i = t->page[page]; i; i = mrsm_tree_after(t, i)) {
			*p = mrsm_tree_piece(t, page, i);
			if (p->sub + p->length > sub)
				return p->sub < end ? i : 0;
		}
	return 0;
}

static struct mrsm_piece mrsm_tree_clip(struct mrsm_piece p, sub_t from, sub_t end)
{
	uint32_t cut = p.sub < from ? from - p.sub : 0;
	sub_t p_end = p.sub + p.length < end ? p.sub + p.length : end;

	return (struct mrsm_piece){ p.sub + cut, p_end - (p.sub + cut), p.ppn, p.slot + cut };
}

bool mrsm_tree_search(const struct mrsm_tree *t, sub_t *at, sub_t end, struct mrsm_piece *p)
{
	if (!mrsm_tree_first_in(t, *at, end, p))
		return false;
	*p = mrsm_tree_clip(*p, *at, end);
	*at = p->sub + p->length;
	return true;
}

int mrsm_tree_take(struct mrsm_tree *t, sub_t *at, sub_t end, struct mrsm_piece *p)
{
	struct mrsm_piece whole;
	uint32_t number = mrsm_tree_first_in(t, *at, end, &whole);
	int left = 0;

	if (!number)
		return -1;
	*p = mrsm_tree_clip(whole, *at, end);
	mrsm_tree_remove(t, whole, number);
	if (whole.sub < p->sub) {
		mrsm_tree_insert(t, mrsm_tree_clip(whole, whole.sub, p->sub));
		left++;
	}
	*at = p->sub + p->length;
	if (*at < whole.sub + whole.length) {
		mrsm_tree_insert(t, mrsm_tree_clip(whole, *at, whole.sub + whole.length));
		left++;
	}
	return left;
}

void mrsm_tree_put(struct mrsm_tree *t, struct mrsm_piece p)
{
	uint32_t room = t->region_subs - (p.sub & (t->region_subs - 1));

	mrsm_tree_insert(t, p.length > room ? mrsm_tree_clip(p, p.sub, p.sub + room) : p);
	if (p.length > room)
		mrsm_tree_insert(t, mrsm_tree_clip(p, p.sub + room, p.sub + p.length));
}

struct mrsm_piece mrsm_tree_move(struct mrsm_tree *t, sub_t sub, ppn_t to)
{
	struct mrsm_piece p;
	uint32_t number = mrsm_tree_first_in(t, sub, sub + 1, &p);

	BUG_ON(!number || p.sub != sub, "no extent begins at sub-page %u", sub);
	p.ppn = to;
	if (number > t->ppns)
		mrsm_tree_node_at(t, number)->ppn = to;
	else
		t->page[mrsm_tree_page_of(t, sub)] = to + 1;
	return p;
}

ppn_t mrsm_tree_peek(const struct mrsm_tree *t, lpn_t page)
{
	uint32_t first = t->page[page];

	return first ? mrsm_tree_piece(t, page, first).ppn : PPN_NONE;
}

void mrsm_tree_prefetch(const struct mrsm_tree *t, lpn_t page, enum prefetch_stage stage)
{
	if (stage == PREFETCH_ENTRY)
		prefetch(&t->page[page]);
	else if (t->page[page] > t->ppns)
		prefetch(mrsm_tree_node_at(t, t->page[page]));
}

/* ---- state and invariants ---- */

static const struct state_row mrsm_tree_node_state[] = {
	STATE_NUMBER(struct mrsm_tree_node, next),
	STATE_NUMBER(struct mrsm_tree_node, ppn),
	STATE_NUMBER(struct mrsm_tree_node, length),
	STATE_NUMBER(struct mrsm_tree_node, offset),
	STATE_NUMBER(struct mrsm_tree_node, slot),
	{ 0 },
};

const struct state_row mrsm_tree_state[] = {
	STATE_FIXED(subs_per_page, page_shift, region_shift, subs, region_subs, pages, ppns, regions),
	STATE_NUMBERS(struct mrsm_tree, page),
	STATE_POOL(struct mrsm_tree, node, mrsm_tree_node_state),
	STATE_NUMBERS(struct mrsm_tree, region),
	STATE_NUMBER(struct mrsm_tree, nodes),
	STATE_NUMBER(struct mrsm_tree, mapped),
	{ 0 },
};

/* Aborts unless the extent begins in the page and is inside its physical page, its region and the drive. */
static void mrsm_tree_check_piece(const struct mrsm_tree *t, lpn_t page, struct mrsm_piece p)
{
	BUG_ON(mrsm_tree_page_of(t, p.sub) != page || p.length > t->subs - p.sub,
		"an extent of page %u begins at sub-page %u of %u", page, p.sub, t->subs);
	BUG_ON(!p.length || p.slot + p.length > t->subs_per_page,
		"the extent at sub-page %u fills slots %u to %u of %u", p.sub, p.slot, p.slot + p.length,
		t->subs_per_page);
	BUG_ON(mrsm_tree_region_of(t, p.sub) != mrsm_tree_region_of(t, p.sub + p.length - 1),
		"the extent at sub-page %u is in two regions", p.sub);
	BUG_ON(mrsm_tree_is_page(t, p) != (t->page[page] <= t->ppns),
		"page %u is one extent and in a list, or neither", page);
}

void mrsm_tree_check(const struct mrsm_tree *t)
{
	struct mrsm_tree_region sum = { 0, 0 };
	uint32_t nodes = 0, fine = 0, mapped = 0;
	sub_t end = 0;

	for (lpn_t page = 0; page < t->pages; page++) {
		uint32_t region = mrsm_tree_region_of(t, page << t->page_shift);

		for (uint32_t i = t->page[page]; i; i = mrsm_tree_after(t, i)) {
			struct mrsm_piece p = mrsm_tree_piece(t, page, i);

			mrsm_tree_check_piece(t, page, p);
			BUG_ON(p.sub < end, "extents overlap at sub-page %u", p.sub);
			end = p.sub + p.length;
			mapped += p.length;
			sum.nodes++;
			sum.fine += !mrsm_tree_is_page(t, p);
		}
		if (page + 1 < t->pages && mrsm_tree_region_of(t, (page + 1) << t->page_shift) == region)
			continue;
		BUG_ON(sum.nodes != t->region[region].nodes || sum.fine != t->region[region].fine,
			"region %u has %u extents, %u fine ones; counted are %u and %u", region, sum.nodes,
			sum.fine, t->region[region].nodes, t->region[region].fine);
		nodes += sum.nodes;
		fine += sum.fine;
		sum = (struct mrsm_tree_region){ 0, 0 };
	}
	BUG_ON(nodes != t->nodes || mapped != t->mapped,
		"the tree has %u extents of %u sub-pages; counted are %u of %u", nodes, mapped, t->nodes,
		t->mapped);
	BUG_ON(fine + pool_count_free(&t->node) != t->node.used, "%u of %u nodes are in lists, %u are free",
		fine, t->node.used, pool_count_free(&t->node));
}
