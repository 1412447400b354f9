#include "verify/oracle.h"

#include "base/fault.h"
#include "base/memory.h"

#include <string.h>

/* One sector as a flash page holds it; version 0 = an unused slot. */
struct held {
	sector_t sector;
	uint32_t version;
};

struct oracle {
	sector_t sectors;
	uint32_t pages, slots;  /* slots = sectors per page */
	uint32_t version;       /* last one given out */
	uint32_t step;          /* counts requests */
	uint32_t *newest;       /* per sector; 0 = never written or trimmed */
	uint32_t *dram;         /* per sector; 0 = not in the buffer */
	uint32_t *read_in_step; /* per page: the step that read it last */
	struct held *held;      /* per page and slot */

	struct extent expected;
	uint32_t *answer; /* per sector of the read in progress */
	size_t answer_room;
};

struct oracle *oracle_create(sector_t sectors, uint32_t pages, uint32_t sectors_per_page)
{
	struct oracle *o = memory_array(1, sizeof *o, "oracle");

	o->sectors = sectors;
	o->pages = pages;
	o->slots = sectors_per_page;
	o->step = 1;
	o->newest = memory_array(sectors, sizeof *o->newest, "oracle's sector versions");
	o->dram = memory_array(sectors, sizeof *o->dram, "oracle's buffer versions");
	o->read_in_step = memory_array(pages, sizeof *o->read_in_step, "oracle's page reads");
	o->held = memory_array((size_t)pages * sectors_per_page, sizeof *o->held, "oracle's page contents");
	return o;
}

void oracle_free(struct oracle *o)
{
	if (!o)
		return;
	memory_free(o->newest);
	memory_free(o->dram);
	memory_free(o->read_in_step);
	memory_free(o->held);
	memory_free(o->answer);
	memory_free(o);
}

static void check_range(const struct oracle *o, struct extent e)
{
	BUG_ON(e.start >= e.end || e.end > o->sectors, "sectors %llu to %llu of a drive of %llu",
		(unsigned long long)e.start, (unsigned long long)e.end, (unsigned long long)o->sectors);
}

void oracle_write(struct oracle *o, struct extent e)
{
	if (!o)
		return;
	check_range(o, e);
	BUG_ON(o->version == UINT32_MAX, "more host writes than the oracle can count");
	o->version++;
	for (sector_t s = e.start; s < e.end; s++)
		o->newest[s] = o->version;
}

void oracle_trim(struct oracle *o, struct extent e)
{
	if (!o)
		return;
	check_range(o, e);
	memset(o->newest + e.start, 0, extent_sectors(e) * sizeof *o->newest);
}

void oracle_expect(struct oracle *o, struct extent e)
{
	if (!o)
		return;
	check_range(o, e);
	if (extent_sectors(e) > o->answer_room) {
		o->answer_room = extent_sectors(e);
		o->answer = memory_resize(o->answer, o->answer_room, sizeof *o->answer, "oracle's answer");
	}
	memset(o->answer, 0, extent_sectors(e) * sizeof *o->answer);
	o->expected = e;
}

void oracle_answered(struct oracle *o)
{
	if (!o)
		return;
	for (sector_t s = o->expected.start; s < o->expected.end; s++) {
		uint32_t got = o->answer[s - o->expected.start];

		BUG_ON(got != o->newest[s],
			"sector %llu was read as version %u, its newest is %u (0 = no data)",
			(unsigned long long)s, got, o->newest[s]);
	}
	o->expected = (struct extent){ 0, 0 };
}

static void answer(struct oracle *o, sector_t s, uint32_t version)
{
	BUG_ON(s < o->expected.start || s >= o->expected.end, "sector %llu was answered but not asked for",
		(unsigned long long)s);
	BUG_ON(o->answer[s - o->expected.start], "sector %llu was answered twice", (unsigned long long)s);
	o->answer[s - o->expected.start] = version;
}

void oracle_dram_store(struct oracle *o, struct extent e)
{
	if (!o)
		return;
	check_range(o, e);
	memcpy(o->dram + e.start, o->newest + e.start, extent_sectors(e) * sizeof *o->dram);
}

