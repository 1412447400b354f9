/*
 * The sector oracle: what every sector should hold, and what every place really holds.
 *
 * Each host write gives its sectors a new version.  The oracle follows the data through all rooms that hold
 * data in DRAM and through every flash page, and compares each answered sector with the newest version.  It
 * uses sectors and physical pages but no mapping, so an FTL's error cannot hide in its own tables.
 *
 * Versions belong to sectors of the host; below the host layer, extents are in sectors of the device.  A room
 * gets its data from the nearest room above that holds the sector, else from the data sent to the device.
 * Any mismatch is a bug and aborts with the sector, the page and both versions.  Every function accepts NULL
 * and then does nothing (verification off).
 */
#ifndef OBSERVE_ORACLE_H
#define OBSERVE_ORACLE_H

#include "base/state.h"
#include "types.h"

struct oracle;

/* Rooms that can hold data in DRAM, from the host down.  The host layer counts sectors of the host. */
enum oracle_holder { HOLDER_HOST, HOLDER_BUFFER, HOLDER_FTL, ORACLE_HOLDERS };

struct oracle *oracle_create(
	sector_t host_sectors, sector_t device_sectors, uint32_t pages, uint32_t sectors_per_page);
void oracle_free(struct oracle *);

/* The host's side. */
void oracle_write(struct oracle *, struct extent);
void oracle_trim(struct oracle *, struct extent);
void oracle_expect(struct oracle *, struct extent); /* a read of this extent begins */
void oracle_answered(struct oracle *);              /* it ends: every sector is compared */

/* A host layer may rewrite other data as part of a write.  take: the data of the read just answered may be
 * rewritten until the next step.  give: this data, if there is any, is rewritten and must have been taken. */
void oracle_take(struct oracle *, struct extent);
void oracle_give(struct oracle *, struct extent);

/* The host layer's side.  send: host sectors from `host` on are written to this device extent.  unsend: the
 * extent no longer holds data.  expect_at: host sectors from `host` on are about to be read from it. */
void oracle_send(struct oracle *, sector_t host, struct extent device);
void oracle_unsend(struct oracle *, struct extent device);
void oracle_expect_at(struct oracle *, sector_t host, struct extent device);

/* The room stores sectors, answers a read from them, drops them.  "No data" can be stored, too. */
void oracle_dram_store(struct oracle *, enum oracle_holder, struct extent);
void oracle_dram_answer(struct oracle *, enum oracle_holder, struct extent);
/* Data read from a page stays in DRAM. */
void oracle_dram_keep(struct oracle *, enum oracle_holder, ppn_t from, struct extent);
void oracle_dram_drop(struct oracle *, enum oracle_holder, struct extent);

/* The medium's side. */
void oracle_page_read(struct oracle *, ppn_t); /* its data may be used until the next step */
void oracle_step(struct oracle *);             /* a new request: pages read before may not be used */
void oracle_page_erased(struct oracle *, ppn_t first, uint32_t pages);
void oracle_page_copied(struct oracle *, ppn_t from, ppn_t to);

/*
 * Parity: page `parity` was programmed with the parity of other pages, each on a die of its own.  A lost page
 * counts as read once all other pages of its stripe have been read, none of them from the failed die.
 */
void oracle_use_stripes(struct oracle *, uint32_t pages_per_die);
void oracle_page_parity(struct oracle *, ppn_t parity, const ppn_t *of, uint32_t n);
void oracle_lose_die(struct oracle *, die_t);
void oracle_page_rebuilt(struct oracle *, ppn_t, const ppn_t *others, uint32_t n);

/* The FTL's side: the data of a page just programmed, and the source of the answer to a read. */
void oracle_page_host(struct oracle *, ppn_t, struct extent); /* data from above */
void oracle_page_dram(struct oracle *, ppn_t, struct extent); /* data that the FTL holds in DRAM */
void oracle_page_kept(struct oracle *, ppn_t, ppn_t from, struct extent); /* data read from another page */
void oracle_page_answer(struct oracle *, ppn_t, struct extent);

/* Do these pages, which are not programmed, hold no data? */
bool oracle_holds_nothing(const struct oracle *, ppn_t first, uint32_t pages);

/* Versions and contents. */
extern const struct state_row oracle_state[];

#endif
