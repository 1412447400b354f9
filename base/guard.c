#include "base/guard.h"

/* Outside a struct, because BUG() gets no context that could hold the guard. */
static _Thread_local struct guard *present;

struct guard **guard_here(void)
{
	return &present;
}

/* An FTL in a shared object has a copy of this file and uses the guards of the program that loads it. */
static struct guard **(*place)(void) = guard_here;

void guard_share(struct guard **(*of_program)(void))
{
	place = of_program;
}

struct guard *guard_present(void)
{
	return *place();
}

enum guard_end guard_call(struct guard *guard, void (*call)(void *context), void *context)
{
	struct guard **at = place();
	enum guard_end end;

	guard->outer = *at;
	*at = guard;
	end = (enum guard_end)setjmp(guard->back);
	if (end == GUARD_DONE)
		call(context);
	*place() = guard->outer;
	return end;
}

void guard_end(enum guard_end end)
{
	longjmp(guard_present()->back, (int)end);
}
