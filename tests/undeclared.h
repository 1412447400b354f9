/*
 * State of an FTL for which it has no row (base/state.h): what differs between a drive that was saved and the
 * one that was loaded from it.  Memory is watched for that: a program with undeclared.o takes it through
 * there.
 */
#ifndef TESTS_UNDECLARED_H
#define TESTS_UNDECLARED_H

#include "ftl/ftl.h"

/* From now on; drives that are compared are made behind it. */
void undeclared_watch(void);

/*
 * Between saving and loading and the first request: "bytes 24..31 of the FTL's state, ..." or "" if there are
 * none.  It follows every pointer; what differs may be scratch, so it only explains a run that went another
 * way.
 */
void undeclared_state(struct ftl *saved, struct ftl *loaded, char *text, size_t bytes);

#endif
