/*
 * Work on a second core, beside the caller's.  Neither touches what the other writes before beside_end(), so that it
 * makes no difference to any result whether there is a second core, or when it comes to it; where no thread can be had
 * the work is done at once.
 *
 * The thread is made at the first start and waits for more until it is freed: a thread made for each piece begins on
 * the core of who made it, and short work is done before it is moved.  It takes no signals.  A process that forks has
 * freed it before, or its child leaves the struct alone: there is no thread in the child.
 */
#ifndef BASE_BESIDE_H
#define BASE_BESIDE_H

#include <pthread.h>
#include <stdbool.h>

/* All zeros is one without a thread.  It stays where it is until it is freed. */
struct beside {
	void (*work)(void *context); /* NULL: the thread ends */
	void *context;
	bool lives; /* there is a thread */
	bool busy;  /* what was handed to it is not done */
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t changed; /* `busy`, for which only one of the two can wait */
};

/* Starts the work; the context stays as it is until beside_end(), which comes before the next start. */
void beside_start(struct beside *, void (*work)(void *context), void *context);

/* What was started is not done yet: the caller may go on with more of it, if that touches nothing else. */
bool beside_busy(struct beside *);

/* The work is done, or none was started since the last time. */
void beside_end(struct beside *);

/* The work is done and the thread is gone; the next start makes another. */
void beside_free(struct beside *);

#endif
