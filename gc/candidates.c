#include "gc/candidates.h"

#include "base/memory.h"

void candidates_init(struct candidates *c, const struct geometry *g)
{
	c->geometry = g;
	c->count = memory_array(g->planes, sizeof *c->count, "collection candidates");
	c->list = memory_array(g->blocks, sizeof *c->list, "collection candidates");
	c->position = memory_array(g->blocks, sizeof *c->position, "collection candidates");
}

void candidates_release(struct candidates *c)
{
	memory_free(c->count);
	memory_free(c->list);
	memory_free(c->position);
}

void candidates_add(struct candidates *c, block_t b)
{
	plane_t plane = geometry_plane(c->geometry, b);
	uint32_t at = c->count[plane]++;

	c->list[(size_t)plane * c->geometry->blocks_per_plane + at] = b;
	c->position[b] = at;
}

void candidates_remove(struct candidates *c, block_t b)
{
	plane_t plane = geometry_plane(c->geometry, b);
	block_t *list = c->list + (size_t)plane * c->geometry->blocks_per_plane;
	block_t last = list[--c->count[plane]];

	list[c->position[b]] = last;
	c->position[last] = c->position[b];
}

void candidates_regions(struct candidates *c, struct regions *r)
{
	const struct geometry *g = c->geometry;

	regions_visit(r, c->count, g->planes * sizeof *c->count);
	regions_visit(r, c->list, (size_t)g->blocks * sizeof *c->list);
	regions_visit(r, c->position, (size_t)g->blocks * sizeof *c->position);
}
