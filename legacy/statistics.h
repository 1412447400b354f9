/*
 * Statistics files of SSDsim (statistic10.dat, or the end of ex.out), ours or the
 * original's, read back as rows of label and value.
 */
#ifndef LEGACY_STATISTICS_H
#define LEGACY_STATISTICS_H

#include "base/fault.h"

#include <stdbool.h>
#include <stddef.h>

struct statistics_row {
	char *label; /* "erase count", "the 0 channel, 1 chip, ..." */
	double value;
	char *text; /* the value as written */
};

struct statistics {
	struct statistics_row *row;
	size_t rows;
	bool early_end; /* the file says that its run ended early */
};

/* False and a fault if the file cannot be read or holds no statistics. */
bool legacy_statistics_read(struct statistics *, const char *path, struct fault *);
void legacy_statistics_free(struct statistics *);

/* The row of that label, NULL. */
const struct statistics_row *legacy_statistics_find(const struct statistics *, const char *label);

#endif
