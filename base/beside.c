#include "base/beside.h"

#include <signal.h>
#include <stddef.h>

/* Under the lock. */
static void wait_until(struct beside *b, bool busy)
{
	while (b->busy != busy)
		pthread_cond_wait(&b->changed, &b->lock);
}

/* Under the lock. */
static void become(struct beside *b, bool busy)
{
	b->busy = busy;
	pthread_cond_signal(&b->changed);
}

static void *live(void *beside)
{
	struct beside *b = beside;

	pthread_mutex_lock(&b->lock);
	for (wait_until(b, true); b->work; wait_until(b, true)) {
		pthread_mutex_unlock(&b->lock);
		b->work(b->context);
		pthread_mutex_lock(&b->lock);
		become(b, false);
	}
	pthread_mutex_unlock(&b->lock);
	return NULL;
}

/* False: no thread can be had. */
static bool begin(struct beside *b)
{
	sigset_t all, before;

	sigfillset(&all);
	b->busy = false;
	pthread_mutex_init(&b->lock, NULL);
	pthread_cond_init(&b->changed, NULL);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	b->lives = !pthread_create(&b->thread, NULL, live, b);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return b->lives;
}

static void hand_over(struct beside *b, void (*work)(void *context), void *context)
{
	pthread_mutex_lock(&b->lock);
	b->work = work;
	b->context = context;
	become(b, true);
	pthread_mutex_unlock(&b->lock);
}

void beside_start(struct beside *b, void (*work)(void *context), void *context)
{
	if (b->lives || begin(b))
		hand_over(b, work, context);
	else
		work(context);
}

bool beside_busy(struct beside *b)
{
	bool busy;

	if (!b->lives)
		return false;
	pthread_mutex_lock(&b->lock);
	busy = b->busy;
	pthread_mutex_unlock(&b->lock);
	return busy;
}

void beside_end(struct beside *b)
{
	if (!b->lives)
		return;
	pthread_mutex_lock(&b->lock);
	wait_until(b, false);
	pthread_mutex_unlock(&b->lock);
}

void beside_free(struct beside *b)
{
	if (!b->lives)
		return;
	beside_end(b);
	hand_over(b, NULL, NULL);
	pthread_join(b->thread, NULL);
	pthread_cond_destroy(&b->changed);
	pthread_mutex_destroy(&b->lock);
	b->lives = false;
}
