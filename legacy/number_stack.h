/*
 * A stack of numbers that are almost always small: one byte each below 255, nine beyond.
 * Used for collections waiting for a chip, of which there can be millions (Q33).
 */
#ifndef LEGACY_NUMBER_STACK_H
#define LEGACY_NUMBER_STACK_H

#include "base/memory.h"

#include <stdint.h>
#include <string.h>

struct number_stack {
	uint8_t *bytes;
	uint32_t count, room; /* bytes */
};

/* Read from the top: a byte below 255 is the number, 255 announces eight bytes below it. */
static inline void number_push(struct number_stack *s, uint64_t number)
{
	s->bytes = (uint8_t *)memory_grown(s->bytes, &s->room, s->count + 9, 1, "waiting collections");
	if (number < 255) {
		s->bytes[s->count++] = (uint8_t)number;
		return;
	}
	memcpy(s->bytes + s->count, &number, 8);
	s->count += 8;
	s->bytes[s->count++] = 255;
}

/* The stack must not be empty. */
static inline uint64_t number_pop(struct number_stack *s)
{
	uint64_t number = s->bytes[--s->count];

	if (number == 255) {
		s->count -= 8;
		memcpy(&number, s->bytes + s->count, 8);
	}
	return number;
}

#endif
