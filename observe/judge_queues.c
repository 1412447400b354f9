#include "observe/judge_queues.h"

#include "base/fault.h"
#include "base/memory.h"

#include <string.h>

/* Lines of a tenant's waiting requests, in order: [from, end). */
struct judged_queue {
	uint64_t *line;
	uint32_t from, end, room;
};

struct queue_judge {
	struct judged_queue *queue;
	uint32_t tenants;
	uint64_t slots, waiting;
};

struct queue_judge *queue_judge_create(uint32_t tenants, uint64_t slots)
{
	struct queue_judge *j = memory_array(1, sizeof *j, "judge of the queues");

	j->queue = memory_array(tenants, sizeof *j->queue, "judge of the queues");
	j->tenants = tenants;
	j->slots = slots;
	return j;
}

void queue_judge_free(struct queue_judge *j)
{
	if (!j)
		return;
	for (uint32_t i = 0; i < j->tenants; i++)
		memory_free(j->queue[i].line);
	memory_free(j->queue);
	memory_free(j);
}

static struct judged_queue *queue_judge_of(struct queue_judge *j, const struct request *r)
{
	BUG_ON(r->device >= j->tenants, "line %llu is of tenant %u", (unsigned long long)r->line, r->device);
	return &j->queue[r->device];
}

void queue_judge_arrived(struct queue_judge *j, const struct request *r, tick_t now)
{
	struct judged_queue *q = queue_judge_of(j, r);

	BUG_ON(r->arrival > now, "line %llu waits before it arrives", (unsigned long long)r->line);
	if (q->from == q->end)
		q->from = q->end = 0;
	if (q->from && q->end == q->room) {
		q->end -= q->from;
		memmove(q->line, q->line + q->from, q->end * sizeof *q->line);
		q->from = 0;
	}
	q->line = memory_grown(q->line, &q->room, q->end + 1, sizeof *q->line, "judge of the queues");
	q->line[q->end++] = r->line;
	j->waiting++;
}

void queue_judge_entered(struct queue_judge *j, const struct request *r, uint64_t in_drive)
{
	struct judged_queue *q = queue_judge_of(j, r);

	BUG_ON(q->from == q->end, "line %llu of tenant %u enters and has not arrived",
		(unsigned long long)r->line, r->device);
	BUG_ON(q->line[q->from] != r->line, "line %llu of tenant %u enters before line %llu",
		(unsigned long long)r->line, r->device, (unsigned long long)q->line[q->from]);
	BUG_ON(in_drive >= j->slots, "line %llu enters, and %llu of %llu slots are taken",
		(unsigned long long)r->line, (unsigned long long)in_drive, (unsigned long long)j->slots);
	q->from++;
	j->waiting--;
}

void queue_judge_time_passes(const struct queue_judge *j, uint64_t in_drive)
{
	BUG_ON(j->waiting && in_drive < j->slots, "%llu requests wait while %llu of %llu slots are taken",
		(unsigned long long)j->waiting, (unsigned long long)in_drive, (unsigned long long)j->slots);
}

void queue_judge_forget(struct queue_judge *j)
{
	for (uint32_t i = 0; i < j->tenants; i++)
		j->queue[i].from = j->queue[i].end = 0;
	j->waiting = 0;
}

void queue_judge_end(const struct queue_judge *j)
{
	BUG_ON(j->waiting, "%llu requests have not entered the drive", (unsigned long long)j->waiting);
}
