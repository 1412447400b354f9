/*
 * A preconditioned drive in a file (drive/prepare/state_file.h): saved once and loaded by many runs, which
 * print what they would have printed after preconditioning.
 *
 * The head has everything that the drive's state depends on, as text: every parameter but those that affect
 * only timing, and a checksum of the workload if the drive was prepared for it.
 */
#ifndef PREPARE_IMAGE_H
#define PREPARE_IMAGE_H

#include "drive/drive.h"

/* A file name: the FTL and a checksum of the head.  To be freed. */
char *image_name(struct drive *);

/* Writes the whole file or none.  Only before the first request. */
bool image_save(struct drive *, const char *path, struct fault *);

/* The same under a name made by image_name(), to which other programs may be writing at the same time. */
bool image_keep(struct drive *, const char *path, struct fault *);

/* Loads into a fresh drive.  False and a fault: the file does not exist, is of another drive or damaged. */
bool image_load(struct drive *, const char *path, struct fault *);

#endif
