/*
 * Deterministic random numbers (xoshiro256** seeded by splitmix64; Blackman and Vigna, "Scrambled linear
 * pseudorandom number generators", ACM TOMS 2021).  Every user has a stream of its own, so that one more draw
 * in one place changes no other.  The same seed gives the same numbers on every machine.
 */
#ifndef BASE_RANDOM_H
#define BASE_RANDOM_H

#include <stdint.h>

struct random {
	uint64_t state[4];
};

/* `stream` distinguishes the users of one seed. */
void random_init(struct random *, uint64_t seed, uint64_t stream);

uint64_t random_next(struct random *);

/* Uniform in [0, limit); limit > 0. */
uint64_t random_below(struct random *, uint64_t limit);

/* Uniform in [0, 1), 53 bits. */
double random_unit(struct random *);

#endif
