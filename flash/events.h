/*
 * The events of the medium.  The schedule emits each in one place; events.c says of it what observers hear
 * (flash/observer.h).  An event that nobody hears costs one branch.  Internal to flash/.
 */
#ifndef FLASH_EVENTS_H
#define FLASH_EVENTS_H

#include "flash/schedule_inside.h"

#include <stddef.h>

/* Calls a function of each observer; the arguments name the observer `o`. */
#define TELL(flash, function, arguments)                                                                     \
	do {                                                                                                 \
		for (const struct flash_observer *o = (flash)->observers; o; o = o->next)                    \
			if (o->hears->function)                                                              \
				o->hears->function arguments;                                                \
	} while (0)

/* The bit of a function in `heard` of the schedule. */
#define HEARD(function) ((uint64_t)1 << offsetof(struct flash_hears, function) / sizeof(void (*)(void)))

/* Defines the function `name`, which the schedule calls, and declares name_observed() of events.c, which
 * tells those that hear one of these functions. */
#define EVENT(name, functions, parameters, arguments)                                                        \
	__attribute__((noinline)) void name##_observed parameters;                                           \
	static inline void name parameters                                                                   \
	{                                                                                                    \
		if (__builtin_expect((s->heard & (functions)) != 0, 0))                                      \
			name##_observed arguments;                                                           \
	}

/* ---- requests ---- */

EVENT(event_begun, HEARD(begun), (const struct schedule *s, uint32_t ticket), (s, ticket))

/* The ticket is of background work, before which the drive must have been idle for idle_ns. */
EVENT(event_works, HEARD(works), (const struct schedule *s, uint32_t ticket, uint64_t idle_ns),
	(s, ticket, idle_ns))
/* What must be in flash when the request completes: its own data; all data written before it. */
EVENT(event_durable, HEARD(durable), (const struct schedule *s, uint32_t ticket), (s, ticket))
EVENT(event_flushes, HEARD(flushes), (const struct schedule *s, uint32_t ticket), (s, ticket))
EVENT(event_submitted, HEARD(submitted) | HEARD(delayed),
	(const struct schedule *s, const struct io *io, tick_t delay), (s, io, delay))
EVENT(event_completed, HEARD(completed), (const struct schedule *s, uint32_t ticket), (s, ticket))
EVENT(event_drained, HEARD(drained), (const struct schedule *s), (s))

/* ---- operations, by index ---- */

EVENT(event_made, HEARD(made), (const struct schedule *s, const struct io *io, uint32_t op), (s, io, op))
EVENT(event_waits, HEARD(waits), (const struct schedule *s, uint32_t op, uint32_t other), (s, op, other))

/* A program, copy or erase is in the ring of its block, perhaps after an erase that it waits for. */
EVENT(event_ordered, HEARD(follows), (const struct schedule *s, uint32_t op), (s, op))
EVENT(event_forwarded, HEARD(follows), (const struct schedule *s, uint32_t read, uint32_t program),
	(s, read, program))
EVENT(event_released, HEARD(released), (const struct schedule *s, uint32_t op, uint32_t ticket),
	(s, op, ticket))

/* The operation loses a dependency: the one on operation `by`, which is done; INDEX_NONE: another kind. */
EVENT(event_unblocked, HEARD(continued) | HEARD(waited), (const struct schedule *s, uint32_t op, uint32_t by),
	(s, op, by))
/* The read, or the read of the copy, will fail as often as the operation's `retries` say. */
EVENT(event_repeated, HEARD(repeated), (const struct schedule *s, uint32_t op), (s, op))
EVENT(event_reads_at, HEARD(reads_at), (const struct schedule *s, uint32_t op, ppn_t source), (s, op, source))
EVENT(event_ready, HEARD(ready), (const struct schedule *s, uint32_t op), (s, op))

/* There is room in memory for the page of a program, which may have other dependencies. */
EVENT(event_entered_memory, HEARD(waited) | HEARD(finished) | HEARD(left) | HEARD(has_room),
	(const struct schedule *s, uint32_t op), (s, op))

/* A pass of a wordline; its time goes to the accounts of its programs. */
EVENT(event_pass_made, HEARD(pass_made), (const struct schedule *s, uint32_t op), (s, op))

/* The program is ready and so are all others of its wordline. */
EVENT(event_joined, HEARD(waited) | HEARD(waits_again), (const struct schedule *s, uint32_t op), (s, op))

/* The first of two passes has programmed the page. */
EVENT(event_passed, HEARD(passed) | HEARD(waits_again), (const struct schedule *s, uint32_t op), (s, op))
EVENT(event_done, HEARD(done), (const struct schedule *s, uint32_t op), (s, op))

/* The request no longer waits for the operation; its dependents have been released already. */
EVENT(event_finished, HEARD(finished), (const struct schedule *s, uint32_t op), (s, op))

/* ---- units and their commands: of a die, or of its cache register ---- */

EVENT(event_started, HEARD(started) | HEARD(turns), (const struct schedule *s, uint32_t unit), (s, unit))

/* The command begins to use the bus, or the cells, for `ns`; it has finished using them. */
EVENT(event_busy, HEARD(bus) | HEARD(cells) | HEARD(busy),
	(const struct schedule *s, uint32_t unit, bool bus, uint64_t ns), (s, unit, bus, ns))
EVENT(event_free, HEARD(bus) | HEARD(cells) | HEARD(spent),
	(const struct schedule *s, uint32_t unit, bool bus), (s, unit, bus))

/* The cells stop before their time; the unit still has the command. */
EVENT(event_suspended, HEARD(suspended) | HEARD(busy_until) | HEARD(spent),
	(const struct schedule *s, uint32_t unit), (s, unit))
EVENT(event_resumed, HEARD(resumed) | HEARD(turns) | HEARD(spent), (const struct schedule *s, uint32_t unit),
	(s, unit))

/* The cache register is taken by a command; is empty again; holds all data of a program. */
EVENT(event_filled, HEARD(busy), (const struct schedule *s, uint32_t unit), (s, unit))
EVENT(event_emptied, HEARD(busy_until), (const struct schedule *s, uint32_t unit), (s, unit))
EVENT(event_loaded, HEARD(waits_again), (const struct schedule *s, uint32_t unit), (s, unit))

/* The program that was in the cache register is now the command of the die. */
EVENT(event_moved, HEARD(begins_again) | HEARD(turns), (const struct schedule *s, uint32_t unit), (s, unit))

/* The data of a sense has been found wrong: the unit begins its command again. */
EVENT(event_senses_again, HEARD(senses_again) | HEARD(spent), (const struct schedule *s, uint32_t unit),
	(s, unit))

/* The unit has finished its command, or has stopped it for a read. */
EVENT(event_rests, HEARD(turns), (const struct schedule *s, uint32_t unit), (s, unit))

#endif
