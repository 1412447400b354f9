#include "observe/judge_inside.h"

/* Does the program take room in memory?  Those of the host's data and of pages that a buffer pads with do. */
static bool judge_takes_room(const struct judge *j, const struct judged_op *d)
{
	return j->settings.memory_pages && d->made.owner != OWNER_NONE &&
	       (d->made.cause == CAUSE_HOST || d->made.cause == CAUSE_PAD);
}

/* ---- requests ---- */

void judge_durable(void *judge, uint32_t ticket)
{
	struct judge *j = judge;

	j->request[ticket].durable = true;
}

void judge_flushes(void *judge, uint32_t ticket)
{
	struct judge *j = judge;

	j->request[ticket].flushes = true;
	j->request[ticket].flushed = j->programs;
}

void judge_check_flushed(const struct judge *j, const struct judged_request *r)
{
	if (!r->flushes)
		return;
	for (uint32_t i = 0; i < j->ops; i++)
		BUG_ON(j->op[i].stage != JUDGED_DONE && j->op[i].made.kind == OP_PROGRAM &&
				j->op[i].made.cause == CAUSE_HOST && j->op[i].number < r->flushed,
			"a FLUSH completes before the program of page %u that was made before it",
			j->op[i].made.ppn);
}

/* ---- programs ---- */

void judge_made_program(struct judge *j, struct judged_op *d)
{
	d->number = j->programs++;
	if (judge_takes_room(j, d)) {
		d->room = JUDGED_WITHOUT_ROOM;
		d->room_place = j->room_made++;
	}
}

void judge_entered_memory(void *judge, op_t op, tick_t now)
{
	struct judge *j = judge;
	struct judged_op *d = judge_find(j, op);

	judge_pass_time(j, now);
	BUG_ON(!d || d->stage != JUDGED_MADE || d->room != JUDGED_WITHOUT_ROOM,
		"operation %llu is given room in memory that it does not wait for", (unsigned long long)op);
	BUG_ON(!judge_is_released(j, d, now),
		"page %u is given room in memory at %llu, before the look-ups of its request", d->made.ppn,
		(unsigned long long)now);
	BUG_ON(d->room_place != j->room_given,
		"page %u is given room in memory as number %llu, it was made as number %llu", d->made.ppn,
		(unsigned long long)j->room_given, (unsigned long long)d->room_place);
	j->room_given++;
	BUG_ON(++j->in_memory > j->settings.memory_pages, "%llu pages are in memory that has room for %llu",
		(unsigned long long)j->in_memory, (unsigned long long)j->settings.memory_pages);
	d->room = JUDGED_HAS_ROOM;
	if (!d->made.awaited || j->request[d->made.ticket].durable)
		return;
	j->request[d->made.ticket].pending--;
	d->made.awaited = false;
}

void judge_end_program(struct judge *j, const struct judged_op *d)
{
	j->in_memory -= d->room == JUDGED_HAS_ROOM;
}
