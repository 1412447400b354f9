#include "gc/pack.h"

#include "base/fault.h"
#include "base/memory.h"
#include "stats/table.h"

#include <string.h>

/* A running collection. */
struct pack_job {
	struct pack *pack;
	struct io *io;
	block_t victim;
	unsigned stream;
	enum cause cause;
};

void pack_init(struct pack *p, struct slots *slots, struct pack_client client)
{
	const struct geometry *g = slots->space->geometry;
	size_t most = (size_t)(g->pages_per_block + 1) * slots->per_page;

	*p = (struct pack){ .slots = slots, .client = client };
	p->part = memory_array(most, sizeof *p->part, "collected slots");
	p->sorted = memory_array(most, sizeof *p->part, "collected slots");
}

void pack_release(struct pack *p)
{
	memory_free(p->part);
	memory_free(p->sorted);
}

/* ---- collecting valid slots ---- */

static ppn_t pack_take(const struct pack_job *job)
{
	struct space *space = job->pack->slots->space;
	plane_t plane = geometry_plane(space->geometry, job->victim);
	ppn_t to = space_take(space, job->io, plane, job->stream, true);

	BUG_ON(to == PPN_NONE, "plane %u has no free page to collect block %u into", plane, job->victim);
	return to;
}

/* Has the page both valid and dead slots? */
static bool pack_is_partly_dead(const struct pack *p, ppn_t ppn)
{
	mask_t live = slots_live(p->slots, ppn);

	return live && live != p->slots->full;
}

/* Copies a page all of whose slots are valid. */
static void pack_copy_page(const struct pack_job *job, ppn_t from)
{
	struct pack *p = job->pack;
	struct space *space = p->slots->space;
	owner_t owner = flash_owner(space->flash, from);
	ppn_t to = pack_take(job);

	flash_move(job->io, from, to, job->cause);
	space_moved_away(space, from);
	slots_move(p->slots, from, to);
	p->statistics.copied_pages++;
	p->client.moved(p->client.ftl, job->io, owner, from, to);
}

/* Number of slots from `first` on, at most `most`, that are valid and hold consecutive sub-pages. */
static uint32_t pack_row(const struct slots *s, owner_t owner, mask_t live, uint32_t first, uint32_t most)
{
	uint32_t n = 1;

	while (n < most && live >> first >> n & 1 &&
		slots_sub(s, owner, first + n) == slots_sub(s, owner, first) + n)
		n++;
	return n;
}

/* Reads the page and collects its first valid slots, at most `most`. */
static void pack_collect_slots(const struct pack_job *job, ppn_t ppn, uint32_t most)
{
	struct pack *p = job->pack;
	owner_t owner = flash_owner(p->slots->space->flash, ppn);
	struct pack_part *first = p->part + p->parts, *next = first;
	uint32_t sectors = 0, length;
	op_t read;

	for (mask_t live = slots_live(p->slots, ppn); live && most; most -= length) {
		uint32_t slot = (uint32_t)__builtin_ctzll(live);
		sub_t sub = slots_sub(p->slots, owner, slot);

		length = pack_row(p->slots, owner, live, slot, p->client.regroup ? 1 : most);
		*next = (struct pack_part){ .sub = sub,
			.length = length,
			.from = ppn,
			.kept = p->client.holds(p->client.ftl, sub, length) };
		sectors += mask_sectors(next->kept);
		next++;
		live &= ~(bits_below(length) << slot);
		p->live += length;
	}
	read = flash_read(job->io, ppn, sectors, job->cause, OP_NONE);
	for (; first < next; first++)
		first->read = read;
	p->parts = (uint32_t)(next - p->part);
}

/* Copies pages without a dead slot, collects the slots of the others.  Returns the pages copied. */
static uint32_t pack_collect(const struct pack_job *job)
{
	struct pack *p = job->pack;
	const struct space *space = p->slots->space;
	uint32_t copied = 0;

	for (uint32_t i = 0; i < space->victim_pages; i++) {
		ppn_t ppn = space->victim_page[i];

		if (p->client.regroup || pack_is_partly_dead(p, ppn)) {
			pack_collect_slots(job, ppn, p->slots->per_page);
			continue;
		}
		pack_copy_page(job, ppn);
		copied++;
	}
	return copied;
}

