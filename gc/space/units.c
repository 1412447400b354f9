#include "gc/space/units.h"

#include "base/memory.h"

#include <string.h>

static const struct units *units_of(const struct layout *layout)
{
	return (const struct units *)layout;
}

static ppn_t units_page(const struct layout *layout, block_t unit, uint32_t k)
{
	const struct units *u = units_of(layout);
	uint32_t offset = divide(k, u->planes), i = k - offset * layout->device->planes;

	return geometry_first_page(layout->device, units_block(u, unit, i)) + offset;
}

static block_t units_block_of(const struct layout *layout, ppn_t ppn)
{
	return units_unit(units_of(layout), ppn);
}

static uint32_t units_number(const struct layout *layout, ppn_t ppn)
{
	const struct geometry *g = layout->device;

	return geometry_page(g, ppn) * g->planes + units_of(layout)->position[geometry_plane_of(g, ppn)];
}

static block_t units_part(const struct layout *layout, block_t unit, uint32_t i)
{
	return units_block(units_of(layout), unit, i);
}

static uint32_t units_programmed(const struct layout *layout, block_t unit)
{
	const struct units *u = units_of(layout);
	uint32_t pages = 0;

	for (plane_t i = 0; i < layout->device->planes; i++)
		pages += u->flash->block[units_block(u, unit, i)].next;
	return pages;
}

static const struct layout_ops units_ops = {
	.page = units_page,
	.block_of = units_block_of,
	.number = units_number,
	.part = units_part,
	.programmed = units_programmed,
};

void units_init(struct units *u, const struct flash *flash, const plane_t *plane, const uint32_t *position)
{
	const struct geometry *device = flash->geometry;
	struct geometry *g = &u->layout.geometry;

	*u = (struct units){ .layout = { &units_ops, *device, device },
		.flash = flash,
		.plane = plane,
		.position = position,
		.planes = divisor_of(device->planes) };
	g->channels = g->chips_per_channel = g->dies_per_chip = g->planes_per_die = 1;
	g->pages_per_block = u->layout.block_pages = device->pages_per_block * device->planes;
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
	for (plane_t p = 0; p < u->layout.device->planes; p++)
		if (bad_block(bad, p * u->layout.device->blocks_per_plane + row))
			return false;
	return true;
}

bool units_leave_out(struct units *u, const struct bad_blocks *bad, bool remap)
{
	uint32_t planes = u->layout.device->planes, rows = u->layout.device->blocks_per_plane, units = rows;

	u->block = memory_array((size_t)rows * planes, sizeof *u->block, "units");
	u->unit = memory_array(u->layout.device->blocks, sizeof *u->unit, "units");
	memset(u->unit, 0xff, u->layout.device->blocks * sizeof *u->unit); /* BLOCK_NONE */
	for (uint32_t i = 0; i < planes; i++) {
		block_t first = u->plane[i] * rows;
		uint32_t good = 0;

		for (uint32_t row = 0; row < rows; row++)
			if (remap ? !bad_block(bad, first + row) : units_row_is_good(u, bad, row))
				u->block[(size_t)good++ * planes + i] = first + row;
		units = good < units ? good : units;
	}
	if (!units)
		return false;
	for (uint32_t i = 0; i < units * planes; i++)
		u->unit[u->block[i]] = i / planes;
	u->layout.geometry.blocks_per_plane = units;
	geometry_count(&u->layout.geometry);
	return true;
}
