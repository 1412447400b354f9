/* The statistics of the collector, and the check that they and the index of its policy are right. */
#include "gc/collect.h"

#include "base/fault.h"

#define COUNT(name) STAT_COUNT, offsetof(struct gc_statistics, name)

static const struct stat_row collector_rows[] = {
	{ "gc.collections", "blocks", "collected", COUNT(collections) },
	{ "gc.direct_erases", "blocks", "of these without a live page", COUNT(direct_erases) },
	{ "gc.moved_pages", "pages", "live pages copied out of victims, mapping pages apart",
		COUNT(moved_pages) },
	{ "gc.moved_map_pages", "pages", "mapping pages copied out of victims", COUNT(map_moved_pages) },
	{ "gc.moved_per_collection", "pages", "data pages for each victim", STAT_RATIO,
		offsetof(struct gc_statistics, moved_pages), offsetof(struct gc_statistics, collections) },
	{ "flash.erase.map", "blocks", "erased that held mapping pages, whatever the cause",
		COUNT(map_erases) },
	{ 0 },
};

#define ROWS(name) STAT_COUNT, offsetof(struct gc_rows, name)

static const struct stat_row collector_row_rows[] = {
	{ "gc.in_a_row", "pages",
		"for which several blocks were collected in a row, because only the reserve was free",
		ROWS(pages) },
	{ "gc.in_a_row_most", "blocks", "collected for one of them", ROWS(most) },
	{ 0 },
};

void collector_statistics(struct collector *c, struct stat_list *list)
{
	stat_list_add(list, (struct stat_group){ "garbage collection and wear levelling", NULL,
				    collector_rows, &c->count, sizeof c->count });
	stat_list_add(list, (struct stat_group){ .rows = collector_row_rows,
				    .values = &c->rows,
				    .size = sizeof c->rows,
				    .quiet = true });
}

static void collector_check_candidates(const struct collector *c, plane_t plane)
{
	const struct geometry *g = c->space->geometry;
	block_t first = plane * g->blocks_per_plane;
	uint32_t closed = 0;

	for (block_t b = first; b < first + g->blocks_per_plane; b++)
		closed += c->space->block[b].state == BLOCK_CLOSED;
	BUG_ON(!c->policy.ops->check(&c->policy, plane, closed),
		"the policy %s does not have the %u closed blocks of plane %u as its candidates",
		c->policy.ops->name, closed, plane);
}

void collector_check(const struct collector *c)
{
	const uint64_t *medium = c->flash->count[OP_PROGRAM];

	for (plane_t p = 0; p < c->space->geometry->planes; p++)
		collector_check_candidates(c, p);
	BUG_ON(medium[CAUSE_GC] != c->count.moved_pages || medium[CAUSE_GC_MAP] != c->count.map_moved_pages,
		"the medium counts %llu data and %llu mapping pages moved, the collector %llu and %llu",
		(unsigned long long)medium[CAUSE_GC], (unsigned long long)medium[CAUSE_GC_MAP],
		(unsigned long long)c->count.moved_pages, (unsigned long long)c->count.map_moved_pages);
}
