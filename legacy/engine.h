/*
 * The state of an SSDsim 2.1 drive, and the functions of its parts.  Private to legacy/.
 *
 *   trace line -> admit -> buffer -> sub-requests -> queues -> commands -> completion -> row
 *
 * Words.  A request is one trace line.  A sub-request reads or writes one page; reads wait in the queue of
 * their chip, writes in lanes (one for the device, one per channel or one per plane, depending on the
 * allocation).  An update read reads the sectors that a write does not cover; the write is blocked meanwhile.
 * Tokens are the round-robin pointers of dynamic allocation.  Planes, chips and blocks are numbered through
 * the whole drive; a page number (ppn) is block * pages + page.  Times are ns, masks have a bit per sector of
 * a page.
 *
 * The cost of a step does not depend on the number of waiting sub-requests.
 */
#ifndef LEGACY_ENGINE_H
#define LEGACY_ENGINE_H

#include "base/bits.h"
#include "base/fault.h"
#include "base/hash.h"
#include "base/heap.h"
#include "base/list.h"
#include "base/pool.h"
#include "base/queue.h"
#include "legacy/legacy.h"
#include "legacy/number_stack.h"
#include "legacy/parameters.h"
#include "legacy/quirks.h"
#include "legacy/records.h"
#include "legacy/trace.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#define NONE       INDEX_NONE
#define TIME_NEVER INT64_MAX

/* A digit of a page's number under static allocation, and its contribution to the plane. */
struct stripe {
	uint32_t below, size; /* pages / below % size is the digit */
	uint32_t planes;      /* in a unit of its kind */
};

/* Sizes, converted and multiplied once. */
struct layout {
	struct stripe stripe[4];
	uint32_t channels, chips, dies, planes, blocks, pages, sectors; /* per next larger unit */
	uint32_t chips_all, planes_per_chip, planes_all, pages_per_chip;
	uint32_t logical_pages; /* records of the map */
	uint32_t limit;         /* first sector beyond the exported capacity */
	uint32_t full;          /* mask of a whole page */
};

struct request {
	uint64_t sequence; /* order of admission */
	int64_t arrival;
	int64_t begin, end; /* of service; 0 until known */
	uint32_t sector, sectors;
	uint32_t pending;   /* sub-requests not yet timed */
	uint32_t reads;     /* read sub-requests so far */
	uint32_t read_at_0; /* first of them issued at time 0, NONE */
	bool read;
	bool answered; /* by the buffer */
};

/* A read of one page: on behalf of a request, or an update read on behalf of a write. */
struct read {
	int64_t end; /* TIME_NEVER until the data is transferred */
	uint32_t ppn;
	uint32_t sectors;
	uint32_t request; /* NONE for an update read */
	uint32_t ordinal; /* place among the reads of the request */
	uint32_t write;   /* blocked by this update read, NONE */
	uint32_t sequence;
	uint32_t next;   /* in the queue of the chip */
	uint32_t link;   /* of the index by ppn */
	uint32_t sharer; /* duplicate that completes with it (--fix Q19), NONE */
};

struct write {
	uint32_t lpn;
	uint32_t mask;
	uint32_t request;
	uint32_t sequence;
	uint32_t update; /* its update read, NONE */
	uint32_t next;   /* in its lane */
};

/* Writes that wait for a place, oldest first: those never blocked in a list, those whose update read
 * is complete in a heap.  Blocked ones are in neither. */
struct lane {
	struct queue writes;
	struct heap unblocked; /* by sequence */
};

/* Collections that wait for a chip, newest first.  The newest is unpacked. */
struct collections {
	uint32_t count;
	uint32_t plane;            /* of the newest, within the chip */
	uint64_t sequence;         /* of the newest, within the channel */
	struct number_stack older; /* plane, distance of its sequence to the next newer */
};

enum chip_state { CHIP_IDLE, CHIP_READING, CHIP_DATA_READY };

struct chip {
	enum chip_state state; /* entered at `time` (READING: at once) */
	int64_t time;
	uint32_t token;      /* next die */
	struct queue reads;  /* waiting for the chip */
	uint32_t current;    /* read in progress, NONE */
	int64_t command_end; /* of the last read command */
	struct collections collections;
};

struct channel {
	int64_t time;           /* idle from then on */
	uint32_t token;         /* next chip */
	uint32_t reads, writes; /* sub-requests queued */
	uint32_t collections;
	uint64_t last_collection; /* sequence number */
};

