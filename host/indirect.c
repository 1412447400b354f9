/*
 * Turns random writes into ascending ones, above any FTL: Chardin, Pasteur, Petit, "An FTL-agnostic Layer to
 * Improve Random Write on Flash Memory" (FlashDB 2011), section 4.
 *
 * The layer exports |L| sectors of its own size, usually 4 KiB, and keeps a pool of |P| free sectors, on |F|
 * = |L| + |P| sectors of the device.  A write goes to the next free sector after the last one written,
 * wrapping around; the sector that it replaces joins the pool.  So whatever is written, the device sees
 * addresses that ascend with small gaps.
 *
 * Choices where the paper is silent.  At the start sector l is stored at l, followed by the pool, and the
 * first write goes to the pool's first sector.  When a sector is written in part, the rest of its data is
 * read first.  `async_lag` is the paper's asynchronous update of the pool, in writes.  `trim` trims sectors
 * on the device that become free; the paper's devices had no trim.
 */
#include "base/bits.h"
#include "base/memory.h"
#include "host/host.h"

#include <math.h>

struct indirect_settings {
	uint64_t sector_bytes, logical_sectors, async_lag;
	double pool;
	bool trim;
};

#define INDIRECT(type, field) PARAM(type, struct indirect_settings, field)

static const struct param indirect_params[] = {
	{ INDIRECT(UINT, sector_bytes), 512, 32768, "bytes", "4K",
		"size of the layer's sectors, a power of two; a partial write reads the rest first" },
	{ INDIRECT(UINT, logical_sectors), 0, 4e9, "sectors", "0",
		"sectors of that size that the host sees; 0 = all of the device except the pool" },
	{ INDIRECT(REAL, pool), 0, 1000, "share", "0.25",
		"size of the pool, over the sectors that the "
		"host sees" },
	{ INDIRECT(UINT, async_lag), 0, 1e6, "writes", "0",
		"further writes until a replaced sector joins the pool" },
	{ INDIRECT(BOOL, trim), 0, 1, "", "false", "sectors that join the pool are trimmed on the device" },
	{ 0 },
};

struct indirect_counts {
	uint64_t writes, completed, distance;
	uint64_t last, pool_sectors, table_bytes, usable_bytes; /* computed when the statistics are read */
};

/* Sectors are numbered in units of the layer's sectors. */
struct indirect {
	uint32_t sectors, host_sectors, places, last; /* 512-byte sectors in one; |L|; |F|; written last */
	uint32_t *place;                              /* per host sector: its place */
	mask_t *data;                    /* per host sector: which of its 512-byte sectors hold data */
	uint64_t *pool;                  /* bit per place: it is free */
	uint32_t *freed;                 /* places not in the pool yet: a ring of async_lag + 1 */
	uint64_t freed_first, freed_end; /* places ever removed and added */
	struct indirect_counts count;
};

/* ---- life ---- */

static bool indirect_fits(
	const struct host *h, uint64_t logical, uint64_t pool, uint64_t places, struct fault *fault)
{
	const struct indirect_settings *s = h->own;

	if (places >= INDEX_NONE)
		return fault_set(fault,
			"indirect: %llu sectors of %llu bytes cannot be numbered; use larger ones",
			(unsigned long long)places, (unsigned long long)s->sector_bytes);
	if (!logical || logical + pool > places)
		return fault_set(fault,
			"indirect: %llu sectors of %llu bytes and a pool of %llu do not fit on a device of "
			"%llu",
			(unsigned long long)logical, (unsigned long long)s->sector_bytes,
			(unsigned long long)pool, (unsigned long long)places);
	if (pool <= s->async_lag)
		return fault_set(fault,
			"indirect: a pool of %llu sectors runs dry with async_lag = %llu; use a larger "
			"indirect.pool",
			(unsigned long long)pool, (unsigned long long)s->async_lag);
	return true;
}

/* Sets |L| and |F|.  The exported sectors are whole pages. */
static bool indirect_divide(struct host *h, struct fault *fault)
{
	struct indirect *t = h->state;
	const struct indirect_settings *s = h->own;
	uint64_t sectors = s->sector_bytes / SECTOR_BYTES, places = h->device.sectors / sectors;
	uint64_t in_page = sectors < h->device.sectors_per_page ? h->device.sectors_per_page / sectors : 1;
	uint64_t logical = (uint64_t)floor((double)places / (1 + s->pool) + 1e-6) / in_page * in_page;
	uint64_t pool = places - logical;

	if (s->sector_bytes & (s->sector_bytes - 1))
		return fault_set(fault,
			"indirect.sector_bytes = %llu is not a power of two; use 512 to 32768",
			(unsigned long long)s->sector_bytes);
	if (s->logical_sectors % in_page)
		return fault_set(fault,
			"indirect.logical_sectors = %llu is no whole number of pages, which have %llu of "
			"them",
			(unsigned long long)s->logical_sectors, (unsigned long long)in_page);
	if (s->logical_sectors) {
		logical = s->logical_sectors;
		pool = (uint64_t)llround(s->pool * (double)logical);
	}
	t->sectors = (uint32_t)sectors;
	t->host_sectors = (uint32_t)logical;
	t->places = (uint32_t)(logical + pool);
	return indirect_fits(h, logical, pool, places, fault);
}

