/*
 * ssdlab as a library: a simulated SSD that a program writes to from its own loop.
 *
 * Units: times are simulated ns since the drive was made, addresses and lengths are sectors of 512 bytes.
 *
 * Time passes only in ssdlab_submit(), ssdlab_run(), ssdlab_advance(), ssdlab_next() and ssdlab_drain(). The
 * same calls give the same bytes, on every machine; how requests are divided into arrays changes nothing.
 *
 * Errors: functions that can fail return enum ssdlab_status, and ssdlab_error() is then one line that says
 * what is wrong and what would be right.  No mistake of the caller ends the process or writes to a stream: a
 * pointer that is NULL, a number out of range and a value that nothing would read are refused.  (A handle
 * that was closed and a pointer to other memory cannot be recognised.)  A bug, in an FTL or in ssdlab, is
 * reported to the drive's handler; without a handler the process aborts.
 *
 * Ownership: a handle is closed by ssdlab_close(), a text freed by ssdlab_free(); arrays stay the caller's
 * and are not kept.
 *
 * Threads: a drive is used by one thread at a time.  Different drives, also forks of one drive, may be used
 * by different threads at once.  A call is refused while another one of the same drive is under way, in
 * another thread or because it comes from a callback.  Callbacks may call ssdlab_now(), ssdlab_sectors(),
 * ssdlab_in_flight() and ssdlab_error().
 */
#ifndef SSDLAB_H
#define SSDLAB_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define SSDLAB_ABI 2

#if defined(__GNUC__)
#define SSDLAB_API __attribute__((visibility("default")))
#else
#define SSDLAB_API
#endif

typedef struct ssdlab_drive ssdlab_drive;

enum ssdlab_status {
	SSDLAB_OK = 0,
	SSDLAB_MISTAKE = 1,    /* of the caller, or a file that cannot be used; the drive is as it was */
	SSDLAB_DRIVE_FULL = 2, /* the modelled drive is full or worn out; it takes no more requests */
	SSDLAB_NO_MEMORY = 3,  /* only ssdlab_close() may follow */
	SSDLAB_STOPPED = 4,    /* the caller's progress function asked for it */
	SSDLAB_BROKEN = 5      /* a bug, which the handler returned from: only ssdlab_close() may follow */
};

/* The last moment of simulated time that can be named, in ns: after 292 years. */
#define SSDLAB_TIME_MOST ((uint64_t)-1 >> 1)

/* ---- the library ---- */

/* SSDLAB_ABI of the library that is loaded; a program compiled for another value must not go on. */
SSDLAB_API uint32_t ssdlab_abi(void);

/* "0.1".  Lives as long as the library. */
SSDLAB_API const char *ssdlab_version(void);

/* ---- opening ---- */

/* What a drive reports of completed requests. */
enum ssdlab_completions {
	SSDLAB_NO_COMPLETIONS = 0,
	SSDLAB_TIMES = 1, /* each request, with its times */
	SSDLAB_PARTS = 2  /* and where the time went, which slows the drive down: docs/library.md */
};

/*
 * Called every 4,096 requests of ssdlab_run(), every 65,536 of a call of ssdlab_submit(), and while a drive
 * is prepared: with the requests served since it was opened, and the share of the present call that is done,
 * negative if not known.  If it returns other than 0, the call ends with SSDLAB_STOPPED.
 */
typedef int ssdlab_progress(void *context, uint64_t requests, double share);

/* A bug was found in this line of this file.  May end the process; if it returns, the call ends with
 * SSDLAB_BROKEN. */
typedef void ssdlab_bug(void *context, const char *file, int line, const char *text);

/* 32 bytes, without gaps. */
struct ssdlab_block {
	uint32_t block, plane; /* numbers */
	uint32_t pages, programmed_pages, valid_pages;
	uint32_t erases;
	uint64_t age; /* for a collection policy: pages written to the drive since it was full; else 0 */
};

/*
 * Victim selection: which of these blocks of a plane is collected?  Each is full, and has an invalid page.
 * Returns an index; anything else: the first of the blocks with the fewest valid pages.  The array is the
 * library's, in no particular order, but the same in every run.  Must not call the drive.
 */
typedef size_t ssdlab_gc_pick(void *context, uint32_t plane, const struct ssdlab_block *blocks, size_t n);

/* 40 bytes, without gaps.  Times are numbers of accesses to the buffer's pages. */
struct ssdlab_page {
	uint64_t page; /* logical page number */
	uint32_t sectors, dirty_sectors;
	uint64_t entered, used; /* when it entered the buffer, and was last written or read */
	uint32_t hits;          /* how often since it entered */
	uint32_t reserved;      /* 0 */
};

/* A write buffer's choice: which of these pages is evicted?  Returns an index; anything else: the least
 * recently used page.  Called again until there is room. */
typedef size_t ssdlab_buffer_pick(void *context, const struct ssdlab_page *pages, size_t n);

