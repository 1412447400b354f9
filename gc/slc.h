/*
 * An SLC cache: pages of the host are written to blocks in SLC mode first, which are faster and hold fewer
 * pages, and moved to normal blocks later (folded).
 *
 * static   the last blocks of each plane are SLC blocks and nothing else
 * dynamic  any free block may become one while enough blocks are free; when a plane is low, an SLC block is
 *          folded before anything is collected
 *
 * An SLC block has flash.pages / slc.density pages and closes with the last of them.  Folding moves its live
 * pages into the stream `fold`, in page order (dynamic: as in a collection), and erases it.  The block that
 * closed first is folded next or, with slc.victim = greedy, the one with the fewest live pages.  SLC blocks
 * are no candidates of collection.
 */
#ifndef GC_SLC_H
#define GC_SLC_H

#include "base/fault.h"
#include "gc/collect.h"

enum slc_mode { SLC_OFF, SLC_STATIC, SLC_DYNAMIC };
enum slc_when_full { SLC_DIRECT, SLC_FOLD };
enum slc_victim { SLC_FIFO, SLC_GREEDY };

struct slc_settings {
	int mode, when_full, victim;
	uint64_t density; /* pages of a normal block for one SLC page */
	double share;     /* of the blocks of each plane */
	uint64_t low; /* dynamic: one is opened only while more blocks of its plane are free; 0: derived */
	uint64_t idle_ns, keep;
	struct slc_times times;
};

extern const struct param slc_params[];

struct slc_statistics {
	uint64_t host_pages, direct_pages, folded_blocks, idle_folds, died;
	uint64_t in_use, in_use_most, blocks;
	double first_direct, first_fold; /* host pages written before the first; NaN: none yet */
};

struct slc {
	const struct slc_settings *settings;
	struct space *space;
	struct collector *collector;
	unsigned stream, fold; /* the streams of SLC blocks and of folded pages */
	uint32_t most;         /* SLC blocks of a plane */
	uint32_t low;
	uint32_t *in_use; /* per plane: SLC blocks */
	uint32_t *closed; /* per plane: of these, how many are in `queue` */
	block_t *queue;   /* per plane, with room for `most`: closed blocks, in the order of closing */
	uint64_t in_use_in_all;
	struct slc_statistics count;
};

static inline bool slc_is_on(const struct slc_settings *s)
{
	return s->mode != SLC_OFF;
}

/* Most SLC blocks that a plane may have at a time. */
uint32_t slc_blocks(const struct slc_settings *, const struct geometry *);

/* False and a fault: the settings do not fit.  `bad`: bad blocks of the plane with the most. */
bool slc_fits(const struct slc_settings *, const struct geometry *, const struct gc_settings *,
	uint32_t reserve, uint32_t bad, struct fault *);

/* `stream`, `fold`: streams of the space, which is set up for SLC mode (space_have_slc()). */
void slc_init(struct slc *, const struct slc_settings *, struct collector *, unsigned stream, unsigned fold);
void slc_release(struct slc *);

/* Takes a page for the host in an SLC block of the plane; opens a block if needed, and may fold others for
 * that.  PPN_NONE: there is none; the page goes to a normal block. */
ppn_t slc_take(struct slc *, struct io *, plane_t);

/* A page went to a normal block. */
void slc_count_direct(struct slc *, const struct io *);

/* Folds a block of the plane.  False: no closed one, or no room for its live pages. */
bool slc_fold(struct slc *, struct io *, plane_t);

/* In idle time: folds a block of the plane if more than slc.keep are in use. */
bool slc_fold_idle(struct slc *, struct io *, plane_t, uint64_t *moved);

/* Prints how full it is, and which blocks are folded next. */
void slc_print(const struct slc *, FILE *);

extern const struct state_row slc_state[];

void slc_statistics(struct slc *, struct stat_list *);

/* Aborts unless queues and counts agree with the blocks. */
void slc_check(const struct slc *);

#endif
