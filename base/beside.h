/*
 * Work on a second core, beside the caller's.  Neither touches what the other writes before beside_end(), so that it
 * makes no difference to any result whether there is a second core, or when it comes to it; where no thread can be had
 * the work is done at once.  None is under way when the process forks.
 */
#ifndef BASE_BESIDE_H
#define BASE_BESIDE_H

#include <pthread.h>
#include <stdbool.h>

struct beside {
	void (*work)(void *context);
	void *context;
	pthread_t thread;
	bool apart; /* a thread does it */
};

/* Starts the work; the struct stays where it is, and the context as it is, until beside_end(), which must follow. */
void beside_start(struct beside *, void (*work)(void *context), void *context);

/* The work is done, or none was started since the last time; all zeros is none. */
void beside_end(struct beside *);

#endif
