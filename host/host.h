/*
 * What stands in front of the drive: when requests arrive and what they may address.
 *
 *   open     requests arrive at the times of the trace; at most `queue_limit` of them are in the
 *            drive, the others wait at its door (the wait is part of their latency)
 *   closed   `queue_depth` requests are always in the drive; the next one arrives when one completes
 *
 * And the layer that lies between: it maps a request to parts of the device.  A layer may send a write elsewhere, cut
 * requests into pieces, release what it does not need any more, and export fewer sectors than the device has.
 *
 * Data of requests crosses a link, with room for one request after another in each direction.
 *
 * Knows requests and the size of the device.  Knows nothing of flash or time passing: the loop that waits
 * is run/run.c, which asks this room when, where and how many.
 */
#ifndef HOST_HOST_H
#define HOST_HOST_H

#include "base/fault.h"
#include "base/param.h"
#include "base/regions.h"
#include "stats/table.h"
#include "types.h"

enum host_mode { HOST_OPEN, HOST_CLOSED };

struct host_settings {
	int mode, layer;      /* layer: index into host_layers */
	uint64_t queue_limit; /* open: 0 = no limit */
	uint64_t queue_depth; /* closed */
	double time_scale;    /* open: arrival times are multiplied by it */
	uint64_t link_ns;
	double link_mb_per_s; /* 0 = no limit */
};

/* Of the group "trace"; what reading needs is passed on to traces/. */
struct trace_settings {
	char *format, *columns, *member, *devices, *time_unit;
	bool fold, sort_fully, fit;
	uint64_t limit; /* requests; 0 = all */
	/* Of a profile of the generator: settings that replace its own ("requests=1000"; n texts), and how far the
	 * seed of the run, where they name none, is from the one that leaves it as it is. */
	char **profile;
	size_t profile_count;
	uint64_t seed_shift;
	const char *list; /* requests in place of a file (traces/trace.h); NULL */
	uint64_t page_bytes,
		bytes; /* of the device: a page, for formats that count in pages; all that can be written */
};

extern const struct param host_params[], trace_params[];

/* What becomes of a request, or of a part of it: the device's sectors, read, written or trimmed. */
struct host_part {
	struct extent device;
	sector_t host; /* the host's first sector of it; of a trim it says nothing */
	enum request_type type;
};

struct host {
	const struct host_ops *ops;
	void *state;     /* ops->size bytes, zeroed before init */
	const void *own; /* settings of the layer */
	const struct host_settings *settings;
	const struct trace_settings *trace;
	bool beneath;                     /* requests address the device and are older than the layer */
	sector_t sectors, device_sectors; /* what the host sees, and what there is */
	uint32_t sectors_per_page;
	tick_t link_free[2]; /* to the device, from it */
	uint64_t folded;     /* requests whose address was folded into the exported sectors */

	struct host_part *part; /* of the request mapped last */
	uint32_t parts, part_room;
};

struct host_ops {
	const char *name, *brief;
	size_t size;                /* of the private state, may be 0 */
	const struct param *params; /* own settings, or NULL */
	size_t settings_size;

	/* The number of sectors it exports.  0: refuses, the fault says why; `exit`, optional, frees what it took. */
	sector_t (*init)(struct host *, struct fault *);
	void (*exit)(struct host *);
	/*
	 * Gives the parts of the request in order, with host_add().  Reads of a read cover each sector once, writes
	 * of a write likewise; trims may accompany both.  A read of what was never written may have no part.
	 * A write may read other sectors first, to write them elsewhere with its own: the rest waits for that.
	 */
	void (*map)(struct host *, const struct request *);
	bool same; /* each request is one part, the same sectors: host_map_same() does */
	/* Optional, the same for a request from before the layer came: sector s of the host is the device's. */
	void (*adopt)(struct host *, const struct request *);
	/* All optional: state to be kept with the drive, invariants (aborts), statistics. */
	void (*regions)(struct host *, struct regions *);
	void (*check)(const struct host *);
	void (*statistics)(struct host *, struct stat_list *);
};

/* NULL-ended, in order of host/list.h. */
extern const struct host_ops *const host_layers[];

/* NULL and a fault if the layer refuses the device. */
struct host *host_create(const struct host_ops *, const struct host_settings *, const void *own_settings,
	const struct trace_settings *, sector_t device_sectors, uint32_t sectors_per_page, struct fault *);
void host_free(struct host *);

/* Fits a request of the trace to what is exported.  False and a fault if it addresses what there is not. */
bool host_admit(struct host *, struct request *, const char *trace_name, struct fault *);

/* The parts of an admitted request are then in `part`; the layer takes it as served. */
void host_map(struct host *, const struct request *);

/* host_map() of a layer that leaves requests as they are. */
static inline void host_map_same(struct host *h, const struct request *r)
{
	h->part[0] = (struct host_part){ request_extent(r), r->start, r->type };
	h->parts = 1;
}

/* When data that is ready has crossed the link, to the device or from it, behind what came before. */
tick_t host_cross(struct host *, bool from_device, tick_t ready, uint32_t sectors);

/* For layers. */
void host_add(struct host *, struct host_part);

/* State; of a run (base/regions.h) the link's, too. */
void host_regions(struct host *, struct regions *);
void host_check(const struct host *);
void host_statistics(struct host *, struct stat_list *);

/* Crossing the link takes time. */
static inline bool host_has_link(const struct host_settings *s)
{
	return s->link_ns || s->link_mb_per_s > 0;
}

/* How many requests may be in the drive at once. */
static inline uint64_t host_slots(const struct host_settings *s)
{
	if (s->mode == HOST_CLOSED)
		return s->queue_depth;
	return s->queue_limit ? s->queue_limit : UINT64_MAX;
}

#endif
