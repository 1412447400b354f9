/*
 * The sector oracle: what every sector should be, and what every place really holds.
 *
 * Each host write gives its sectors new versions.  The oracle follows the data through the
 * buffer and every flash page, and compares each answered sector with the newest version.
 * It knows sectors and physical pages, nothing of mappings: an FTL cannot fool it.
 * Any disagreement is a bug of ours and aborts with the sector, the page and both versions.
 * Every function accepts a NULL oracle and then does nothing (verification off).
 */
#ifndef VERIFY_ORACLE_H
#define VERIFY_ORACLE_H

#include "base/regions.h"
#include "types.h"

struct oracle;

struct oracle *oracle_create(sector_t sectors, uint32_t pages, uint32_t sectors_per_page);
void oracle_free(struct oracle *);

/* The host's side. */
void oracle_write(struct oracle *, struct extent);
void oracle_trim(struct oracle *, struct extent);
void oracle_expect(struct oracle *, struct extent); /* a read of this extent begins */
void oracle_answered(struct oracle *);              /* it ends: every sector is compared */

/* The buffer's side: sectors it takes in (their newest version), hands out and forgets. */
void oracle_dram_store(struct oracle *, struct extent);
void oracle_dram_answer(struct oracle *, struct extent);
void oracle_dram_drop(struct oracle *, struct extent);

/* The medium's side. */
void oracle_page_read(struct oracle *, ppn_t); /* its content is at hand until the next step */
void oracle_step(struct oracle *);             /* a new request: nothing is at hand */
void oracle_page_erased(struct oracle *, ppn_t first, uint32_t pages);
void oracle_page_copied(struct oracle *, ppn_t from, ppn_t to);

/* The FTL's side: what a page just programmed holds, and what a read is answered from. */
void oracle_page_host(struct oracle *, ppn_t, struct extent);             /* data of the host or buffer */
void oracle_page_kept(struct oracle *, ppn_t, ppn_t from, struct extent); /* data read from another page */
void oracle_page_answer(struct oracle *, ppn_t, struct extent);

/* Versions and contents, for saving and loading a drive. */
void oracle_regions(struct oracle *, struct regions *);

#endif
