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

/* Has the page both live and dead slots? */
static bool has_dead_slot(const struct pack *p, ppn_t ppn)
{
	mask_t live = slots_live(p->slots, ppn);

	return live && live != p->slots->full;
}

/* The page stays as it is: all its slots are live. */
static void copy_page(struct pack *p, struct io *io, ppn_t from, ppn_t to, enum cause cause)
{
	struct space *space = p->slots->space;
	owner_t owner = flash_owner(space->flash, from);

	flash_move(io, from, to, cause);
	space_moved_away(space, from);
	slots_move(p->slots, from, to);
	p->statistics.copied_pages++;
	p->client.moved(p->client.ftl, io, owner, from, to);
}

/* How many of the slots from the first one on, at most `most`, are live and hold consecutive sub-pages. */
static uint32_t row_of(const struct slots *s, owner_t owner, mask_t live, uint32_t first, uint32_t most)
{
	uint32_t n = 1;

	while (n < most && live >> first >> n & 1 &&
		slots_sub(s, owner, first + n) == slots_sub(s, owner, first) + n)
		n++;
	return n;
}

/* Reads the page and collects its first live slots, at most `most`. */
static void collect_slots(struct pack *p, struct io *io, ppn_t ppn, uint32_t most, enum cause cause)
{
	owner_t owner = flash_owner(p->slots->space->flash, ppn);
	struct pack_part *first = p->part + p->parts, *next = first;
	uint32_t sectors = 0, length;
	op_t read;

	for (mask_t live = slots_live(p->slots, ppn); live && most; most -= length) {
		uint32_t slot = (uint32_t)__builtin_ctzll(live);
		sub_t sub = slots_sub(p->slots, owner, slot);

		length = row_of(p->slots, owner, live, slot, p->client.regroup ? 1 : most);
		*next = (struct pack_part){ .sub = sub,
			.length = length,
			.from = ppn,
			.kept = p->client.holds(p->client.ftl, sub, length) };
		sectors += mask_sectors(next->kept);
		next++;
		live &= ~(bits_below(length) << slot);
		p->live += length;
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
	uint32_t copied = 0;

	for (uint32_t i = 0; i < space->victim_pages; i++) {
		ppn_t ppn = space->victim_page[i];

		if (p->client.regroup || has_dead_slot(p, ppn)) {
			collect_slots(p, io, ppn, p->slots->per_page, cause);
			continue;
		}
		copy_page(p, io, ppn, take(p, victim, stream), cause);
		copied++;
	}
	return copied;
}

/* ---- packing ---- */

/* Fills the last page with live slots of other blocks that have dead ones: they come nearer to winning a
 * page. */
static void top_up(struct pack *p, struct io *io, block_t victim, enum cause cause)
{
	const struct slots *s = p->slots;
	const struct geometry *g = s->space->geometry;
	block_t first = geometry_plane(g, victim) * g->blocks_per_plane;
	uint32_t full = p->live + s->per_page - p->live % s->per_page;

	for (block_t b = first; b < first + g->blocks_per_plane; b++) {
		if (b == victim || s->space->block[b].state != BLOCK_CLOSED || !space_dead_slots(s->space, b))
			continue;
		for (ppn_t ppn = geometry_first_page(g, b); ppn < geometry_first_page(g, b + 1); ppn++) {
			if (p->live == full)
				return;
			if (has_dead_slot(p, ppn))
				collect_slots(p, io, ppn, full - p->live, cause);
		}
	}
}

/* Up to so many parts are sorted sooner one by one. */
#define FEW_PARTS 32u

static void sort_few(struct pack_part *part, uint32_t count)
{
	for (uint32_t i = 1, to; i < count; i++) {
		struct pack_part moving = part[i];

		for (to = i; to && part[to - 1].sub > moving.sub; to--)
			part[to] = part[to - 1];
		part[to] = moving;
	}
}

/* Sorts what is collected by address, a byte of it after the other: where it is much, quicker than by
 * comparing. */
static void sort(struct pack *p)
{
	struct pack_part *from = p->part, *to = p->aside, *sorted;

	if (p->parts <= FEW_PARTS) {
		sort_few(p->part, p->parts);
		return;
	}

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

/* Of what is sorted, logical pages that are all there come first: their last sub-page follows the first at
 * the right distance. */
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

/* What a page has no room for, behind the first `length` sub-pages of a part. */
static struct pack_part cut(const struct pack *p, struct pack_part *part, uint32_t length)
{
	const struct space *space = p->slots->space;
	uint32_t sectors = length << (space->geometry->sector_shift - space->slot_shift);
	struct pack_part rest = *part;

	rest.sub += length;
	rest.length -= length;
	rest.kept >>= sectors;
	part->length = length;
	part->kept &= bits_below(sectors);
	return rest;
}

/* How many parts from this one on fill a page, or are the last; the last of them is cut to fit. */
static uint32_t fill_page(const struct pack *p, uint32_t at, struct pack_part *rest)
{
	uint32_t room = p->slots->per_page, count = 0;

	rest->length = 0;
	while (room && at + count < p->parts) {
		struct pack_part *part = &p->part[at + count++];

		if (part->length > room)
			*rest = cut(p, part, room);
		room -= part->length;
	}
	return count;
}

static void pack_parts(struct pack *p, struct io *io, block_t victim, unsigned stream, enum cause cause)
{
	struct pack_part rest;
	uint32_t count;

	sort(p);
	if (p->client.regroup > 1)
		regroup(p);
	for (uint32_t at = 0; at < p->parts; at += count) {
		count = fill_page(p, at, &rest);
		p->client.program(p->client.ftl, io, take(p, victim, stream), p->part + at, count, cause);
		p->statistics.packed_pages++;
		if (rest.length)
			p->part[at + --count] = rest;
	}
	p->statistics.slots_moved += p->live;
}

static owner_t name_by_list(struct slots *s, const struct pack_part *part, uint32_t count)
{
	owner_t owner = slots_take_list(s);
	sub_t *slot = slots_list(s, owner);

	for (; count--; part++)
		for (uint32_t i = 0; i < part->length; i++)
			*slot++ = part->sub + i;
	return owner;
}

/* The owner of a page with these parts. */
static owner_t name_page(struct slots *s, const struct pack_part *part, uint32_t count)
{
	uint32_t length, rest, first = pack_run(part, count, &length);
	owner_t owner = OWNER_NONE;

	if (first == count)
		return part->sub;
	if (first + pack_run(part + first, count - first, &rest) == count)
		owner = slots_take_pair(s, part->sub, length, part[first].sub);
	return owner == OWNER_NONE ? name_by_list(s, part, count) : owner;
}

op_t pack_program(struct pack *p, struct io *io, ppn_t to, const struct pack_part *part, uint32_t count,
	enum cause cause)
{
	uint32_t slots = 0, sectors = 0;
	op_t program;

	for (uint32_t i = 0; i < count; i++) {
		slots += part[i].length;
		sectors += mask_sectors(part[i].host | part[i].kept);
	}
	program = flash_program(io, to, name_page(p->slots, part, count), sectors, cause, OP_NONE);
	slots_fill(p->slots, to, slots);
	for (uint32_t i = 0; i < count; i++)
		if (i == 0 || part[i].read != part[i - 1].read)
			flash_wait(io, program, part[i].read);
	return program;
}

void pack_empty(struct pack *p, struct io *io, block_t victim, unsigned stream, enum cause cause)
{
	uint32_t pages, per_page = p->slots->per_page;

	p->parts = p->live = 0;
	pages = go_through(p, io, victim, stream, cause);
	pages += (p->live + per_page - 1) / per_page;
	if (cause == CAUSE_GC && pages == p->slots->space->geometry->pages_per_block && p->live % per_page)
		top_up(p, io, victim, cause);
	pack_parts(p, io, victim, stream, cause);
}

/*
 * No block has a page's worth of dead slots.  If all closed ones together have, the one with most of them: it
 * is rewritten without any (top_up), so with every step fewer blocks share the dead slots, until one has a
 * page's worth.
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
		total += space_dead_slots(s->space, b);
		if (space_dead_slots(s->space, b) >
			(most == BLOCK_NONE ? 0 : space_dead_slots(s->space, most)))
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
