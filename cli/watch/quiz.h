/*
 * `ssd quiz`: shows a drive and the next request, asks what the drive will do, runs the request and explains
 * it.  The answer is taken from the simulated drive.
 *
 * A few hundred requests are drawn from the seed.  They are played once to find which question can be asked
 * at which of them, and a second time to ask.
 */
#ifndef WATCH_QUIZ_H
#define WATCH_QUIZ_H

#include "cli/watch/picture.h"

enum quiz_form {
	QUIZ_ASKED,  /* answers are read from `in`, marked and explained */
	QUIZ_PAPER,  /* only questions, with room for answers */
	QUIZ_ANSWERS /* only answers */
};

struct quiz {
	struct settings *settings; /* trace.list is set */
	uint64_t questions;
	enum quiz_form form;
	struct picture_shape shape;
	/* Lines of the terminal: a question fits into them, and its answer stays until return is typed.
	 * 0: no terminal. */
	uint32_t lines;
	FILE *in, *out;
};

/* False and a fault: there can be no such drive. */
bool quiz_run(const struct quiz *, struct fault *);

#endif
