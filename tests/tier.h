/*
 * How much of a long test is run.  `make test` runs a part of it in seconds; `make check` sets LONG=1 in the
 * environment and runs more, `make soak` sets SOAK=1 and runs all of it.
 */
#ifndef TESTS_TIER_H
#define TESTS_TIER_H

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

/* Address sanitizers are several times slower, and do not work under a limit of the address space. */
#if defined __has_feature
#if __has_feature(address_sanitizer)
#define SANITIZED 1
#endif
#endif
#if defined __SANITIZE_ADDRESS__ && !defined SANITIZED
#define SANITIZED 1
#endif
#ifndef SANITIZED
#define SANITIZED 0
#endif

static inline bool is_set(const char *variable)
{
	const char *text = getenv(variable);

	return text && *text && *text != '0';
}

static inline bool is_soak(void)
{
	return is_set("SOAK");
}

/* Is more run than `make test` does? */
static inline bool is_long(void)
{
	return is_set("LONG") || is_soak();
}

/* Requests, steps, cases: so many in `make test` and `make check`, so many in `make soak`. */
static inline uint64_t amount(uint64_t in_check, uint64_t in_soak)
{
	return is_soak() ? in_soak : in_check;
}

/* So many in `make test`, so many in `make check` and `make soak`. */
static inline uint64_t shorter(uint64_t in_test, uint64_t in_check)
{
	return is_long() ? in_check : in_test;
}

/* In a loop over cases: `make test` and `make check` run every n-th one, the first among them. */
static inline bool is_for_soak(uint64_t i, uint64_t n)
{
	return i % amount(n, 1) != 0;
}

/* The same, and `make check` runs all. */
static inline bool is_for_check(uint64_t i, uint64_t n)
{
	return i % shorter(n, 1) != 0;
}

#endif
