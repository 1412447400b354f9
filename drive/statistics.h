/*
 * The numbers of a drive: which there are, and what is computed from others at the end.
 */
#ifndef DRIVE_STATISTICS_H
#define DRIVE_STATISTICS_H

#include "drive/drive.h"

/* Adds the numbers of all rooms of the drive to its list, in the order in which they are reported. */
void statistics_add(struct drive *);

/* What is counted by class or type of request, by type and of all. */
void statistics_sum_types(struct drive_statistics *);

/* Write amplification so far: bytes of pages programmed / bytes written by the host.  NaN before the first write. */
double statistics_waf(const struct drive *);

#endif
