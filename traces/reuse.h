/*
 * LRU stack distances: for each access, how many other distinct pages were accessed since the page's last
 * access.  The share of accesses with a distance below N is the hit ratio of an LRU cache of N pages.
 *
 * Approximate, in constant memory (3 MiB): only pages whose hash is below a threshold are sampled, and the
 * threshold is halved when there are too many of them (Waldspurger et al., "Efficient MRC construction with
 * SHARDS", FAST '15).  Exact up to 65,536 distinct pages; beyond that, distances and counts are scaled up by
 * the sampling rate.
 */
#ifndef TRACES_REUSE_H
#define TRACES_REUSE_H

#include <stdint.h>

struct reuse;

struct reuse *reuse_create(void);
void reuse_free(struct reuse *);

/* Counts an access; `page` is any 64-bit name. */
void reuse_add(struct reuse *, uint64_t page);

/* Prefetches the place of a page. */
void reuse_expect(const struct reuse *, uint64_t page);

/* Share of the accesses at a distance of less than 2^log2_pages; 0..1. */
double reuse_share_below(const struct reuse *, unsigned log2_pages);

/* Share of the accesses that were the first to their page; 0..1. */
double reuse_first_share(const struct reuse *);

#endif
