#include "flash/schedule_inside.h"

#include "base/fault.h"
#include "base/memory.h"
#include "flash/census.h"

/* What stays behind in a free element has been right once, and is held against the same bounds. */
static void ops_regions(struct schedule *s, struct regions *r)
{
	const struct geometry *g = s->geometry;
	struct op *op;
	struct copy *copy;
	struct edge *edge;
	struct ticket *ticket;
	uint32_t ops, copies, edges, tickets;

	pool_regions(&s->ops.op, r, regions_most(r, sizeof *op));
	pool_regions(&s->ops.copy, r, regions_most(r, sizeof *copy));
	pool_regions(&s->ops.edge, r, regions_most(r, sizeof *edge));
	pool_regions(&s->ops.ticket, r, regions_most(r, sizeof *ticket));
	op = s->ops.op.object;
	copy = s->ops.copy.object;
	edge = s->ops.edge.object;
	ticket = s->ops.ticket.object;
	ops = s->ops.op.used;
	copies = s->ops.copy.used;
	edges = s->ops.edge.used;
	tickets = s->ops.ticket.used;
	regions_below_or_none(r, NUMBERS_OF(op, next), ops, ops, "operations");
	regions_below_or_none(r, NUMBERS_OF(op, waiters), ops, edges, "operations");
	regions_below_or_none(r, NUMBERS_OF(op, ticket), ops, tickets, "operations");
	regions_below(r, NUMBERS_OF(op, ppn), ops, g->pages, "operations");
	regions_below_or_none(r, NUMBERS_OF(op, behind), ops, ops, "operations");
	regions_below_or_none(r, NUMBERS_OF(op, forwards), ops, ops, "operations");
	regions_below_or_none(r, NUMBERS_OF(op, followers), ops, copies, "operations");
	regions_below(r, NUMBERS_OF(op, die), ops, g->dies, "operations");
	regions_below(r, NUMBERS_OF(op, sectors), ops, g->sectors_per_page + 1u, "operations");
	regions_below(r, NUMBERS_OF(op, kind), ops, OP_FORWARD + 1, "operations");
	regions_below(r, NUMBERS_OF(op, cause), ops, CAUSES, "operations");
	regions_below(r, NUMBERS_OF(op, stage), ops, STAGE_DONE + 1, "operations");
	regions_below(r, NUMBERS_OF(op, held), ops, 2, "operations");
	regions_below(r, NUMBERS_OF(op, chases), ops, 2, "operations");
	regions_below(r, NUMBERS_OF(op, orphan), ops, 2, "operations");
	for (uint32_t i = 0; i < ops && !r->broken; i++)
		regions_require(r, op[i].kind == OP_ERASE || op[i].to == PPN_NONE || op[i].to < g->pages,
			"operations");
	regions_below_or_none(r, NUMBERS_OF(copy, next), copies, copies, "copies");
	regions_below(r, NUMBERS_OF(copy, from), copies, g->pages, "copies");
	regions_below(r, NUMBERS_OF(copy, to), copies, g->pages, "copies");
	regions_below_or_none(r, NUMBERS_OF(copy, waiters), copies, edges, "copies");
	regions_below_or_none(r, NUMBERS_OF(edge, next), edges, edges, "dependencies");
	regions_below(r, NUMBERS_OF(edge, op), edges, ops, "dependencies");
	regions_below_or_none(r, NUMBERS_OF(ticket, next), tickets, tickets, "requests");
}

/* Of each element, that its queue names operations, units, tickets. */
#define QUEUE_BELOW(r, array, name, count, bound, what)                                                      \
	do {                                                                                                 \
		regions_below_or_none(r, NUMBERS_OF(array, name.first), count, bound, what);                 \
		regions_below_or_none(r, NUMBERS_OF(array, name.last), count, bound, what);                  \
	} while (0)

/* Far from what alarms may lie apart (timers.h). */
static bool is_soon(const struct schedule *s, uint64_t ns)
{
	return !(ns >> (60 - s->timers.bits));
}

/* An alarm is that of a command under way, or of one that stops. */
static bool unit_holds(const struct schedule *s, uint32_t u)
{
	const struct unit *unit = &s->unit[u];

	if (!is_soon(s, unit->in_ns | unit->cell_ns | unit->out_ns | unit->suspended_ns) ||
		(min_tree_get(&s->timers.key, u) != MIN_TREE_UNSET &&
			!is_soon(s, timers_due(&s->timers, u) - s->now)))
		return false;
	if (unit->phase == PHASE_IDLE)
		return unit->command == INDEX_NONE && min_tree_get(&s->timers.key, u) == MIN_TREE_UNSET;
	return unit->phase == PHASE_STOP ? unit->suspended != INDEX_NONE
					 : unit->phase != PHASE_WOKEN && unit->command != INDEX_NONE;
}

static void unit_regions(struct schedule *s, struct regions *r)
{
	uint32_t units = s->units, channels = s->geometry->channels, ops = s->ops.op.used;

	timers_regions(&s->timers, units, r);
	regions_visit(r, s->unit, units * sizeof *s->unit);
	regions_below(r, NUMBERS_OF(s->unit, phase), units, PHASE_STOP + 1, "dies");
	QUEUE_BELOW(r, s->unit, reads, units, ops, "dies");
	QUEUE_BELOW(r, s->unit, others, units, ops, "dies");
	regions_below_or_none(r, NUMBERS_OF(s->unit, command), units, ops, "dies");
	regions_below_or_none(r, NUMBERS_OF(s->unit, suspended), units, ops, "dies");
	regions_below_or_none(r, NUMBERS_OF(s->unit, next), units, units, "dies");
	regions_below(r, NUMBERS_OF(s->unit, brings_data), units, 2, "dies");
	for (uint32_t u = 0; u < units; u++)
		regions_require(r, unit_holds(s, u), "dies");
	regions_visit(r, s->channel, channels * sizeof *s->channel);
	regions_below_or_none(r, NUMBERS_OF(s->channel, user), channels, units, "channels");
	QUEUE_BELOW(r, s->channel, first, channels, units, "channels");
	QUEUE_BELOW(r, s->channel, others, channels, units, "channels");
}

