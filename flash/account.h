/*
 * Where the time of a request goes, from entering the drive to the end of its last operation.
 *
 * The operation that ends last ends the request; it became ready when the last of what it waited for was done, and so
 * on back to when the request's operations were released.  Every ns of this path belongs to one part:
 *
 *	controller   until they were released: look-ups, DRAM, data of a write on the host's link
 *	collection   ready, while the die worked for collection or wear levelling; or waiting for such an operation
 *	die          ready, while the die did anything else; interrupted by a read; waiting for an operation of
 *	             another request
 *	bus          given to the die: waiting for the bus and using it
 *	cells        the cells work, for the whole command it is part of
 *	map          all of this but collection, of operations on mapping pages
 *
 * So the parts add up to the time, whatever happens.  A schedule without accounts pays a branch.
 */
#ifndef FLASH_ACCOUNT_H
#define FLASH_ACCOUNT_H

#include "base/regions.h"
#include "types.h"

enum part { PART_CONTROLLER, PART_MAP, PART_DIE, PART_COLLECTION, PART_BUS, PART_CELLS, PARTS };

struct account {
	tick_t until; /* the time accounted for */
	uint64_t ns[PARTS];
};

struct accounts;

struct accounts *accounts_create(uint32_t units);
void accounts_free(struct accounts *);

/* For the schedule: operations, tickets and units by their numbers. */
void account_made(struct accounts *, uint32_t op, bool map);
void account_submitted(struct accounts *, uint32_t ticket, tick_t now, tick_t delay);
void account_released(struct accounts *, uint32_t op, uint32_t ticket);
/* What it waits for no longer holds it up: `by` of the same request, whose path it continues; or one that is not. */
void account_continued(struct accounts *, uint32_t op, uint32_t by);
void account_waited(struct accounts *, uint32_t op, bool collection, tick_t now);
void account_ready(struct accounts *, uint32_t op, uint32_t unit, tick_t now);
void account_started(struct accounts *, uint32_t op, uint32_t unit, tick_t now);
void account_passed(struct accounts *, uint32_t op, enum part, tick_t now);
void account_finished(struct accounts *, uint32_t op, uint32_t ticket);
/* From now on the unit works for collection or wear levelling, or not. */
void account_unit(struct accounts *, uint32_t unit, bool collects, tick_t now);

/* Of so many operations, tickets and units. */
void accounts_regions(struct accounts *, uint32_t ops, uint32_t tickets, uint32_t units, struct regions *);

/* Do an operation and its request account for the time since the same moment? */
bool accounts_agree(const struct accounts *, uint32_t op, uint32_t ticket);

/* Of a request that has completed, until its ticket is given to another. */
const struct account *account_of(const struct accounts *, uint32_t ticket);

#endif
