/*
 * Finds the state of an FTL for which it has no row (base/state.h): bytes that differ between a drive that
 * was saved and the one that was loaded from it.  For that it watches memory: a program with undeclared.o
 * allocates through it.
 */
#ifndef TESTS_UNDECLARED_H
#define TESTS_UNDECLARED_H

#include "ftl/ftl.h"

/* Watches memory from now on; the drives to be compared must be created after that. */
void undeclared_watch(void);

/*
 * To be called after saving and loading, before the first request: "bytes 24..31 of the FTL's state, ..." or
 * "" if there are none.  It follows every pointer; bytes that differ may be scratch, so it only explains a
 * run that went another way.
 */
void undeclared_state(struct ftl *saved, struct ftl *loaded, char *text, size_t bytes);

#endif
