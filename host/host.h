/*
 * In front of the drive: when requests enter it, and which sectors they may address.
 *
 *   open     requests arrive at the times of the trace; at most `queue_limit` are in the drive, later ones
 *            queue in the host (the time they queue is part of their latency)
 *   closed   `queue_depth` requests are always in the drive; the next one arrives when one completes
 *
 * Several tenants have queues of their own in front of the drive (host/door.h).
 *
 * A layer in between maps each request to parts of the device.  It may redirect writes, split requests, trim
 * sectors that it no longer needs, and export fewer sectors than the device has.
 *
 * A link carries the data of one request after another in each direction.
 *
 * This room deals with requests and the size of the device, not with flash or time.  drive/run/run.c lets
 * time pass, and asks here when requests enter, where they go and how many may be in the drive.
 */
#ifndef HOST_HOST_H
#define HOST_HOST_H

#include "base/fault.h"
#include "base/param.h"
#include "base/state.h"
#include "host/tenants.h"
#include "stats/table.h"
#include "types.h"

enum write_done { DONE_IN_FLASH, DONE_IN_MEMORY };

enum host_mode { HOST_OPEN, HOST_CLOSED };

struct host_settings {
	int mode, layer;      /* layer: index into host_layers */
	uint64_t queue_limit; /* open: 0 = no limit */
	uint64_t queue_depth; /* closed */
	double time_scale;    /* open: arrival times are multiplied by it */
	uint64_t command_ns;  /* of the controller for each command, one after another */
	uint64_t link_ns;
	double link_mb_per_s; /* 0 = no limit */
	struct tenant_settings of;
	int write_done;
	uint64_t write_bytes; /* of memory for writes; 0 = 2 wordlines in each plane, or more (durable.c) */
	bool plp;
	uint64_t flush_every; /* writes; 0 = never */
};

/* Group "trace".  Most of it is passed on to traces/. */
struct trace_settings {
	char *format, *columns, *member, *devices, *time_unit;
	bool fold, sort_fully, fit, flush;
	uint64_t limit; /* requests; 0 = all */
	/* For a profile of the generator: settings that replace its own ("requests=1000"), and a number added
	 * to its seed unless they set one. */
	char **profile;
	size_t profile_count;
	uint64_t seed_shift;
	const char *list;           /* requests in place of a file (traces/trace.h); NULL */
	uint64_t page_bytes, bytes; /* of the device: a page, for formats that count in pages; its size */
	bool shared;                /* devices of the trace are tenants or handles of one address space */
};

extern const struct param host_params[], trace_params[];

/* The parts [from, end) of a request. */
struct host_parts {
	uint32_t from, end;
};

/* A request, or a part of one, on the device. */
struct host_part {
	struct extent device;
	sector_t host; /* first sector at the host; without meaning in a trim */
	enum request_type type;
	bool moves;   /* a write of data that is on the device already, not of the request's */
	bool appends; /* a write that names a zone and goes to its write pointer */
	/* Its operations depend on those of these parts: earlier reads, or the writes right before it. */
	struct host_parts after;
	uint32_t issued; /* set by the drive: the last operation before it */
};

/* The drive below the layer. */
struct host_device {
	sector_t sectors;
	uint32_t sectors_per_page;
	sector_t zone_sectors; /* size of a zone; 0: the drive has none */
	uint64_t active_zones; /* zones that may be active (begun and not full) at once; 0: any number */
};

struct host {
	const struct host_ops *ops;
	void *state;     /* ops->size bytes, zeroed before init */
	const void *own; /* settings of the layer */
	const struct host_settings *settings;
	const struct trace_settings *trace;
	bool beneath;     /* requests address the device: the layer is not installed yet */
	sector_t sectors; /* exported to the host */
	struct tenants tenants;
	struct door *door; /* of several tenants; NULL: there is one */
	struct host_device device;
	/* Time at which the link is idle again, to the device and from it, and the controller's processor. */
	tick_t link_free[2], processor_free;
	uint64_t folded; /* requests whose address was folded into the exported sectors */

	/* The parts of the request mapped last. */
	struct host_part *part;
	uint32_t parts, part_room;
	struct host_parts after; /* parts that those added from now on wait for */
	struct extent trimmed;   /* of a trim: sectors that hold no data from now on */
};

/* Where a layer writes: where the requests do; anywhere; in zones, which the drive must have. */
enum host_order { HOST_AS_ASKED, HOST_ANYWHERE, HOST_ZONES };

struct host_ops {
	const char *name, *brief;
	size_t size;                /* of the private state, may be 0 */
	const struct param *params; /* own settings, or NULL */
	size_t settings_size;

	/* Returns the number of sectors it exports.  0 and a fault: it does not support the device.  `exit`
	 * is optional and frees what `init` allocated. */
	sector_t (*init)(struct host *, struct fault *);
	void (*exit)(struct host *);
	/*
	 * Adds the parts of the request in order, with host_add().  The reads of a read cover each sector
	 * once, the writes of a write likewise; both may come with trims.  Sectors that were never written
	 * may be left out of a read.  A write may also read other sectors and write them elsewhere: a part
	 * finds the device as earlier parts have left it, and waits for those that its `after` names.
	 */
	void (*map)(struct host *, const struct request *);
	/* Optional: the same before the layer is installed; sector s of the host is sector s of the
	 * device. */
	void (*adopt)(struct host *, const struct request *);
	/* Rows of the private state (base/state.h); NULL if there is none. */
	const struct state_row *state;
	enum host_order order;
	/* Optional: invariants (aborts), statistics. */
	void (*check)(const struct host *);
	void (*statistics)(struct host *, struct stat_list *);
};

/* NULL-ended, in order of host/list.h. */
extern const struct host_ops *const host_layers[];

/* NULL and a fault if the layer refuses the device. */
struct host *host_create(const struct host_ops *, const struct host_settings *, const void *own_settings,
	const struct trace_settings *, struct host_device, struct fault *);
void host_free(struct host *);

/* Scales the arrival of a request of the trace and moves its address into the range of its tenant; with
 * trace.fold, an address beyond the range is folded into it.  False and a fault: there is no such tenant, or
 * no such sector. */
bool host_admit(struct host *, struct request *, const char *trace_name, struct fault *);

/* Maps an admitted request to parts, in `part`.  The layer's state changes as if it had been served. */
void host_map(struct host *, const struct request *);

/* Time at which the controller has processed a command that arrives now, after all earlier ones. */
tick_t host_process_command(struct host *, tick_t now);

/* Time at which data that is ready has crossed the link in this direction, after all earlier data. */
tick_t host_cross(struct host *, bool from_device, tick_t ready, uint32_t sectors);

/* For layers: adds a part, which waits for the parts that the host's `after` names. */
void host_add(struct host *, struct host_part);

/* State of the layer, and in a run that of link, controller and queues. */
extern const struct state_row host_state[];
void host_check(const struct host *);
void host_statistics(struct host *, struct stat_list *);

/* Does the link take time? */
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
