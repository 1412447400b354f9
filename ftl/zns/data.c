#include "ftl/zns/zns.h"

#include "base/bits.h"

ppn_t zns_page(const struct ftl *f, uint32_t zone, uint32_t page)
{
	const struct zns *z = f->state;
	uint32_t row = page / z->row_pages, in_row = page % z->row_pages;
	plane_t plane = z->placement.plane[in_row % z->planes];

	return geometry_first_page(f->geometry, zns_block(f, zone, plane, row)) + in_row / z->planes;
}

sector_t zns_waiting(const struct ftl *f, uint32_t number)
{
	const struct zone *zone = &zns_of(f)->zone[number];

	return zone->state == ZONE_FULL ? 0 : zone->written % f->geometry->sectors_per_page;
}

uint32_t zns_data_pages(const struct ftl *f, uint32_t number)
{
	uint32_t page = f->geometry->sectors_per_page;
	const struct zone *zone = &zns_of(f)->zone[number];

	return (uint32_t)((zone->written - zns_waiting(f, number) + page - 1) / page);
}

/* The sectors in the controller's memory: from the zone's last programmed page to its write pointer. */
static struct extent zns_waiting_extent(const struct ftl *f, uint32_t number)
{
	const struct zns *z = f->state;
	sector_t pointer = zns_start(z, number) + z->zone[number].written;

	return (struct extent){ pointer - zns_waiting(f, number), pointer };
}

/* ---- turns: the order of writes ---- */

/*
 * A write to a zone waits until the write before it is done: the host keeps the zone locked.  Programs of a
 * block keep their order, so it is enough that the write's first program in each block waits for the last
 * earlier program of every block of the zone.  All that one request writes is one write.
 */
static void zns_begin_turn(struct ftl *f, const struct io *io, uint32_t number, uint32_t page)
{
	const struct zns_settings *s = f->settings;
	struct zns *z = f->state;
	struct zone *zone = &z->zone[number];

	if (!z->last || !io->timed || zone->writer == io->ticket)
		return;
	zone->writer = io->ticket;
	zone->writer_page = page;
	for (plane_t p = 0; p < z->planes; p++)
		for (uint32_t row = 0; row < s->rows; row++) {
			block_t block = zns_block(f, number, p, row);

			z->before[block] = z->appends ? OP_NONE : z->last[block];
		}
	/* An append waits for nothing; the next write waits for the append. */
	if (z->appends)
		zone->writer = INDEX_NONE;
}

static bool zns_is_first_in_block(const struct zns *z, const struct zone *zone, uint32_t page)
{
	return page - zone->writer_page < z->planes || page % z->row_pages < z->planes;
}

static void zns_take_turn(struct ftl *f, struct io *io, uint32_t number, uint32_t page, op_t op)
{
	const struct zns_settings *s = f->settings;
	struct zns *z = f->state;

	if (!z->last || !io->timed)
		return;
	z->last[geometry_block(f->geometry, zns_page(f, number, page))] = op;
	if (!zns_is_first_in_block(z, &z->zone[number], page))
		return;
	for (plane_t p = 0; p < z->planes; p++)
		for (uint32_t row = 0; row < s->rows; row++)
			flash_wait(io, op, z->before[zns_block(f, number, p, row)]);
}

/* ---- writes ---- */

/* Programs the next page: the sectors in the controller's memory, and the `fresh` ones of the host. */
static void zns_program(struct ftl *f, struct io *io, uint32_t number, mask_t fresh)
{
	struct oracle *oracle = f->flash->oracle;
	struct zns *z = f->state;
	struct extent waiting = zns_waiting_extent(f, number);
	uint32_t page = zns_data_pages(f, number);
	lpn_t lpn = number * z->zone_pages + page;
	ppn_t ppn = zns_page(f, number, page);

	zns_take_turn(f, io, number, page,
		flash_program(io, ppn, lpn, f->geometry->sectors_per_page, CAUSE_HOST, OP_NONE));
	if (extent_sectors(waiting)) {
		oracle_page_dram(oracle, ppn, waiting);
		oracle_dram_drop(oracle, HOLDER_FTL, waiting);
	}
	pages_hold_host(io, ppn, lpn, fresh);
	zns_count(f, io)->pages++;
	z->live_pages++;
}

static void zns_write_part(struct ftl *f, struct io *io, uint32_t number, struct page_part part)
{
	const struct geometry *g = f->geometry;
	mask_t waiting = bits_below((uint32_t)zns_waiting(f, number));
	sector_t first = geometry_page_start(g, part.lpn), from = (sector_t)__builtin_ctzll(part.mask);

	ftl_count_lookup(f, io);
	if ((waiting | part.mask) == g->full_page)
		zns_program(f, io, number, part.mask);
	else
		oracle_dram_store(f->flash->oracle, HOLDER_FTL,
			(struct extent){ first + from, first + from + mask_sectors(part.mask) });
	zone_written(f, io, number, mask_sectors(part.mask));
}

