#include "host/arbiter.h"

#include "base/bits.h"

void arbiter_init(
	struct arbiter *a, const struct tenants *tenants, enum arbitration arbitration, uint64_t burst)
{
	*a = (struct arbiter){
		.tenants = tenants, .arbitration = arbitration, .burst = burst, .turn = TENANT_LOW
	};
	for (uint32_t i = 0; i < tenants->count; i++)
		a->members[arbitration == ARBITRATION_ROUND_ROBIN ? TENANT_MEDIUM : tenants->of[i].rank] |=
			(uint64_t)1 << i;
	for (int rank = 0; rank < TENANT_CLASSES; rank++)
		a->named[rank] = TENANTS_MOST - 1;
}

static uint32_t arbiter_first_class(const struct arbiter *a, uint64_t waiting)
{
	uint32_t rank = TENANT_URGENT;

	while (!(a->members[rank] & waiting))
		rank++;
	return rank;
}

/* The class below urgent whose turn it is; the next one with commands if the turn is over. */
static uint32_t arbiter_class_in_turn(struct arbiter *a, uint64_t waiting)
{
	if (a->credit && a->members[a->turn] & waiting)
		return a->turn;
	do
		a->turn = a->turn == TENANT_LOW ? TENANT_HIGH : a->turn + 1;
	while (!(a->members[a->turn] & waiting));
	a->credit = a->tenants->weight[a->turn];
	return a->turn;
}

static void arbiter_decide(struct arbiter *a, uint64_t waiting)
{
	uint32_t rank = arbiter_first_class(a, waiting);
	uint64_t queues;

	a->left = a->burst;
	if (a->arbitration == ARBITRATION_WEIGHTED && rank != TENANT_URGENT) {
		rank = arbiter_class_in_turn(a, waiting);
		a->left = a->left < a->credit ? a->left : a->credit;
	}
	queues = a->members[rank] & waiting;
	a->tenant = bits_next_round(&queues, 1, (a->named[rank] + 1) % TENANTS_MOST);
	a->named[rank] = a->tenant;
}

uint32_t arbiter_next(struct arbiter *a, uint64_t waiting)
{
	if (!a->left || !bits_get(&waiting, a->tenant))
		arbiter_decide(a, waiting);
	a->left--;
	if (a->arbitration == ARBITRATION_WEIGHTED && a->tenants->of[a->tenant].rank != TENANT_URGENT)
		a->credit--;
	return a->tenant;
}

const struct state_row arbiter_state[] = {
	STATE_FIXED(tenants, arbitration, burst, members),
	STATE_NUMBER(struct arbiter, named),
	STATE_NUMBER(struct arbiter, tenant),
	STATE_NUMBER(struct arbiter, left),
	STATE_NUMBER(struct arbiter, turn),
	STATE_NUMBER(struct arbiter, credit),
	{ 0 },
};
