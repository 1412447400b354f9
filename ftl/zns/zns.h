/*
 * Zones, internals shared by the files of this folder.  No other file includes it, except tests of commands
 * that no request can give.
 *
 * A drive without a map: a zone is some rows of blocks, one block of each plane in a row, and is written from
 * its first page to its last.  The host chooses where data goes, and frees a zone as a whole by a reset (NVM
 * Express, Zoned Namespace Command Set; Bjorling et al., USENIX ATC 2021).  So nothing is ever collected.
 *
 * Choices that the specification leaves open: A zone always has the same blocks, so wear is as even as the
 * host's use of zones.  Its capacity is its size.  The last sectors of a write, if they do not fill a page,
 * stay in the controller's memory until the rest of the page is written.
 */
#ifndef FTL_ZNS_ZNS_H
#define FTL_ZNS_ZNS_H

#include "base/list.h"
#include "ftl/ftl.h"
#include "ftl/pages.h"

enum zone_state {
	ZONE_EMPTY,
	ZONE_OPEN,     /* by a write */
	ZONE_EXPLICIT, /* open by a command */
	ZONE_CLOSED,
	ZONE_FULL,
	ZONE_STATES
};

/* Why a command is refused, in the order of the checks. */
enum zone_error { ERROR_FULL, ERROR_BOUNDARY, ERROR_POINTER, ERROR_ACTIVE, ERROR_OPEN, ZONE_ERRORS };

enum zone_answer { ANSWER_STOP, ANSWER_COUNT };
enum zone_finish { FINISH_PAD, FINISH_NONE };

struct zns_settings {
	uint64_t rows, open, active; /* open, active: 0 = no limit */
	int finish, refuse;          /* enum zone_finish, enum zone_answer */
	bool serial;
};

struct zone {
	uint32_t state;
	struct link link; /* in the list of ZONE_OPEN zones, the least recently used first */
	sector_t written; /* sectors since the reset; the write pointer, unless the zone is full */
	bool padded;      /* full, with padding pages behind the data */
	/* zns.serial: ticket of the request that wrote the zone last (INDEX_NONE: none, or an append), and
	 * the page at which it began. */
	uint32_t writer, writer_page;
};

struct zns_statistics {
	uint64_t writes, appends, pages, filled; /* commands; pages completed by them; zones */
	uint64_t explicit_opens, implicit_closes, closes, finishes, resets, erased_zones, ignored_trims;
	uint64_t error[ZONE_ERRORS];
	uint64_t open_most, active_most;
	uint64_t zones, zone_bytes, programs; /* computed when the statistics are read */
};

struct zns {
	struct placement placement; /* the striping order */
	uint32_t zones, planes, zone_pages, row_pages;
	sector_t zone_sectors;
	struct zone *zone; /* behind the last one: the head of the list */
	uint32_t open, active;
	uint64_t live_pages; /* that hold data */
	bool appends;        /* the write being served is an append */
	/* zns.serial, per block: its last program; the last one that the write being served waits for. */
	op_t *last, *before;
	struct zns_statistics count, uncounted;
};

static inline struct zns *zns_of(const struct ftl *f)
{
	return (struct zns *)f->state;
}

static inline struct zns_statistics *zns_count(const struct ftl *f, const struct io *io)
{
	return io->timed ? &zns_of(f)->count : &zns_of(f)->uncounted;
}

static inline uint32_t zns_zone_of(const struct zns *z, sector_t sector)
{
	return (uint32_t)(sector / z->zone_sectors);
}

static inline sector_t zns_start(const struct zns *z, uint32_t zone)
{
	return zone * z->zone_sectors;
}

/* The block of a zone in a plane and one of its rows. */
static inline block_t zns_block(const struct ftl *f, uint32_t zone, plane_t plane, uint32_t row)
{
	const struct zns_settings *s = (const struct zns_settings *)f->settings;

	return plane * f->geometry->blocks_per_plane + zone * (uint32_t)s->rows + row;
}

/* The place of a page of a zone: planes in striping order, then offsets, then rows. */
ppn_t zns_page(const struct ftl *, uint32_t zone, uint32_t page);

/* Pages of the zone that hold data in flash; sectors that wait in the controller's memory behind them. */
uint32_t zns_data_pages(const struct ftl *, uint32_t number);
sector_t zns_waiting(const struct ftl *, uint32_t number);

/* ---- zone.c: states ---- */

/*
 * May the zone take these sectors?  Opens it if it is not open, and sets the extent of an append to the place
 * where it goes.  False: refused, and the zone has not changed.
 */
bool zone_admit(struct ftl *, struct io *, struct extent *, bool append);

/* This many sectors have been written at the zone's write pointer. */
void zone_written(struct ftl *, struct io *, uint32_t number, sector_t sectors);

/* Commands; false: refused.  Closing a zone that is not open, finishing a full one and resetting an empty
 * one do nothing. */
bool zone_open(struct ftl *, struct io *, uint32_t zone);
void zone_close(struct ftl *, struct io *, uint32_t number);
bool zone_finish(struct ftl *, struct io *, uint32_t zone);
void zone_reset(struct ftl *, struct io *, uint32_t number);

/* Aborts unless states, limits and lists agree. */
void zone_check(const struct ftl *);

extern const char *const zone_state_names[ZONE_STATES];

/* ---- data.c: what finish and reset do to the data ---- */

/* Programs the sectors that are in the controller's memory as a page; with zns.finish = pad, also pads the
 * rest of the zone. */
void zns_seal(struct ftl *, struct io *, uint32_t number);

/* Erases the zone's blocks that have programmed pages. */
void zns_erase(struct ftl *, struct io *, uint32_t number);

void zns_read(struct ftl *, struct io *, const struct extent *, size_t n);
void zns_write(struct ftl *, struct io *, const struct extent *, size_t n);

#endif
