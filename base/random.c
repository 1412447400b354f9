#include "base/random.h"

static uint64_t rotate_left(uint64_t x, int bits)
{
	return x << bits | x >> (64 - bits);
}

static uint64_t splitmix(uint64_t *state)
{
	uint64_t z = *state += 0x9e3779b97f4a7c15u;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
	z = (z ^ z >> 27) * 0x94d049bb133111ebu;
	return z ^ z >> 31;
}

void random_init(struct random *r, uint64_t seed, uint64_t stream)
{
	uint64_t mix = seed;
	uint64_t state = splitmix(&mix) ^ stream;

	for (int i = 0; i < 4; i++)
		r->state[i] = splitmix(&state);
}

uint64_t random_next(struct random *r)
{
	uint64_t *s = r->state;
	uint64_t result = rotate_left(s[1] * 5, 7) * 9;
	uint64_t t = s[1] << 17;

	s[2] ^= s[0];
	s[3] ^= s[1];
	s[1] ^= s[2];
	s[0] ^= s[3];
	s[2] ^= t;
	s[3] = rotate_left(s[3], 45);
	return result;
}

/* Lemire's multiplication with rejection: exactly uniform. */
uint64_t random_below(struct random *r, uint64_t limit)
{
	__extension__ typedef unsigned __int128 wide;
	wide product = (wide)random_next(r) * limit;

	if ((uint64_t)product < limit) {
		uint64_t floor = -limit % limit;

		while ((uint64_t)product < floor)
			product = (wide)random_next(r) * limit;
	}
	return (uint64_t)(product >> 64);
}

double random_unit(struct random *r)
{
	return (double)(random_next(r) >> 11) * 0x1p-53;
}
