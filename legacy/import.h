/*
 * From SSDsim's parameter file to one of the main simulator: the same geometry, times,
 * buffer, collection threshold and aging, with a comment where the two models differ.
 */
#ifndef LEGACY_IMPORT_H
#define LEGACY_IMPORT_H

#include "base/fault.h"
#include "legacy/parameters.h"

#include <stdio.h>

/* Writes the settings to `out`; `name` is where they came from.  False and a fault: the main simulator has
 * no such drive. */
bool legacy_import(const struct legacy_parameters *, const char *name, FILE *out, struct fault *);

#endif
