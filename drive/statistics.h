/*
 * The statistics of a drive: the list of all numbers, and those computed from others when they are read.
 */
#ifndef DRIVE_STATISTICS_H
#define DRIVE_STATISTICS_H

#include "drive/drive.h"

/* Adds the numbers of all rooms of the drive to its list, in the order of the report. */
void statistics_add(struct drive *);

/* Sums the counts by class or by type over types and over all requests. */
void statistics_sum_types(struct drive_statistics *);

/* Write amplification so far: bytes of pages programmed / bytes written by the host.  NaN before the first
 * write. */
double statistics_waf(const struct drive *);

#endif
