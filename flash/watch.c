#include "flash/watch.h"

#include "base/memory.h"

#include <stdio.h>

void watch_release(struct watch *w)
{
	memory_free(w->op);
	memory_free(w->wait);
	memory_free(w->note);
	*w = (struct watch){ 0 };
}

/* Index of an operation of the request, or WATCHED_EARLIER. */
static uint32_t find(const struct watch *w, op_t op)
{
	for (uint32_t i = w->ops; i--;)
		if (w->op[i].op == op)
			return i;
	return WATCHED_EARLIER;
}

void watch_made(struct watch *w, struct watched_op op)
{
	if (!w->open)
		return;
	w->op = memory_grown(w->op, &w->op_room, w->ops + 1, sizeof *w->op, "explanation");
	op.ready = op.start = op.done = TICK_NEVER;
	w->op[w->ops++] = op;
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

	if (i != WATCHED_EARLIER)
		w->op[i].done = now;
}
