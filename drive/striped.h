/*
 * A device that is no flash simulation but a formula for time: superblocks striped over chips, as the SSD of
 * Chardin, Pasteur and Petit (FlashDB 2011) behaves.  `ssd measure` takes it in place of a drive.
 *
 * One superblock is open.  Each chip has a part of it and keeps that in ascending order by itself: what a
 * write skips is copied by its chip alone.  A write behind that order, or to another superblock, closes the
 * open one: all chips copy the rest of their parts and erase, each in its own time.  The host is held up by
 * its transfer, and before that until the chip of its sector has no more than `slack_ns` of work before it.
 *
 * Why it is not an FTL on simulated flash: the answer comes before the program and depends on how much time
 * of work a chip has left, which an FTL never learns; and a chip takes in data while it copies, which the
 * schedule cannot.
 */
#ifndef DRIVE_STRIPED_H
#define DRIVE_STRIPED_H

#include "base/fault.h"
#include "base/param.h"
#include "types.h"

#include <stdbool.h>

struct striped_settings {
	uint64_t superblock, chips, stripe, sectors, sector_bytes;
	uint64_t transfer_ns, program_ns, copy_ns, erase_ns, slack_ns;
};

extern const struct param striped_params[];

struct striped;

/* NULL and a fault if the numbers do not go together. */
struct striped *striped_create(const struct striped_settings *, struct fault *);
void striped_free(struct striped *);

/* Writes a sector; time passes until the host may continue. */
void striped_write(struct striped *, uint64_t sector);
tick_t striped_now(const struct striped *);

#endif
