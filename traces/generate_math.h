/*
 * Logarithm and exponential with identical bits on every machine.  IEEE 754 defines sums, products and
 * quotients to the last bit, but not the functions of libm, which differ between libraries, their versions
 * and even processors.  A single decision that depends on such a bit could change the whole trace.  These
 * functions use the four basic operations only (compiled without contraction, see -ffp-contract in the
 * Makefile) and are accurate to a few units in the last place.
 */
#ifndef TRACES_GENERATE_MATH_H
#define TRACES_GENERATE_MATH_H

/* Natural logarithm of x; 0 < x, finite and normal. */
double portable_log(double x);

/* log(1 + x), accurate for small x; x > -1, finite. */
double portable_log1p(double x);

/* e^x; |x| < 700. */
double portable_exp(double x);

/* e^x - 1, accurate for small x; |x| < 700. */
double portable_expm1(double x);

#endif
