#include "space/units.h"

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