/* Fills the last page with valid slots of other blocks that have dead ones, so that these blocks free a page
 * sooner. */
static void pack_top_up(const struct pack_job *job)
{
	struct pack *p = job->pack;
	const struct slots *s = p->slots;
	const struct geometry *g = s->space->geometry;
	block_t first = geometry_plane(g, job->victim) * g->blocks_per_plane;
	uint32_t full = p->live + s->per_page - p->live % s->per_page;

	for (block_t b = first; b < first + g->blocks_per_plane; b++) {
		if (b == job->victim || s->space->block[b].state != BLOCK_CLOSED ||
			!space_dead_slots(s->space, b))
			continue;
		for (uint32_t k = 0; k < g->pages_per_block; k++) {
			ppn_t ppn = space_page(s->space, b, k);

			if (p->live == full)
				return;
			if (pack_is_partly_dead(p, ppn))
				pack_collect_slots(job, ppn, full - p->live);
		}
	}
}

/* ---- sorting: pages give short ascending runs ---- */

/* End of the ascending run of parts that begins at `at`. */
static uint32_t pack_ascending(const struct pack *p, uint32_t at)
{
	while (at < p->parts && (++at == p->parts || p->part[at - 1].sub < p->part[at].sub))
		;
	return at;
}

/* Merges the ascending parts [at, middle) and [middle, end). */
static void pack_merge(struct pack *p, uint32_t at, uint32_t middle, uint32_t end)
{
	const struct pack_part *a = p->part + at, *b = p->part + middle;
	const struct pack_part *a_end = b, *b_end = p->part + end;

	for (struct pack_part *to = p->sorted + at; to < p->sorted + end; to++)
		*to = b == b_end || (a < a_end && a->sub < b->sub) ? *a++ : *b++;
}

/* Sorts the collected parts by address: merges neighbouring runs until there is one. */
static void pack_sort(struct pack *p)
{
	while (pack_ascending(p, 0) < p->parts) {
		struct pack_part *unsorted = p->part;

		for (uint32_t at = 0, middle, end; at < p->parts; at = end) {
			middle = pack_ascending(p, at);
			end = pack_ascending(p, middle);
			pack_merge(p, at, middle, end);
		}
		p->part = p->sorted;
		p->sorted = unsorted;
	}
}

/* Moves complete logical pages to the front.  After sorting, a logical page is complete if its last sub-page
 * is size - 1 parts behind its first. */
static void pack_regroup(struct pack *p)
{
	uint32_t size = p->client.regroup, wholes = 0, others = 0, n;

	for (uint32_t i = 0; i < p->parts; i += n) {
		struct pack_part *first = p->part + i;
		bool whole = first->sub % size == 0 && i + size <= p->parts &&
			     first[size - 1].sub == first->sub + size - 1;

		n = whole ? size : 1;
		for (uint32_t k = 0; k < n; k++) {
			struct pack_part *to = whole ? &p->part[wholes++] : &p->sorted[others++];

			*to = first[k];
			to->whole = whole;
		}
	}
	memcpy(p->part + wholes, p->sorted, others * sizeof *p->part);
}

/* ---- programming ---- */

/* Cuts a part after its first `length` sub-pages; returns the rest. */
static struct pack_part pack_cut(const struct pack *p, struct pack_part *part, uint32_t length)
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

/* Number of parts, from `at` on, that fill a page, or of all that are left.  The last one is cut to fit:
 * `rest` is what was cut off. */
static uint32_t pack_fill_page(const struct pack *p, uint32_t at, struct pack_part *rest)
{
	uint32_t room = p->slots->per_page, count = 0;

	rest->length = 0;
	while (room && at + count < p->parts) {
		struct pack_part *part = &p->part[at + count++];

		if (part->length > room)
			*rest = pack_cut(p, part, room);
		room -= part->length;
	}
	return count;
}

