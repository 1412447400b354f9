#include "base/guard.h"

/* The only state outside a struct here: bugs are found where nobody knows who called. */
static _Thread_local struct guard *present;

struct guard *guard_present(void)
{
	return present;
}

enum guard_end guard_call(struct guard *guard, void (*call)(void *context), void *context)
{
	enum guard_end end;

	guard->outer = present;
	present = guard;
	end = (enum guard_end)setjmp(guard->back);
	if (end == GUARD_DONE)
		call(context);
	present = guard->outer;
	return end;
}

void guard_leave_memory(struct guard *guard)
{
	if (present)
		memory_list_join(&present->memory, &guard->memory);
}

void guard_end(enum guard_end end)
{
	longjmp(present->back, (int)end);
}
