/* The version of the simulator: results name it. */
#ifndef BASE_VERSION_H
#define BASE_VERSION_H

#define SSD_VERSION      "0.1"
#define SSD_VERSION_DATE "2026-11-22" /* of its release */

/* The commit it was built from, "" if unknown.  Results do not contain it: equal code gives equal results. */
extern const char ssd_commit[];

#endif