static sector_t indirect_init(struct host *h, struct fault *fault)
{
	struct indirect *t = h->state;
	const struct indirect_settings *s = h->own;

	if (!indirect_divide(h, fault))
		return 0;
	t->last = t->places - 1;
	t->place = memory_array(t->host_sectors, sizeof *t->place, "redirection table");
	t->data = memory_array(t->host_sectors, sizeof *t->data, "redirection table");
	t->pool = memory_array(t->places / BITS_WORD + 1, sizeof *t->pool, "pool of sectors");
	t->freed = memory_array(s->async_lag + 1, sizeof *t->freed, "pool of sectors");
	for (uint32_t i = 0; i < t->places; i++)
		if (i < t->host_sectors)
			t->place[i] = i;
		else
			bits_set(t->pool, i);
	return (sector_t)t->host_sectors * t->sectors;
}

static void indirect_exit(struct host *h)
{
	struct indirect *t = h->state;

	memory_free(t->place);
	memory_free(t->data);
	memory_free(t->pool);
	memory_free(t->freed);
}

/* ---- requests ---- */

/* A sector of the layer, and which of its 512-byte sectors a request covers. */
struct indirect_piece {
	uint32_t sector;
	mask_t mask;
};

static struct indirect_piece indirect_piece_at(
	const struct indirect *t, const struct request *r, sector_t start)
{
	uint32_t shift = (uint32_t)__builtin_ctz(t->sectors), sector = (uint32_t)(start >> shift);

	return (struct indirect_piece){ sector, extent_mask(request_extent(r), sector, shift) };
}

/* Where the next piece begins. */
static sector_t indirect_next(const struct indirect *t, struct indirect_piece p)
{
	return ((sector_t)p.sector + 1) * t->sectors;
}

/* Parts for these 512-byte sectors of a host sector, at its place. */
static void indirect_add_runs(struct host *h, uint32_t sector, mask_t mask, enum request_type type)
{
	const struct indirect *t = h->state;
	sector_t host = (sector_t)sector * t->sectors, device = (sector_t)t->place[sector] * t->sectors;

	for (uint32_t from = 0, end = 0; bits_next_run(mask, &from, &end);)
		host_add(h, (struct host_part){ { device + from, device + end }, host + from, type });
}

static uint32_t indirect_next_free(const struct indirect *t)
{
	return bits_next_round(t->pool, bits_words(t->places), t->last + 1 < t->places ? t->last + 1 : 0);
}

/* The sector moves to the next free place; its old one joins the pool, at once or later. */
static void indirect_redirect(struct host *h, uint32_t sector)
{
	struct indirect *t = h->state;
	const struct indirect_settings *s = h->own;
	uint32_t place = indirect_next_free(t), ring = (uint32_t)s->async_lag + 1;

	t->count.writes++;
	t->count.distance += place > t->last ? place - t->last : t->places - t->last + place;
	t->last = place;
	bits_clear(t->pool, place);
	t->freed[t->freed_end++ % ring] = t->place[sector];
	if (t->freed_end - t->freed_first == ring)
		bits_set(t->pool, t->freed[t->freed_first++ % ring]);
	t->place[sector] = place;
}

/* From the first to the last bit that is set. */
static mask_t indirect_hull(mask_t mask)
{
	return bits_below(BITS_WORD - (uint32_t)__builtin_clzll(mask)) &
	       ~bits_below((uint32_t)__builtin_ctzll(mask));
}

/* Reads the data that completes the request's first and last sector, each in one piece. */
static void indirect_complete(struct host *h, const struct request *r)
{
	struct indirect *t = h->state;

	for (sector_t at = r->start; at < r->start + r->sectors;) {
		struct indirect_piece p = indirect_piece_at(t, r, at);
		mask_t rest = t->data[p.sector] & ~p.mask;

		if (rest)
			indirect_add_runs(h, p.sector, indirect_hull(rest) & t->data[p.sector], REQUEST_READ);
		t->count.completed += rest != 0;
		at = indirect_next(t, p);
	}
}

static void indirect_map_piece(struct host *h, struct indirect_piece p, enum request_type type)
{
	struct indirect *t = h->state;
	const struct indirect_settings *s = h->own;

	if (type == REQUEST_WRITE) {
		if (s->trim)
			indirect_add_runs(h, p.sector, t->data[p.sector], REQUEST_TRIM);
		indirect_redirect(h, p.sector);
		p.mask = t->data[p.sector] |= p.mask;
	}
	indirect_add_runs(h, p.sector, p.mask & t->data[p.sector], type);
	if (type == REQUEST_TRIM)
		t->data[p.sector] &= ~p.mask;
}

