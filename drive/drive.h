/*
 * The assembled drive and the path of a request through it, readable in drive.c from top to bottom:
 *
 *	request -> host layer (parts) -> buffer (hit, merge, or evict) -> FTL (mapping changes, operations)
 *	        -> flash -> completion
 *
 * It joins the rooms and measures; it decides nothing.
 */
#ifndef DRIVE_DRIVE_H
#define DRIVE_DRIVE_H

#include "buffer/buffer.h"
#include "drive/journal.h"
#include "drive/settings.h"
#include "stats/histogram.h"
#include "stats/table.h"

/* Classes of requests (Cai et al., ICPP 2023, section 1): a request of at most a page that touches two
 * pages is "across"; the others are aligned to pages at both ends or not. */
enum request_class { CLASS_ACROSS, CLASS_ALIGNED, CLASS_UNALIGNED, CLASSES };

struct request_statistics {
	uint64_t count, sectors, bytes;
	struct histogram latency; /* arrival to completion */
};

struct class_statistics {
	struct request_statistics request;
	uint64_t programs;         /* pages written for the host while such requests were served */
	double latency_per_sector; /* ns */
	/* Of each request for itself, per its sectors: sums, and means over the requests. */
	double latency_each, programs_each, latency_each_mean, programs_each_mean;
};

/* What is computed at the end, or looked up in other rooms. */
struct drive_figures {
	double across_share, waf;
	double die_busy, die_background, channel_busy;
	uint64_t multiplane_commands, suspensions;
	uint64_t map_reads, map_programs, map_bytes;
	uint64_t wear_min, wear_max, retired_blocks;
	double wear_mean, wear_sd;
};

struct drive_statistics {
	/* Per request_type, and of all.  Kept are `sectors` of each type, `count` of all and what concerns trims, which
	 * have no class; statistics_sum_types() fills in the rest, when numbers are read and when all is done. */
	struct request_statistics request[REQUEST_TYPES + 1];
	struct histogram service[REQUEST_TYPES];   /* latency without the wait for a slot */
	struct class_statistics class[CLASSES][2]; /* [REQUEST_READ] and [REQUEST_WRITE] */
	struct drive_figures figures;
};

/* A request in the drive, by its ticket. */
struct pending {
	tick_t arrival, taken;
	uint32_t sectors, row; /* of the journal */
	uint8_t type, class;
	bool answered; /* a read: its data is on the link */
	bool before;   /* it entered before the statistics began and is not in them */
	bool aside;    /* no request: a collection that was asked for */
};

/* What was done to the drive before the first request: part of what it is. */
struct drive_past {
	uint64_t workload,
		warm_up; /* sums of the requests it was prepared for and of those replayed; 0: of none */
	uint64_t footprint_pages; /* pages the workload touches (reads, for premapping alone) */
	uint64_t replayed;        /* requests of the warm-up trace */
};

struct drive {
	const struct settings *settings;
	struct geometry geometry;
	struct host *host;
	struct oracle *oracle; /* NULL: verification off */
	struct flash *flash;
	struct ftl *ftl;
	struct buffer *buffer;
	struct drive_past past;
	struct io io;           /* of the request being taken in */
	struct extent expected; /* pages hinted at last, [start, end) */
	bool (*stops)(void);    /* NULL, or asked now and then while it is prepared: is that to end? */
	bool stopped;           /* it was */
	bool direct;            /* requests reach the FTL as they are: no layer, buffer or oracle */
	bool filling;           /* mapping pages are placed once all data is: drive_place_map() */

	struct pending *pending;
	uint32_t pending_room;
	uint64_t in_drive; /* requests taken in and not completed */
	uint64_t before;   /* of these, those that entered before the statistics began */
	tick_t counted_from;
	bool warming; /* the statistics have not begun: what completes is no row of the journal */
	uint64_t taken[REQUEST_TYPES];
	struct drive_statistics *count;
	struct journal *journal;     /* NULL: none.  The caller's */
	struct stat_list statistics; /* of all rooms */
	tick_t first_arrival, last_completion;
};

/* NULL and a fault if the parameters make an impossible drive.  The settings must outlive it. */
struct drive *drive_create(const struct settings *, bool verify, struct fault *);
void drive_free(struct drive *);

/* Another buffer in front of a drive that has served nothing.  False and a fault: the FTL lacks what it needs. */
bool drive_buffer(struct drive *, const struct buffer_ops *, const void *own_settings, struct fault *);

/* A hint that changes nothing but speed: this request comes after the one hinted at before. */
void drive_expect(struct drive *, const struct request *);

/* Takes in a request that arrived at request->arrival, whole, in however many parts its layer makes of it; no time
 * passes.  False: the drive has failed.  REQUEST_COLLECT, of an FTL with a store: a block is reclaimed if one can be,
 * which counts as no request. */
bool drive_submit(struct drive *, const struct request *);

/* From now on each request is a row of the journal; before the first. */
void drive_keep_journal(struct drive *, struct journal *);

/* The statistics begin anew: what entered before is not in them, whenever it completes. */
void drive_count_from_here(struct drive *);

/* Lets time pass: until a moment, until a request completes (false: none is under way), until all is done. */
void drive_run_until(struct drive *, tick_t);
bool drive_run_to_completion(struct drive *);
void drive_drain(struct drive *);

/* Is its preparation to end here?  Then it will not be what was asked for. */
static inline bool drive_stops(struct drive *d)
{
	return d->stopped = d->stopped || (d->stops && d->stops());
}

/* Outside time and statistics, for preconditioning: writes and trims through the host layer.  False: it is full, or
 * stops. */
bool drive_place(struct drive *, struct extent);
bool drive_place_together(struct drive *, const struct extent *, size_t n); /* ascending; as one write */
void drive_discard(struct drive *, struct extent);
bool drive_place_map(struct drive *);

/* Whole pages, one after the other, without what each request costs.  First the drive is asked whether it takes so
 * many: no layer and no judge looks at each, nothing has to be collected for them.  O(planes). */
bool drive_takes_pages(struct drive *, uint32_t n);
void drive_place_pages(struct drive *, const lpn_t *, uint32_t n);

/* Aborts unless the books balance, and with verification unless every invariant holds. */
void drive_check(const struct drive *);

/* The same of a drive that has served nothing, whose state may be anything that fits into its rooms; with
 * verification every sector is read.  It is a drive of which nothing more can be expected afterwards. */
void drive_check_loaded(struct drive *);

/* A run between two requests, all of it but the workload's place. */
void drive_regions(struct drive *, struct regions *);

/* Aborts unless what was loaded there is a drive in the midst of a run, whose operations end.  Nothing more can be
 * expected of it afterwards. */
void drive_check_running(struct drive *);

enum request_class drive_classify(const struct geometry *, const struct request *);
const char *class_name(enum request_class);

#endif
