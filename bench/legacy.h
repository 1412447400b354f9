/*
 * How fast the legacy engine is, beside what was measured of SSDsim 2.1 itself, and what it weighs.
 */
#ifndef BENCH_LEGACY_H
#define BENCH_LEGACY_H

/* Prints a table; ends the program if a file cannot be written. */
void bench_legacy(void);

#endif
