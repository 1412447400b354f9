/*
 * The judge of the queues in front of a drive with several tenants.  It keeps its own record of the waiting
 * requests, and aborts if
 *
 *	a request enters the drive before it has arrived, or before an earlier one of its tenant;
 *	time passes while a request waits and the drive has a free slot.
 *
 * It does not check how the arbiter chooses the next tenant: any with a waiting request is accepted.
 */
#ifndef OBSERVE_JUDGE_QUEUES_H
#define OBSERVE_JUDGE_QUEUES_H

#include "types.h"

struct queue_judge;

/* `slots`: requests that may be in the drive; more are an error, too. */
struct queue_judge *queue_judge_create(uint32_t tenants, uint64_t slots);
void queue_judge_free(struct queue_judge *);

/* `line` identifies a request, `device` is the number of its tenant. */
void queue_judge_arrived(struct queue_judge *, const struct request *, tick_t now);
void queue_judge_entered(struct queue_judge *, const struct request *, uint64_t in_drive);
void queue_judge_time_passes(const struct queue_judge *, uint64_t in_drive);

/* The run was ended: the waiting requests will not enter. */
void queue_judge_forget(struct queue_judge *);

/* Aborts if a request waits. */
void queue_judge_end(const struct queue_judge *);

#endif
