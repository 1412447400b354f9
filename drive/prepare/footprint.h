/*
 * The sectors that a workload touches.  They decide which data is there before the first request (parameter
 * precondition.premap).  Addresses are the host's.
 */
#ifndef PREPARE_FOOTPRINT_H
#define PREPARE_FOOTPRINT_H

#include "base/bits.h"
#include "drive/drive.h"
#include "drive/prepare/workload.h"

struct footprint {
	const struct drive *drive;
	uint64_t *page; /* two bits for each logical page: the workload touches it; it only writes to it */
	uint64_t pages; /* touched */
	/* premap = sectors or requests, else NULL; bits: sectors read before they are written, sectors
	 * written. */
	uint64_t *read, *written;
	/* premap = requests: for each read the sectors that it is the first to read, in order; else NULL. */
	struct extent *first_reads;
	uint32_t first_count, first_room;
	bool by_request;
};

/* The logical pages that the host sees. */
static inline lpn_t host_pages(const struct drive *d)
{
	return (lpn_t)(d->host->sectors >> d->geometry.sector_shift);
}

/* An empty footprint. */
void footprint_init(struct footprint *, const struct drive *);
void footprint_free(struct footprint *);

/* Adds one pass over the workload, rewinds it, and keeps its checksum in the drive's past.  With `reads_only`
 * pages that are only written do not count.  False and a fault: it cannot be read, or the preparation is
 * interrupted. */
bool footprint_read(struct footprint *, struct drive *, struct workload *, bool reads_only, struct fault *);

/* The next request of a workload as the drive gets it.  Adds it to the checksum *sum, unless that is NULL.
 * TRACE_BAD also if preparation is interrupted, which may be why the request could not be read. */
enum trace_status footprint_next_request(
	struct drive *, struct workload *, struct request *, uint64_t *sum, struct fault *);

/* Marks the pages that the workload writes without reading any of their sectors first.  Returns how many
 * there are. */
uint64_t footprint_mark_written(struct footprint *);

/* The runs of sectors of a touched page that are read before they are written; at most 32.  Returns how
 * many. */
size_t footprint_runs(const struct footprint *, lpn_t, struct extent *);

static inline bool footprint_touches(const struct footprint *f, lpn_t lpn)
{
	return f->pages && bits_get(f->page, (size_t)lpn * 2);
}

/* Of pages that are not touched: was the page marked by footprint_mark_written()? */
static inline bool footprint_only_writes(const struct footprint *f, lpn_t lpn)
{
	return bits_get(f->page, (size_t)lpn * 2 + 1);
}

/* Hints: footprint_touches() will soon be called for the page, or footprint_runs(). */
static inline void footprint_prefetch_page(const struct footprint *f, lpn_t lpn)
{
	if (f->pages)
		prefetch(&f->page[(size_t)lpn * 2 / BITS_WORD]);
}

static inline void footprint_prefetch_sectors(const struct footprint *f, lpn_t lpn)
{
	if (f->read)
		prefetch(&f->read[geometry_page_start(&f->drive->geometry, lpn) / BITS_WORD]);
}

#endif
