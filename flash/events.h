/*
 * What happens on the medium, event by event, for those who look on (observe/): the judge of time, the
 * accounts of latencies and the tracer.  The schedule emits each event in one place; the table below says who
 * listens to it, and events.c passes it on.  An event to which nobody listens costs a branch.  Internal to
 * flash/.
 */
#ifndef FLASH_EVENTS_H
#define FLASH_EVENTS_H

#include "flash/schedule_inside.h"

enum { TO_JUDGE = 1, TO_ACCOUNTS = 2, TO_TRACER = 4, TO_ALL = 7 };

/* Defines the function `name` for the schedule to call, and declares the one of events.c behind it,
 * name_observed. */
#define EVENT(name, listeners, parameters, arguments)                                                        \
	__attribute__((noinline)) void name##_observed parameters;                                           \
	static inline void name parameters                                                                   \
	{                                                                                                    \
		if (__builtin_expect(s->observers & (listeners), 0))                                         \
			name##_observed arguments;                                                           \
	}

/* ---- requests ---- */

EVENT(event_begun, TO_JUDGE, (const struct schedule *s, uint32_t ticket), (s, ticket))
EVENT(event_submitted, TO_JUDGE | TO_ACCOUNTS, (const struct schedule *s, const struct io *io, tick_t delay),
	(s, io, delay))
EVENT(event_completed, TO_JUDGE, (const struct schedule *s, uint32_t ticket), (s, ticket))
EVENT(event_drained, TO_JUDGE, (const struct schedule *s), (s))

/* ---- operations, by index ---- */

EVENT(event_made, TO_ALL, (const struct schedule *s, const struct io *io, uint32_t op), (s, io, op))
EVENT(event_waits, TO_JUDGE | TO_TRACER, (const struct schedule *s, uint32_t op, uint32_t other),
	(s, op, other))

/* A program, copy or erase is in its block's ring: perhaps behind an erase that it waits for. */
EVENT(event_ordered, TO_TRACER, (const struct schedule *s, uint32_t op), (s, op))
EVENT(event_forwarded, TO_TRACER, (const struct schedule *s, uint32_t read, uint32_t program),
	(s, read, program))
EVENT(event_released, TO_ACCOUNTS, (const struct schedule *s, uint32_t op, uint32_t ticket), (s, op, ticket))

/* One dependency less: on the operation `by`, which is done; INDEX_NONE: on something else. */
EVENT(event_unblocked, TO_ACCOUNTS, (const struct schedule *s, uint32_t op, uint32_t by), (s, op, by))
EVENT(event_reads_at, TO_JUDGE, (const struct schedule *s, uint32_t op, ppn_t source), (s, op, source))
EVENT(event_ready, TO_ACCOUNTS | TO_TRACER, (const struct schedule *s, uint32_t op), (s, op))
EVENT(event_done, TO_JUDGE | TO_TRACER, (const struct schedule *s, uint32_t op), (s, op))

/* The part of its request that the operation is has ended; what waited for the operation goes on already. */
EVENT(event_finished, TO_ACCOUNTS, (const struct schedule *s, uint32_t op), (s, op))

/* ---- units and their commands ---- */

EVENT(event_started, TO_ALL, (const struct schedule *s, uint32_t unit), (s, unit))

/* The command takes the bus, or its cells begin, for `ns`; leaves the bus, or its cells end. */
EVENT(event_busy, TO_JUDGE | TO_TRACER, (const struct schedule *s, uint32_t unit, bool bus, uint64_t ns),
	(s, unit, bus, ns))
EVENT(event_free, TO_JUDGE | TO_ACCOUNTS, (const struct schedule *s, uint32_t unit, bool bus), (s, unit, bus))

/* Its cells end before their time: the unit still has the command. */
EVENT(event_suspended, TO_ALL, (const struct schedule *s, uint32_t unit), (s, unit))
EVENT(event_resumed, TO_JUDGE | TO_ACCOUNTS, (const struct schedule *s, uint32_t unit), (s, unit))

/* The unit has finished its command, or has stopped it. */
EVENT(event_rests, TO_ACCOUNTS, (const struct schedule *s, uint32_t unit), (s, unit))

#endif
