#include "traces/generate_math.h"

#include <stdint.h>
#include <string.h>

/* ln 2 in two parts; the first has so few bits that its product with an exponent is exact. */
#define LN2_HIGH 0x1.62e42feep-1
#define LN2_LOW  0x1.a39ef35793c76p-33
#define PER_LN2  0x1.71547652b82fep+0

#define MANTISSA_BITS 52
#define EXPONENT_BIAS 1023
#define ROOT_HALF     0x1.6a09e667f3bcdp-1

static uint64_t math_bits(double x)
{
	uint64_t bits;

	memcpy(&bits, &x, sizeof bits);
	return bits;
}

static double math_double(uint64_t bits)
{
	double x;

	memcpy(&x, &bits, sizeof x);
	return x;
}

static double math_power_of_two(int exponent)
{
	return math_double((uint64_t)(exponent + EXPONENT_BIAS) << MANTISSA_BITS);
}

/*
 * x = 2^k m with m between sqrt(1/2) and sqrt 2, and log m = 2 artanh f with f = (m - 1) / (m + 1).  The
 * series in f^2 < 0.03 is split into even and odd terms, which the processor can compute in parallel.
 */
double portable_log(double x)
{
	const uint64_t one = (uint64_t)EXPONENT_BIAS << MANTISSA_BITS;
	uint64_t shifted = math_bits(x) + (one - math_bits(ROOT_HALF));
	double k = (double)((int)(shifted >> MANTISSA_BITS) - EXPONENT_BIAS);
	double m = math_double((shifted & (((uint64_t)1 << MANTISSA_BITS) - 1)) + math_bits(ROOT_HALF));
	double f = (m - 1) / (m + 1), f2 = f * f, f4 = f2 * f2;
	double odd = 1. / 3 + f4 * (1. / 7 + f4 * (1. / 11 + f4 * (1. / 15 + f4 * (1. / 19))));
	double even = 1. / 5 + f4 * (1. / 9 + f4 * (1. / 13 + f4 * (1. / 17 + f4 * (1. / 21))));

	return k * LN2_HIGH + (2 * f + (2 * f * (f2 * odd + f4 * even) + k * LN2_LOW));
}

/* Corrects the rounding error of 1 + x to first order (Kahan). */
double portable_log1p(double x)
{
	double sum = 1 + x;

	return sum == 1 ? x : portable_log(sum) * (x / (sum - 1));
}

/* e^r - 1 for |r| <= ln 2 / 2: the series, split into even and odd terms. */
static double math_expm1_near_zero(double r)
{
	double r2 = r * r;
	double odd =
		1. / 6 +
		r2 * (1. / 120 +
			     r2 * (1. / 5040 + r2 * (1. / 362880 +
							    r2 * (1. / 39916800 + r2 * (1. / 6227020800)))));
	double even =
		1. / 2 +
		r2 * (1. / 24 + r2 * (1. / 720 + r2 * (1. / 40320 +
							      r2 * (1. / 3628800 + r2 * (1. / 479001600)))));

	return r + r2 * (even + r * odd);
}

/* Splits x into k ln 2 + r; returns k.  A conversion rounds to zero; floor() would take four times as many
 * instructions. */
static int math_split(double x, double *r)
{
	double rounded = x * PER_LN2 + 0.5, k = (double)(int)rounded;

	k -= k > rounded;
	*r = x - k * LN2_HIGH - k * LN2_LOW;
	return (int)k;
}

double portable_exp(double x)
{
	double r;
	int k = math_split(x, &r);

	return math_power_of_two(k) * (1 + math_expm1_near_zero(r));
}

double portable_expm1(double x)
{
	double r;
	int k = math_split(x, &r);
	double scale = math_power_of_two(k);

	return scale * math_expm1_near_zero(r) + (scale - 1);
}
