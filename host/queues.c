#include "host/queues.h"

#include "base/bits.h"

struct queued {
	uint32_t next;
	struct request request;
};

void queues_init(struct queues *q)
{
	*q = (struct queues){ .requests = pool_create(sizeof(struct queued), "queue of requests") };
	for (uint32_t i = 0; i < TENANTS_MOST; i++)
		q->queue[i] = QUEUE_EMPTY;
}

void queues_release(struct queues *q)
{
	pool_free(&q->requests);
}

static struct queued *queues_at(const struct queues *q, uint32_t number)
{
	return pool_at(&q->requests, number);
}

void queues_put(struct queues *q, uint32_t queue, const struct request *r)
{
	uint32_t number = pool_take(&q->requests);

	queues_at(q, number)->request = *r;
	queue_append(&q->queue[queue], POOL_FIELD(q->requests, struct queued, next), number);
	q->count++;
	bits_set(&q->used, queue);
}

const struct request *queues_first(const struct queues *q, uint32_t queue)
{
	return &queues_at(q, q->queue[queue].first)->request;
}

struct request queues_take(struct queues *q, uint32_t queue)
{
	uint32_t number = queue_take(&q->queue[queue], POOL_FIELD(q->requests, struct queued, next));
	struct request r = queues_at(q, number)->request;

	pool_give(&q->requests, number);
	q->count--;
	if (q->queue[queue].first == INDEX_NONE)
		bits_clear(&q->used, queue);
	return r;
}

static void queues_count(void *queues)
{
	struct queues *q = queues;

	q->used = q->count = 0;
	for (uint32_t i = 0; i < TENANTS_MOST; i++) {
		if (q->queue[i].first != INDEX_NONE)
			bits_set(&q->used, i);
		for (uint32_t at = q->queue[i].first; at != INDEX_NONE; at = queues_at(q, at)->next)
			q->count++;
	}
}

static const struct state_row request_state[] = {
	STATE_NUMBER(struct request, arrival),
	STATE_NUMBER(struct request, start),
	STATE_NUMBER(struct request, line),
	STATE_NUMBER(struct request, sectors),
	STATE_NUMBER(struct request, device),
	STATE_NUMBER(struct request, type),
	STATE_NUMBER(struct request, hint),
	STATE_NUMBER(struct request, flags),
	{ 0 },
};

static const struct state_row queued_state[] = {
	STATE_NUMBER(struct queued, next),
	STATE_STRUCT(struct queued, request, request_state),
	{ 0 },
};

const struct state_row queues_state[] = {
	STATE_REBUILT(count, used),
	STATE_POOL(struct queues, requests, queued_state),
	STATE_NUMBER(struct queues, queue),
	STATE_RESTORED(queues_count),
	{ 0 },
};
