#include "ftl/mrsm/chance.h"

void mrsm_chance_init(struct mrsm_chance *c, struct directory *d, struct map_statistics *statistics)
{
	c->directory = d;
	c->statistics = statistics;
	map_notes_init(&c->notes, d);
	random_init(&c->random, d->settings->seed, 0x6d6170);
}

void mrsm_chance_release(struct mrsm_chance *c)
{
	map_notes_release(&c->notes);
}

static bool hits(struct mrsm_chance *c)
{
	return random_unit(&c->random) < c->of_hit;
}

/* Outside time every page that a miss could read gets its copy in flash, and no more. */
static void get_untimed(struct mrsm_chance *c, struct io *io, uint32_t id)
{
	struct directory *d = c->directory;
	uint64_t possible = (uint64_t)d->pages * d->space->geometry->page_bytes;
	op_t nobody;

	if (possible > map_budget(d->settings, d->space->geometry))
		directory_program(d, io, id, CAUSE_MAP, OP_NONE, &nobody);
}

op_t mrsm_chance_get(struct mrsm_chance *c, struct io *io, uint32_t id, bool write, op_t after)
{
	op_t ready;
	bool hit;

	if (write)
		directory_enter(c->directory, id);
	if (!io->timed) {
		if (write)
			get_untimed(c, io, id);
		return OP_NONE;
	}
	hit = hits(c);
	map_count_lookup(c->statistics, io, hit);
	if (hit)
		return after;
	ready = directory_read(c->directory, io, id, CAUSE_MAP, after);
	if (write) {
		map_notes_clear(&c->notes, id);
		directory_program(c->directory, io, id, CAUSE_MAP, ready, &ready);
	}
	return ready;
}

void mrsm_chance_entry_moved(struct mrsm_chance *c, const struct io *io, uint32_t id)
{
	c->statistics->accesses += io->timed;
	if (io->timed && !hits(c))
		map_notes_add(&c->notes, id);
}

void mrsm_chance_remove(struct mrsm_chance *c, uint32_t id)
{
	map_notes_clear(&c->notes, id);
	directory_remove(c->directory, id);
}

void mrsm_chance_regions(struct mrsm_chance *c, struct regions *r)
{
	map_notes_regions(&c->notes, r);
	regions_visit(r, &c->random, sizeof c->random);
}

void mrsm_chance_report(const struct mrsm_chance *c, struct report *r)
{
	uint64_t budget = map_budget(c->directory->settings, c->directory->space->geometry);

	report_count(r, "map.cache_bytes", budget, "bytes", "DRAM for mapping pages");
	directory_report(c->directory, r);
	map_notes_report(&c->notes, r);
}
