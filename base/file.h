/* Files that are read. */
#ifndef BASE_FILE_H
#define BASE_FILE_H

#include "base/fault.h"

#include <stdio.h>

/* Opens a file to be read.  NULL and the reason: it cannot be opened, or is a pipe, which may never have a
 * writer, or a device, which may have no end.  Does not wait. */
FILE *file_open(const char *path, struct fault *reason);

/* The same for a path that the user typed, which may be anything in /dev: /dev/stdin, or the /dev/fd/63 that
 * a shell puts in place of <(command). */
FILE *file_open_given(const char *path, struct fault *reason);

#endif
