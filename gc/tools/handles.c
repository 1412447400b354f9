/*
 * Placement handles: the host says which data belong together, and data of different handles never share a
 * block (NVMe's Flexible Data Placement).  Each handle has a stream of its own in each plane; the blocks that
 * it fills are its reclaim units.
 *
 * A request names its handle by its device or by a hint, or the handle follows from the address.  Pages moved
 * by the collector go to blocks that all handles share (initially isolated), or to blocks of their own handle
 * (persistently isolated).
 */
#include "flash/schedule.h"
#include "gc/tools/tool.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum handle_by { HANDLE_BY_DEVICE, HANDLE_BY_HINT, HANDLE_BY_RANGE };

enum handle_isolation { ISOLATED_INITIALLY, ISOLATED_PERSISTENTLY };

struct handle_settings {
	uint64_t handles; /* 1: off */
	int by, isolation;
	char *ranges; /* "0:1,4096:0": from each sector on, the handle */
};

#define HANDLES_MOST 8u
#define RANGES_MOST  64u

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

static const char *const handle_by_names[] = { "device", "hint", "range", NULL };
static const char *const handle_isolation_names[] = { "initially", "persistently", NULL };

#define FDP(type, field) PARAM(type, struct handle_settings, field)

static const struct param handle_params[] = {
	{ FDP(UINT, handles), 1, HANDLES_MOST, "", "1",
		"placement handles: data of different handles never share a block; 1 = off",
		.switches = true },
	{ FDP(CHOICE, by), 0, 0, "", "device",
		"what names the handle of a request: its device number, its hint (column hint of a trace), "
		"or "
		"its address; numbers that are too large mean handle 0",
		handle_by_names, .matters_if = "fdp.handles!=1" },
	{ FDP(TEXT, ranges), 0, 0, "", "",
		"for fdp.by = range: \"SECTOR:HANDLE,...\" ascending; from each sector on that handle, below "
		"the first one handle 0",
		.matters_if = "fdp.by=range" },
	{ FDP(CHOICE, isolation), 0, 0, "", "initially",
		"valid pages that collection moves: initially = all handles' into the same blocks; "
		"persistently = those of each handle into blocks of its own",
		handle_isolation_names, .matters_if = "fdp.handles!=1" },
	{ 0 },
};

/* ---- ranges ---- */

static bool handles_bad_ranges(const char *at, const char *what, struct fault *fault)
{
	return fault_set(fault, "fdp.ranges: \"%.40s\" %s, should be SECTOR:HANDLE with a comma between two",
		at, what);
}

/* "4096:1" */
static bool handles_read_range(
	struct handles *h, const struct geometry *g, const char **at, struct fault *fault)
{
	const char *begin = *at;
	char *end;
	unsigned long long sector = strtoull(begin, &end, 10), handle;

	if (*begin < '0' || *begin > '9' || *end != ':')
		return handles_bad_ranges(begin, "has no sector", fault);
	*at = end + 1;
	handle = strtoull(*at, &end, 10);
	if (**at < '0' || **at > '9' || (*end && *end != ','))
		return handles_bad_ranges(begin, "has no handle", fault);
	if (sector >= g->logical_sectors)
		return fault_set(fault, "fdp.ranges: sector %llu lies beyond the drive of %llu sectors",
			sector, (unsigned long long)g->logical_sectors);
	/* A page belongs to the last range that begins at or before its first sector. */
	h->range[h->ranges] = (struct handle_range){ geometry_lpn(g, sector + g->sectors_per_page - 1),
		handle < h->settings->handles ? (uint8_t)handle : 0 };
	if (h->ranges && h->range[h->ranges].from < h->range[h->ranges - 1].from)
		return handles_bad_ranges(begin, "begins below the range before it", fault);
	h->ranges++;
	*at = *end ? end + 1 : end;
	return true;
}

static bool handles_read_ranges(struct handles *h, const struct geometry *g, struct fault *fault)
{
	const char *at = h->settings->ranges;

	while (*at) {
		if (h->ranges == RANGES_MOST)
			return fault_set(fault, "fdp.ranges: there are more than %u", RANGES_MOST);
		if (!handles_read_range(h, g, &at, fault))
			return false;
	}
	return true;
}

/* ---- streams ---- */

