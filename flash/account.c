#include "flash/account.h"

#include "base/memory.h"

struct op_account {
	struct account account;
	uint64_t collected; /* of its unit, when it became ready */
	bool map;
};

struct unit_account {
	uint64_t collected; /* ns, up to `since` */
	tick_t since;
	bool collects;
};

struct accounts {
	struct op_account *op;
	struct account *ticket;
	struct unit_account *unit;
	uint32_t op_room, ticket_room;
};

struct accounts *accounts_create(uint32_t units)
{
	struct accounts *a = memory_array(1, sizeof *a, "accounts");

	a->unit = memory_array(units, sizeof *a->unit, "accounts");
	return a;
}

void accounts_free(struct accounts *a)
{
	if (!a)
		return;
	memory_free(a->op);
	memory_free(a->ticket);
	memory_free(a->unit);
	memory_free(a);
}

static void add(struct op_account *op, enum part part, uint64_t ns)
{
	op->account.ns[op->map && part != PART_COLLECTION ? PART_MAP : part] += ns;
	op->account.until += ns;
}

void account_made(struct accounts *a, uint32_t op, bool map)
{
	a->op = memory_grown(a->op, &a->op_room, op + 1, sizeof *a->op, "accounts");
	a->op[op] = (struct op_account){ .map = map };
}

void account_submitted(struct accounts *a, uint32_t ticket, tick_t now, tick_t delay)
{
	a->ticket = memory_grown(a->ticket, &a->ticket_room, ticket + 1, sizeof *a->ticket, "accounts");
	a->ticket[ticket] = (struct account){ now + delay, { [PART_CONTROLLER] = delay } };
}

void account_released(struct accounts *a, uint32_t op, uint32_t ticket)
{
	a->op[op].account = a->ticket[ticket];
}

void account_continued(struct accounts *a, uint32_t op, uint32_t by)
{
	a->op[op].account = a->op[by].account;
}

void account_waited(struct accounts *a, uint32_t op, bool collection, tick_t now)
{
	add(&a->op[op], collection ? PART_COLLECTION : PART_DIE, now - a->op[op].account.until);
}

static uint64_t collected(const struct unit_account *u, tick_t now)
{
	return u->collected + (u->collects ? now - u->since : 0);
}

void account_ready(struct accounts *a, uint32_t op, uint32_t unit, tick_t now)
{
	a->op[op].collected = collected(&a->unit[unit], now);
}

void account_started(struct accounts *a, uint32_t op, uint32_t unit, tick_t now)
{
	struct op_account *o = &a->op[op];

	add(o, PART_COLLECTION, collected(&a->unit[unit], now) - o->collected);
	add(o, PART_DIE, now - o->account.until);
}

void account_passed(struct accounts *a, uint32_t op, enum part part, tick_t now)
{
	add(&a->op[op], part, now - a->op[op].account.until);
}

void account_finished(struct accounts *a, uint32_t op, uint32_t ticket)
{
	a->ticket[ticket] = a->op[op].account;
}

void account_unit(struct accounts *a, uint32_t unit, bool collects, tick_t now)
{
	struct unit_account *u = &a->unit[unit];

	u->collected = collected(u, now);
	u->since = now;
	u->collects = collects;
}

const struct account *account_of(const struct accounts *a, uint32_t ticket)
{
	return &a->ticket[ticket];
}

static tick_t since(const struct account *a)
{
	tick_t since = a->until;

	for (int part = 0; part < PARTS; part++)
		since -= a->ns[part];
	return since;
}

bool accounts_agree(const struct accounts *a, uint32_t op, uint32_t ticket)
{
	return since(&a->op[op].account) == since(&a->ticket[ticket]);
}

void accounts_regions(struct accounts *a, uint32_t ops, uint32_t tickets, uint32_t units, struct regions *r)
{
	a->op = memory_grown(a->op, &a->op_room, ops, sizeof *a->op, "accounts");
	a->ticket = memory_grown(a->ticket, &a->ticket_room, tickets, sizeof *a->ticket, "accounts");
	regions_visit(r, a->op, ops * sizeof *a->op);
	regions_below(r, NUMBERS_OF(a->op, map), ops, 2, "accounts");
	regions_visit(r, a->ticket, tickets * sizeof *a->ticket);
	regions_visit(r, a->unit, units * sizeof *a->unit);
	regions_below(r, NUMBERS_OF(a->unit, collects), units, 2, "accounts");
}