/*
 * Zeroed except for `size`: a drive with all parameters at their defaults.
 *
 * A request beyond the end of the drive is a mistake: trace.fold is false unless a setting is
 * "trace.fold=true", whatever a parameter file says.  Most named drives set it for `ssd run`, so their
 * results are those of `ssd run` to the byte only with this setting.
 */
struct ssdlab_options {
	size_t size;            /* of this struct */
	const char *parameters; /* a parameter file, or a name of `ssd list drives` */
	/* "key=value", as of `ssd run -s`: the last one of a key counts; workload.KEY=VALUE, too. */
	const char *const *settings;
	size_t setting_count;
	int verify;      /* check every sector and every time, by oracle and judge */
	int completions; /* enum ssdlab_completions */
	ssdlab_progress *progress;
	void *progress_context;
	ssdlab_bug *bug;
	void *bug_context;

	/* NULL, or in place of gc.policy and of buffer, which `settings` must not set, too.  The names are
	 * those in results and files: letters, digits and _.  A file can be loaded by a drive with a policy
	 * of the same name. */
	ssdlab_gc_pick *gc_pick;
	void *gc_context;
	const char *gc_name;             /* NULL: "callback" */
	ssdlab_buffer_pick *buffer_pick; /* dram.buffer_bytes is its size */
	void *buffer_context;
	const char *buffer_name;

	/* NULL, or an FTL in place of the setting ftl: its struct ftl_ops, and &ssd_toolbox of the program,
	 * which is linked with the rooms that the FTL uses, `make toolbox`.  Both must outlive the drive. */
	const void *ftl, *ftl_toolbox;
};

/*
 * Opens a drive.  All that the options point to is copied, except functions, their contexts and an FTL.  On
 * failure, too, *drive is a handle, which has the text and must be closed; it is NULL only without memory.
 */
SSDLAB_API enum ssdlab_status ssdlab_open(ssdlab_drive **drive, const struct ssdlab_options *);

/* NULL: does nothing.  SSDLAB_MISTAKE: a call of the drive is under way; it stays open. */
SSDLAB_API enum ssdlab_status ssdlab_close(ssdlab_drive *);

/* The text of the last failure, "" before the first.  Lives until the next failure. */
SSDLAB_API const char *ssdlab_error(const ssdlab_drive *);

/*
 * Prepares the drive as its parameters precondition.* say, for a workload (a trace file or the name of a
 * profile) or, with NULL, for none.  At most once, before the first request.  Without this call the first
 * call that needs a prepared drive prepares it, with NULL or with the workload of ssdlab_run().
 */
SSDLAB_API enum ssdlab_status ssdlab_prepare(ssdlab_drive *, const char *workload);

/* ---- serving ---- */

/* Serves a whole workload and completes its requests, as `ssd run` does.  In an open loop the arrivals of a
 * workload that is not the drive's first requests count from the present moment. */
SSDLAB_API enum ssdlab_status ssdlab_run(ssdlab_drive *, const char *workload);

enum ssdlab_kind {
	SSDLAB_READ = 0,
	SSDLAB_WRITE = 1,
	SSDLAB_TRIM = 2,
	SSDLAB_FLUSH = 4, /* of 0 sectors: completed when all data written before it is in flash */
	/* Commands of 0 sectors and without completion: */
	SSDLAB_COLLECT = 3, /* a block is collected */
	SSDLAB_UPDATE = 5   /* data with this hint goes on in a new reclaim unit (fdp.*) */
};

/* A flag of a write: it is completed when its data is in flash. */
#define SSDLAB_FUA 1

/* 40 bytes, without gaps. */
struct ssdlab_request {
	uint64_t arrival_ns; /* host.mode = open: not earlier than that of the previous request */
	uint64_t sector;     /* the first one */
	uint64_t tag;        /* the caller's; comes back with the completion */
	uint32_t sectors;
	uint32_t device;     /* placement handle, if fdp.by = device; else 0 */
	uint8_t kind;        /* enum ssdlab_kind */
	uint8_t hint;        /* placement handle, if fdp.by = hint, or of an update; else 0 */
	uint8_t flags;       /* SSDLAB_FUA, or 0 */
	uint8_t reserved[5]; /* 0 */
};

/*
 * Submits n requests in order.  With host.mode = open time passes until each arrives, and further while
 * host.queue_limit requests are in the drive; with closed it passes until fewer than host.queue_depth are,
 * and that moment is the arrival.  *taken (may be NULL): how many have entered, also on failure.
 */
SSDLAB_API enum ssdlab_status ssdlab_submit(
	ssdlab_drive *, const struct ssdlab_request *, size_t n, size_t *taken);

/* The fields of n requests as columns.  sector, sectors and kind are required.  NULL means: for arrival_ns
 * the present moment, for tag the number of the request since the drive was opened, from 0; for others 0. */