/* Streams of a plane that handles need beyond those of an FTL without handles. */
static uint32_t handles_more_streams(const struct handle_settings *s)
{
	return (uint32_t)(s->handles - 1) * (s->isolation == ISOLATED_PERSISTENTLY ? 2 : 1);
}

/* Handle 0 uses the FTL's own streams.  The streams of the other handles are appended, so that the FTL's keep
 * their numbers. */
static void handles_add_streams(struct handles *h, struct stream *streams, unsigned *count)
{
	static const char *const host[HANDLES_MOST] = { "host", "host 1", "host 2", "host 3", "host 4",
		"host 5", "host 6", "host 7" };
	static const char *const gc[HANDLES_MOST] = { "gc", "gc 1", "gc 2", "gc 3", "gc 4", "gc 5", "gc 6",
		"gc 7" };
	bool apart = h->settings->isolation == ISOLATED_PERSISTENTLY;

	h->host[0] = STREAM_HOST;
	h->gc[0] = streams[STREAM_HOST].survivors;
	for (unsigned i = 1; i < h->settings->handles; i++) {
		h->host[i] = *count;
		h->gc[i] = apart ? *count + 1 : h->gc[0];
		streams[(*count)++] =
			(struct stream){ host[i], .survivors = (uint8_t)h->gc[i], .host = true };
		if (apart)
			streams[(*count)++] = (struct stream){ gc[i], .survivors = (uint8_t)h->gc[i] };
	}
}

static bool handles_on(const void *settings)
{
	return ((const struct handle_settings *)settings)->handles > 1;
}

static void handles_want(const void *settings, struct tool_wants *wants)
{
	const struct handle_settings *s = settings;

	wants->devices_apart |= s->by == HANDLE_BY_DEVICE;
	wants->host_streams = (uint32_t)s->handles;
}

/* The host writes to all handles while the plane is low. */
static bool handles_claim(struct tool *t, struct tool_needs *needs, struct fault *fault)
{
	struct handles *h = t->state;

	h->settings = t->settings;
	if (!handles_read_ranges(h, needs->device, fault))
		return false;
	handles_add_streams(h, needs->streams, &needs->count);
	needs->open_blocks += handles_more_streams(h->settings) + 1 +
			      (uint32_t)ceil(needs->gc->threshold * needs->geometry->blocks_per_plane);
	return true;
}

static void handles_init(struct tool *t)
{
	((struct handles *)t->state)->space = t->space;
}

/* ---- which handle ---- */

static uint8_t handles_of_request(struct handles *h, const struct request *r)
{
	uint32_t named = h->settings->by == HANDLE_BY_HINT ? r->hint : r->device;

	if (r->type == REQUEST_WRITE)
		h->count.host_bytes += (uint64_t)r->sectors * SECTOR_BYTES;
	if (h->settings->by == HANDLE_BY_RANGE)
		return 0;
	if (named < h->settings->handles)
		return (uint8_t)named;
	h->count.invalid++;
	return 0;
}

static uint8_t handles_of_page(const struct handles *h, lpn_t lpn, uint8_t of_request)
{
	uint32_t i = h->ranges;

	if (h->settings->by != HANDLE_BY_RANGE)
		return of_request;
	while (i && h->range[i - 1].from > lpn)
		i--;
	return i ? h->range[i - 1].handle : 0;
}

/* The handle whose data the stream takes; -1: of no handle, or of several. */
static int handles_of_stream(const struct handles *h, unsigned stream)
{
	bool apart = h->settings->isolation == ISOLATED_PERSISTENTLY;

	for (unsigned i = 0; i < h->settings->handles; i++)
		if (stream == h->host[i] || (apart && stream == h->gc[i]))
			return (int)i;
	return -1;
}

/* Pads the rest of the open blocks of the handle that the request names: its data goes on in new blocks. */
static void handles_update(struct handles *h, struct io *io, const struct request *r)
{
	uint32_t named = h->settings->by == HANDLE_BY_DEVICE ? r->device : r->hint;
	uint32_t handle = named < h->settings->handles ? named : 0;
	unsigned stream = h->host[handle];

	h->count.updates++;
	schedule_note(h->space->flash->schedule, "handle %u goes on in new blocks", handle);
	for (plane_t p = 0; p < h->space->geometry->planes; p++)
		space_pad(h->space, io, p, stream, h->space->geometry->pages_per_block);
}

