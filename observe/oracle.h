/*
 * The sector oracle: what every sector should be, and what every place really holds.
 *
 * Each host write gives its sectors new versions.  The oracle follows the data through the rooms that hold
 * data in DRAM and every flash page, and compares each answered sector with the newest version. It knows
 * sectors and physical pages, nothing of mappings: an FTL cannot fool it.
 *
 * Versions belong to the host's sectors; behind the host layer everybody speaks of the device's.  Data comes
 * from above: what a room takes in is what the nearest room above it holds, else what was sent to the device.
 * Any disagreement is a bug of ours and aborts with the sector, the page and both versions. Every function
 * accepts a NULL oracle and then does nothing (verification off).
 */
#ifndef OBSERVE_ORACLE_H
#define OBSERVE_ORACLE_H

#include "base/state.h"
#include "types.h"

struct oracle;

/* Who can hold data in DRAM, from the host down.  The host layer's sectors are the host's. */
enum oracle_holder { HOLDER_HOST, HOLDER_BUFFER, HOLDER_FTL, ORACLE_HOLDERS };

struct oracle *oracle_create(
	sector_t host_sectors, sector_t device_sectors, uint32_t pages, uint32_t sectors_per_page);
void oracle_free(struct oracle *);

/* The host's side. */
void oracle_write(struct oracle *, struct extent);
void oracle_trim(struct oracle *, struct extent);
void oracle_expect(struct oracle *, struct extent); /* a read of this extent begins */
void oracle_answered(struct oracle *);              /* it ends: every sector is compared */

/* The host layer's side: host sectors from `host` on are sent to, or forgotten, or will be read at this
 * place. */
void oracle_send(struct oracle *, sector_t host, struct extent device);
void oracle_unsend(struct oracle *, struct extent device);
void oracle_expect_at(struct oracle *, sector_t host, struct extent device);

/* Sectors that a room takes in, a read is answered from, and that it forgets.  "No data" is held, too. */
void oracle_dram_store(struct oracle *, enum oracle_holder, struct extent);
void oracle_dram_answer(struct oracle *, enum oracle_holder, struct extent);
/* Data read from a page stays in DRAM. */
void oracle_dram_keep(struct oracle *, enum oracle_holder, ppn_t from, struct extent);
void oracle_dram_drop(struct oracle *, enum oracle_holder, struct extent);

/* The medium's side. */
void oracle_page_read(struct oracle *, ppn_t); /* its content is at hand until the next step */
void oracle_step(struct oracle *);             /* a new request: nothing is at hand */
void oracle_page_erased(struct oracle *, ppn_t first, uint32_t pages);
void oracle_page_copied(struct oracle *, ppn_t from, ppn_t to);

/* The FTL's side: what a page just programmed holds, and what a read is answered from. */
void oracle_page_host(struct oracle *, ppn_t, struct extent);             /* data that comes from above */
void oracle_page_dram(struct oracle *, ppn_t, struct extent);             /* data that the FTL held in DRAM */
void oracle_page_kept(struct oracle *, ppn_t, ppn_t from, struct extent); /* data read from another page */
void oracle_page_answer(struct oracle *, ppn_t, struct extent);

/* Do pages that are not programmed hold nothing, as they should? */
bool oracle_holds_nothing(const struct oracle *, ppn_t first, uint32_t pages);

/* Versions and contents. */
extern const struct state_row oracle_state[];

#endif
