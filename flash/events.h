/*
 * The events of the medium, for observers (observe/): the judge of time, the accounts of latencies and the
 * tracer.  The schedule emits each event in one place; the table below lists the listeners of each event, and
 * events.c calls them.  Without listeners an event costs one branch.  Internal to flash/.
 */
#ifndef FLASH_EVENTS_H
#define FLASH_EVENTS_H

#include "flash/schedule_inside.h"

enum { TO_JUDGE = 1, TO_ACCOUNTS = 2, TO_TRACER = 4, TO_ALL = 7 };

/* The tracers of a schedule, one after the other. */
#define EACH_TRACER(t, s) for (struct tracer *t = (s)->tracer; t; t = t->next)

/* Defines the function `name`, which the schedule calls, and declares name_observed() of events.c. */
#define EVENT(name, listeners, parameters, arguments)                                                        \
	__attribute__((noinline)) void name##_observed parameters;                                           \
	static inline void name parameters                                                                   \
	{                                                                                                    \
		if (__builtin_expect(s->observers & (listeners), 0))                                         \
			name##_observed arguments;                                                           \
	}

/* ---- requests ---- */

EVENT(event_begun, TO_JUDGE, (const struct schedule *s, uint32_t ticket), (s, ticket))

/* The ticket is of background work, before which the drive must have been idle for idle_ns. */
EVENT(event_works, TO_JUDGE, (const struct schedule *s, uint32_t ticket, uint64_t idle_ns),
	(s, ticket, idle_ns))
/* What must be in flash when the request completes: its own data; all data written before it. */
EVENT(event_durable, TO_JUDGE, (const struct schedule *s, uint32_t ticket), (s, ticket))
EVENT(event_flushes, TO_JUDGE, (const struct schedule *s, uint32_t ticket), (s, ticket))
EVENT(event_submitted, TO_JUDGE | TO_ACCOUNTS, (const struct schedule *s, const struct io *io, tick_t delay),
	(s, io, delay))
EVENT(event_completed, TO_JUDGE, (const struct schedule *s, uint32_t ticket), (s, ticket))
EVENT(event_drained, TO_JUDGE, (const struct schedule *s), (s))

/* ---- operations, by index ---- */

EVENT(event_made, TO_ALL, (const struct schedule *s, const struct io *io, uint32_t op), (s, io, op))
EVENT(event_waits, TO_JUDGE | TO_TRACER, (const struct schedule *s, uint32_t op, uint32_t other),
	(s, op, other))

/* A program, copy or erase is in the ring of its block, perhaps after an erase that it waits for. */
EVENT(event_ordered, TO_TRACER, (const struct schedule *s, uint32_t op), (s, op))
EVENT(event_forwarded, TO_TRACER, (const struct schedule *s, uint32_t read, uint32_t program),
	(s, read, program))
EVENT(event_released, TO_ACCOUNTS, (const struct schedule *s, uint32_t op, uint32_t ticket), (s, op, ticket))

/* The operation loses a dependency: the one on operation `by`, which is done; INDEX_NONE: another kind. */
EVENT(event_unblocked, TO_ACCOUNTS, (const struct schedule *s, uint32_t op, uint32_t by), (s, op, by))
/* The read, or the read of the copy, will fail as often as the operation's `retries` say. */
EVENT(event_repeated, TO_JUDGE, (const struct schedule *s, uint32_t op), (s, op))
EVENT(event_reads_at, TO_JUDGE, (const struct schedule *s, uint32_t op, ppn_t source), (s, op, source))
EVENT(event_ready, TO_ACCOUNTS | TO_TRACER, (const struct schedule *s, uint32_t op), (s, op))

/* There is room in memory for the page of a program, which may have other dependencies. */
EVENT(event_entered_memory, TO_ALL, (const struct schedule *s, uint32_t op), (s, op))

/* A pass of a wordline; its time goes to the accounts of its programs. */
EVENT(event_pass_made, TO_ACCOUNTS, (const struct schedule *s, uint32_t op), (s, op))

/* The program is ready and so are all others of its wordline. */
EVENT(event_joined, TO_ACCOUNTS, (const struct schedule *s, uint32_t op), (s, op))

/* The first of two passes has programmed the page. */
EVENT(event_passed, TO_JUDGE | TO_ACCOUNTS, (const struct schedule *s, uint32_t op), (s, op))
EVENT(event_done, TO_JUDGE | TO_TRACER, (const struct schedule *s, uint32_t op), (s, op))

/* The request no longer waits for the operation; its dependents have been released already. */
EVENT(event_finished, TO_ACCOUNTS, (const struct schedule *s, uint32_t op), (s, op))

/* ---- units and their commands: of a die, or of its cache register ---- */

EVENT(event_started, TO_ALL, (const struct schedule *s, uint32_t unit), (s, unit))

/* The command begins to use the bus, or the cells, for `ns`; it has finished using them. */
EVENT(event_busy, TO_JUDGE | TO_TRACER, (const struct schedule *s, uint32_t unit, bool bus, uint64_t ns),
	(s, unit, bus, ns))
EVENT(event_free, TO_JUDGE | TO_ACCOUNTS, (const struct schedule *s, uint32_t unit, bool bus), (s, unit, bus))

/* The cells stop before their time; the unit still has the command. */
EVENT(event_suspended, TO_ALL, (const struct schedule *s, uint32_t unit), (s, unit))
EVENT(event_resumed, TO_JUDGE | TO_ACCOUNTS, (const struct schedule *s, uint32_t unit), (s, unit))

/* The cache register is taken by a command; is empty again; holds all data of a program. */
EVENT(event_filled, TO_TRACER, (const struct schedule *s, uint32_t unit), (s, unit))
EVENT(event_emptied, TO_TRACER, (const struct schedule *s, uint32_t unit), (s, unit))
EVENT(event_loaded, TO_ACCOUNTS, (const struct schedule *s, uint32_t unit), (s, unit))

/* The program that was in the cache register is now the command of the die. */
EVENT(event_moved, TO_ACCOUNTS, (const struct schedule *s, uint32_t unit), (s, unit))

/* The data of a sense has been found wrong: the unit begins its command again. */
EVENT(event_senses_again, TO_JUDGE | TO_ACCOUNTS, (const struct schedule *s, uint32_t unit), (s, unit))

/* The unit has finished its command, or has stopped it for a read. */
EVENT(event_rests, TO_ACCOUNTS, (const struct schedule *s, uint32_t unit), (s, unit))

#endif
