#include "observe/oracle.h"

#include "base/fault.h"
#include "base/memory.h"

#include <string.h>

/* One sector as a flash page holds it; version 0 = an unused slot. */
struct held {
	sector_t sector;
	uint32_t version;
};

/* Device sectors from which the host layer reads host sectors. */
struct redirection {
	sector_t host;
	struct extent device;
};

struct oracle {
	sector_t host_sectors, device_sectors;
	uint32_t pages, slots;          /* slots = sectors per page */
	uint32_t version;               /* of the last host write */
	uint32_t step;                  /* number of the request */
	uint32_t *newest;               /* per host sector; 0 = never written or trimmed */
	uint32_t *sent;                 /* per device sector, likewise: the version sent last */
	uint32_t *dram[ORACLE_HOLDERS]; /* per sector its version + 1; 0 = not held */
	uint32_t *read_in_step;         /* per page: the step that read it last */
	uint32_t *taken_in_step;        /* per host sector: the step in which the host layer read it last */
	struct held *held;              /* per page and slot */
	uint32_t die_pages;             /* pages of a die; 0: no parity */
	uint32_t *stripe;               /* per page: number of its parity page + 1; 0: none */
	uint32_t *members;              /* per parity page: number of pages it protects */
	die_t lost;                     /* UINT32_MAX: none */

	struct extent expected; /* host sectors of the read in progress */
	uint32_t *answer;       /* per expected sector its version + 1; 0 = not answered */
	uint32_t answer_room;
	struct redirection *where;
	uint32_t places, place_room;
	uint32_t *place; /* per device sector: number of its redirection, from 1; 0: no read is expected */
};

static sector_t oracle_sectors_of(const struct oracle *o, enum oracle_holder holder)
{
	return holder == HOLDER_HOST ? o->host_sectors : o->device_sectors;
}

struct oracle *oracle_create(
	sector_t host_sectors, sector_t device_sectors, uint32_t pages, uint32_t sectors_per_page)
{
	struct oracle *o = memory_array(1, sizeof *o, "oracle");

	o->host_sectors = host_sectors;
	o->device_sectors = device_sectors;
	o->pages = pages;
	o->slots = sectors_per_page;
	o->step = 1;
	o->lost = UINT32_MAX;
	o->newest = memory_array(host_sectors, sizeof *o->newest, "oracle's sector versions");
	o->sent = memory_array(device_sectors, sizeof *o->sent, "oracle's sector versions");
	for (enum oracle_holder h = 0; h < ORACLE_HOLDERS; h++)
		o->dram[h] =
			memory_array(oracle_sectors_of(o, h), sizeof *o->dram[h], "oracle's DRAM versions");
	o->place = memory_array(device_sectors, sizeof *o->place, "oracle's redirections");
	o->taken_in_step = memory_array(host_sectors, sizeof *o->taken_in_step, "oracle's sector reads");
	o->read_in_step = memory_array(pages, sizeof *o->read_in_step, "oracle's page reads");
	o->held = memory_array((size_t)pages * sectors_per_page, sizeof *o->held, "oracle's page contents");
	return o;
}

void oracle_free(struct oracle *o)
{
	if (!o)
		return;
	memory_free(o->newest);
	memory_free(o->sent);
	for (enum oracle_holder h = 0; h < ORACLE_HOLDERS; h++)
		memory_free(o->dram[h]);
	memory_free(o->read_in_step);
	memory_free(o->taken_in_step);
	memory_free(o->held);
	memory_free(o->answer);
	memory_free(o->where);
	memory_free(o->place);
	memory_free(o->stripe);
	memory_free(o->members);
	memory_free(o);
}

/* Is verification on?  Then the sectors must exist in that room. */
static bool oracle_is_on(const struct oracle *o, enum oracle_holder holder, struct extent e)
{
	if (!o)
		return false;
	BUG_ON(e.start >= e.end || e.end > oracle_sectors_of(o, holder),
		"sectors %llu to %llu of a drive of %llu", (unsigned long long)e.start,
		(unsigned long long)e.end, (unsigned long long)oracle_sectors_of(o, holder));
	return true;
}

void oracle_write(struct oracle *o, struct extent e)
{
	if (!oracle_is_on(o, HOLDER_HOST, e))
		return;
	BUG_ON(o->version >= UINT32_MAX - 1, "more host writes than the oracle can count");
	o->version++;
	for (sector_t s = e.start; s < e.end; s++)
		o->newest[s] = o->version;
}

