/*
 * An LRU stack of numbered elements. An element can be inserted at the top, or one or two thirds of the way
 * down (S-FTL's second chances), in constant time: the stack consists of three rings that always hold a third
 * of the elements each, rounded down from the top.
 */
#ifndef FTL_DEMAND_STACK_H
#define FTL_DEMAND_STACK_H

#include "base/list.h"
#include "base/state.h"

struct stack_link {
	struct link link;
	uint32_t third; /* its ring */
};

struct stack {
	struct stack_link *thing; /* the elements, followed by the heads of the rings */
	uint32_t things, count[3];
};

void stack_init(struct stack *, uint32_t things);
void stack_release(struct stack *);

/* Inserts an element below third/3 of the others, rounded down: 0 is the top. */
void stack_put(struct stack *, uint32_t thing, uint32_t third);

void stack_take(struct stack *, uint32_t thing);

static inline uint32_t stack_count(const struct stack *s)
{
	return s->count[0] + s->count[1] + s->count[2];
}

/* The element at the bottom; the stack is not empty. */
static inline uint32_t stack_bottom(const struct stack *s)
{
	return s->thing[s->things + 2].link.previous;
}

extern const struct state_row stack_state[];

/* Aborts unless each third has its size and order. */
void stack_check(const struct stack *);

#endif
