#include "host/door.h"

#include "base/bits.h"
#include "base/hash.h"
#include "host/host.h"

static uint64_t door_count_slots(const struct tenants *t, const struct host_settings *s)
{
	uint64_t depths = 0;
	bool open = false;

	for (uint32_t i = 0; i < t->count; i++) {
		open = open || t->of[i].is_open;
		depths += t->of[i].is_open ? 0 : t->of[i].depth;
	}
	if (depths && s->of.slots)
		return s->of.slots;
	if (open)
		return s->queue_limit ? s->queue_limit + depths : UINT64_MAX;
	return depths;
}

struct door *door_create(const struct tenants *tenants, const struct host_settings *s)
{
	struct door *d = memory_array(1, sizeof *d, "door");

	d->tenants = tenants;
	d->in_one_queue = s->of.arbitration == ARBITRATION_FIFO;
	d->ends_with_first = s->of.end == END_FIRST;
	d->slots = door_count_slots(tenants, s);
	arbiter_init(&d->arbiter, tenants, (enum arbitration)s->of.arbitration, s->of.burst);
	queues_init(&d->held);
	queues_init(&d->waiting);
	return d;
}

void door_free(struct door *d)
{
	if (!d)
		return;
	queues_release(&d->held);
	queues_release(&d->waiting);
	memory_free(d->left);
	memory_free(d);
}

void door_set_lines(struct door *d, bool apart)
{
	const struct tenants *t = d->tenants;
	uint32_t open = 0;

	while (open < t->count && !t->of[open].is_open)
		open++;
	d->apart = apart;
	d->open_lines = 0;
	for (uint32_t i = 0; i < t->count; i++) {
		d->line[i] = t->of[i].is_open && !apart ? open : i;
		if (t->of[i].is_open)
			bits_set(&d->open_lines, d->line[i]);
	}
}

static void door_empty(struct queues *q)
{
	while (q->used)
		queues_take(q, (uint32_t)__builtin_ctzll(q->used));
}

void door_clear(struct door *d)
{
	door_empty(&d->held);
	door_empty(&d->waiting);
	d->lefts = 0;
	for (uint32_t i = 0; i < TENANTS_MOST; i++)
		d->source[i] = (struct door_source){ .sum = HASH_NOTHING };
}

void door_arrive(struct door *d, const struct request *r)
{
	queues_put(&d->waiting, d->in_one_queue ? 0 : r->device, r);
}

struct request door_next(struct door *d)
{
	return queues_take(&d->waiting, d->in_one_queue ? 0 : arbiter_next(&d->arbiter, d->waiting.used));
}

void door_close(struct door *d)
{
	door_empty(&d->held);
}

void door_note_left(struct door *d, uint32_t tenant)
{
	d->left = memory_grown(d->left, &d->left_room, d->lefts + 1, sizeof *d->left, "completions");
	d->left[d->lefts++] = tenant;
}

static const struct state_row source_state[] = {
	STATE_NUMBER(struct door_source, taken),
	STATE_NUMBER(struct door_source, sum),
	STATE_NUMBER(struct door_source, ended),
	{ 0 },
};

const struct state_row door_state[] = {
	STATE_FIXED(tenants, in_one_queue, ends_with_first, slots, apart, line, open_lines),
	STATE_STRUCT(struct door, arbiter, arbiter_state),
	STATE_STRUCT(struct door, held, queues_state),
	STATE_STRUCT(struct door, waiting, queues_state),
	STATE_STRUCTS(struct door, source, source_state),
	STATE_SCRATCH(left, lefts, left_room), /* looked at before the next request enters */
	{ 0 },
};
