/*
 * The bus of a channel: one unit uses it, the others wait.  Internal to flash/.
 */
#ifndef FLASH_BUS_H
#define FLASH_BUS_H

#include "flash/events.h"
#include "flash/schedule_inside.h"

HOT void bus_use(struct schedule *s, struct channel *channel, uint32_t u, bool plain)
{
	struct unit *unit = &s->unit[u];
	uint64_t ns = unit->phase == PHASE_IN ? unit->in_ns : unit->out_ns;

	channel->user = u;
	s->busy.channel_ns += ns;
	if (!plain)
		event_busy(s, u, true, ns);
	timers_set(&s->timers, u, s->now + ns);
}

HOT bool bus_goes_first(const struct schedule *s, const struct unit *unit)
{
	switch (s->settings->bus_order) {
	case BUS_COMMAND_FIRST:
		return unit->phase == PHASE_IN && !unit->brings_data;
	case BUS_DATA_FIRST:
		return unit->phase == PHASE_OUT;
	default:
		return false;
	}
}

/* The unit uses the bus of its channel, now or when it is its turn. */
HOT void bus_request(struct schedule *s, uint32_t u, bool plain)
{
	struct channel *channel = channel_of(s, u);

	if (channel->user == INDEX_NONE) {
		bus_use(s, channel, u, plain);
		return;
	}
	timers_unset(&s->timers, u);
	queue_append(bus_goes_first(s, &s->unit[u]) ? &channel->first : &channel->others,
		ARRAY_FIELD(s->unit, next), u);
}

/* The user of the bus has left it. */
HOT void bus_pass_on(struct schedule *s, struct channel *channel, bool plain)
{
	struct queue *line = channel->first.first == INDEX_NONE ? &channel->others : &channel->first;
	uint32_t u = queue_take(line, ARRAY_FIELD(s->unit, next));

	channel->user = INDEX_NONE;
	if (u != INDEX_NONE)
		bus_use(s, channel, u, plain);
}

#endif