static void release_regions(struct schedule *s, struct regions *r)
{
	struct heap *h = &s->releases;
	struct release *release;

	regions_visit(r, &h->count, sizeof h->count);
	regions_require(r, h->count <= s->ops.ticket.used, "releases");
	if (r->broken)
		h->count = 0;
	h->element = memory_grown(h->element, &h->room, h->count, sizeof *release, "release queue");
	release = h->element;
	regions_visit(r, release, h->count * sizeof *release);
	regions_below_or_none(r, NUMBERS_OF(release, first_op), h->count, s->ops.op.used, "releases");
	regions_below(r, NUMBERS_OF(release, ticket), h->count, s->ops.ticket.used, "releases");
	regions_visit(r, &s->release_order, sizeof s->release_order);
}

void schedule_regions(struct schedule *s, struct regions *r)
{
	BUG_ON(s->woken.first != INDEX_NONE || s->answered.first != INDEX_NONE, "an event is under way");
	regions_visit(r, &s->now, sizeof s->now);
	ops_regions(s, r);
	unit_regions(s, r);
	release_regions(s, r);
	regions_visit(r, &s->held, sizeof s->held);
	regions_visit(r, &s->completed, sizeof s->completed);
	QUEUE_BELOW(r, s, completed, 1, s->ops.ticket.used, "requests");
	regions_visit(r, &s->in_flight, sizeof s->in_flight);
	loads_regions(&s->loads, s->geometry->dies, r);
	regions_visit(r, &s->busy, sizeof s->busy);
	if (s->accounts && !r->broken)
		accounts_regions(s->accounts, s->ops.op.used, s->ops.ticket.used, s->units, r);
}

static void bus_check(const struct schedule *s)
{
	uint32_t left = s->units;

	for (uint32_t c = 0; c < s->geometry->channels; c++) {
		const struct queue *line[] = { &s->channel[c].first, &s->channel[c].others };

		for (size_t k = 0; k < 2; k++) {
			uint32_t last = line[k]->last;

			for (uint32_t u = line[k]->first; u != INDEX_NONE; last = u, u = s->unit[u].next)
				BUG_ON(!left-- || channel_of(s, u) != &s->channel[c],
					"die %u waits twice for a bus, or for another", u);
			BUG_ON(last != line[k]->last, "the queue of bus %u does not end as it should", c);
		}
	}
}

void schedule_check(const struct schedule *s)
{
	const struct release *release = s->releases.element;
	struct census c = census_begin(&s->ops, s->geometry, s->flash->block);

	for (uint32_t u = 0; u < s->units; u++) {
		census_queue(&c, &s->unit[u].reads);
		census_queue(&c, &s->unit[u].others);
		census_command(&c, s->unit[u].command);
		census_command(&c, s->unit[u].suspended);
	}
	for (uint32_t i = 0; i < s->releases.count; i++) {
		census_release(&c, release[i].first_op, release[i].ticket);
		BUG_ON(i && release_before(&release[i], &release[(i - 1) / 2]),
			"requests begin out of order");
	}
	census_completed(&c, &s->completed);
	for (uint32_t i = 0; s->accounts && i < s->ops.op.used; i++)
		BUG_ON(census_counts(&c, i) && !accounts_agree(s->accounts, i, ops_at(&s->ops, i)->ticket),
			"the account of operation %u is not of its request", i);
	census_end(&c);
	bus_check(s);
	BUG_ON(s->in_flight != c.in_flight + (uint64_t)s->releases.count || s->held != c.held,
		"%llu are under way and %llu held, and %u and %u counted", (unsigned long long)s->in_flight,
		(unsigned long long)s->held, c.in_flight + s->releases.count, c.held);
	BUG_ON(timers_next(&s->timers) < s->now || release_due(s) < s->now, "an event lies in the past");
}

void schedule_check_idle(const struct schedule *s)
{
	BUG_ON(!pool_is_free(&s->ops.op) || !pool_is_free(&s->ops.copy) || !pool_is_free(&s->ops.edge) ||
			!pool_is_free(&s->ops.ticket),
		"operations, what they wait for or requests are left");
	BUG_ON(s->held, "the controller's memory holds %llu pages for nobody", (unsigned long long)s->held);
	for (die_t die = 0; die < s->geometry->dies; die++)
		BUG_ON(schedule_load(s, die), "die %u is idle and has work for %llu ns", die,
			(unsigned long long)schedule_load(s, die));
	for (uint32_t u = 0; u < s->units; u++)
		BUG_ON(s->unit[u].phase != PHASE_IDLE, "die %u is idle and does something", u);
}

bool schedule_knows(const struct schedule *s, op_t op)
{
	uint32_t index = (uint32_t)op - 1, use = (uint32_t)(op >> 32);

	if (op == OP_NONE)
		return true;
	return index < s->ops.op.used && (use < ops_at(&s->ops, index)->generation ||
						 (use == ops_at(&s->ops, index)->generation &&
							 ops_at(&s->ops, index)->stage != STAGE_DONE));
}

bool schedule_has_op(const struct schedule *s, uint32_t index)
{
	return index < s->ops.op.used || index == INDEX_NONE;
}

uint32_t schedule_tickets(const struct schedule *s)
{
	return s->ops.ticket.used;
}
