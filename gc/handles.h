/*
 * Placement handles: the host says which data belong together, and data of different handles never share a
 * block (NVMe's Flexible Data Placement).  Each handle has a stream of its own in each plane; the blocks that
 * it fills are its reclaim units.
 *
 * A request names its handle by its device or by a hint, or the handle follows from the address.  Pages moved
 * by the collector go to blocks that all handles share (initially isolated), or to blocks of their own handle
 * (persistently isolated).
 */
#ifndef FTL_HANDLES_H
#define FTL_HANDLES_H

#include "base/fault.h"
#include "base/param.h"
#include "gc/space/space.h"
#include "stats/table.h"

#define HANDLES_MOST 8u
#define RANGES_MOST  64u

enum handle_by { HANDLE_BY_DEVICE, HANDLE_BY_HINT, HANDLE_BY_RANGE };

enum handle_isolation { ISOLATED_INITIALLY, ISOLATED_PERSISTENTLY };

struct handle_settings {
	uint64_t handles; /* 1: off */
	int by, isolation;
	char *ranges; /* "0:1,4096:0": from each sector on, the handle */
};

extern const struct param handle_params[];

struct handle_range {
	lpn_t from;
	uint8_t handle;
};

struct handle_count {
	uint64_t host_pages;
	uint64_t units, gc_units, moved_pages; /* filled in when the statistics are read */
};

struct handle_statistics {
	uint64_t invalid, updates;
	uint64_t host_bytes; /* of all writes taken in */
	/* Filled in when the statistics are read. */
	uint64_t gc_units, gc_moved_pages, unit_bytes, media_bytes, erased_bytes;
};

struct handles {
	const struct handle_settings *settings;
	struct space *space;
	struct handle_range range[RANGES_MOST]; /* ascending */
	uint32_t ranges;
	unsigned host[HANDLES_MOST], gc[HANDLES_MOST]; /* their streams */
	struct handle_statistics count;
	struct handle_count of[HANDLES_MOST];
};

static inline bool handles_are_on(const struct handle_settings *s)
{
	return s->handles > 1;
}

/* Reads the ranges and appends the streams of handles 1 and up to the FTL's `*count` streams.  False and a
 * fault: a range is wrong. */
bool handles_init(struct handles *, const struct handle_settings *, const struct geometry *,
	struct stream *streams, unsigned *count, struct fault *);

/* Streams of a plane that handles need beyond those of an FTL without handles. */
uint32_t handles_more_streams(const struct handle_settings *);

/* On a drive with handles: the handle of a request, counted as it is taken in; the handle of a page, by its
 * address with fdp.by = range, else `of_request`. */
uint8_t handles_of_request(struct handles *, const struct request *);
uint8_t handles_of_page(const struct handles *, lpn_t, uint8_t of_request);

/* The handle whose data the stream takes; -1: of no handle, or of several. */
int handles_of_stream(const struct handles *, unsigned stream);

/* Pads the rest of the open blocks of the handle that the request names: its data goes on in new blocks. */
void handles_update(struct handles *, struct io *, const struct request *);

/* A page has been handed out for data of the host. */
static inline void handles_count_page(struct handles *h, const struct io *io, uint8_t handle)
{
	h->of[handle].host_pages += io->timed;
}

void handles_statistics(struct handles *, struct stat_list *);

#endif