void oracle_trim(struct oracle *o, struct extent e)
{
	if (!oracle_is_on(o, HOLDER_HOST, e))
		return;
	memset(o->newest + e.start, 0, extent_sectors(e) * sizeof *o->newest);
}

void oracle_take(struct oracle *o, struct extent e)
{
	if (!oracle_is_on(o, HOLDER_HOST, e))
		return;
	for (sector_t s = e.start; s < e.end; s++)
		o->taken_in_step[s] = o->step;
}

void oracle_give(struct oracle *o, struct extent e)
{
	if (!oracle_is_on(o, HOLDER_HOST, e))
		return;
	for (sector_t s = e.start; s < e.end; s++)
		BUG_ON(o->newest[s] && o->taken_in_step[s] != o->step,
			"the host layer writes sector %llu anew, which it has not read",
			(unsigned long long)s);
}

void oracle_send(struct oracle *o, sector_t host, struct extent e)
{
	if (!oracle_is_on(o, HOLDER_FTL, e) ||
		!oracle_is_on(o, HOLDER_HOST, (struct extent){ host, host + extent_sectors(e) }))
		return;
	for (sector_t s = e.start; s < e.end; s++, host++) {
		if (!o->newest[host]) /* a sector without data: the layer sends zeros */
			o->newest[host] = o->version;
		o->sent[s] = o->dram[HOLDER_HOST][host] ? o->dram[HOLDER_HOST][host] - 1 : o->newest[host];
	}
}

void oracle_unsend(struct oracle *o, struct extent e)
{
	if (!oracle_is_on(o, HOLDER_FTL, e))
		return;
	memset(o->sent + e.start, 0, extent_sectors(e) * sizeof *o->sent);
}

static void oracle_forget_places(struct oracle *o)
{
	for (; o->places; o->places--) {
		struct extent e = o->where[o->places - 1].device;

		memset(o->place + e.start, 0, extent_sectors(e) * sizeof *o->place);
	}
}

void oracle_expect(struct oracle *o, struct extent e)
{
	if (!oracle_is_on(o, HOLDER_HOST, e))
		return;
	o->answer = memory_grown(o->answer, &o->answer_room, (uint32_t)extent_sectors(e), sizeof *o->answer,
		"oracle's answer");
	memset(o->answer, 0, extent_sectors(e) * sizeof *o->answer);
	o->expected = e;
	oracle_forget_places(o);
}

void oracle_expect_at(struct oracle *o, sector_t host, struct extent e)
{
	if (!oracle_is_on(o, HOLDER_FTL, e))
		return;
	o->where = memory_grown(
		o->where, &o->place_room, o->places + 1, sizeof *o->where, "oracle's redirections");
	o->where[o->places++] = (struct redirection){ host, e };
	for (sector_t s = e.start; s < e.end; s++)
		o->place[s] = o->places;
}

void oracle_answered(struct oracle *o)
{
	if (!o)
		return;
	for (sector_t s = o->expected.start; s < o->expected.end; s++) {
		uint32_t got = o->answer[s - o->expected.start];

		got -= got > 0;
		BUG_ON(got != o->newest[s],
			"sector %llu was read as version %u, its newest is %u (0 = no data)",
			(unsigned long long)s, got, o->newest[s]);
	}
	o->expected = (struct extent){ 0, 0 };
	oracle_forget_places(o);
}

static void oracle_answer_host(struct oracle *o, sector_t s, uint32_t version)
{
	BUG_ON(s < o->expected.start || s >= o->expected.end, "sector %llu was answered but not asked for",
		(unsigned long long)s);
	BUG_ON(o->answer[s - o->expected.start], "sector %llu was answered twice", (unsigned long long)s);
	o->answer[s - o->expected.start] = version + 1;
}

static void oracle_answer(struct oracle *o, sector_t s, uint32_t version)
{
	const struct redirection *r;

	BUG_ON(!o->place[s], "sector %llu was answered but not asked for", (unsigned long long)s);
	r = &o->where[o->place[s] - 1];
	oracle_answer_host(o, r->host + (s - r->device.start), version);
}

/* The version that a room gets from above. */
static uint32_t oracle_from_above(const struct oracle *o, enum oracle_holder holder, sector_t s)
{
	if (holder == HOLDER_HOST)
		return o->newest[s];
	while (--holder > HOLDER_HOST)
		if (o->dram[holder][s])
			return o->dram[holder][s] - 1;
	return o->sent[s];
}

