/*
 * Settings that do not go together.  A room checks its own settings when it is created; a row of a table
 * (struct refusal in base/param.h) concerns two rooms.  Rooms and tools of the store have such tables; the
 * one in refusals.c is for the rest.
 */
#ifndef DRIVE_REFUSALS_H
#define DRIVE_REFUSALS_H

#include "drive/drive.h"

/* Table number `i` of rooms and tools; NULL: there is none. */
const struct refusal *refusals_table(size_t i);

/* False and a fault if a row matches.  Call it when the drive is assembled. */
bool refusals_pass(const struct drive *, struct fault *);

#endif