struct plane {
	uint32_t free_pages;
	uint32_t active;       /* block being filled, within the plane */
	uint32_t direct_erase; /* newest block without valid pages (drive-wide number), NONE */
	uint32_t erases;
	bool collecting; /* a collection waits (--fix Q33) */
};

struct block {
	uint32_t written; /* pages used up, always the first ones */
	uint32_t next;    /* in the direct-erase list */
};

/* Invalid pages per block, with maxima over groups of 16, groups of groups ... */
struct victims {
	uint32_t *entry;        /* per plane: blocks, then each level of maxima; see victims.c */
	uint32_t levels, words; /* words per plane */
	uint32_t size[8];       /* entries of each level, the blocks first */
};

/* A page of the buffer; number 0 is the head of the list. */
struct buffer_node {
	uint32_t lpn, mask;
	struct link age;
	uint32_t link; /* of the index by lpn */
};

/* Write buffer, least recently used page first out. */
struct buffer {
	struct pool nodes; /* most recently used first */
	struct hash index;
	uint32_t capacity;     /* sectors */
	uint32_t held;         /* sectors, as SSDsim counts them */
	uint32_t hits;         /* of the read at hand */
	uint32_t *need, needs; /* per page of the read at hand: sectors wanted from flash */
};

/* One write of the command being assembled, and where it goes. */
struct slot {
	uint32_t write;
	uint32_t plane;       /* drive-wide */
	uint32_t block, page; /* within the plane; 0, 0 until placed */
	bool lost;            /* no free page: nothing was programmed */
	bool refused;         /* found no place in the command: stays queued */
};

struct counters {
	uint32_t min_sector, max_sector;
	uint64_t reads, programs, update_reads, erases, direct_erases, copy_backs, collection_copy_backs;
	uint64_t two_plane_programs, interleaves, interleaved_two_planes;
	uint64_t writes, wasted;
	uint64_t interleave_erases, two_plane_erases, interleaved_two_plane_erases;
	uint64_t read_hits, read_misses, write_hits, write_misses;
};

/* Per kind of request: 0 read, 1 write. */
struct kind {
	uint64_t completed, admitted;
	int64_t response_sum;
	float mean_sectors; /* SSDsim's running mean */
	uint64_t sectors;
};

struct engine {
	struct layout layout;
	const struct legacy_parameters *p;
	quirk_set kept;
	bool copy_back, two_plane, interleave, dynamic, gated;
	bool per_channel;   /* writes are queued by channel, not for the device */
	bool update_blocks; /* a write waits for its update read */
	uint32_t write_ns, sector_write_ns, sector_read_ns; /* 7 cycles; transfer of a sector */
	float threshold; /* free pages of a plane below which it is collected */
	double exact_threshold;

	int64_t now;
	/* commands, transfers, erases and dismissed collections so far; at the last look at the trace */
	uint64_t steps, steps_seen;
	struct legacy_trace *trace;
	struct legacy_line line; /* the next line, if `line_ready` */
	bool line_ready, trace_ended;

	struct records map, spare;
	struct block *block;
	uint64_t *open_blocks; /* bit per block with free pages, words_per_plane words a plane */
	uint32_t words_per_plane;
	struct victims victims;
	struct plane *plane;
	uint32_t *die_token; /* next plane */
	struct chip *chip;
	struct channel *channel;
	uint32_t device_token; /* next channel */
	uint32_t turn;         /* first channel of the next round (--fix Q12) */

	struct pool requests, reads, writes;
	uint64_t admitted;
	uint32_t queued_requests;
	struct hash queued_reads; /* by ppn */
	uint64_t sequence;        /* of the newest sub-request; sub-requests store the lower half */
	struct lane *lane;
	uint32_t lanes;
	uint32_t queued_writes; /* in all lanes, blocked ones included */
	uint32_t gate;          /* SSDsim's count of real-time sub-requests */
	struct heap unblocking; /* writes whose update read is transferred, by its end */
	struct heap due, ready; /* requests: all sub-requests timed, by end; finished, by sequence */
	uint32_t commands;      /* read commands on a channel */
	uint32_t waiting_collections;
	struct slot *slot; /* room for one command */

	struct buffer buffer;
	struct counters count;
	struct kind kind[2];
	FILE *rows; /* ex.out */

	struct legacy_result *result;
	struct fault *fault;
	bool stopped; /* `fault` says why, `end` how */
	enum legacy_end end;
};

/* Is the quirk replicated, not repaired? */
static inline bool quirk_kept(const struct engine *e, enum quirk quirk)
{
	return e->kept >> quirk & 1;
}

/* Counts a quirk for which SSDsim has no result; the run continues. */
static inline void note(struct engine *e, enum quirk quirk)
{
	e->result->noted[quirk]++;
}

