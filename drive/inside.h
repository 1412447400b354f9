/* Between drive.c, which serves requests, and time.c, which lets time pass and completes them. */
#ifndef DRIVE_INSIDE_H
#define DRIVE_INSIDE_H

#include "drive/drive.h"

/* What is known of the request with this ticket until it is completed. */
void drive_remember(struct drive *, uint32_t ticket, struct pending);

#endif
