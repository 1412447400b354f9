/*
 * MRSM: collection.
 *
 * Pages of the victim without a dead slot move as they are.  Of the others only the live slots move:
 * sorted by logical address and packed into full pages, so that n partly dead pages become
 * ceil(live slots / slots of a page), and neighbours that had come apart become one extent again.
 */
#include "ftl/mrsm/mrsm.h"

#include <stdlib.h>

static ppn_t take(struct ftl *f, block_t victim, enum stream stream)
{
	plane_t plane = geometry_plane(f->geometry, victim);
	ppn_t to = space_take(f->space, plane, stream, true);

	BUG_ON(to == PPN_NONE, "plane %u has no free page to collect block %u into", plane, victim);
	return to;
}

static void copy_map_page(struct ftl *f, struct io *io, ppn_t from, ppn_t to, enum cause cause)
{
	struct mrsm *m = f->state;
	uint32_t id = flash_owner(f->flash, from) - m->directory->base;

	flash_copy(io, from, to, cause, OP_NONE);
	space_moved_away(f->space, from);
	directory_page_moved(m->directory, id, from, to);
}

/* All its slots are live: it stays as it is, and so do its extents. */
static void copy_data_page(struct ftl *f, struct io *io, ppn_t from, ppn_t to, enum cause cause)
{
	struct mrsm *m = f->state;
	owner_t owner = flash_owner(f->flash, from);
	struct mrsm_piece p;

	flash_copy(io, from, to, cause, OP_NONE);
	space_moved_away(f->space, from);
	slots_move(&m->slots, from, to);
	for (uint32_t slot = 0; slot < m->slots_per_page; slot += p.length) {
		p = mrsm_tree_move(&m->tree, slots_sub(&m->slots, owner, slot), to);
		mrsm_count_nodes(f, 1, 1);
		mrsm_entry_moved(f, io, p.sub);
	}
	m->statistics.gc_copied_pages++;
}

/* Reads the page and collects its first live slots, at most `most`. */
static void collect_slots(struct ftl *f, struct io *io, ppn_t ppn, uint32_t most, enum cause cause)
{
	struct mrsm *m = f->state;
	owner_t owner = flash_owner(f->flash, ppn);
	struct mrsm_packed *first = m->collected + m->collected_count, *next = first;
	uint32_t sectors = 0;
	op_t read;

	for (mask_t live = slots_live(&m->slots, ppn); live && next < first + most; live &= live - 1) {
		sub_t sub = slots_sub(&m->slots, owner, (uint32_t)__builtin_ctzll(live));

		*next = (struct mrsm_packed){ .sub = sub, .from = ppn, .kept = mrsm_written(m, sub) };
		sectors += (uint32_t)__builtin_popcountll(next->kept);
		next++;
	}
	read = flash_read(io, ppn, sectors, cause, OP_NONE);
	for (; first < next; first++)
		first->read = read;
	m->collected_count = (uint32_t)(next - m->collected);
}

static uint32_t live_slots(const struct mrsm *m, ppn_t ppn)
{
	return (uint32_t)__builtin_popcountll(slots_live(&m->slots, ppn));
}

/* Extents are looked up page by page; asking for all of them first, in two steps, hides most of the waiting. */
static void expect_extents(const struct ftl *f, block_t victim)
{
	const struct mrsm *m = f->state;
	ppn_t first = geometry_first_page(f->geometry, victim), end = first + f->geometry->pages_per_block;

	for (ppn_t ppn = first; ppn < end; ppn++)
		if (flash_owner(f->flash, ppn) < m->tree.subs)
			mrsm_tree_expect_later(&m->tree, flash_owner(f->flash, ppn));
	for (ppn_t ppn = first; ppn < end; ppn++)
		if (flash_owner(f->flash, ppn) < m->tree.subs) {
			mrsm_tree_expect(&m->tree, flash_owner(f->flash, ppn));
			mrsm_expect_entry(m, flash_owner(f->flash, ppn));
		}
}