/* Ends the run: SSDsim crashes, hangs or reads behind a table here. */
void legacy_stop(struct engine *e, enum quirk quirk, enum legacy_end end, const char *why);

static inline struct request *request_at(const struct engine *e, uint32_t number)
{
	return (struct request *)e->requests.object + number;
}

static inline struct read *read_at(const struct engine *e, uint32_t number)
{
	return (struct read *)e->reads.object + number;
}

static inline struct write *write_at(const struct engine *e, uint32_t number)
{
	return (struct write *)e->writes.object + number;
}

/* The reads as elements of the index by ppn; the links of queued reads and writes. */
static inline struct hashed reads_by_ppn(const struct engine *e)
{
	return HASHED((struct read *)e->reads.object, ppn, link);
}

static inline struct array_field next_reads(const struct engine *e)
{
	return ARRAY_FIELD((struct read *)e->reads.object, next);
}

static inline struct array_field next_writes(const struct engine *e)
{
	return ARRAY_FIELD((struct write *)e->writes.object, next);
}

/* Heaps hold numbers by time or by sequence. */
struct timed {
	uint64_t key;
	uint32_t value;
};

static inline bool timed_before(const void *left, const void *right)
{
	return ((const struct timed *)left)->key < ((const struct timed *)right)->key;
}

static inline void timed_push(struct heap *h, uint64_t key, uint32_t value)
{
	struct timed t = { key, value };

	heap_push(h, &t, sizeof t, timed_before, "legacy queues");
}

static inline uint32_t timed_pop(struct heap *h)
{
	struct timed t;

	heap_pop(h, &t, sizeof t, timed_before);
	return t.value;
}

/* The first element; the heap is not empty. */
static inline struct timed timed_first(const struct heap *h)
{
	return *(const struct timed *)h->element;
}

/* Is the first element due? */
static inline bool timed_is_due(const struct heap *h, int64_t now)
{
	return h->count && timed_first(h).key <= (uint64_t)now;
}

static inline uint32_t chip_number(const struct engine *e, const struct chip *chip)
{
	return (uint32_t)(chip - e->chip);
}

/* Advances a token, cyclically; returns its old value. */
static inline uint32_t advance(uint32_t *token, uint32_t limit)
{
	uint32_t old = *token;

	*token = old + 1 == limit ? 0 : old + 1;
	return old;
}

static inline bool chip_idle(const struct engine *e, const struct chip *chip)
{
	return chip->state == CHIP_IDLE && chip->time <= e->now;
}

/* Is sub-request a earlier than b?  Those in flight at one time differ by less than 2^31. */
static inline bool legacy_earlier(uint32_t a, uint32_t b)
{
	return (int32_t)(a - b) < 0;
}

static inline uint32_t legacy_mask_sectors(uint32_t mask)
{
	mask -= mask >> 1 & 0x55555555;
	mask = (mask & 0x33333333) + (mask >> 2 & 0x33333333);
	return ((mask + (mask >> 4)) & 0x0f0f0f0f) * 0x01010101 >> 24;
}

/* layout.c: sizes of the drive, and the planes of logical pages. */
bool legacy_layout_create(
	struct layout *l, const struct legacy_parameters *p, quirk_set kept, struct fault *);
uint32_t legacy_static_plane(const struct engine *e, uint32_t lpn);  /* static allocation */
uint32_t legacy_dynamic_plane(struct engine *e, uint32_t lpn);       /* preloading; moves the tokens */
uint32_t legacy_logical_page(const struct engine *e, uint32_t page); /* of the page numbers of a request */

/* plane.c: blocks and pages of a plane. */
void legacy_planes_create(struct engine *e);
void legacy_planes_free(struct engine *e);
bool legacy_find_active(struct engine *e, uint32_t plane); /* false: no free page */
uint32_t legacy_take_pages(struct engine *e, uint32_t plane, uint32_t block, uint32_t n); /* the first */
void legacy_skip_pages(struct engine *e, uint32_t plane, uint32_t block, uint32_t page);
void legacy_erase(struct engine *e, uint32_t block); /* drive-wide block number */
void legacy_age(struct engine *e);
uint32_t legacy_first_open_pair(const struct engine *e, uint32_t a, uint32_t b); /* block, NONE */

static inline struct block *block_at(const struct engine *e, uint32_t plane, uint32_t block)
{
	return &e->block[(size_t)plane * e->layout.blocks + block];
}

