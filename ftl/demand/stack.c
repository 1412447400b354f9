#include "ftl/demand/stack.h"

#include "base/memory.h"

#define LINKS(s) ARRAY_FIELD((s)->thing, link)

void stack_init(struct stack *s, uint32_t things)
{
	*s = (struct stack){ .things = things };
	s->thing = memory_array((size_t)things + 3, sizeof *s->thing, "LRU stack");
	for (uint32_t third = 0; third < 3; third++)
		list_init(LINKS(s), things + third);
}

void stack_release(struct stack *s)
{
	memory_free(s->thing);
}

static void stack_leave(struct stack *s, uint32_t i)
{
	list_remove(LINKS(s), i);
	s->count[s->thing[i].third]--;
}

static void stack_enter(struct stack *s, uint32_t i, uint32_t third, bool above)
{
	s->thing[i].third = third;
	s->count[third]++;
	if (above)
		list_prepend(LINKS(s), s->things + third, i);
	else
		list_append(LINKS(s), s->things + third, i);
}

/* Moves the top element of a third to the bottom of the third above. */
static void stack_rise(struct stack *s, uint32_t third)
{
	uint32_t i = list_next(LINKS(s), s->things + third);

	stack_leave(s, i);
	stack_enter(s, i, third - 1, false);
}

static void stack_sink(struct stack *s, uint32_t third)
{
	uint32_t i = list_previous(LINKS(s), s->things + third);

	stack_leave(s, i);
	stack_enter(s, i, third + 1, true);
}

static void stack_balance(struct stack *s)
{
	uint64_t n = stack_count(s), one = n / 3, two = 2 * n / 3;

	while (s->count[0] + s->count[1] < two)
		stack_rise(s, 2);
	while (s->count[0] < one)
		stack_rise(s, 1);
	while (s->count[0] > one)
		stack_sink(s, 0);
	while (s->count[0] + s->count[1] > two)
		stack_sink(s, 1);
}

void stack_put(struct stack *s, uint32_t thing, uint32_t third)
{
	stack_enter(s, thing, third, true);
	stack_balance(s);
}

void stack_take(struct stack *s, uint32_t thing)
{
	stack_leave(s, thing);
	stack_balance(s);
}

static const struct state_row stack_link_state[] = {
	STATE_NUMBER(struct stack_link, link),
	STATE_NUMBER(struct stack_link, third),
	{ 0 },
};

const struct state_row stack_state[] = {
	STATE_FIXED(things),
	STATE_ARRAY(struct stack, thing, stack_link_state),
	STATE_NUMBER(struct stack, count),
	{ 0 },
};

void stack_check(const struct stack *s)
{
	uint32_t above = 0;

	for (uint32_t third = 0; third < 3; third++) {
		uint32_t head = s->things + third;

		BUG_ON(list_length(LINKS(s), head, s->things) != s->count[third],
			"third %u of a stack has %u things, counted are %u", third,
			list_length(LINKS(s), head, s->things), s->count[third]);
		for (uint32_t i = list_next(LINKS(s), head); i != head; i = list_next(LINKS(s), i))
			BUG_ON(i >= s->things || s->thing[i].third != third,
				"%u is in third %u, said to be in %u", i, third, s->thing[i].third);
		above += s->count[third];
		BUG_ON(above != (uint64_t)(third + 1) * stack_count(s) / 3, "%u of %u are above yardstick %u",
			above, stack_count(s), third + 1);
	}
}
