#include "pagemap/fetches.h"

#include "flash/schedule.h"

#define LEAST_DUE 64u

static const char *const fetches_what = "fetches";

struct fetch {
	uint32_t chain;
	uint32_t number; /* 0: free */
	op_t read;
};

static struct fetch *fetches_at(const struct fetches *l, uint32_t i)
{
	return pool_at(&l->pool, i);
}

static struct hashed fetches_indexed(const struct fetches *l)
{
	return (struct hashed){ POOL_FIELD(l->pool, struct fetch, number),
		POOL_FIELD(l->pool, struct fetch, chain) };
}

struct fetches fetches_create(void)
{
	return (struct fetches){ .pool = pool_create(sizeof(struct fetch), fetches_what),
		.index = hash_create(LEAST_DUE, fetches_what),
		.due = LEAST_DUE };
}

void fetches_free(struct fetches *l)
{
	pool_free(&l->pool);
	hash_free(&l->index);
}

static void fetches_drop(struct fetches *l, uint32_t i)
{
	hash_remove(&l->index, fetches_indexed(l), i);
	fetches_at(l, i)->number = 0;
	pool_give(&l->pool, i);
}

/*
 * Drops reads that are done.  The next search is after as many further reads as are in flight now, so that
 * searching costs a step or two for each read.
 */
static void fetches_drop_done(struct fetches *l, const struct io *io)
{
	for (uint32_t i = 0; i < l->pool.used; i++)
		if (fetches_at(l, i)->number && schedule_done(io->flash->schedule, fetches_at(l, i)->read))
			fetches_drop(l, i);
	l->due = l->index.count < LEAST_DUE ? LEAST_DUE : l->index.count;
}

void fetches_begin(struct fetches *l, const struct io *io, uint32_t number, op_t read)
{
	uint32_t i;

	fetches_forget(l, number);
	if (read == OP_NONE)
		return;
	if (!l->due--)
		fetches_drop_done(l, io);
	i = pool_take(&l->pool);
	*fetches_at(l, i) = (struct fetch){ .number = number, .read = read };
	hash_add(&l->index, fetches_indexed(l), i);
}

op_t fetches_pending(struct fetches *l, const struct io *io, uint32_t number)
{
	uint32_t i = hash_find(&l->index, fetches_indexed(l), number);

	if (i == INDEX_NONE)
		return OP_NONE;
	if (!schedule_done(io->flash->schedule, fetches_at(l, i)->read))
		return fetches_at(l, i)->read;
	fetches_drop(l, i);
	return OP_NONE;
}

void fetches_forget(struct fetches *l, uint32_t number)
{
	uint32_t i = hash_find(&l->index, fetches_indexed(l), number);

	if (i != INDEX_NONE)
		fetches_drop(l, i);
}

/* When no run is in progress, every read is done. */
static void fetches_end(void *fetches)
{
	struct fetches *l = fetches;

	hash_clear(&l->index);
	l->pool.used = 0;
	l->pool.free = INDEX_NONE;
	l->due = LEAST_DUE;
}

static void fetches_index(void *fetches)
{
	struct fetches *l = fetches;

	hash_clear(&l->index);
	for (uint32_t i = 0; i < l->pool.used; i++)
		if (fetches_at(l, i)->number)
			hash_add(&l->index, fetches_indexed(l), i);
}

static const struct state_row fetches_row_state[] = {
	STATE_NUMBER(struct fetch, chain),
	STATE_NUMBER(struct fetch, number),
	STATE_OP(struct fetch, read),
	{ 0 },
};

const struct state_row fetches_state[] = {
	STATE_ENDED(fetches_end),
	STATE_OF_RUN,
	STATE_POOL(struct fetches, pool, fetches_row_state),
	STATE_NUMBER(struct fetches, due),
	STATE_RESTORED(fetches_index),
	STATE_REBUILT(index),
	{ 0 },
};
