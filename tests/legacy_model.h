/*
 * SSDsim 2.1 rule by rule: it walks lists, looks at pages one by one, and remembers nothing that it could
 * find again.  Slow and plain, to be compared with the engine of legacy/, with which it shares the reading of
 * the parameter file and nothing else.  It takes drives whose channels have equally many chips and traces
 * whose last line has no newline.
 */
#ifndef TESTS_LEGACY_MODEL_H
#define TESTS_LEGACY_MODEL_H

#include "legacy/parameters.h"

enum model_end {
	MODEL_DONE,
	MODEL_CRASHED, /* SSDsim crashes, hangs or reads foreign memory here */
};

/* Text: what SSDsim writes behind the heading of each file.  The caller frees both. */
struct model_result {
	char *rows;       /* requests, as in ex.out */
	char *statistics; /* as in statistic10.dat */
};

enum model_end model_run(const struct legacy_parameters *, const char *trace, struct model_result *);

#endif
