#include "observe/tracer.h"

#include "base/memory.h"

#include <stdio.h>
#include <string.h>

void tracer_release(struct tracer *t)
{
	memory_free(t->op);
	memory_free(t->wait);
	memory_free(t->note);
	memory_free(t->span);
	memory_free(t->place);
	*t = (struct tracer){ 0 };
}

static uint32_t tracer_find(const struct tracer *t, op_t op)
{
	uint32_t slot = (uint32_t)op - 1, i = slot < t->place_room ? t->place[slot] : 0;

	return i && t->op[i - 1].made.op == op ? i - 1 : TRACED_EARLIER;
}

static void tracer_keep_place(struct tracer *t, op_t op, uint32_t index)
{
	uint32_t slot = (uint32_t)op - 1, room = t->place_room;

	t->place = memory_grown(t->place, &t->place_room, slot + 1, sizeof *t->place, "trace of operations");
	if (t->place_room > room)
		memset(t->place + room, 0, (t->place_room - room) * sizeof *t->place);
	t->place[slot] = index + 1;
}

static void tracer_made(void *tracer, const struct made_op *made)
{
	struct tracer *t = tracer;

	if (!t->open)
		return;
	t->op = memory_grown(t->op, &t->op_room, t->ops + 1, sizeof *t->op, "trace of operations");
	tracer_keep_place(t, made->op, t->ops);
	t->op[t->ops++] = (struct traced_op){ *made, TICK_NEVER, TICK_NEVER, TICK_NEVER, TICK_NEVER };
	t->unfinished++;
}

static void tracer_note(void *tracer, const char *format, va_list args)
{
	struct tracer *t = tracer;
	struct traced_note *note;

	if (!t->open)
		return;
	t->note = memory_grown(t->note, &t->note_room, t->notes + 1, sizeof *t->note, "trace of decisions");
	note = &t->note[t->notes++];
	note->ops = t->ops;
	vsnprintf(note->text, sizeof note->text, format, args);
}

static void tracer_waits(void *tracer, op_t op, op_t other)
{
	struct tracer *t = tracer;

	if (!t->open)
		return;
	t->wait = memory_grown(t->wait, &t->wait_room, t->waits + 1, sizeof *t->wait, "trace of operations");
	t->wait[t->waits++] = (struct traced_wait){ tracer_find(t, op), tracer_find(t, other) };
}

static void tracer_ready(void *tracer, op_t op, uint32_t unit, tick_t now)
{
	struct tracer *t = tracer;
	uint32_t i = tracer_find(t, op);

	(void)unit;
	if (i != TRACED_EARLIER)
		t->op[i].ready = now;
}

static void tracer_started(void *tracer, op_t op, uint32_t unit, tick_t now)
{
	struct tracer *t = tracer;
	uint32_t i = tracer_find(t, op);

	(void)unit;
	if (i != TRACED_EARLIER)
		t->op[i].start = now;
}

static void tracer_done(void *tracer, op_t op, tick_t now)
{
	struct tracer *t = tracer;
	uint32_t i = tracer_find(t, op);

	if (i == TRACED_EARLIER)
		return;
	t->op[i].done = now;
	t->unfinished--;
	if (t->op[i].made.awaited && t->op[i].until == TICK_NEVER)
		t->op[i].until = now;
}

static void tracer_left(void *tracer, op_t op, tick_t now)
{
	struct tracer *t = tracer;
	uint32_t i = tracer_find(t, op);

	if (i != TRACED_EARLIER)
		t->op[i].until = now;
}

static void tracer_busy(void *tracer, op_t first, struct busy_span span)
{
	struct tracer *t = tracer;

	if (!t->hardware || !(t->open || t->unfinished))
		return;
	span.op = tracer_find(t, first);
	t->span = memory_grown(t->span, &t->span_room, t->spans + 1, sizeof *t->span, "timeline");
	t->span[t->spans++] = span;
}

static void tracer_busy_until(void *tracer, uint32_t unit, enum busy_place place, tick_t to)
{
	const struct tracer *t = tracer;

	for (uint32_t i = t->spans; i--;)
		if (t->span[i].unit == unit && t->span[i].place == place) {
			t->span[i].to = to;
			return;
		}
}

struct flash_observer *tracer_observer(struct tracer *t)
{
	static const struct flash_hears hears = { .made = tracer_made,
		.note = tracer_note,
		.waits = tracer_waits,
		.follows = tracer_waits,
		.ready = tracer_ready,
		.started = tracer_started,
		.done = tracer_done,
		.left = tracer_left,
		.busy = tracer_busy,
		.busy_until = tracer_busy_until };

	t->observer = (struct flash_observer){ .hears = &hears, .context = t };
	return &t->observer;
}
