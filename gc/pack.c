#include "gc/pack.h"

#include "base/fault.h"
#include "base/memory.h"
#include "stats/table.h"

#include <string.h>

void pack_init(struct pack *p, struct slots *slots, struct pack_client client)
{
	const struct geometry *g = slots->space->geometry;
	size_t most = (size_t)(g->pages_per_block + 1) * slots->per_page;

	*p = (struct pack){ .slots = slots, .client = client };
	p->part = memory_array(most, sizeof *p->part, "collected slots");
	p->aside = memory_array(most, sizeof *p->part, "collected slots");
}

void pack_release(struct pack *p)
{
	memory_free(p->part);
	memory_free(p->aside);
}

/* ---- what is in the victim ---- */

static ppn_t take(const struct pack *p, block_t victim, unsigned stream)
{
	struct space *space = p->slots->space;
	plane_t plane = geometry_plane(space->geometry, victim);
	ppn_t to = space_take(space, plane, stream, true);

	BUG_ON(to == PPN_NONE, "plane %u has no free page to collect block %u into", plane, victim);
	return to;
}

static uint32_t live_slots(const struct pack *p, ppn_t ppn)
{
	return (uint32_t)__builtin_popcountll(slots_live(p->slots, ppn));
}

/* The page stays as it is: all its slots are live. */
static void copy_page(struct pack *p, struct io *io, ppn_t from, ppn_t to, enum cause cause)
{
	struct space *space = p->slots->space;
	owner_t owner = flash_owner(space->flash, from);

	flash_copy(io, from, to, cause, OP_NONE);
	space_moved_away(space, from);
	slots_move(p->slots, from, to);
	p->statistics.copied_pages++;
	p->client.moved(p->client.ftl, io, owner, from, to);
}

/* Reads the page and collects its first live slots, at most `most`. */
static void collect_slots(struct pack *p, struct io *io, ppn_t ppn, uint32_t most, enum cause cause)
{
	owner_t owner = flash_owner(p->slots->space->flash, ppn);
	struct pack_part *first = p->part + p->parts, *next = first;
	uint32_t sectors = 0;
	op_t read;

	for (mask_t live = slots_live(p->slots, ppn); live && next < first + most; live &= live - 1) {
		sub_t sub = slots_sub(p->slots, owner, (uint32_t)__builtin_ctzll(live));

		*next = (struct pack_part){
			.sub = sub, .from = ppn, .kept = p->client.holds(p->client.ftl, sub)
		};
		sectors += (uint32_t)__builtin_popcountll(next->kept);
		next++;
	}
	read = flash_read(io, ppn, sectors, cause, OP_NONE);
	for (; first < next; first++)
		first->read = read;
	p->parts = (uint32_t)(next - p->part);
}

/* Copies what stays as it is, collects the rest.  Returns the pages copied. */
static uint32_t go_through(struct pack *p, struct io *io, block_t victim, unsigned stream, enum cause cause)
{
	const struct space *space = p->slots->space;
	ppn_t first = geometry_first_page(space->geometry, victim);
	uint32_t copied = 0;

	for (ppn_t ppn = first; ppn < first + space->geometry->pages_per_block; ppn++) {
		uint32_t live = live_slots(p, ppn);

		if (flash_owner(space->flash, ppn) == OWNER_NONE)
			continue;
		if (live && (p->client.regroup || live < p->slots->per_page)) {
			collect_slots(p, io, ppn, live, cause);
			continue;
		}
		copy_page(p, io, ppn, take(p, victim, stream), cause);
		copied++;
	}
	return copied;
}

/* ---- packing ---- */

/* Fills the last page with live slots of other blocks that have dead ones: they come nearer to winning a page. */
static void top_up(struct pack *p, struct io *io, block_t victim, enum cause cause)
{
	const struct slots *s = p->slots;
	const struct geometry *g = s->space->geometry;
	block_t first = geometry_plane(g, victim) * g->blocks_per_plane;
	uint32_t full = p->parts + s->per_page - p->parts % s->per_page;

	for (block_t b = first; b < first + g->blocks_per_plane; b++) {
		if (b == victim || s->space->block[b].state != BLOCK_CLOSED || !s->space->block[b].hollow)
			continue;
		for (ppn_t ppn = geometry_first_page(g, b); ppn < geometry_first_page(g, b + 1); ppn++) {
			uint32_t live = live_slots(p, ppn);

			if (p->parts == full)
				return;
			if (live && live < s->per_page)
				collect_slots(p, io, ppn, full - p->parts, cause);
		}
	}
}