void oracle_dram_store(struct oracle *o, enum oracle_holder holder, struct extent e)
{
	if (!oracle_is_on(o, holder, e))
		return;
	for (sector_t s = e.start; s < e.end; s++)
		o->dram[holder][s] = oracle_from_above(o, holder, s) + 1;
}

void oracle_dram_answer(struct oracle *o, enum oracle_holder holder, struct extent e)
{
	if (!oracle_is_on(o, holder, e))
		return;
	for (sector_t s = e.start; s < e.end; s++) {
		BUG_ON(!o->dram[holder][s], "sector %llu was answered from DRAM, which does not hold it",
			(unsigned long long)s);
		(holder == HOLDER_HOST ? oracle_answer_host : oracle_answer)(o, s, o->dram[holder][s] - 1);
	}
}

void oracle_dram_drop(struct oracle *o, enum oracle_holder holder, struct extent e)
{
	if (!oracle_is_on(o, holder, e))
		return;
	memset(o->dram[holder] + e.start, 0, extent_sectors(e) * sizeof *o->dram[holder]);
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
	if (!o->die_pages)
		return;
	memset(o->stripe + first, 0, pages * sizeof *o->stripe);
	memset(o->members + first, 0, pages * sizeof *o->members);
}

void oracle_page_copied(struct oracle *o, ppn_t from, ppn_t to)
{
	if (!o)
		return;
	memcpy(o->held + (size_t)to * o->slots, o->held + (size_t)from * o->slots,
		o->slots * sizeof *o->held);
	o->read_in_step[to] = o->read_in_step[from];
}

/* ---- parity ---- */

void oracle_use_stripes(struct oracle *o, uint32_t pages_per_die)
{
	o->die_pages = pages_per_die;
	o->stripe = memory_array(o->pages, sizeof *o->stripe, "oracle's stripes");
	o->members = memory_array(o->pages, sizeof *o->members, "oracle's stripes");
}

/* Two pages of the stripe, or one of them and the parity, on one die would be lost together. */
static void oracle_check_dies(const struct oracle *o, ppn_t parity, const ppn_t *page, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++) {
		BUG_ON(page[i] / o->die_pages == parity / o->die_pages,
			"pages %u and %u of a stripe are on one die", page[i], parity);
		for (uint32_t k = 0; k < i; k++)
			BUG_ON(page[i] / o->die_pages == page[k] / o->die_pages,
				"pages %u and %u of a stripe are on one die", page[i], page[k]);
	}
}

void oracle_page_parity(struct oracle *o, ppn_t parity, const ppn_t *of, uint32_t n)
{
	BUG_ON(parity / o->die_pages == o->lost, "parity page %u is on the die that failed", parity);
	oracle_check_dies(o, parity, of, n);
	BUG_ON(o->members[parity], "page %u is given parity twice", parity);
	o->members[parity] = n;
	o->stripe[parity] = parity + 1;
	for (uint32_t i = 0; i < n; i++) {
		BUG_ON(o->stripe[of[i]], "page %u has parity already", of[i]);
		o->stripe[of[i]] = parity + 1;
	}
}

void oracle_lose_die(struct oracle *o, die_t die)
{
	if (o)
		o->lost = die;
}

void oracle_page_rebuilt(struct oracle *o, ppn_t ppn, const ppn_t *others, uint32_t n)
{
	if (!o)
		return;
	BUG_ON(!o->stripe[ppn] || n != o->members[o->stripe[ppn] - 1],
		"page %u is made anew from %u others, its parity is of %u pages", ppn, n,
		o->stripe[ppn] ? o->members[o->stripe[ppn] - 1] : 0);
	for (uint32_t i = 0; i < n; i++)
		BUG_ON(o->stripe[others[i]] != o->stripe[ppn] || o->read_in_step[others[i]] != o->step ||
				others[i] == ppn || others[i] / o->die_pages == o->lost ||
				(i && others[i] == others[i - 1]),
			"page %u is made anew from page %u, which was not read or is of another stripe", ppn,
			others[i]);
	o->read_in_step[ppn] = o->step;
}

/* The slot of the page that holds the sector, or NULL. */
static struct held *oracle_find(const struct oracle *o, ppn_t ppn, sector_t s)
{
	struct held *slot = o->held + (size_t)ppn * o->slots;

	for (uint32_t i = 0; i < o->slots; i++)
		if (slot[i].version && slot[i].sector == s)
			return &slot[i];
	return NULL;
}