static void handles_enter(struct tool *t, struct io *io, const struct request *r, bool first)
{
	(void)first;
	if (request_has_sectors(r->type))
		io->handle = handles_of_request(t->state, r);
}

static void handles_say(
	const struct tool *t, const struct io *io, const struct request *r, char *text, size_t bytes)
{
	const struct handles *h = t->state;

	if (h->settings->by != HANDLE_BY_RANGE && r->type == REQUEST_WRITE)
		snprintf(text, bytes, "placement handle %d", io->handle);
}

static struct tool_labels handles_labels(const void *settings, enum request_type type)
{
	const struct handle_settings *s = settings;
	uint32_t handles = (uint32_t)s->handles;

	if (s->by == HANDLE_BY_DEVICE)
		return (struct tool_labels){ .devices = handles };
	/* the handle of a range is named by the hint */
	if (s->by == HANDLE_BY_HINT || type == REQUEST_UPDATE)
		return (struct tool_labels){ .hints = handles };
	return (struct tool_labels){ 0 };
}

static void handles_command(struct tool *t, struct io *io, const struct request *r)
{
	handles_update(t->state, io, r);
}

static unsigned handles_stream(const struct tool *t, const struct io *io, lpn_t lpn, unsigned stream)
{
	const struct handles *h = t->state;

	(void)stream;
	return h->host[handles_of_page(h, lpn, io->handle)];
}

/* Counts a page of the host. */
static void handles_placed(struct tool *t, const struct io *io, unsigned stream, bool own)
{
	struct handles *h = t->state;

	(void)own;
	for (unsigned i = 0; i < h->settings->handles; i++)
		h->of[i].host_pages += io->timed && h->host[i] == stream;
}

/* ---- statistics ---- */

#define COUNT(name)    STAT_COUNT, offsetof(struct handle_statistics, name)
#define COUNT_OF(name) STAT_COUNT, offsetof(struct handle_count, name)

static const struct stat_row handle_rows[] = {
	{ "fdp.invalid", "requests", "that named a handle which does not exist: handle 0", COUNT(invalid) },
	{ "fdp.updates", "", "commands to go on in new units", COUNT(updates) },
	{ "fdp.unit_bytes", "bytes", "of a reclaim unit", COUNT(unit_bytes) },
	{ "fdp.hbmw_bytes", "bytes", "written by the host", COUNT(host_bytes) },
	{ "fdp.mbmw_bytes", "bytes", "programmed, whatever the cause", COUNT(media_bytes) },
	{ "fdp.mbe_bytes", "bytes", "erased", COUNT(erased_bytes) },
	{ "fdp.dlwa", "", "fdp.mbmw_bytes / fdp.hbmw_bytes", STAT_RATIO,
		offsetof(struct handle_statistics, media_bytes),
		offsetof(struct handle_statistics, host_bytes) },
	{ 0 },
};

static const struct stat_row shared_rows[] = {
	{ "fdp.gc.moved_pages", "pages", "moved out of the blocks of moved pages", COUNT(gc_moved_pages) },
	{ "fdp.gc.units", "units", "opened for moved pages of all handles", COUNT(gc_units) },
	{ 0 },
};

static const struct stat_row initially_rows[] = {
	{ "host_pages", "pages", "written by the host with this handle", COUNT_OF(host_pages) },
	{ "units", "units", "opened for them", COUNT_OF(units) },
	{ "moved_pages", "pages", "moved out of these by collection", COUNT_OF(moved_pages) },
	{ 0 },
};

static const struct stat_row persistently_rows[] = {
	{ "host_pages", "pages", "written by the host with this handle", COUNT_OF(host_pages) },
	{ "units", "units", "opened for them", COUNT_OF(units) },
	{ "moved_pages", "pages", "moved by collection out of units of this handle", COUNT_OF(moved_pages) },
	{ "gc_units", "units", "opened for moved pages", COUNT_OF(gc_units) },
	{ 0 },
};

static void handles_start(void *handles)
{
	struct handles *h = handles;

	memset(h->space->count, 0, sizeof h->space->count);
}

