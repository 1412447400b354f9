/* Files that are read. */
#ifndef BASE_FILE_H
#define BASE_FILE_H

#include "base/fault.h"

#include <stdio.h>

/* Opens a file to be read.  NULL and the reason: it cannot be opened, or is a pipe, which may never have a
 * writer, or a device, which may have no end.  Does not wait. */
FILE *file_open(const char *path, struct fault *reason);

#endif
