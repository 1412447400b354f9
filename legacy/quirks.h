/*
 * The quirks of SSDsim 2.1, numbered as in docs/legacy.md.
 *
 * Wherever the engine follows an error of SSDsim it tests for the quirk by its name.  A quirk is either KEPT
 * (its effect is part of every published number, and --fix repairs it) or SURVIVED (SSDsim crashed, hung or
 * gave random results: there is no number to match, so the engine continues in a sensible way or ends with a
 * message).
 */
#ifndef LEGACY_QUIRKS_H
#define LEGACY_QUIRKS_H

#include "base/fault.h"

#include <stdbool.h>
#include <stdint.h>

enum quirk {
	Q1_READ_PAST_TABLE = 1,
	Q2_FREE_COLLECTION,
	Q3_READ_CURSOR,
	Q4_TIME_GOES_BACK,
	Q5_QUEUE_LIMIT_IGNORED,
	Q6_UPDATE_READ_TWICE,
	Q7_END_OF_TRACE,
	Q8_PAGE_64,
	Q9_NO_FREE_PAGE,
	Q10_COLLECTION_BLOCKS_CHANNEL,
	Q11_COLLECTION_STARVES,
	Q12_FIRST_ISSUE_GATE,
	Q13_ONE_PLANE_LIVELOCK,
	Q14_FREE_PAGES_OVERCOUNTED,
	Q15_BUFFER_COUNT_WRAPS,
	Q16_PAGE_OF_32,
	Q17_SINGLE_PRECISION,
	Q18_UNEQUAL_CHIPS,
	Q19_FREE_DUPLICATE_READ,
	Q20_COPY_BACK_PARITY,
	Q21_AGED_OVERRUN,
	Q22_CHIP_0_STATISTICS,
	Q23_EMPTY_AVERAGE,
	Q24_STATIC_MODE_6,
	Q25_TINY_BUFFER,
	Q26_SIZE_0,
	Q27_FILE_NAMES,
	Q28_CAPACITY_OVERFLOW,
	Q29_REQUEST_NOT_WRAPPED,
	Q30_MASK_OF_LAST_WRITE,
	Q31_WAITS_FOR_A_KEY,
	Q32_DIE_SKEW,
	Q33_REQUEST_PER_PAGE,
	Q34_ONE_PASS_PER_EVENT,
	Q35_PLANE_PAST_THE_LAST,
	QUIRKS
};

enum quirk_class {
	QUIRK_KEPT,     /* replicated unless repaired */
	QUIRK_SURVIVED, /* no result of SSDsim exists */
};

struct quirk_row {
	const char *name; /* "Q2" */
	enum quirk_class kind;
	bool repairable;     /* --fix takes it */
	const char *text;    /* one line: what SSDsim does */
	const char *instead; /* KEPT: what --fix does; SURVIVED: what we do */
};

/* Row of a quirk, 1 <= quirk < QUIRKS. */
const struct quirk_row *quirk_row(enum quirk);

/* A set of quirks, bit i for quirk i. */
typedef uint64_t quirk_set;

#define QUIRK_BIT(quirk) ((quirk_set)1 << (quirk))

/* Parses "Q2,Q6", "2,6", "all" or "all,-Q32" into the set of quirks to repair. */
bool quirk_set_parse(quirk_set *, const char *list, struct fault *);

/* Every quirk --fix takes. */
quirk_set quirk_set_all(void);

#endif
