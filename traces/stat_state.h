/*
 * The statistics that stat.c collects and stat_report.c and stat_plot.c print.  Private to these files.
 */
#ifndef TRACES_STAT_STATE_H
#define TRACES_STAT_STATE_H

#include "stats/histogram.h"
#include "traces/devices.h"
#include "traces/inflight.h"
#include "traces/lately.h"
#include "traces/picture.h"
#include "traces/reuse.h"
#include "traces/rewrites.h"
#include "traces/stat.h"
#include "traces/tally.h"

#define PAGE_BITS    12u /* of the footprint: 4 KiB */
#define ACROSS_SIZES 3   /* pages of 4, 8, 16 KiB */
#define REGION_SIZES 4   /* regions of 1 MiB, 64 MiB, 1 GiB and 16 GiB, see figures.on_commonest_residue */
#define CACHE_SIZES  9   /* caches of 1, 4, 16, ... MiB, see figures.reuse_within */

/* S-FTL's cache holds about 111 mapping pages, for 1 MiB each, in 8 KiB and 936 in 64 KiB; DFTL's holds 8,192
 * entries (MSST 2011). */
#define REGION_BITS  20u
#define FEW_REGIONS  111u
#define MANY_REGIONS 936u
#define ENTRIES      8192u

/* One device's address range, and where its last request ended. */
struct reach {
	uint64_t low, high, last_end;
};

/* Counts for each type of request. */
struct counts {
	uint64_t requests, bytes;
	uint64_t pages; /* page accesses: a read or write counts once for each page it touches */
	uint64_t across[ACROSS_SIZES];
	uint64_t sequential;       /* start where the device's previous request ended */
	uint64_t continuing;       /* start where any earlier request of the device ended */
	uint64_t start_mod16[16];  /* by start sector modulo 16 */
	struct histogram response; /* ns; of the requests whose response time is known */
};

enum { POINT_50, POINT_90, POINT_99, POINT_MAX, POINTS }; /* of a distribution */

/* Computed from the other numbers for the report.  In arrays of two, [0] is for reads and [1] for writes. */
struct figures {
	uint64_t requests;
	uint64_t size[2][POINTS];  /* bytes */
	uint64_t small[2], odd[2]; /* requests below 4 KiB; above and no multiple of it */
	uint64_t sizes;            /* distinct ones */
	double seconds, rate, gap_mean, gap_cv;
	uint64_t gap[POINT_MAX]; /* ns */
	double response_mean[2]; /* ns */
	uint64_t response_99[2]; /* ns */
	double depth_mean;
	uint64_t depth_50, depth_99;
	uint64_t devices, span, footprint_pages, footprint_bytes, written_pages;
	uint64_t across[ACROSS_SIZES];
	uint64_t start_mod8[8];
	/* Requests that start on the most common residue (start sector modulo 8) of their region. */
	uint64_t on_commonest_residue[REGION_SIZES];
	double hot_1, hot_10, hot_1_written, hot_10_written;
	uint64_t page_rewrites, rewrites;
	double first_access, reuse_within[CACHE_SIZES];
	uint64_t entry_bytes;
};

struct trace_stat {
	struct counts type[REQUEST_TYPES];
	uint64_t flushes, fua;
	uint64_t aligned_4k, aligned_8k, size_4k;
	uint64_t off_sector; /* do not start on a sector border */
	uint64_t hint[UINT8_MAX + 1];
	tick_t first, last;
	struct histogram gap;   /* ns between arrivals */
	struct histogram depth; /* requests in flight when one arrives, itself included */
	struct tally *sizes;    /* by bytes; counts of reads, of writes */
	struct tally *pages;    /* by device and page; counts of reads, of writes */
	struct tally *ends;     /* by device and address */
	struct tally *residues; /* by device, MiB and start sector modulo 8 */
	struct devices *devices;
	struct reach *reach; /* by order of appearance */
	size_t reaches;
	uint64_t max_end;
	struct reuse *reuse;
	struct rewrites rewrites;
	struct lately few_regions, many_regions; /* in which requests begin */
	struct lately entries;                   /* pages of 1 << entry_bits bytes */
	unsigned entry_bits;
	struct heap inflight;
	struct picture *picture;
	struct figures figures;
};

static inline double stat_share(uint64_t part, uint64_t whole)
{
	return whole ? (double)part / (double)whole : 0;
}

#endif
