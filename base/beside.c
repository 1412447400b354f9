#include "base/beside.h"

#include <stddef.h>

static void *run(void *beside)
{
	struct beside *b = beside;

	b->work(b->context);
	return NULL;
}

void beside_start(struct beside *b, void (*work)(void *context), void *context)
{
	b->work = work;
	b->context = context;
	b->apart = !pthread_create(&b->thread, NULL, run, b);
	if (!b->apart)
		run(b);
}

void beside_end(struct beside *b)
{
	if (b->apart)
		pthread_join(b->thread, NULL);
	b->apart = false;
}
