/* The judge of time (observe/judge.h) of a medium: what it must know of the settings. */
#ifndef DRIVE_JUDGED_H
#define DRIVE_JUDGED_H

#include "flash/flash.h"
#include "observe/judge.h"

/* Creates a judge that observes the medium.  Call when all that the medium can do is set, and before its
 * first operation.  `dram_ns`: time of a look-up. */
struct judge *judged_medium(struct flash *, tick_t dram_ns);

#endif
