#include "gc/space/units.h"

#include "base/memory.h"

#include <string.h>

void units_init(
	struct units *u, const struct geometry *device, const plane_t *plane, const uint32_t *position)
{
	struct geometry *g = &u->geometry;

	*u = (struct units){ .geometry = *device,
		.device = device,
		.plane = plane,
		.position = position,
		.planes = divisor_of(device->planes) };
	g->channels = g->chips_per_channel = g->dies_per_chip = g->planes_per_die = 1;
	g->pages_per_block = device->pages_per_block * device->planes;
	geometry_count(g);
}

void units_release(struct units *u)
{
	memory_free(u->block);
	memory_free(u->unit);
}

/* Is the block of that number good in every plane? */
static bool units_row_is_good(const struct units *u, const struct bad_blocks *bad, uint32_t row)
{
	for (plane_t p = 0; p < u->device->planes; p++)
		if (bad_block(bad, p * u->device->blocks_per_plane + row))
			return false;
	return true;
}

bool units_leave_out(struct units *u, const struct bad_blocks *bad, bool remap, struct fault *fault)
{
	uint32_t planes = u->device->planes, rows = u->device->blocks_per_plane, units = rows;

	u->block = memory_array((size_t)rows * planes, sizeof *u->block, "units");
	u->unit = memory_array(u->device->blocks, sizeof *u->unit, "units");
	memset(u->unit, 0xff, u->device->blocks * sizeof *u->unit); /* BLOCK_NONE */
	for (uint32_t i = 0; i < planes; i++) {
		block_t first = u->plane[i] * rows;
		uint32_t good = 0;

		for (uint32_t row = 0; row < rows; row++)
			if (remap ? !bad_block(bad, first + row) : units_row_is_good(u, bad, row))
				u->block[(size_t)good++ * planes + i] = first + row;
		units = good < units ? good : units;
	}
	if (!units)
		return fault_set(
			fault, "bad.remap = false: every unit of %u blocks has a bad one; use true", planes);
	for (uint32_t i = 0; i < units * planes; i++)
		u->unit[u->block[i]] = i / planes;
	u->geometry.blocks_per_plane = units;
	geometry_count(&u->geometry);
	return true;
}
