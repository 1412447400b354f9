/*
 * Settings that do not go together, one row for each pair.  A room checks its own settings when it is
 * created; a row here concerns two rooms.
 */
#ifndef DRIVE_REFUSALS_H
#define DRIVE_REFUSALS_H

#include "drive/drive.h"

struct refusal {
	const char *key, *with; /* two settings, named in the message with their values */
	/* The row applies if both hold. */
	bool (*first)(const struct drive *);
	bool (*second)(const struct drive *);
	const char *why; /* "KEY = VALUE: WITH = VALUE ..." */
};

/* Ended by a row without a key. */
extern const struct refusal refusals[];

/* False and a fault: a row applies to the drive, whose rooms have been made. */
bool refusals_pass(const struct drive *, struct fault *);

#endif