/* Sorts what is collected by address, a byte of it after the other: much quicker than by comparing. */
static void sort(struct pack *p)
{
	struct pack_part *from = p->part, *to = p->aside, *sorted;

	for (uint32_t shift = 0; shift < 8 * sizeof(sub_t); shift += 8) {
		uint32_t at[256 + 1] = { 0 };

		for (uint32_t i = 0; i < p->parts; i++)
			at[(from[i].sub >> shift & 255) + 1]++;
		for (uint32_t byte = 0; byte < 255; byte++)
			at[byte + 1] += at[byte];
		for (uint32_t i = 0; i < p->parts; i++)
			to[at[from[i].sub >> shift & 255]++] = from[i];
		sorted = to;
		to = from;
		from = sorted;
	}
}

/* Of what is sorted, logical pages that are all there come first: their last sub-page follows the first at the right
 * distance. */
static void regroup(struct pack *p)
{
	uint32_t size = p->client.regroup, wholes = 0, others = 0, n;

	for (uint32_t i = 0; i < p->parts; i += n) {
		struct pack_part *first = p->part + i;
		bool whole = first->sub % size == 0 && i + size <= p->parts &&
			     first[size - 1].sub == first->sub + size - 1;

		n = whole ? size : 1;
		for (uint32_t k = 0; k < n; k++) {
			struct pack_part *to = whole ? &p->part[wholes++] : &p->aside[others++];

			*to = first[k];
			to->whole = whole;
		}
	}
	memcpy(p->part + wholes, p->aside, others * sizeof *p->part);
}

static void pack_parts(struct pack *p, struct io *io, block_t victim, unsigned stream, enum cause cause)
{
	uint32_t count;

	sort(p);
	if (p->client.regroup > 1)
		regroup(p);
	for (uint32_t at = 0; at < p->parts; at += count) {
		count = p->parts - at < p->slots->per_page ? p->parts - at : p->slots->per_page;
		p->client.program(p->client.ftl, io, take(p, victim, stream), p->part + at, count, cause);
		p->statistics.packed_pages++;
	}
	p->statistics.slots_moved += p->parts;
}

op_t pack_program(struct pack *p, struct io *io, ppn_t to, const struct pack_part *part, uint32_t count,
	enum cause cause)
{
	sub_t sub[SLOTS_MOST] = { 0 };
	uint32_t sectors = 0;
	op_t program;

	for (uint32_t i = 0; i < count; i++) {
		sub[i] = part[i].sub;
		sectors += mask_sectors(part[i].host | part[i].kept);
	}
	program = flash_program(io, to, slots_name(p->slots, sub, count), sectors, cause, OP_NONE);
	slots_fill(p->slots, to, count);
	for (uint32_t i = 0; i < count; i++)
		if (i == 0 || part[i].read != part[i - 1].read)
			flash_wait(io, program, part[i].read);
	return program;
}

void pack_empty(struct pack *p, struct io *io, block_t victim, unsigned stream, enum cause cause)
{
	uint32_t pages, per_page = p->slots->per_page;

	p->parts = 0;
	pages = go_through(p, io, victim, stream, cause);
	pages += (p->parts + per_page - 1) / per_page;
	if (cause == CAUSE_GC && pages == p->slots->space->geometry->pages_per_block && p->parts % per_page)
		top_up(p, io, victim, cause);
	pack_parts(p, io, victim, stream, cause);
}

/*
 * No block has a page's worth of dead slots.  If all closed ones together have, the one with most of them: it is
 * rewritten without any (top_up), so with every step fewer blocks share the dead slots, until one
 * has a page's worth.
 */
block_t pack_last_resort(const struct pack *p, plane_t plane)
{
	const struct slots *s = p->slots;
	const struct geometry *g = s->space->geometry;
	block_t first = plane * g->blocks_per_plane, most = BLOCK_NONE;
	uint32_t total = 0;

	for (block_t b = first; b < first + g->blocks_per_plane; b++) {
		if (s->space->block[b].state != BLOCK_CLOSED)
			continue;
		total += s->space->block[b].hollow;
		if (s->space->block[b].hollow > (most == BLOCK_NONE ? 0 : s->space->block[most].hollow))
			most = b;
	}
	return total < s->per_page ? BLOCK_NONE : most;
}

/* ---- statistics ---- */

#define COUNT(name) STAT_COUNT, offsetof(struct pack_statistics, name)

static const struct stat_row rows[] = {
	{ "gc_copied_pages", "pages", "without a dead slot, moved as they were", COUNT(copied_pages) },
	{ "gc_packed_pages", "pages", "written with the live slots of the others", COUNT(packed_pages) },
	{ "gc_slots_moved", "sub-pages", "in these", COUNT(slots_moved) },
	{ 0 },
};

void pack_statistics(struct pack *p, const char *prefix, struct stat_list *list)
{
	stat_list_add(list, (struct stat_group){ NULL, prefix, rows, &p->statistics, sizeof p->statistics });
}