void zns_write(struct ftl *f, struct io *io, const struct extent *extents, size_t n)
{
	const struct zns *z = f->state;
	struct page_part part;

	for (size_t i = 0; i < n; i++) {
		struct page_walk walk = page_walk_start(f->geometry, &extents[i], 1);
		uint32_t number = zns_zone_of(z, extents[i].start);

		BUG_ON(extents[i].start != zns_start(z, number) + z->zone[number].written,
			"sector %llu is written, the write pointer of zone %u is at its sector %llu",
			(unsigned long long)extents[i].start, number,
			(unsigned long long)z->zone[number].written);
		zns_begin_turn(f, io, number, zns_data_pages(f, number));
		while (page_walk_next(&walk, &part))
			zns_write_part(f, io, number, part);
	}
}

/* ---- reads ---- */

/* Answers a read from the controller's memory. */
static void zns_read_waiting(struct ftl *f, struct io *io, struct page_part part)
{
	sector_t start = geometry_page_start(f->geometry, part.lpn) + (sector_t)__builtin_ctzll(part.mask);

	flash_count_forward(io, CAUSE_HOST);
	oracle_dram_answer(
		f->flash->oracle, HOLDER_FTL, (struct extent){ start, start + mask_sectors(part.mask) });
}

/* Sectors of the page that hold data. */
static mask_t zns_data(const struct ftl *f, uint32_t number, uint32_t page)
{
	sector_t start = geometry_page_start(f->geometry, page), written = zns_of(f)->zone[number].written;

	if (written >= start + f->geometry->sectors_per_page)
		return f->geometry->full_page;
	return written > start ? bits_below((uint32_t)(written - start)) : 0;
}

/* Padding pages are read like any others; pages that were never programmed are not read. */
static void zns_read_part(struct ftl *f, struct io *io, struct page_part part)
{
	const struct zns *z = f->state;
	uint32_t number = part.lpn / z->zone_pages, page = part.lpn % z->zone_pages;
	uint32_t data = zns_data_pages(f, number);

	ftl_count_lookup(f, io);
	if (!z->zone[number].padded || page < data)
		part.mask &= zns_data(f, number, page);
	if (!part.mask) {
		ftl_count_unmapped(f, io);
	} else if (page < data || z->zone[number].padded) {
		flash_read(io, zns_page(f, number, page), mask_sectors(part.mask), CAUSE_HOST, OP_NONE);
		if (page < data)
			pages_answer(io, zns_page(f, number, page), part.lpn, part.mask);
	} else {
		zns_read_waiting(f, io, part);
	}
}

void zns_read(struct ftl *f, struct io *io, const struct extent *extents, size_t n)
{
	struct page_walk walk = page_walk_start(f->geometry, extents, n);
	struct page_part part;

	while (page_walk_next(&walk, &part))
		zns_read_part(f, io, part);
}

/* ---- finish and reset ---- */

void zns_seal(struct ftl *f, struct io *io, uint32_t number)
{
	const struct zns_settings *s = f->settings;
	struct zns *z = f->state;
	struct zone *zone = &z->zone[number];
	uint32_t page = zns_data_pages(f, number);

	if (zns_waiting(f, number)) {
		zns_begin_turn(f, io, number, page);
		zns_program(f, io, number, 0);
		page++;
	}
	zone->padded = s->finish == FINISH_PAD && page < z->zone_pages;
	for (; zone->padded && page < z->zone_pages; page++)
		flash_pad(io, zns_page(f, number, page));
}

void zns_erase(struct ftl *f, struct io *io, uint32_t number)
{
	const struct zns_settings *s = f->settings;
	struct zns *z = f->state;
	uint32_t pages = zns_data_pages(f, number);

	for (uint32_t page = 0; page < pages; page++)
		flash_disown(f->flash, zns_page(f, number, page));
	z->live_pages -= pages;
	if (zns_waiting(f, number))
		oracle_dram_drop(f->flash->oracle, HOLDER_FTL, zns_waiting_extent(f, number));
	for (uint32_t row = 0; row < s->rows; row++)
		for (plane_t p = 0; p < z->planes; p++) {
			block_t block = zns_block(f, number, z->placement.plane[p], row);

			if (flash_next_page(f->flash, block))
				flash_erase(io, block, CAUSE_HOST);
		}
}
