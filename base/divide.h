/* Division by a divisor that is known beforehand, as a multiplication. */
#ifndef BASE_DIVIDE_H
#define BASE_DIVIDE_H

#include <stdint.h>

__extension__ typedef unsigned __int128 wide_t;

struct divisor {
	uint64_t inverse; /* (2^64 - 1) / number, rounded down */
};

static inline struct divisor divisor_of(uint32_t number)
{
	return (struct divisor){ UINT64_MAX / number };
}

/*
 * n / number, exactly.  With 2^64 - 1 = inverse * number + r and r < number, the product is less than (n + 1)
 * / number by (n + 1) * (1 + r) / number / 2^64, which is more than 0 and less than 1 / number.
 */
static inline uint32_t divide(uint32_t n, struct divisor by)
{
	return (uint32_t)((wide_t)by.inverse * ((uint64_t)n + 1) >> 64);
}

#endif
