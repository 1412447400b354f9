/*
 * Calls that always return.  A bug ends a program, and so does a lack of memory (base/fault.h,
 * base/memory.h).  Under a guard they end only the call, and a text gives the cause.  The guard lists all
 * memory allocated under it, which can then be freed as a whole.  Calls of the library run under a guard.
 *
 * Guards nest; each thread has its own.
 */
#ifndef BASE_GUARD_H
#define BASE_GUARD_H

#include "base/fault.h"
#include "base/memory.h"

#include <setjmp.h>

enum guard_end { GUARD_DONE, GUARD_BUG, GUARD_NO_MEMORY };

/* Zeroed before its first call.  It may guard several calls, one after another: what one allocates, the next
 * may free. */
struct guard {
	struct memory_list memory; /* allocated under it and not freed */
	bool aborts;               /* a bug ends the program, as without a guard */
	struct fault fault;        /* why the call did not return by itself */
	const char *file;          /* of a bug: where it was found */
	int line;
	/* private */
	struct guard *outer;
	jmp_buf back;
};

/* Makes the call.  Unless it returns GUARD_DONE, memory allocated under the guard may be in any state and
 * must be freed with memory_list_free(). */
enum guard_end guard_call(struct guard *, void (*call)(void *context), void *context);

/* The innermost guard of this thread, or NULL. */
struct guard *guard_present(void);

/* For an FTL in a shared object (base/toolbox.h): guard_here() is where this copy of the functions keeps the
 * present guard of a thread; guard_share() makes this copy use that of the program instead. */
struct guard **guard_here(void);
void guard_share(struct guard **(*of_program)(void));

/* Ends the call that the present guard guards. */
void guard_end(enum guard_end) __attribute__((noreturn));

#endif
