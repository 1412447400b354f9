/*
 * `ssd quiz`: a drive is shown and the request that comes next, and a question is asked about what it will do; then it
 * is done, and told why.  The drive answers, so a question can never be wrong about it.
 *
 * The requests are drawn from the seed, a few hundred.  They are played once to see at which of them which question can
 * be asked, and again to ask.
 */
#ifndef WATCH_QUIZ_H
#define WATCH_QUIZ_H

#include "watch/picture.h"

enum quiz_form {
	QUIZ_ASKED,  /* answers are read from `in`, judged and explained */
	QUIZ_PAPER,  /* questions alone, with room for answers */
	QUIZ_ANSWERS /* their solution */
};

struct quiz {
	struct settings *settings; /* trace.list is set */
	uint64_t questions;
	enum quiz_form form;
	struct picture_shape shape;
	FILE *in, *out;
};

/* False and a fault: the drive cannot be. */
bool quiz_run(const struct quiz *, struct fault *);

#endif
