/*
 * An FTL that is not part of the program: in a shared object, compiled by its user with `make plugin
 * FTL=mine.c`, or handed over by a program that uses the library.
 */
#ifndef DRIVE_PLUGIN_H
#define DRIVE_PLUGIN_H

#include "base/toolbox.h"
#include "ftl/ftl.h"

/* Makes the FTL's copy of the rooms (base/toolbox.h) use the program's guards.  False and a fault that names
 * `what`: the copy is of other sources, or there is none (NULL). */
bool plugin_share(const struct toolbox *, const char *what, struct fault *);

/* Opens "FOLDER/mine.so" and returns its table, ftl_mine; *file is to be closed when no drive uses it.  NULL
 * and a fault: it is no such file, or was compiled from other sources; then nothing of it has run. */
const struct ftl_ops *plugin_open(const char *path, void **file, struct fault *);

/* NULL: nothing. */
void plugin_close(void *file);

#endif