static void indirect_map(struct host *h, const struct request *r)
{
	struct indirect *t = h->state;

	if (r->type == REQUEST_WRITE)
		indirect_complete(h, r);
	h->after.end = h->parts;
	for (sector_t at = r->start; at < r->start + r->sectors;) {
		struct indirect_piece p = indirect_piece_at(t, r, at);

		indirect_map_piece(h, p, r->type);
		at = indirect_next(t, p);
	}
}

/* Data older than the layer stays in place; pool sectors are never read. */
static void indirect_adopt(struct host *h, const struct request *r)
{
	struct indirect *t = h->state;

	for (sector_t at = r->start; at < r->start + r->sectors && at < h->sectors;) {
		struct indirect_piece p = indirect_piece_at(t, r, at);

		t->data[p.sector] |= p.mask;
		at = indirect_next(t, p);
	}
	host_add(h, (struct host_part){ request_extent(r), r->start, r->type });
}

/* ---- state ---- */

static const struct state_row indirect_state[] = {
	STATE_FIXED(sectors, host_sectors, places),
	STATE_COUNTED(count),
	STATE_NUMBER(struct indirect, last),
	STATE_NUMBERS(struct indirect, place),
	STATE_NUMBERS(struct indirect, data),
	STATE_NUMBERS(struct indirect, pool),
	STATE_NUMBERS(struct indirect, freed),
	STATE_NUMBER(struct indirect, freed_first),
	STATE_NUMBER(struct indirect, freed_end),
	{ 0 },
};

/* Every place belongs to one sector, or is in the pool, or in the ring of places that join it later. */
static void indirect_check(const struct host *h)
{
	const struct indirect *t = h->state;
	const struct indirect_settings *s = h->own;
	uint64_t *seen = memory_array(bits_words(t->places), sizeof *seen, "check of the pool");
	uint32_t places = 0;

	for (size_t i = 0; i < bits_words(t->places); i++) {
		seen[i] = t->pool[i];
		places += (uint32_t)__builtin_popcountll(seen[i]);
	}
	for (uint64_t i = t->freed_first; i < t->freed_end; i++, places++) {
		uint32_t place = t->freed[i % (s->async_lag + 1)];

		BUG_ON(bits_get(seen, place), "place %u was set free twice", place);
		bits_set(seen, place);
	}
	for (uint32_t sector = 0; sector < t->host_sectors; sector++, places++) {
		BUG_ON(bits_get(seen, t->place[sector]), "sector %u lies at %u, which is free or another's",
			sector, t->place[sector]);
		bits_set(seen, t->place[sector]);
	}
	BUG_ON(places != t->places, "%u of %u places are known", places, t->places);
	memory_free(seen);
}

/* ---- statistics ---- */

/* The table has an entry for each host sector, the list of free places one for each sector of the pool; an
 * entry is as many whole bytes as the number of a place needs. */
static void indirect_gather(void *state)
{
	struct indirect *t = state;
	uint64_t bytes = 1;

	while (t->places > (uint64_t)1 << 8 * bytes)
		bytes++;
	t->count.last = t->last;
	t->count.pool_sectors = t->places - t->host_sectors;
	t->count.table_bytes = bytes * t->places;
	t->count.usable_bytes = (uint64_t)t->host_sectors * t->sectors * SECTOR_BYTES;
}

#define COUNT(field, unit, meaning)                                                                          \
	{                                                                                                    \
#field, unit, meaning, STAT_COUNT, offsetof(struct indirect_counts, field)                   \
	}

static const struct stat_row indirect_rows[] = {
	COUNT(writes, "sectors", "of the layer's size, redirected"),
	COUNT(completed, "sectors", "of these, completed by a read"),
	COUNT(distance, "sectors",
		"sum of the distances from each place written to the next, wrapping around"),
	{ "distance_mean", "sectors", "1 = sequential", STAT_RATIO,
		offsetof(struct indirect_counts, distance), offsetof(struct indirect_counts, writes) },
	COUNT(last, "", "place written last"),
	COUNT(pool_sectors, "sectors", "free"),
	COUNT(table_bytes, "bytes",
		"of the host's RAM: an entry per sector of host and pool, in whole bytes"),
	COUNT(usable_bytes, "bytes", "for the host"),
	{ 0 },
};

static void indirect_statistics(struct host *h, struct stat_list *list)
{
	struct indirect *t = h->state;

	stat_list_add(list, (struct stat_group){ "indirect", "indirect.", indirect_rows, &t->count,
				    sizeof t->count, t, NULL, indirect_gather });
}

const struct host_ops host_indirect = {
	.name = "indirect",
	.brief = "writes go to the nearest free sector ahead: a pool makes random writes sequential "
		 "(FlashDB'11)",
	.size = sizeof(struct indirect),
	.params = indirect_params,
	.settings_size = sizeof(struct indirect_settings),
	.init = indirect_init,
	.exit = indirect_exit,
	.map = indirect_map,
	.adopt = indirect_adopt,
	.state = indirect_state,
	.order = HOST_ANYWHERE,
	.check = indirect_check,
	.statistics = indirect_statistics,
};
