/*
 * Sentences that say why results are doubtful, in the order in which they were found.
 */
#ifndef STATS_WARNINGS_H
#define STATS_WARNINGS_H

#include <stdbool.h>
#include <stdint.h>

struct warning {
	char *text;
	bool told; /* the user has been told already */
};

/* Zeroed: none. */
struct warnings {
	struct warning *list;
	uint32_t used, room;
};

/* Copies the text.  False: there is this warning already, and nothing is added. */
bool warnings_add(struct warnings *, const char *text, bool told);
void warnings_release(struct warnings *);

#endif
