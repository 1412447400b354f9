/* Rebuilds the live pages of a failed die from the rest of their stripes. */
#include "gc/collect.h"

static void collector_rebuild_page(struct collector *c, struct io *io, ppn_t from, unsigned stream)
{
	owner_t owner = flash_owner(c->flash, from);
	ppn_t to = space_take(c->space, io, 0, stream, false);

	flash_move(io, from, to, CAUSE_PARITY);
	space_moved_away(c->space, from);
	c->client->relocate(c->ftl, io, owner, from, to);
	c->space->units->parity->count.rebuilt_pages++;
}

/* Rebuilds the lost live pages of a unit.  Making room for them may collect the unit itself.  False: there is
 * no room. */
static bool collector_rebuild_unit(struct collector *c, struct io *io, block_t unit)
{
	struct space *s = c->space;
	const struct parity *parity = s->units->parity;
	unsigned stream = space_stream(s, unit)->survivors;
	bool data = !space_stream(s, unit)->map, moved = false, room = true;

	for (uint32_t k = 0; parity_may_be_lost(parity, unit) && k < parity_pages(parity, unit); k++) {
		ppn_t from = units_page(s->units, unit, k);

		if (!flash_is_lost(c->flash, from) || flash_owner(c->flash, from) == OWNER_NONE)
			continue;
		room = collector_make_room(c, io, 0, stream);
		if (!room)
			break;
		if (!parity_may_be_lost(parity, unit) || flash_owner(c->flash, from) == OWNER_NONE)
			continue;
		collector_rebuild_page(c, io, from, stream);
		moved = true;
	}
	if (moved && data && c->client->emptied) {
		c->collecting = true;
		c->client->emptied(c->ftl, io, unit);
		c->collecting = false;
	}
	return room;
}

void collector_rebuild(struct collector *c, struct io *io)
{
	for (block_t unit = 0; unit < c->space->geometry->blocks; unit++)
		if (!collector_rebuild_unit(c, io, unit))
			return;
}