static void oracle_hold(struct oracle *o, ppn_t ppn, sector_t s, uint32_t version)
{
	struct held *slot = o->held + (size_t)ppn * o->slots;

	BUG_ON(oracle_find(o, ppn, s), "page %u is given sector %llu twice", ppn, (unsigned long long)s);
	for (uint32_t i = 0; i < o->slots; i++)
		if (!slot[i].version) {
			slot[i] = (struct held){ s, version };
			return;
		}
	BUG("page %u is given more than its %u sectors (sector %llu)", ppn, o->slots, (unsigned long long)s);
}

static void oracle_hold_new(struct oracle *o, ppn_t ppn, sector_t s, uint32_t version)
{
	BUG_ON(!version, "page %u is given sector %llu, which the host never wrote", ppn,
		(unsigned long long)s);
	oracle_hold(o, ppn, s, version);
}

void oracle_page_host(struct oracle *o, ppn_t ppn, struct extent e)
{
	if (!oracle_is_on(o, HOLDER_FTL, e))
		return;
	for (sector_t s = e.start; s < e.end; s++)
		oracle_hold_new(o, ppn, s, oracle_from_above(o, HOLDER_FTL, s));
}

void oracle_page_dram(struct oracle *o, ppn_t ppn, struct extent e)
{
	if (!oracle_is_on(o, HOLDER_FTL, e))
		return;
	for (sector_t s = e.start; s < e.end; s++) {
		BUG_ON(!o->dram[HOLDER_FTL][s],
			"page %u is given sector %llu from DRAM, which does not hold it", ppn,
			(unsigned long long)s);
		oracle_hold_new(o, ppn, s, o->dram[HOLDER_FTL][s] - 1);
	}
}

static const struct held *oracle_at_hand(const struct oracle *o, ppn_t ppn, sector_t s)
{
	const struct held *slot;

	BUG_ON(o->read_in_step[ppn] != o->step, "sector %llu is taken from page %u, which was not read",
		(unsigned long long)s, ppn);
	slot = oracle_find(o, ppn, s);
	BUG_ON(!slot, "sector %llu is taken from page %u, which does not hold it", (unsigned long long)s,
		ppn);
	return slot;
}

void oracle_dram_keep(struct oracle *o, enum oracle_holder holder, ppn_t from, struct extent e)
{
	if (!oracle_is_on(o, holder, e))
		return;
	for (sector_t s = e.start; s < e.end; s++)
		o->dram[holder][s] = oracle_at_hand(o, from, s)->version + 1;
}

void oracle_page_kept(struct oracle *o, ppn_t ppn, ppn_t from, struct extent e)
{
	if (!oracle_is_on(o, HOLDER_FTL, e))
		return;
	for (sector_t s = e.start; s < e.end; s++)
		oracle_hold(o, ppn, s, oracle_at_hand(o, from, s)->version);
}

void oracle_page_answer(struct oracle *o, ppn_t ppn, struct extent e)
{
	if (!oracle_is_on(o, HOLDER_FTL, e))
		return;
	for (sector_t s = e.start; s < e.end; s++)
		oracle_answer(o, s, oracle_at_hand(o, ppn, s)->version);
}

bool oracle_holds_nothing(const struct oracle *o, ppn_t first, uint32_t pages)
{
	for (size_t i = (size_t)first * o->slots; i < ((size_t)first + pages) * o->slots; i++)
		if (o->held[i].version)
			return false;
	return true;
}

static const struct state_row held_state[] = {
	STATE_NUMBER(struct held, sector),
	STATE_NUMBER(struct held, version),
	{ 0 },
};

const struct state_row oracle_state[] = {
	STATE_FIXED(host_sectors, device_sectors, pages, slots, die_pages),
	STATE_SCRATCH(step, read_in_step, taken_in_step, expected, answer, answer_room, where, places,
		place_room, place),
	STATE_NUMBER(struct oracle, version),
	STATE_NUMBERS(struct oracle, newest),
	STATE_NUMBERS(struct oracle, sent),
	STATE_NUMBERS(struct oracle, dram[HOLDER_HOST]),
	STATE_NUMBERS(struct oracle, dram[HOLDER_FTL]),
	STATE_NUMBERS(struct oracle, dram[HOLDER_BUFFER]),
	STATE_ARRAY(struct oracle, held, held_state),
	STATE_NUMBERS(struct oracle, stripe),
	STATE_NUMBERS(struct oracle, members),
	STATE_NUMBER(struct oracle, lost),
	{ 0 },
};
