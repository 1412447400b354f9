#include "flash/watch.h"

#include "base/memory.h"

#include <stdio.h>
#include <string.h>

void watch_release(struct watch *w)
{
	memory_free(w->op);
	memory_free(w->wait);
	memory_free(w->note);
	memory_free(w->span);
	memory_free(w->place);
	*w = (struct watch){ 0 };
}

/* Index of an operation of the request, or WATCHED_EARLIER. */
static uint32_t find(const struct watch *w, op_t op)
{
	uint32_t slot = (uint32_t)op - 1, i = slot < w->place_room ? w->place[slot] : 0;

	return i && w->op[i - 1].op == op ? i - 1 : WATCHED_EARLIER;
}

/* The operation with this handle has this index. */
static void keep_place(struct watch *w, op_t op, uint32_t index)
{
	uint32_t slot = (uint32_t)op - 1, room = w->place_room;

	w->place = memory_grown(w->place, &w->place_room, slot + 1, sizeof *w->place, "explanation");
	if (w->place_room > room)
		memset(w->place + room, 0, (w->place_room - room) * sizeof *w->place);
	w->place[slot] = index + 1;
}

void watch_made(struct watch *w, struct watched_op op)
{
	if (!w->open)
		return;
	w->op = memory_grown(w->op, &w->op_room, w->ops + 1, sizeof *w->op, "explanation");
	op.ready = op.start = op.done = TICK_NEVER;
	keep_place(w, op.op, w->ops);
	w->op[w->ops++] = op;
	w->unfinished++;
}

void watch_note(struct watch *w, const char *format, va_list args)
{
	struct watched_note *note;

	if (!w->open)
		return;
	w->note = memory_grown(w->note, &w->note_room, w->notes + 1, sizeof *w->note, "explanation");
	note = &w->note[w->notes++];
	note->ops = w->ops;
	vsnprintf(note->text, sizeof note->text, format, args);
}

void watch_waits(struct watch *w, op_t op, op_t other)
{
	if (!w->open)
		return;
	w->wait = memory_grown(w->wait, &w->wait_room, w->waits + 1, sizeof *w->wait, "explanation");
	w->wait[w->waits++] = (struct watched_wait){ find(w, op), find(w, other) };
}

void watch_ready(struct watch *w, op_t op, tick_t now)
{
	uint32_t i = find(w, op);

	if (i != WATCHED_EARLIER)
		w->op[i].ready = now;
}

/* A suspended operation starts again: its first start counts. */
void watch_started(struct watch *w, op_t op, tick_t now)
{
	uint32_t i = find(w, op);

	if (i != WATCHED_EARLIER && w->op[i].start == TICK_NEVER)
		w->op[i].start = now;
}

void watch_done(struct watch *w, op_t op, tick_t now)
{
	uint32_t i = find(w, op);

	if (i == WATCHED_EARLIER)
		return;
	w->op[i].done = now;
	w->unfinished--;
}

void watch_works(struct watch *w, op_t op, struct watched_span span)
{
	if (!w->spans || !(w->open || w->unfinished))
		return;
	span.op = find(w, op);
	w->span = memory_grown(w->span, &w->span_room, w->spans_seen + 1, sizeof *w->span, "timeline");
	w->span[w->spans_seen++] = span;
}

void watch_stops(struct watch *w, uint32_t unit, tick_t to)
{
	for (uint32_t i = w->spans_seen; i--;)
		if (w->span[i].unit == unit && !w->span[i].bus) {
			w->span[i].to = to;
			return;
		}
}