void oracle_dram_answer(struct oracle *o, struct extent e)
{
	if (!o)
		return;
	check_range(o, e);
	for (sector_t s = e.start; s < e.end; s++) {
		BUG_ON(!o->dram[s], "the buffer answered sector %llu, which it does not hold",
			(unsigned long long)s);
		answer(o, s, o->dram[s]);
	}
}

void oracle_dram_drop(struct oracle *o, struct extent e)
{
	if (!o)
		return;
	check_range(o, e);
	memset(o->dram + e.start, 0, extent_sectors(e) * sizeof *o->dram);
}

void oracle_page_read(struct oracle *o, ppn_t ppn)
{
	if (o)
		o->read_in_step[ppn] = o->step;
}

void oracle_step(struct oracle *o)
{
	if (o)
		o->step++;
}

void oracle_page_erased(struct oracle *o, ppn_t first, uint32_t pages)
{
	if (!o)
		return;
	memset(o->held + (size_t)first * o->slots, 0, (size_t)pages * o->slots * sizeof *o->held);
	memset(o->read_in_step + first, 0, pages * sizeof *o->read_in_step);
}

void oracle_page_copied(struct oracle *o, ppn_t from, ppn_t to)
{
	if (!o)
		return;
	memcpy(o->held + (size_t)to * o->slots, o->held + (size_t)from * o->slots,
		o->slots * sizeof *o->held);
	o->read_in_step[to] = o->read_in_step[from];
}

/* The slot of the page that holds the sector, or NULL. */
static struct held *find(const struct oracle *o, ppn_t ppn, sector_t s)
{
	struct held *slot = o->held + (size_t)ppn * o->slots;

	for (uint32_t i = 0; i < o->slots; i++)
		if (slot[i].version && slot[i].sector == s)
			return &slot[i];
	return NULL;
}

static void hold(struct oracle *o, ppn_t ppn, sector_t s, uint32_t version)
{
	struct held *slot = o->held + (size_t)ppn * o->slots;

	BUG_ON(find(o, ppn, s), "page %u is given sector %llu twice", ppn, (unsigned long long)s);
	for (uint32_t i = 0; i < o->slots; i++)
		if (!slot[i].version) {
			slot[i] = (struct held){ s, version };
			return;
		}
	BUG("page %u is given more than its %u sectors (sector %llu)", ppn, o->slots, (unsigned long long)s);
}

void oracle_page_host(struct oracle *o, ppn_t ppn, struct extent e)
{
	if (!o)
		return;
	check_range(o, e);
	for (sector_t s = e.start; s < e.end; s++) {
		uint32_t version = o->dram[s] ? o->dram[s] : o->newest[s];

		BUG_ON(!version, "page %u is given sector %llu, which the host never wrote", ppn,
			(unsigned long long)s);
		hold(o, ppn, s, version);
	}
}

static const struct held *at_hand(const struct oracle *o, ppn_t ppn, sector_t s)
{
	const struct held *slot;

	BUG_ON(o->read_in_step[ppn] != o->step, "sector %llu is taken from page %u, which was not read",
		(unsigned long long)s, ppn);
	slot = find(o, ppn, s);
	BUG_ON(!slot, "sector %llu is taken from page %u, which does not hold it", (unsigned long long)s,
		ppn);
	return slot;
}

void oracle_page_kept(struct oracle *o, ppn_t ppn, ppn_t from, struct extent e)
{
	if (!o)
		return;
	check_range(o, e);
	for (sector_t s = e.start; s < e.end; s++)
		hold(o, ppn, s, at_hand(o, from, s)->version);
}

void oracle_page_answer(struct oracle *o, ppn_t ppn, struct extent e)
{
	if (!o)
		return;
	check_range(o, e);
	for (sector_t s = e.start; s < e.end; s++)
		answer(o, s, at_hand(o, ppn, s)->version);
}

void oracle_regions(struct oracle *o, struct regions *r)
{
	if (!o)
		return;
	regions_visit(r, &o->version, sizeof o->version);
	regions_visit(r, o->newest, o->sectors * sizeof *o->newest);
	regions_visit(r, o->held, (size_t)o->pages * o->slots * sizeof *o->held);
}