/* Copies what stays as it is, collects the rest.  Returns the pages copied. */
static uint32_t go_through(struct ftl *f, struct io *io, block_t victim, enum stream stream, enum cause cause)
{
	struct mrsm *m = f->state;
	ppn_t first = geometry_first_page(f->geometry, victim);
	uint32_t copied = 0;

	for (ppn_t ppn = first; ppn < first + f->geometry->pages_per_block; ppn++) {
		owner_t owner = flash_owner(f->flash, ppn);

		if (owner == OWNER_NONE)
			continue;
		if (directory_owns(m->directory, owner))
			copy_map_page(f, io, ppn, take(f, victim, stream), cause);
		else if (live_slots(m, ppn) == m->slots_per_page)
			copy_data_page(f, io, ppn, take(f, victim, stream), cause);
		else {
			collect_slots(f, io, ppn, m->slots_per_page, cause);
			continue;
		}
		copied++;
	}
	return copied;
}

/* Fills the last page with live slots of other blocks that have dead ones: they come nearer to winning a page. */
static void top_up(struct ftl *f, struct io *io, block_t victim, enum cause cause)
{
	struct mrsm *m = f->state;
	const struct geometry *g = f->geometry;
	block_t first = geometry_plane(g, victim) * g->blocks_per_plane;
	uint32_t missing = m->slots_per_page - m->collected_count % m->slots_per_page;
	uint32_t full = m->collected_count + missing;

	for (block_t b = first; b < first + g->blocks_per_plane; b++) {
		if (b == victim || f->space->block[b].state != BLOCK_CLOSED || !m->slots.hollow[b])
			continue;
		for (ppn_t ppn = geometry_first_page(g, b); ppn < geometry_first_page(g, b + 1); ppn++) {
			uint32_t live = live_slots(m, ppn);

			if (m->collected_count == full)
				return;
			if (live && live < m->slots_per_page)
				collect_slots(f, io, ppn, full - m->collected_count, cause);
		}
	}
}

static int by_address(const void *a, const void *b)
{
	sub_t first = ((const struct mrsm_packed *)a)->sub, second = ((const struct mrsm_packed *)b)->sub;

	return (first > second) - (first < second);
}

static void pack_collected(struct ftl *f, struct io *io, block_t victim, enum stream stream, enum cause cause)
{
	struct mrsm *m = f->state;
	uint32_t count;

	qsort(m->collected, m->collected_count, sizeof *m->collected, by_address);
	for (uint32_t at = 0; at < m->collected_count; at += count) {
		count = m->collected_count - at < m->slots_per_page ? m->collected_count - at
								    : m->slots_per_page;
		mrsm_program(f, io, take(f, victim, stream), m->collected + at, count, cause);
		for (uint32_t i = at; i < at + count; i++)
			if (i == at || m->collected[i].sub != m->collected[i - 1].sub + 1)
				mrsm_entry_moved(f, io, m->collected[i].sub);
		m->statistics.gc_packed_pages++;
	}
	m->statistics.gc_slots_moved += m->collected_count;
}

void mrsm_empty(struct ftl *f, struct io *io, block_t victim, enum stream stream, enum cause cause)
{
	struct mrsm *m = f->state;
	lpn_t searched = m->searched; /* by the request that this collection serves */
	uint32_t pages;

	m->collected_count = 0;
	m->searched = LPN_NONE;
	expect_extents(f, victim);
	pages = go_through(f, io, victim, stream, cause);
	pages += (m->collected_count + m->slots_per_page - 1) / m->slots_per_page;
	if (cause == CAUSE_GC && pages == f->geometry->pages_per_block &&
		m->collected_count % m->slots_per_page)
		top_up(f, io, victim, cause);
	pack_collected(f, io, victim, stream, cause);
	m->searched = searched;
}

/*
 * No block has a page's worth of dead slots.  If all closed ones together have, the one with most of them: it is
 * rewritten without any (top_up), so with every step fewer blocks share the dead slots, until one
 * has a page's worth.
 */
block_t mrsm_last_resort(struct ftl *f, plane_t plane)
{
	const struct mrsm *m = f->state;
	const struct geometry *g = f->geometry;
	block_t first = plane * g->blocks_per_plane, most = BLOCK_NONE;
	uint32_t total = 0;

	for (block_t b = first; b < first + g->blocks_per_plane; b++) {
		if (f->space->block[b].state != BLOCK_CLOSED)
			continue;
		total += m->slots.hollow[b];
		if (m->slots.hollow[b] && (most == BLOCK_NONE || m->slots.hollow[b] > m->slots.hollow[most]))
			most = b;
	}
	return total < m->slots_per_page ? BLOCK_NONE : most;
}
