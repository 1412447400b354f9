#include "observe/accounts.h"

#include "base/memory.h"

struct op_account {
	struct account account;
	uint64_t background; /* ns of background work of its unit, when it became ready */
	bool map;
};

struct unit_account {
	uint64_t background; /* ns of background work until `since` */
	tick_t since;
	bool works; /* it has been doing background work since then */
};

struct accounts {
	struct op_account *op;
	struct account *ticket;
	struct unit_account *unit;
	uint32_t ops, tickets; /* slots in use so far */
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

static void accounts_add(struct op_account *op, enum part part, uint64_t ns)
{
	op->account.ns[op->map && part != PART_COLLECTION ? PART_MAP : part] += ns;
	op->account.until += ns;
}

void accounts_made(struct accounts *a, uint32_t op, enum cause cause)
{
	a->op = memory_grown(a->op, &a->op_room, op + 1, sizeof *a->op, "accounts");
	a->ops = op < a->ops ? a->ops : op + 1;
	a->op[op] = (struct op_account){ .map = cause == CAUSE_MAP };
}

void accounts_submitted(struct accounts *a, uint32_t ticket, tick_t now, tick_t delay)
{
	a->ticket = memory_grown(a->ticket, &a->ticket_room, ticket + 1, sizeof *a->ticket, "accounts");
	a->tickets = ticket < a->tickets ? a->tickets : ticket + 1;
	a->ticket[ticket] = (struct account){ now + delay, { [PART_CONTROLLER] = delay } };
}

void accounts_released(struct accounts *a, uint32_t op, uint32_t ticket, tick_t now)
{
	struct account background = { .until = now };

	a->op[op].account = ticket == INDEX_NONE ? background : a->ticket[ticket];
}

void accounts_continued(struct accounts *a, uint32_t op, uint32_t by)
{
	a->op[op].account = a->op[by].account;
}

void accounts_waited(struct accounts *a, uint32_t op, bool for_background, tick_t now)
{
	accounts_add(&a->op[op], for_background ? PART_COLLECTION : PART_DIE, now - a->op[op].account.until);
}

static uint64_t accounts_background_ns(const struct unit_account *u, tick_t now)
{
	return u->background + (u->works ? now - u->since : 0);
}

void accounts_ready(struct accounts *a, uint32_t op, uint32_t unit, tick_t now)
{
	a->op[op].background = accounts_background_ns(&a->unit[unit], now);
}

void accounts_started(struct accounts *a, uint32_t op, uint32_t unit, tick_t now)
{
	struct op_account *o = &a->op[op];

	accounts_add(o, PART_COLLECTION, accounts_background_ns(&a->unit[unit], now) - o->background);
	accounts_add(o, PART_DIE, now - o->account.until);
}

void accounts_passed(struct accounts *a, uint32_t op, enum part part, tick_t now)
{
	accounts_add(&a->op[op], part, now - a->op[op].account.until);
}

void accounts_finished(struct accounts *a, uint32_t op, uint32_t ticket)
{
	a->ticket[ticket] = a->op[op].account;
}

void accounts_unit(struct accounts *a, uint32_t unit, bool background, tick_t now)
{
	struct unit_account *u = &a->unit[unit];

	u->background = accounts_background_ns(u, now);
	u->since = now;
	u->works = background;
}

const struct account *accounts_of(const struct accounts *a, uint32_t ticket)
{
	return &a->ticket[ticket];
}

static const struct state_row account_state[] = {
	STATE_NUMBER(struct account, until),
	STATE_NUMBER(struct account, ns),
	{ 0 },
};

static const struct state_row op_account_state[] = {
	STATE_STRUCT(struct op_account, account, account_state),
	STATE_NUMBER(struct op_account, background),
	STATE_NUMBER(struct op_account, map),
	{ 0 },
};

static const struct state_row unit_account_state[] = {
	STATE_NUMBER(struct unit_account, background),
	STATE_NUMBER(struct unit_account, since),
	STATE_NUMBER(struct unit_account, works),
	{ 0 },
};

const struct state_row accounts_state[] = {
	STATE_GROWN(struct accounts, op, ops, op_room, op_account_state),
	STATE_GROWN(struct accounts, ticket, tickets, ticket_room, account_state),
	STATE_ARRAY(struct accounts, unit, unit_account_state),
	{ 0 },
};