static inline uint32_t ppn_of(const struct engine *e, uint32_t plane, uint32_t block, uint32_t page)
{
	return (plane * e->layout.blocks + block) * e->layout.pages + page;
}

/* victims.c: which block has most invalid pages. */
void legacy_victims_create(struct victims *v, uint32_t planes, uint32_t blocks);
uint32_t legacy_victims_add(struct victims *v, uint32_t plane, uint32_t block, uint32_t more); /* new count */
void legacy_victims_clear(struct victims *v, uint32_t plane, uint32_t block);
uint32_t legacy_victims_best(struct victims *v, uint32_t plane, uint32_t except); /* block, NONE */

/* map.c: the physical pages of logical ones. */
bool legacy_preload(struct engine *e, struct fault *);      /* pages the trace will read */
bool legacy_place_active(struct engine *e, struct slot *s); /* on the active block of s->plane */
void legacy_place_at(struct engine *e, struct slot *s, uint32_t plane, uint32_t block);
void legacy_ask_collection(struct engine *e, uint32_t plane); /* if below the threshold */

/* subrequests.c: creation and completion.  Only pages on the drive may be requested: SSDsim reads its map
 * without a bound, into other memory.  legacy_on_drive() ends the run there. */
bool legacy_on_drive(struct engine *e, uint32_t lpn);
void legacy_create_read(struct engine *e, uint32_t request, uint32_t lpn, uint32_t sectors);
uint32_t legacy_create_write(
	struct engine *e, uint32_t request, uint32_t lpn, uint32_t mask); /* its sectors */
void legacy_read_begins(struct engine *e, const struct read *r);
void legacy_subrequest_timed(struct engine *e, uint32_t request, int64_t end);
void legacy_request_answered(struct engine *e, uint32_t request); /* from the buffer, at now + 1000 */

/* lanes.c: queued writes. */
void legacy_lane_append(struct engine *e, uint32_t write);
uint32_t legacy_lane_take(struct engine *e, uint32_t number); /* oldest not blocked, NONE */
void legacy_lane_return(struct engine *e, uint32_t write);    /* taken but not dispatched; newest first */

/* read.c: the two halves of a page read. */
void legacy_reads_sense(struct engine *e); /* commands that ended */
bool legacy_read_command(struct engine *e, uint32_t channel);
bool legacy_read_transfer(struct engine *e, uint32_t channel);

/* write_dynamic.c, write_static.c: choose writes and places; true if the channel was used. */
bool legacy_write_dynamic(struct engine *e, uint32_t channel);
bool legacy_write_static(struct engine *e, uint32_t channel);

/* command.c: a program command for those of the first n slots that are not refused; the others go back. */
enum timing {
	TIMING_PARALLEL,  /* interleaved two-plane: all from now */
	TIMING_CHAINED,   /* interleaved: one after the other on the channel */
	TIMING_TWO_PLANE, /* chained with t_DBSY between */
};
int64_t legacy_program_ns(const struct engine *e, uint32_t write);
void legacy_program(struct engine *e, struct chip *chip, uint32_t n, enum timing);
uint32_t legacy_drop_refused(struct engine *e, uint32_t n); /* these go back at once; how many remain */
uint32_t legacy_drop_beyond(struct engine *e, uint32_t n, uint32_t limit);
void legacy_program_until(struct engine *e, struct chip *chip, int64_t end); /* slot 0 alone */
bool legacy_level(struct engine *e, const struct slot *base, struct slot *s, bool search);
bool legacy_pair(struct engine *e, struct slot *a, struct slot *b, bool search);

/* collect.c: garbage collection on an idle channel; true if it did something. */
bool legacy_collect(struct engine *e, uint32_t channel);

/* buffer.c: serves a request from the write buffer, or without one. */
void legacy_buffer_create(struct buffer *b, uint32_t bytes);
void legacy_buffer_free(struct buffer *b);
void legacy_serve(struct engine *e, uint32_t request);

/* admit.c: the trace and the clock. */
enum admission { ADMITTED, WAITED, ENDED, ADMIT_FAILED };
enum admission legacy_admit(struct engine *e, uint32_t *request, struct fault *);

/* process.c: one round over all channels. */
void legacy_process(struct engine *e);

/* check.c: aborts if the state contradicts itself. */
void legacy_check(const struct engine *e);

/* rows.c: finished requests and the other text of both result files. */
void legacy_finish_requests(struct engine *e);
void legacy_write_header(const struct engine *e, FILE *out, const char *trace);
void legacy_write_preload(const struct engine *e, FILE *out);
void legacy_write_statistics(const struct engine *e, FILE *out, bool rows_file);

#endif
