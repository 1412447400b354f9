/*
 * Synthetic block traces from a profile: requests made on the fly, in constant memory, the same ones every
 * time.  Deals with profiles, distributions and requests, not with drives, trace files or formats.
 *
 * The model.  A request is a read or a write; the number of each is exact.  Reads and writes are described
 * apart, by the groups `read` and `write` of the profile.  Where a request begins:
 *
 *	sequential  share that begins where an earlier request of its kind ended.  follow = new:
 *	            one at a new place; any: also one at a repeated place; last: the very last
 *	            request.  `streams` runs go on side by side.
 *	recent      share that repeats one of the last `recent_depth` requests, more recent
 *	            ones more often
 *	popular     share that goes to one of a fixed set of places, `places` times as many as
 *	            there are requests of the kind (0: every point of the grid), with popularity
 *	            (rank + flat * number)^-zipf
 *	near        share that begins within `near_span` of one of the last requests, nearer
 *	            places more often
 *	(the rest)  begins anywhere
 *
 * A repeat keeps start and length, but for the share `resized`, which gets a new length, and the share
 * `shifted`, which overlaps the place from another start; the share `other` of the repeats goes to places of
 * the other kind.  All other lengths come from the mix `sizes`, "4K:58 8K:5" (size:weight), whose weights
 * are adjusted to the targets `mean`, `small`, `odd`, and `across` of both kinds together
 * (generate_targets.h).
 *
 *	requests, space, seed, write_share, brief    at the top level; `together` is the share of
 *	            requests whose kind is not drawn but copied from their predecessor
 *	arrival     law = fixed: gaps are as listed in `gaps`, "900:3 3400:1" (us:weight);
 *	            exponential: those are means
 *	place       starts are multiples of `grid`, shifted by `offset`; the share `head` of the
 *	            requests smaller than the grid begins on it, the others inside a block of it;
 *	            range: another address stream altogether (generate_ranges.h)
 *	align       the grid is shifted locally (generate_align.h)
 *
 * With another number of requests or another space all shares stay as they are.
 */
#ifndef TRACES_GENERATE_H
#define TRACES_GENERATE_H

#include "base/fault.h"
#include "types.h"

struct generator;

/*
 * Opens a profile: a path (it contains '/' or ends in ".cfg") or a name, looked up as
 * NAME.cfg in $SSDLAB_PROFILES, in traces/profiles beside the executable, in
 * traces/profiles of the current folder, and among the compiled-in profiles.  `overrides`
 * are n texts "key=value" that take precedence over the file, e.g. "requests=50000" or
 * "write.sequential=0.5".  NULL and a fault if there is no such profile or it is invalid.
 */
struct generator *generator_open(const char *profile, char *const overrides[], size_t n, struct fault *);
void generator_close(struct generator *);

/* Makes the next request; false at the end.  Arrivals start at 0 and never decrease. */
bool generator_next(struct generator *, struct request *);

/* The number of all requests, the size of the address space, and the seed. */
uint64_t generator_requests(const struct generator *);
uint64_t generator_sectors(const struct generator *);
uint64_t generator_seed(const struct generator *);

/* True if there is a profile of that name (or at that path). */
bool generator_known(const char *profile);

/* Visits all profiles, by name within each folder; `brief` is the profile's one-line description. */
void generator_list(void (*visit)(void *context, const char *name, const char *brief), void *context);

#endif
