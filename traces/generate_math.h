/*
 * Logarithm and exponential to the same bit on every machine.  IEEE 754 prescribes the last bit of sums,
 * products and quotients, not of libm's functions, which differ between libraries, their versions and even
 * the processors of one version; a decision that depends on them could change the trace.  These functions use
 * the four basic operations only (compiled without contraction, see -ffp-contract in the Makefile) and are
 * right to a few units in the last place.  It deals with numbers only.
 */
#ifndef TRACES_GENERATE_MATH_H
#define TRACES_GENERATE_MATH_H

/* Natural logarithm of x; 0 < x, finite and normal. */
double portable_log(double x);

/* log(1 + x) without loss for small x; x > -1, finite. */
double portable_log1p(double x);

/* e^x; |x| < 700. */
double portable_exp(double x);

/* e^x - 1 without loss for small x; |x| < 700. */
double portable_expm1(double x);

#endif
