/*
 * MRSM's mapping table as ICPP'23 seems to have modelled it: no page is cached; a look-up finds its entry in DRAM
 * with a chance, else it reads its mapping page, and programs it if it changes the entry.
 */
#ifndef FTL_MRSM_CHANCE_H
#define FTL_MRSM_CHANCE_H

#include "base/random.h"
#include "pagemap/map_notes.h"

struct mrsm_chance {
	struct directory *directory;
	struct map_notes notes;
	uint64_t budget; /* bytes of DRAM */
	struct random random;
	double of_hit; /* set by its owner before every look-up; collections draw by the last one */
};

void mrsm_chance_init(struct mrsm_chance *, struct directory *);
void mrsm_chance_release(struct mrsm_chance *);

/* As the functions of the same names in pagemap/map_cache.h. */
op_t mrsm_chance_get(struct mrsm_chance *, struct io *, uint32_t id, bool write, op_t after);
void mrsm_chance_entry_moved(struct mrsm_chance *, const struct io *, uint32_t id);
void mrsm_chance_remove(struct mrsm_chance *, uint32_t id);
void mrsm_chance_regions(struct mrsm_chance *, struct regions *);
void mrsm_chance_statistics(struct mrsm_chance *, struct stat_list *);

#endif
