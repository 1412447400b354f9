#include "observe/accounts.h"

#include "base/fault.h"
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
	struct flash_observer observer;
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

static struct op_account *accounts_at(const struct accounts *a, op_t op)
{
	return &a->op[(uint32_t)op - 1];
}

static void accounts_add(struct op_account *op, enum part part, uint64_t ns)
{
	op->account.ns[op->map && part != PART_COLLECTION ? PART_MAP : part] += ns;
	op->account.until += ns;
}

static void accounts_open(struct accounts *a, op_t op, enum cause cause)
{
	uint32_t slot = (uint32_t)op - 1;

	a->op = memory_grown(a->op, &a->op_room, slot + 1, sizeof *a->op, "accounts");
	a->ops = slot < a->ops ? a->ops : slot + 1;
	a->op[slot] = (struct op_account){ .map = cause == CAUSE_MAP };
}

static void accounts_made(void *accounts, const struct made_op *made)
{
	accounts_open(accounts, made->op, made->cause);
}

static void accounts_pass_made(void *accounts, op_t op, enum cause cause)
{
	accounts_open(accounts, op, cause);
}

static void accounts_submitted(void *accounts, uint32_t ticket, uint64_t look_ups, tick_t now)
{
	struct accounts *a = accounts;

	(void)look_ups;
	a->ticket = memory_grown(a->ticket, &a->ticket_room, ticket + 1, sizeof *a->ticket, "accounts");
	a->tickets = ticket < a->tickets ? a->tickets : ticket + 1;
	a->ticket[ticket] = (struct account){ .until = now };
}

static void accounts_delayed(void *accounts, uint32_t ticket, tick_t until)
{
	struct account *account = &((struct accounts *)accounts)->ticket[ticket];

	account->ns[PART_CONTROLLER] = until - account->until;
	account->until = until;
}

static void accounts_released(void *accounts, op_t op, uint32_t ticket, tick_t now)
{
	struct accounts *a = accounts;
	struct account background = { .until = now };

	accounts_at(a, op)->account = ticket == INDEX_NONE ? background : a->ticket[ticket];
}

/* The critical path of the request goes on with `op`. */
static void accounts_continued(void *accounts, op_t op, op_t by)
{
	accounts_at(accounts, op)->account = accounts_at(accounts, by)->account;
}

static void accounts_waited(void *accounts, op_t op, bool for_background, tick_t now)
{
	struct op_account *o = accounts_at(accounts, op);

	accounts_add(o, for_background ? PART_COLLECTION : PART_DIE, now - o->account.until);
}

static uint64_t accounts_background_ns(const struct unit_account *u, tick_t now)
{
	return u->background + (u->works ? now - u->since : 0);
}

static void accounts_ready(void *accounts, op_t op, uint32_t unit, tick_t now)
{
	struct accounts *a = accounts;

	accounts_at(a, op)->background = accounts_background_ns(&a->unit[unit], now);
}

static void accounts_started(void *accounts, op_t op, uint32_t unit, tick_t now)
{
	struct accounts *a = accounts;
	struct op_account *o = accounts_at(a, op);

	accounts_add(o, PART_COLLECTION, accounts_background_ns(&a->unit[unit], now) - o->background);
	accounts_add(o, PART_DIE, now - o->account.until);
}

static void accounts_spent(void *accounts, op_t op, enum part part, tick_t now)
{
	struct op_account *o = accounts_at(accounts, op);

	accounts_add(o, part, now - o->account.until);
}

static void accounts_finished(void *accounts, op_t op, uint32_t ticket)
{
	struct accounts *a = accounts;

	a->ticket[ticket] = accounts_at(a, op)->account;
}

static void accounts_turns(void *accounts, uint32_t unit, bool to_background, tick_t now)
{
	struct unit_account *u = &((struct accounts *)accounts)->unit[unit];

	u->background = accounts_background_ns(u, now);
	u->since = now;
	u->works = to_background;
}

const struct account *accounts_of(const struct accounts *a, uint32_t ticket)
{
	return &a->ticket[ticket];
}

struct flash_observer *accounts_observer(struct accounts *a)
{
	static const struct flash_hears hears = { .made = accounts_made,
		.pass_made = accounts_pass_made,
		.submitted = accounts_submitted,
		.delayed = accounts_delayed,
		.released = accounts_released,
		.continued = accounts_continued,
		.waited = accounts_waited,
		.ready = accounts_ready,
		.waits_again = accounts_ready,
		.started = accounts_started,
		.begins_again = accounts_started,
		.spent = accounts_spent,
		.finished = accounts_finished,
		.turns = accounts_turns };

	a->observer = (struct flash_observer){ .hears = &hears, .context = a };
	return &a->observer;
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
	STATE_FIXED(observer),
	STATE_GROWN(struct accounts, op, ops, op_room, op_account_state),
	STATE_GROWN(struct accounts, ticket, tickets, ticket_room, account_state),
	STATE_ARRAY(struct accounts, unit, unit_account_state),
	{ 0 },
};
