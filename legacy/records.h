/*
 * Large tables of (number, sector mask): the map (logical page -> physical page, sectors
 * written so far) and the spare areas (physical page -> logical page, valid sectors).
 * Numbers and masks are in separate arrays, and a mask is as wide as a page has sectors: 5 bytes a
 * record up to 8 sectors a page, 6 up to 16, 8 up to 32.
 */
#ifndef LEGACY_RECORDS_H
#define LEGACY_RECORDS_H

#include "base/memory.h"
#include "base/prefetch.h"

#include <stdint.h>
#include <string.h>

struct record {
	uint32_t number;
	uint32_t mask;
};

struct records {
	uint32_t *number;
	void *mask;
	uint32_t mask_bytes; /* 1, 2 or 4 */
};

/* Every record starts as { 0, 0 }. */
static inline struct records records_create(size_t count, uint32_t sectors_per_page, const char *what)
{
	uint32_t bytes = sectors_per_page > 16 ? 4 : sectors_per_page > 8 ? 2 : 1;

	return (struct records){ (uint32_t *)memory_array(count, sizeof(uint32_t), what),
		memory_array(count, bytes, what), bytes };
}

static inline void records_free(struct records *t)
{
	memory_free(t->number);
	memory_free(t->mask);
}

static inline struct record record_get(const struct records *t, uint32_t i)
{
	switch (t->mask_bytes) {
	case 1:
		return (struct record){ t->number[i], ((const uint8_t *)t->mask)[i] };
	case 2:
		return (struct record){ t->number[i], ((const uint16_t *)t->mask)[i] };
	default:
		return (struct record){ t->number[i], ((const uint32_t *)t->mask)[i] };
	}
}

static inline void record_set(struct records *t, uint32_t i, uint32_t number, uint32_t mask)
{
	t->number[i] = number;
	switch (t->mask_bytes) {
	case 1:
		((uint8_t *)t->mask)[i] = (uint8_t)mask;
		break;
	case 2:
		((uint16_t *)t->mask)[i] = (uint16_t)mask;
		break;
	default:
		((uint32_t *)t->mask)[i] = mask;
		break;
	}
}

/* No page: a mask of 0, whatever the number. */
static inline void records_clear(struct records *t, uint32_t first, uint32_t count)
{
	memset((uint8_t *)t->mask + (size_t)first * t->mask_bytes, 0, (size_t)count * t->mask_bytes);
}

/* The number of consecutive records from `first` on, at most `most`, whose mask is not 0. */
static inline uint32_t records_run(const struct records *t, uint32_t first, uint32_t most)
{
	const uint8_t *bytes = (const uint8_t *)t->mask + first, *zero;
	uint32_t n = 0;

	if (t->mask_bytes == 1) {
		zero = (const uint8_t *)memchr(bytes, 0, most);
		return zero ? (uint32_t)(zero - bytes) : most;
	}
	while (n < most && record_get(t, first + n).mask)
		n++;
	return n;
}

/* Starts loading records that are read next. */
static inline void records_prefetch(const struct records *t, uint32_t first, uint32_t count)
{
	const char *number = (const char *)(t->number + first);
	const char *mask = (const char *)t->mask + (size_t)first * t->mask_bytes;

	for (size_t line = 0; line < count * sizeof *t->number; line += 64)
		prefetch(number + line);
	for (size_t line = 0; line < (size_t)count * t->mask_bytes; line += 64)
		prefetch(mask + line);
}

/* The two ranges do not overlap. */
static inline void records_copy(struct records *t, uint32_t from, uint32_t to, uint32_t count)
{
	size_t bytes = t->mask_bytes;

	memcpy(t->number + to, t->number + from, count * sizeof *t->number);
	memcpy((uint8_t *)t->mask + to * bytes, (uint8_t *)t->mask + from * bytes, count * bytes);
}

#endif
