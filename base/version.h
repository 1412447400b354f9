/* The version of the simulator: results name it. */
#ifndef BASE_VERSION_H
#define BASE_VERSION_H

#define SSD_VERSION      "0.1"
#define SSD_VERSION_DATE "2026-11-22" /* the day it is of */

/* The commit it was built from, "" if nobody knows.  Not in results: those are the same where the code is. */
extern const char ssd_commit[];

#endif
