/*
 * Where profiles are: a path, or a name looked up as NAME.cfg in $SSDLAB_PROFILES, in
 * traces/profiles beside the executable, in traces/profiles of the current folder, and among those
 * that were compiled in.  Of a profile's content it reads only the line `brief`.
 */
#ifndef TRACES_GENERATE_FIND_H
#define TRACES_GENERATE_FIND_H

#include "base/built_in.h"
#include "base/fault.h"

/* Path of the file a name stands for, to be freed; NULL if there is none. */
char *profile_find(const char *name);

/* Sets the fault that there is no such profile and names the nearest one; returns false. */
bool profile_missing(const char *name, struct fault *);

/* See generator_list(). */
void profile_list(void (*visit)(void *context, const char *name, const char *brief), void *context);

#endif
