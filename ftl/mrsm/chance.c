#include "ftl/mrsm/chance.h"

#include "stats/table.h"

void mrsm_chance_init(struct mrsm_chance *c, struct directory *d)
{
	c->directory = d;
	c->budget = map_budget(d->settings, d->space->geometry);
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
	op_t nobody = OP_NONE;

	if (possible > c->budget)
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
	directory_count_lookup(c->directory, id, hit);
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

static const struct stat_row rows[] = {
	{ "cache_bytes", "bytes", "DRAM for mapping pages", STAT_COUNT,
		offsetof(struct mrsm_chance, budget) },
	{ 0 },
};

void mrsm_chance_statistics(struct mrsm_chance *c, struct stat_list *list)
{
	stat_list_add(list, (struct stat_group){ .prefix = "map.", .rows = rows, .values = c });
	directory_statistics(c->directory, list);
	map_notes_statistics(&c->notes, list);
}
