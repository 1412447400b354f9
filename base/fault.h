/*
 * Three kinds of errors.
 *
 *   A user's mistake  is described in a struct fault and returned up to main(),
 *                     which prints it as one line and exits with status 2.
 *   A modelled event  (drive full, block worn out) is part of the model and
 *                     shows in the statistics; this header has nothing for it.
 *   A bug of ours     ends in BUG(): one line with names and numbers, abort(); or the end of a guarded
 *                     call (base/guard.h).
 */
#ifndef BASE_FAULT_H
#define BASE_FAULT_H

#include <stdbool.h>

#define FAULT_BYTES 512

/* The mistake and its remedy, e.g. "drive.cfg:7: ...".  Starts empty. */
struct fault {
	char text[FAULT_BYTES];
};

/* Describes the fault and returns false, so that a caller can `return fault_set(...)`. */
bool fault_set(struct fault *, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Prints "ssd: BUG in file:line: ..." and aborts, unless a guard catches it. */
void bug_at(const char *file, int line, const char *format, ...)
	__attribute__((noreturn, format(printf, 3, 4)));

#define BUG(...) bug_at(__FILE__, __LINE__, __VA_ARGS__)

/* An assertion that is always compiled in: a wrong result costs more than a branch that is never taken. */
#define BUG_ON(condition, ...)                                                                               \
	do {                                                                                                 \
		if (__builtin_expect(!!(condition), 0))                                                      \
			BUG(__VA_ARGS__);                                                                    \
	} while (0)

#endif
