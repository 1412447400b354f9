/*
 * A device that is no flash simulation but a formula for time: superblocks striped over chips, as the SSD of
 * Chardin, Pasteur and Petit (FlashDB 2011) behaves.  `ssd measure` takes it in place of a drive.
 *
 * One superblock is open.  Each chip has a part of it and fills that in ascending order, independently of
 * the others: sectors that a write skips are copied by its chip alone.  A write to a sector that its chip has
 * passed, or to another superblock, closes the open one: all chips copy the rest of their parts and erase,
 * each in its own time.  A write first waits until the chip of its sector has at most `slack_ns` of work
 * left; then it takes the time of its transfer.
 *
 * It is not an FTL on simulated flash for two reasons.  A write is acknowledged before it is programmed, at a
 * time that depends on how much work its chip has left, which an FTL cannot see.  And a chip receives data
 * while it copies, which the schedule does not model.
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
