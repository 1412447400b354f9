#include "flash/write_memory.h"

#include "flash/events.h"

static struct array_field write_memory_links(const struct schedule *s)
{
	struct op *op = s->ops.op.object;

	return ARRAY_FIELD(op, behind_for_room);
}

void write_memory_enter(struct schedule *s, uint32_t index)
{
	struct op *op = ops_at(&s->ops, index);

	op->room = ROOM_LATER;
	op->blockers++;
	queue_append(&s->roomless, write_memory_links(s), index);
}

bool schedule_lacks_room(const struct schedule *s)
{
	uint32_t first = s->roomless.first;

	return first != INDEX_NONE && ops_at(&s->ops, first)->room == ROOM_ASKED;
}

/* Counts the time in which the next program in line waits for room, its request being released. */
static void write_memory_count(struct schedule *s)
{
	struct write_memory *m = &s->memory;

	if (m->full)
		m->full_ns += s->now - m->full_since;
	m->full = schedule_lacks_room(s);
	m->full_since = s->now;
}

/* The request no longer waits for the page, unless it asked for the data to be in flash. */
static void write_memory_give(struct schedule *s, uint32_t index)
{
	struct op *op = ops_at(&s->ops, index);
	uint32_t ticket = op->ticket;

	op->room = ROOM_GIVEN;
	s->memory.used++;
	if (s->memory.used > s->memory.most)
		s->memory.most = s->memory.used;
	event_entered_memory(s, index);
	if (ticket != INDEX_NONE && !(op->flags & OP_DURABLE)) {
		op->ticket = INDEX_NONE;
		complete_part(s, ticket);
	}
	ready_unblock(s, index, INDEX_NONE);
}

static void write_memory_go_on(struct schedule *s)
{
	struct write_memory *m = &s->memory;

	while (m->used < m->pages && schedule_lacks_room(s))
		write_memory_give(s, queue_take(&s->roomless, write_memory_links(s)));
	write_memory_count(s);
}

void write_memory_ask(struct schedule *s, uint32_t index)
{
	ops_at(&s->ops, index)->room = ROOM_ASKED;
	write_memory_go_on(s);
}

void write_memory_leave(struct schedule *s)
{
	s->memory.used--;
	write_memory_go_on(s);
}

void schedule_use_write_memory(struct schedule *s, uint64_t pages)
{
	s->memory.pages = pages;
	schedule_choose_copy(s);
}

uint64_t schedule_write_memory(const struct schedule *s)
{
	return s->memory.pages;
}

/* ---- FLUSH and FUA ---- */

void schedule_make_durable(struct schedule *s, struct io *io)
{
	io->durable = true;
	event_durable(s, io->ticket);
}

/* ---- statistics ---- */

void write_memory_start(struct schedule *s)
{
	s->memory.most = s->memory.used;
	s->memory.full_ns = 0;
	s->memory.full_since = s->now;
}

static void write_memory_gather(void *schedule)
{
	write_memory_count(schedule);
}

#define MEMORY(field) STAT_COUNT, offsetof(struct schedule, memory.field)

static const struct stat_row write_memory_rows[] = {
	{ "host.memory_pages_max", "pages", "written and not yet programmed, in memory at one moment",
		MEMORY(most) },
	{ "host.memory_full_ns", "ns", "a page that is to be written waits for room in memory",
		MEMORY(full_ns) },
	{ 0 },
};

void schedule_statistics(struct schedule *s, struct stat_list *list)
{
	if (s->memory.pages)
		stat_list_add(list, (struct stat_group){ .title = "memory for writes",
					    .rows = write_memory_rows,
					    .values = s,
					    .owner = s,
					    .gather = write_memory_gather });
}

/* ---- state ---- */

const struct state_row write_memory_state[] = {
	STATE_FIXED(pages),
	STATE_NUMBER(struct write_memory, used),
	STATE_NUMBER(struct write_memory, most),
	STATE_NUMBER(struct write_memory, full_ns),
	STATE_NUMBER(struct write_memory, full_since),
	STATE_NUMBER(struct write_memory, full),
	{ 0 },
};

void write_memory_check(const struct schedule *s)
{
	const struct write_memory *m = &s->memory;
	uint64_t given = 0, without = 0, in_line = 0;
	uint32_t last = INDEX_NONE;

	for (uint32_t i = 0; i < s->ops.op.used; i++) {
		const struct op *op = ops_at(&s->ops, i);

		given += op->stage != STAGE_DONE && op->room == ROOM_GIVEN;
		without += op->stage != STAGE_DONE && ops_lacks_room(op);
	}
	for (uint32_t i = s->roomless.first; i != INDEX_NONE;
		last = i, i = ops_at(&s->ops, i)->behind_for_room)
		BUG_ON(i >= s->ops.op.used || ++in_line > without ||
				ops_at(&s->ops, i)->stage != STAGE_WAITING ||
				!ops_lacks_room(ops_at(&s->ops, i)),
			"operation %u waits for room in memory and should not", i);
	BUG_ON(given != m->used || given > m->pages || in_line != without ||
			(last != INDEX_NONE && last != s->roomless.last),
		"memory holds %llu pages and counts %llu, %llu programs wait for room and %llu in the line",
		(unsigned long long)given, (unsigned long long)m->used, (unsigned long long)without,
		(unsigned long long)in_line);
	BUG_ON(m->used < m->pages && schedule_lacks_room(s),
		"operation %u waits for room although there is some", s->roomless.first);
}
