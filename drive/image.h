/*
 * A preconditioned drive in a file: saved once, loaded by many runs.  The file says which drive and
 * FTL it belongs to and ends in a checksum; a run continues from it to the byte as it would
 * have continued without saving.  Areas of zeros take no room.
 */
#ifndef DRIVE_IMAGE_H
#define DRIVE_IMAGE_H

#include "drive/drive.h"

/* Whole or not at all.  Only before the first request. */
bool image_save(struct drive *, const char *path, struct fault *);

/* Into a fresh drive.  False and a fault: no such file, another drive, damaged. */
bool image_load(struct drive *, const char *path, struct fault *);

#endif
