/*
 * An FTL in a shared object, compiled by its user with `make plugin FTL=mine.c`: no program is made anew.
 */
#ifndef DRIVE_PLUGIN_H
#define DRIVE_PLUGIN_H

#include "ftl/ftl.h"

/* Opens "FOLDER/mine.so" and returns its table, ftl_mine; *file is to be closed when no drive uses it.  NULL
 * and a fault: it is no such file, or was compiled from other sources. */
const struct ftl_ops *plugin_open(const char *path, void **file, struct fault *);

/* NULL: nothing. */
void plugin_close(void *file);

#endif
