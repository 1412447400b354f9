#include "base/regions.h"

uint64_t regions_number(struct regions_numbers n, size_t i)
{
	const void *at = (const char *)n.field.array + n.field.offset + i * n.field.stride;

	switch (n.bytes) {
	case 1:
		return *(const uint8_t *)at;
	case 2:
		return *(const uint16_t *)at;
	case 4:
		return *(const uint32_t *)at;
	default:
		return *(const uint64_t *)at;
	}
}

void regions_below(
	struct regions *r, struct regions_numbers n, size_t count, uint64_t bound, const char *what)
{
	for (size_t i = 0; i < count && !r->broken; i++)
		regions_require(r, regions_number(n, i) < bound, what);
}

void regions_below_or_none(
	struct regions *r, struct regions_numbers n, size_t count, uint64_t bound, const char *what)
{
	for (size_t i = 0; i < count && !r->broken; i++)
		regions_require(r, regions_number(n, i) < bound || regions_number(n, i) == INDEX_NONE, what);
}
