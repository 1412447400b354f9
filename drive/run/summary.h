/*
 * The results of a run on one screen: what was served, how long it took, what collection did, and what makes
 * the results doubtful.
 */
#ifndef RUN_SUMMARY_H
#define RUN_SUMMARY_H

#include "ftl/ftl.h"
#include "drive/prepare/workload.h"
#include "stats/report.h"

/* Tells every reason to doubt the results, a sentence each.  Reads on in a trace of which only the first
 * requests were served; `workload` NULL: there is none. */
void summary_doubts(const struct report *, const struct ftl *, struct workload *,
	void (*tell)(void *context, const char *text), void *context);

/* Lines of at most 100 columns, without the doubts. */
void summary_write(const struct report *, FILE *);

#endif