static void pack_parts(const struct pack_job *job)
{
	struct pack *p = job->pack;
	struct pack_part rest;
	uint32_t count;

	pack_sort(p);
	if (p->client.regroup > 1)
		pack_regroup(p);
	for (uint32_t at = 0; at < p->parts; at += count) {
		count = pack_fill_page(p, at, &rest);
		p->client.program(p->client.ftl, job->io,
			&(struct pack_page){ pack_take(job), p->part + at, count, job->cause });
		p->statistics.packed_pages++;
		if (rest.length)
			p->part[at + --count] = rest;
	}
	p->statistics.slots_moved += p->live;
}

/* The owner of a page with these parts. */
static owner_t pack_name(struct slots *s, const struct pack_page *page)
{
	uint32_t length, *slot;
	owner_t owner;

	if (pack_run(page->part, page->count, &length) == page->count)
		return (owner_t)page->part->sub;
	owner = slots_take_list(s);
	slot = slots_list(s, owner);
	for (uint32_t n = 0; n < page->count; n++)
		for (uint32_t i = 0; i < page->part[n].length; i++)
			*slot++ = (uint32_t)page->part[n].sub + i;
	return owner;
}

op_t pack_program(struct pack *p, struct io *io, const struct pack_page *page)
{
	const struct pack_part *part = page->part;
	uint32_t slots = 0, sectors = 0;
	op_t program;

	for (uint32_t i = 0; i < page->count; i++) {
		slots += part[i].length;
		sectors += mask_sectors(part[i].host | part[i].kept);
	}
	program = flash_program(io, page->to, pack_name(p->slots, page), sectors, page->cause, OP_NONE);
	slots_fill(p->slots, page->to, slots);
	for (uint32_t i = 0; i < page->count; i++)
		if (i == 0 || part[i].read != part[i - 1].read)
			flash_wait(io, program, part[i].read);
	return program;
}

/* ---- for the collector ---- */

void pack_empty(struct pack *p, struct io *io, block_t victim, unsigned stream, enum cause cause)
{
	const struct pack_job job = { p, io, victim, stream, cause };
	uint32_t pages, per_page = p->slots->per_page;

	p->parts = p->live = 0;
	pages = pack_collect(&job);
	pages += (p->live + per_page - 1) / per_page;
	if (cause == CAUSE_GC && pages == p->slots->space->geometry->pages_per_block && p->live % per_page)
		pack_top_up(&job);
	pack_parts(&job);
}

/*
 * No block has a page's worth of dead slots.  If all closed blocks together have, returns the one with the
 * most: it is rewritten without any (pack_top_up), so each step leaves fewer blocks that share the dead
 * slots, until one has a page's worth.
 */
block_t pack_last_resort(const struct pack *p, plane_t plane)
{
	const struct slots *s = p->slots;
	const struct geometry *g = s->space->geometry;
	block_t first = plane * g->blocks_per_plane, most = BLOCK_NONE;
	uint32_t total = 0;

	for (block_t b = first; b < first + g->blocks_per_plane; b++) {
		uint32_t dead = space_dead_slots(s->space, b);

		if (s->space->block[b].state != BLOCK_CLOSED)
			continue;
		total += dead;
		if (dead > (most == BLOCK_NONE ? 0 : space_dead_slots(s->space, most)))
			most = b;
	}
	return total < s->per_page ? BLOCK_NONE : most;
}

/* ---- statistics ---- */

#define COUNT(name) STAT_COUNT, offsetof(struct pack_statistics, name)

static const struct stat_row pack_rows[] = {
	{ "gc_copied_pages", "pages", "without a dead slot, copied", COUNT(copied_pages) },
	{ "gc_packed_pages", "pages", "written with the valid slots of the others", COUNT(packed_pages) },
	{ "gc_slots_moved", "sub-pages", "in these", COUNT(slots_moved) },
	{ 0 },
};

void pack_statistics(struct pack *p, const char *prefix, struct stat_list *list)
{
	stat_list_add(
		list, (struct stat_group){ NULL, prefix, pack_rows, &p->statistics, sizeof p->statistics });
}
