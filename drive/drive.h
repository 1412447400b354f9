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
#include "drive/observer.h"
#include "drive/page_handles.h"
#include "drive/settings.h"
#include "observe/accounts.h"
#include "observe/judge.h"
#include "observe/judge_queues.h"
#include "stats/histogram.h"
#include "stats/table.h"
#include "gc/upkeep.h"

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
	/* Sums over the requests of latency / sectors and programs / sectors, and their means. */
	double latency_each, programs_each, latency_each_mean, programs_each_mean;
};

/* Computed at the end, or copied from other rooms. */
struct drive_figures {
	double across_share, waf;
	double die_busy, die_background, channel_busy;
	uint64_t multiplane_commands, suspensions, cache_reads, cache_programs;
	uint64_t map_reads, map_programs, map_bytes;
	uint64_t wear_min, wear_max, retired_blocks;
	double wear_mean, wear_sd;
};

/* FLUSH, and writes with FUA, which are also counted as writes. */
struct durable_statistics {
	struct request_statistics request;
	struct histogram service;
};

struct drive_statistics {
	/* Per request_type, and of all.  Counted as requests complete: `sectors` of each type, `count` of
	 * all, and trims, which have no class.  The rest is summed up by statistics_sum_types() before it is
	 * read. */
	struct request_statistics request[REQUEST_TYPES + 1];
	struct histogram service[REQUEST_TYPES]; /* latency without the wait for a slot */
	struct durable_statistics flush, fua;
	struct class_statistics of_class[CLASSES][2]; /* [REQUEST_READ] and [REQUEST_WRITE] */
	struct drive_figures figures;
};

/* Per request_type, FLUSH among trims, and of all. */
struct tenant_statistics {
	struct request_statistics request[REQUEST_TYPES + 1];
	uint64_t ns;        /* from the first arrival of the run to its last completion */
	double iops;        /* computed at the end */
	char prefix[3][24]; /* "tenant.0.read.", of the names of these */
};

/* A request in the drive, by its ticket. */
struct pending {
	tick_t arrival, entered;
	uint32_t sectors;
	uint8_t type, kind; /* enum request_type, enum request_class */
	uint8_t tenant;     /* 0 if there is only one */
	bool fua;           /* a write, complete when its data is in flash */
	bool on_link;       /* a read whose data is crossing the host's link */
	bool uncounted;     /* it entered before the statistics began */
	bool is_command;    /* no host waits for it */
	bool is_round;      /* no request: work in idle time */
};

/* How the drive was prepared before the first request. */
struct drive_past {
	uint64_t workload,
		warm_up; /* checksums of the requests it was prepared for and the warm-up trace; 0: none */
	uint64_t footprint_pages; /* pages that the workload touches, or reads where only these count */
	uint64_t replayed;        /* requests of the warm-up trace */
};

#define DRIVE_BATCH 32u /* extents that are written together, outside time */

struct drive {
	const struct settings *settings;
	struct geometry geometry;
	struct host *host;
	struct oracle *oracle;     /* NULL: verification off */
	struct judge *judge;       /* of time; NULL: verification off */
	struct accounts *accounts; /* where the time of requests goes; NULL: no observer hears `served` */
	struct queue_judge *queue_judge;          /* with several tenants; NULL: verification off */
	struct drive_observer observer_of_queues; /* calls that judge */
	struct drive_observer *observers;         /* a list */
	struct flash *flash;
	struct ftl *ftl;
	struct buffer *buffer;
	struct page_handles handles; /* of buffered pages */
	struct upkeep upkeep;
	bool prepares; /* something is done when a request enters */
	bool acts;     /* or, now and then, before it does */
	struct drive_past past;
	struct io io;             /* of the request being served */
	struct extent prefetched; /* pages whose entries drive_expect() fetched last, [start, end) */

	/* Outside time. */
	struct extent batch[DRIVE_BATCH]; /* to be written by the present call, ascending */
	uint32_t batched;
	bool (*stops)(void *); /* optional: called during preparation; true stops it */
	void *stops_context;
	bool stopped;   /* preparation was stopped */
	bool replaying; /* a trace is replayed: its writes go through the SLC cache */
	bool filling;   /* mapping pages are programmed after all data, by drive_place_map() */

	struct pending *pending;
	uint32_t pending_used, pending_room;
	uint64_t in_drive;  /* requests entered and not completed */
	uint64_t uncounted; /* of these, those that entered before the statistics began */
	tick_t counted_from;
	bool warming; /* the statistics have not begun: no request that completes is in them */
	uint64_t submitted[REQUEST_TYPES], flushes;
	struct drive_statistics *count;
	struct tenant_statistics *tenant; /* of each; NULL: there is one */
	struct stat_list statistics;      /* of all rooms */
	tick_t first_arrival, last_completion;
};

/* NULL and a fault if no drive can have these parameters.  The settings must outlive the drive. */
struct drive *drive_create(const struct settings *, bool verify, struct fault *);
void drive_free(struct drive *);

/* Puts another buffer in front of a drive that has served nothing.  False and a fault: the FTL lacks an
 * operation that the buffer needs. */
bool drive_buffer(struct drive *, const struct buffer_ops *, const void *own_settings, struct fault *);

/* A hint for speed: this request will be submitted soon. */
void drive_expect(struct drive *, const struct request *);

/* The request enters the drive now, whole, whatever parts its host layer makes of it.  No time passes.
 * False: the drive has failed.  Commands that no host waits for are not counted: REQUEST_COLLECT collects a
 * block if possible (the FTL must have a store), REQUEST_UPDATE is for handles (gc/handles.h), REQUEST_ZONE
 * for a zone that the drive has. */
bool drive_submit(struct drive *, const struct request *);

/* The statistics start again from zero and leave out requests that have entered before. */
void drive_count_from_here(struct drive *);

/* Lets time pass: until a moment, with work in idle time; until something completes (false: nothing is in
 * flight); until a request completes, but not beyond a moment (false: none has), with work in idle time;
 * until all requests are complete. */
void drive_run_until(struct drive *, tick_t);
bool drive_run_to_completion(struct drive *);
bool drive_run_to_completion_until(struct drive *, tick_t);
void drive_drain(struct drive *);

/* Is the preparation to stop?  The drive is then not in the state asked for. */
static inline bool drive_stops(struct drive *d)
{
	return d->stopped = d->stopped || (d->stops && d->stops(d->stops_context));
}

/*
 * Outside time and statistics, through the host layer, for preconditioning.  False: the drive is full, or
 * preparation was stopped.  Extents placed together ascend and are one write.
 */
bool drive_place(struct drive *, struct extent);
bool drive_place_together(struct drive *, const struct extent *, size_t n);
void drive_discard(struct drive *, struct extent);
void drive_look(struct drive *, struct extent);

/* While `filling` is set writes leave out mapping pages; this programs those that are missing. */
bool drive_place_map(struct drive *);

/* Aborts unless all counts agree, and with verification unless every invariant holds. */
void drive_check(const struct drive *);

/* Before the first request, with verification: the invariants, and every sector is read.  The drive cannot be
 * used afterwards. */
void drive_check_sectors(struct drive *);

/* State between two requests; of a run, all but its workload. */
extern const struct state_row drive_state[];

enum request_class drive_classify(const struct geometry *, const struct request *);
const char *class_name(enum request_class);

#endif