struct ssdlab_columns {
	size_t size; /* of this struct */
	const uint64_t *arrival_ns, *sector, *tag;
	const uint32_t *sectors, *device;
	const uint8_t *kind, *hint, *flags;
};

SSDLAB_API enum ssdlab_status ssdlab_submit_columns(
	ssdlab_drive *, const struct ssdlab_columns *, size_t n, size_t *taken);

SSDLAB_API uint64_t ssdlab_now(const ssdlab_drive *);       /* ns */
SSDLAB_API uint64_t ssdlab_sectors(const ssdlab_drive *);   /* that the host sees; 0: it is not open */
SSDLAB_API uint64_t ssdlab_in_flight(const ssdlab_drive *); /* requests that entered and are not completed */

/* Lets time pass: up to and including a moment, if that is not past; to the next completion, if a request is
 * in flight; until all requests and all work behind them are done. */
SSDLAB_API enum ssdlab_status ssdlab_advance(ssdlab_drive *, uint64_t until_ns);
SSDLAB_API enum ssdlab_status ssdlab_next(ssdlab_drive *);
SSDLAB_API enum ssdlab_status ssdlab_drain(ssdlab_drive *);

/* 96 bytes, without gaps.  The parts, of SSDLAB_PARTS, add up to completion - start. */
struct ssdlab_completion {
	uint64_t tag;
	uint64_t arrival_ns, start_ns, completion_ns; /* start: it entered the drive */
	uint32_t sectors, kind;
	uint64_t controller_ns; /* look-ups, DRAM, data of a write on the link */
	uint64_t map_ns;        /* operations on mapping pages */
	uint64_t die_ns;        /* waiting for a die that did anything but background work */
	uint64_t collection_ns; /* waiting for background work: collection, wear levelling, refresh, ... */
	uint64_t bus_ns;        /* waiting for the bus and using it */
	uint64_t cells_ns;      /* the cells work */
	uint64_t link_ns;       /* data of a read on the link */
};

/*
 * Takes up to `room` completions in order of completion; those of one moment in the order in which the
 * drive's scheduler completes them.  *taken: how many; they are kept until they are taken.  The tag of a
 * request of ssdlab_run() is its line in the trace.  A mistake if the drive was opened without completions.
 */
SSDLAB_API enum ssdlab_status ssdlab_completions(
	ssdlab_drive *, struct ssdlab_completion *, size_t room, size_t *taken);

/* ---- results ---- */

/* One statistic by its name in `ssd list statistics`, with percentiles as in JSON.  NaN: it has no value
 * yet. */
SSDLAB_API enum ssdlab_status ssdlab_statistic(ssdlab_drive *, const char *name, double *value);

/*
 * All statistics with their units and all parameters: what `ssd run --json` writes.  command, parameters and
 * workload become run.command, run.parameters and run.workload (NULL: "libssdlab", what ssdlab_open() was
 * given, the last workload).  The text is to be freed by ssdlab_free().
 */
SSDLAB_API enum ssdlab_status ssdlab_json(
	ssdlab_drive *, const char *command, const char *parameters, const char *workload, char **text);
SSDLAB_API void ssdlab_free(char *);

/* All statistics start again from zero; requests in flight are not counted. */
SSDLAB_API enum ssdlab_status ssdlab_reset_statistics(ssdlab_drive *);

/* Checks the counts and, of a drive with `verify`, every invariant now. */
SSDLAB_API enum ssdlab_status ssdlab_check(ssdlab_drive *);

/* All blocks of the drive, up to `room`.  *count: how many there are. */
SSDLAB_API enum ssdlab_status ssdlab_blocks(
	ssdlab_drive *, struct ssdlab_block *, size_t room, size_t *count);

/* ---- keeping ---- */

/*
 * Saves the drive in a file, whole or not at all.  Before the first request it is a file of `ssd run
 * --save-drive`; later it has the requests in flight and the statistics, too.  Completions that have not been
 * taken are not restored.
 */
SSDLAB_API enum ssdlab_status ssdlab_save(ssdlab_drive *, const char *path);

/* In place of ssdlab_prepare(): loads the state of a saved drive of the same parameters; `workload`: what it
 * was prepared for.  A file that is damaged or of another version is refused; one that was forged is
 * trusted. */
SSDLAB_API enum ssdlab_status ssdlab_load(ssdlab_drive *, const char *path, const char *workload);

/*
 * A second drive in the same state, in memory, with the requests in flight and the statistics; completions
 * not taken yet stay with the first.  What is done to one does not change the other.  Functions and contexts
 * of the options are those of the first.  On failure ssdlab_error() of the first has the text, and *copy must
 * be closed unless it is NULL.
 */
SSDLAB_API enum ssdlab_status ssdlab_fork(ssdlab_drive *, ssdlab_drive **copy);

#ifdef __cplusplus
}
#endif
#endif