static void handles_gather(void *handles)
{
	struct handles *h = handles;
	const struct geometry *g = h->space->geometry;
	const struct stream_statistics *of = h->space->count;
	uint64_t page = (uint64_t)g->sectors_per_page * SECTOR_BYTES;
	uint64_t block_pages = h->space->flash->geometry->pages_per_block;
	bool apart = h->settings->isolation == ISOLATED_PERSISTENTLY;

	h->count.unit_bytes = g->pages_per_block * page;
	h->count.media_bytes = flash_total(h->space->flash, OP_PROGRAM) * page;
	h->count.erased_bytes = flash_total(h->space->flash, OP_ERASE) * block_pages * page;
	h->count.gc_units = of[h->gc[0]].opened;
	h->count.gc_moved_pages = of[h->gc[0]].moved;
	for (unsigned i = 0; i < h->settings->handles; i++) {
		h->of[i].units = of[h->host[i]].opened;
		h->of[i].gc_units = of[h->gc[i]].opened;
		h->of[i].moved_pages = of[h->host[i]].moved + (apart ? of[h->gc[i]].moved : 0);
	}
}

static void handles_statistics(struct tool *t, struct stat_list *list)
{
	struct handles *h = t->state;
	static const char *const prefix[HANDLES_MOST] = { "fdp.0.", "fdp.1.", "fdp.2.", "fdp.3.", "fdp.4.",
		"fdp.5.", "fdp.6.", "fdp.7." };
	bool apart = h->settings->isolation == ISOLATED_PERSISTENTLY;

	stat_list_add(list, (struct stat_group){ "placement handles", NULL, handle_rows, &h->count,
				    sizeof h->count, h, handles_start, handles_gather });
	if (!apart)
		stat_list_add(list, (struct stat_group){ NULL, NULL, shared_rows, &h->count });
	for (unsigned i = 0; i < h->settings->handles; i++)
		stat_list_add(list,
			(struct stat_group){ NULL, prefix[i], apart ? persistently_rows : initially_rows,
				&h->of[i], sizeof h->of[i] });
}

static bool handles_tag(const struct tool *t, block_t b, char tag[TOOL_TAG])
{
	int handle = handles_of_stream(t->state, t->space->block[b].stream);

	if (handle < 0)
		return false;
	memcpy(tag, (char[TOOL_TAG]){ '@', (char)('0' + handle) }, TOOL_TAG);
	return true;
}

static const struct state_row handles_state[] = {
	STATE_FIXED(settings, space, range, ranges, host, gc),
	STATE_COUNTED(count, of),
	{ 0 },
};

static const struct refusal handles_refusals[] = {
	{ "fdp.handles", NULL, "ftl", "@collects_nothing", NEEDS_COLLECTION("handles need") },
	{ "fdp.handles", NULL, "ftl", "@mixes_requests",
		"packs data of several requests into a page; set its `pack` to request" },
	{ "fdp.handles", NULL, "ftl", "@sorts_requests", "writes pages of all requests in one order" },
	{ "fdp.handles", NULL, "gc.separate", "gc.separate=false",
		"mixes what is moved with what is written; set gc.separate = true" },
	{ "fdp.isolation", "fdp.isolation=persistently", "wear.delta", "wear.delta!=0",
		"moves cold data of all handles into the same blocks; set wear.delta = 0" },
	{ "fdp.handles", NULL, "buffer", "@merges", "writes parts of pages of several handles into one" },
	{ "fdp.handles", NULL, "ftl", "@divides_data", "decides where data goes; set fdp.handles = 1" },
	{ 0 },
};

const struct store_tool tool_handles = {
	.name = "fdp",
	.params = handle_params,
	.settings_size = sizeof(struct handle_settings),
	.refusals = handles_refusals,
	.size = sizeof(struct handles),
	.state = handles_state,
	.is_on = handles_on,
	.wants = handles_want,
	.claim = handles_claim,
	.init = handles_init,
	.enter = handles_enter,
	.takes = REQUEST_UPDATE,
	.command = handles_command,
	.labels = handles_labels,
	.stream = handles_stream,
	.placed = handles_placed,
	.say = handles_say,
	.statistics = handles_statistics,
	.tag = handles_tag,
	.tag_columns = 2,
};
