/*
 * Drawing from distributions in constant time and memory: an empirical mix of values
 * (alias method; Walker 1977, Vose 1991) and Zipf-Mandelbrot ranks (rejection-inversion;
 * Hoermann and Derflinger, "Rejection-inversion to generate variates from monotone
 * discrete distributions", ACM TOMACS 1996).  Deals with numbers only, not with requests.
 */
#ifndef TRACES_GENERATE_DRAW_H
#define TRACES_GENERATE_DRAW_H

#include "base/fault.h"
#include "base/random.h"

#include <stddef.h>
#include <stdint.h>

enum mix_unit {
	MIX_SECTORS, /* written as bytes, multiples of 512: "4K:58 1536:9" */
	MIX_NS,      /* written as microseconds: "900:0.6 3400:0.4" */
};

/* A value with its share.  It is also a column of the alias table: draws below the threshold give this value,
 * the others the value of column `alias`. */
struct mix_part {
	uint64_t value;           /* sectors or ns */
	double weight, threshold; /* the sum of the weights is 1 */
	uint32_t alias;
};

/* A zeroed mix is empty. */
struct mix {
	struct mix_part *part;
	uint32_t count, room;
};

/* Parses "VALUE[:WEIGHT] ..."; the default weight is 1.  `key` names the setting in the fault. */
bool mix_parse(struct mix *, const char *text, enum mix_unit, const char *key, struct fault *);
void mix_release(struct mix *);

/* Normalises the weights after a change and rebuilds the alias table.  False if all weights are 0. */
bool mix_reweigh(struct mix *);

/* Maps u, 0 <= u < 1, to a value, each with its share. */
uint64_t mix_value(const struct mix *, double u);

/* Likewise, but in order: the values as listed divide [0, 1) into intervals as wide as their shares. */
uint64_t mix_quantile(const struct mix *, double u);

uint64_t mix_largest(const struct mix *);
double mix_mean(const struct mix *);

/* Ranks 0 .. count-1 with probability proportional to (rank + 1 + shift)^-exponent. */
struct zipf {
	uint64_t count;
	double exponent; /* 0: uniform */
	double shift;    /* a whole number; flattens the head of the distribution */
	double area_first, area_last, shortcut;
};

void zipf_init(struct zipf *, uint64_t count, double exponent, double shift);
uint64_t zipf_draw(const struct zipf *, struct random *);

/* Hashes a number: scrambles all 64 bits (the finaliser of splitmix64). */
static inline uint64_t scramble(uint64_t z)
{
	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
	z = (z ^ z >> 27) * 0x94d049bb133111ebu;
	return z ^ z >> 31;
}

/* The top 53 bits as a number in [0, 1). */
static inline double draw_unit_of(uint64_t bits)
{
	return (double)(bits >> 11) * 0x1p-53;
}

#endif
