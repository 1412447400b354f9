/*
 * What stat.c gathers and stat_report.c and stat_plot.c say.  Nobody else looks inside.
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
#define ACROSS_SIZES 3u  /* pages of 4, 8, 16 KiB */

/* S-FTL's cache of 8 KiB holds about 111 mapping pages of 1 MiB each, one of 64 KiB 936, DFTL's 8,192 entries
 * (MSST 2011). */
#define REGION_BITS  20u
#define FEW_REGIONS  111u
#define MANY_REGIONS 936u
#define ENTRIES      8192u

/* One device's part of the span, and where its last request ended. */
struct reach {
	uint64_t low, high, last_end;
};

/* What is counted for each type of request. */
struct counts {
	uint64_t requests, bytes;
	uint64_t pages; /* page accesses: a read or write counts once for each page it touches */
	uint64_t across[ACROSS_SIZES];
	uint64_t sequential;       /* start where the device's previous request ended */
	uint64_t continuing;       /* start where any earlier request of the device ended */
	uint64_t start_mod16[16];  /* by start sector modulo 16 */
	struct histogram response; /* ns; of the requests whose response time is known */
};

struct trace_stat {
	struct counts type[REQUEST_TYPES];
	uint64_t aligned_4k, aligned_8k, size_4k;
	uint64_t off_sector; /* do not begin on a sector border */
	tick_t first, last;
	struct histogram gap;   /* ns between arrivals */
	struct histogram depth; /* requests under way when one arrives, itself included */
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
	struct lately few_regions, many_regions; /* of requests' beginnings */
	struct lately entries;                   /* pages of 1 << entry_bits bytes */
	unsigned entry_bits;
	struct heap inflight;
	struct picture *picture;
};

#endif
