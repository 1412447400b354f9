/*
 * A preconditioned drive in a file: saved once, loaded by many runs, which print what they would have printed without.
 *
 * The file begins with everything its state depends on, as text: every parameter but those that act in time only, and
 * a sum of the workload if that was prepared for (prepare/kept.h).
 */
#ifndef PREPARE_IMAGE_H
#define PREPARE_IMAGE_H

#include "drive/drive.h"

/* A file name for it: the FTL and a sum of everything the state depends on.  To be freed. */
char *image_name(struct drive *);

/* Whole or not at all.  Only before the first request. */
bool image_save(struct drive *, const char *path, struct fault *);

/* Into a fresh drive.  False and a fault: no such file, another drive, damaged. */
bool image_load(struct drive *, const char *path, struct fault *);

#endif
