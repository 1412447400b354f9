#include "legacy/engine.h"

/* A write below the threshold requests a collection of its plane; SSDsim requests one more for every page
 * (Q33). */
void legacy_ask_collection(struct engine *e, uint32_t plane)
{
	const struct layout *l = &e->layout;
	struct plane *p = &e->plane[plane];
	struct chip *chip = &e->chip[plane / l->planes_per_chip];
	struct channel *channel = &e->channel[plane / l->planes_per_chip / l->chips];
	struct collections *c = &chip->collections;
	bool below;

	if (quirk_kept(e, Q17_SINGLE_PRECISION))
		below = (float)p->free_pages < e->threshold;
	else
		below = (double)p->free_pages < e->exact_threshold;
	if (!below || (p->collecting && !quirk_kept(e, Q33_REQUEST_PER_PAGE)))
		return;
	p->collecting = true;
	if (c->count++) {
		number_push(&c->older, c->plane);
		number_push(&c->older, channel->last_collection + 1 - c->sequence);
	}
	c->plane = plane % l->planes_per_chip;
	c->sequence = ++channel->last_collection;
	channel->collections++;
	e->waiting_collections++;
}

/* Invalidates the old copy of a page.  A block without valid pages is queued for direct erase. */
static void invalidate(struct engine *e, uint32_t ppn)
{
	const struct layout *l = &e->layout;
	uint32_t block = ppn / l->pages, plane = block / l->blocks;

	record_set(&e->spare, ppn, 0, 0);
	if (legacy_victims_add(&e->victims, plane, block % l->blocks, 1) != l->pages)
		return;
	e->block[block].next = e->plane[plane].direct_erase;
	e->plane[plane].direct_erase = block;
}

/* Programs the page a slot was given: map, spare area and counters. */
static void program_slot(struct engine *e, const struct slot *s)
{
	const struct write *w = write_at(e, s->write);
	struct record old = record_get(&e->map, w->lpn);
	uint32_t ppn = ppn_of(e, s->plane, s->block, s->page);
	uint32_t merged = old.mask | w->mask;

	if (old.mask)
		invalidate(e, old.number);
	record_set(&e->map, w->lpn, ppn, merged);
	record_set(&e->spare, ppn, w->lpn, quirk_kept(e, Q30_MASK_OF_LAST_WRITE) ? w->mask : merged);
	e->count.programs++;
	e->count.writes++;
}

bool legacy_place_active(struct engine *e, struct slot *s)
{
	s->block = s->page = 0;
	s->lost = !legacy_find_active(e, s->plane);
	if (s->lost) {
		note(e, Q9_NO_FREE_PAGE);
		return false;
	}
	s->block = e->plane[s->plane].active;
	s->page = legacy_take_pages(e, s->plane, s->block, 1);
	program_slot(e, s);
	if (e->p->active_write == 0)
		legacy_ask_collection(e, s->plane);
	return true;
}

void legacy_place_at(struct engine *e, struct slot *s, uint32_t plane, uint32_t block)
{
	s->plane = plane;
	s->block = block;
	s->page = legacy_take_pages(e, plane, block, 1);
	s->lost = false;
	program_slot(e, s);
}

/* Before the clock starts, writes a page that the trace will read. */
static void preload_page(struct engine *e, uint32_t lpn, uint32_t mask)
{
	struct record map = record_get(&e->map, lpn);
	uint32_t ppn = 0, plane;

	e->count.programs++;
	if (map.mask) {
		map.mask |= mask;
		record_set(&e->map, lpn, map.number, map.mask);
		record_set(&e->spare, map.number, record_get(&e->spare, map.number).number, map.mask);
		return;
	}
	plane = e->p->allocation == 1 ? legacy_static_plane(e, lpn) : legacy_dynamic_plane(e, lpn);
	if (legacy_find_active(e, plane)) {
		uint32_t block = e->plane[plane].active;

		ppn = ppn_of(e, plane, block, legacy_take_pages(e, plane, block, 1));
		e->count.writes++;
	} else {
		/* SSDsim continues with page 0 of the drive. */
		note(e, Q9_NO_FREE_PAGE);
	}
	record_set(&e->map, lpn, ppn, mask);
	record_set(&e->spare, ppn, lpn, mask);
}

static void preload_line(struct engine *e, const struct legacy_line *line)
{
	const struct layout *l = &e->layout;
	bool piecewise = quirk_kept(e, Q29_REQUEST_NOT_WRAPPED);
	uint32_t sector = line->sector % l->limit;

	for (uint32_t done = 0, piece; done < line->sectors; done += piece, sector += piece) {
		uint32_t lpn;

		if (piecewise)
			sector %= l->limit;
		lpn = legacy_logical_page(e, sector / l->sectors);
		piece = l->sectors - sector % l->sectors;
		if (piece > line->sectors - done)
			piece = line->sectors - done;
		preload_page(e, lpn, (uint32_t)(bits_below(piece) << sector % l->sectors));
	}
}

static bool map_check_size(const struct engine *e, const struct legacy_line *line, struct fault *fault)
{
	if (line->sectors <= e->layout.limit)
		return true;
	return fault_set(fault, "%s:%llu: %u sectors are more than the drive has, %u", e->trace->path,
		(unsigned long long)e->trace->line, line->sectors, e->layout.limit);
}

bool legacy_preload(struct engine *e, struct fault *fault)
{
	struct legacy_line line;

	for (;;) {
		switch (legacy_trace_next(e->trace, &line, fault)) {
		case LINE_BAD:
			return false;
		case LINE_END:
			return true;
		case LINE_OK:
			break;
		}
		if (!map_check_size(e, &line, fault))
			return false;
		if (line.read)
			preload_line(e, &line);
	}
}
