#include "host/host.h"

#include "base/memory.h"

#define HOST_LAYER(name) extern const struct host_ops host_##name;
#include "host/list.h"
#undef HOST_LAYER

const struct host_ops *const host_layers[] = {
#define HOST_LAYER(name) &host_##name,
#include "host/list.h"
#undef HOST_LAYER
	NULL,
};

static const char *const layer_names[] = {
#define HOST_LAYER(name) #name,
#include "host/list.h"
#undef HOST_LAYER
	NULL,
};

#define HOST(type, field)  PARAM(type, struct host_settings, field)
#define TRACE(type, field) PARAM(type, struct trace_settings, field)

static const char *const mode_names[] = { "open", "closed", NULL };

const struct param host_params[] = {
	{ HOST(CHOICE, mode), 0, 0, "", "open",
		"open: requests arrive at the times of the trace; closed: the next one arrives when one "
		"completes",
		mode_names, .stateless = true },
	{ HOST(CHOICE, layer), 0, 0, "", "direct",
		"layer between the host and the drive; `ssd list` describes them", layer_names },
	{ HOST(UINT, queue_limit), 0, 1e9, "requests", "256",
		"open: requests in the drive at once, later ones queue in the host; 0 = any number",
		.matters_if = "host.mode=open", .stateless = true },
	{ HOST(UINT, queue_depth), 1, 1e6, "requests", "32", "closed: requests always in the drive",
		.matters_if = "host.mode=closed", .stateless = true },
	{ HOST(REAL, time_scale), 0, 1e6, "", "1",
		"open: arrival times are multiplied by it; 0.5 = twice as fast, 0 = all at once",
		.matters_if = "host.mode=open", .stateless = true },
	{ HOST(UINT, link_ns), 0, 1e9, "ns", "0",
		"latency of the link, added to each request; requests overlap in it", .stateless = true },
	{ HOST(REAL, link_mb_per_s), 0, 1e6, "MB/s", "0",
		"transfer rate of the link in each direction, 10^6 bytes per second; 0 = no limit",
		.stateless = true },
	{ 0 },
};

const struct param trace_params[] = {
	{ TRACE(TEXT, format), 0, 0, "", "auto", "format of the trace; auto = found from its content" },
	{ TRACE(TEXT, columns), 0, 0, "", "",
		"names of the columns of a trace in no known format, e.g. "
		"time_us,op,offset_bytes,size_bytes" },
	{ TRACE(TEXT, member), 0, 0, "", "", "file inside a tar or zip archive; \"\" = the only one" },
	{ TRACE(TEXT, devices), 0, 0, "", "own",
		"own: every device of the trace keeps its addresses; all: devices are laid out one after "
		"another; a number or name: that device alone" },
	{ TRACE(TEXT, time_unit), 0, 0, "", "auto",
		"unit of the time column: ns, us, ms, s or 100ns; auto = the format's own" },
	{ TRACE(BOOL, sort_fully), 0, 1, "", "false", "hold the whole trace in memory to sort it by time" },
	{ TRACE(BOOL, fold), 0, 1, "", "false",
		"addresses beyond the drive are folded into it (modulo its size) and counted; off = they "
		"are an error" },
	{ TRACE(BOOL, fit), 0, 1, "", "false",
		"a generator profile that needs more space than the device has is scaled down" },
	{ TRACE(UINT, limit), 0, 1e15, "requests", "0", "only the first requests; 0 = all" },
	{ 0 },
};

struct host *host_create(const struct host_ops *ops, const struct host_settings *settings, const void *own,
	const struct trace_settings *trace, struct host_device device, struct fault *fault)
{
	struct host *h = memory_array(1, sizeof *h, "host");

	BUG_ON(!ops->brief || !ops->init || !ops->map, "host layer %s lacks a required operation", ops->name);
	h->ops = ops;
	h->state = memory_array(1, ops->size, "host layer");
	h->own = own;
	h->settings = settings;
	h->trace = trace;
	h->device = device;
	h->part = memory_grown(h->part, &h->part_room, 1, sizeof *h->part, "parts of a request");
	h->sectors = ops->init(h, fault);
	if (h->sectors)
		return h;
	host_free(h);
	return NULL;
}

void host_free(struct host *h)
{
	if (!h)
		return;
	if (h->ops->exit)
		h->ops->exit(h);
	memory_free(h->state);
	memory_free(h->part);
	memory_free(h);
}

void host_add(struct host *h, struct host_part part)
{
	h->part = memory_grown(h->part, &h->part_room, h->parts + 1, sizeof *h->part, "parts of a request");
	part.after = h->after;
	h->part[h->parts++] = part;
}

void host_map(struct host *h, const struct request *r)
{
	h->parts = 0;
	h->after = (struct host_parts){ 0 };
	h->trimmed = request_extent(r);
	(h->beneath ? h->ops->adopt : h->ops->map)(h, r);
}

static const struct state_row *host_layer_state(const void *host)
{
	return ((const struct host *)host)->ops->state;
}

const struct state_row host_state[] = {
	STATE_FIXED(ops, own, settings, trace, sectors, device),
	STATE_SCRATCH(beneath, part, parts, part_room, after, trimmed),
	STATE_COUNTED(folded),
	STATE_CHOSEN(struct host, state, host_layer_state),
	STATE_OF_RUN,
	STATE_NUMBER(struct host, link_free),
	{ 0 },
};

void host_check(const struct host *h)
{
	if (h->ops->check)
		h->ops->check(h);
}

static const struct stat_row host_rows[] = {
	{ "run.folded", "requests", "whose address was folded into the drive", STAT_COUNT },
	{ 0 },
};

void host_statistics(struct host *h, struct stat_list *list)
{
	stat_list_add(list, (struct stat_group){ "host", NULL, host_rows, &h->folded, sizeof h->folded });
	if (h->ops->statistics)
		h->ops->statistics(h, list);
}

/* Modulo the exported sectors; a request that would then end after the last sector is moved back by whole
 * pages.  Both keep its alignment. */
static void host_fold(struct host *h, struct request *r)
{
	sector_t page = h->device.sectors_per_page;

	r->start %= h->sectors;
	if (r->start + r->sectors > h->sectors)
		r->start -= (r->start + r->sectors - h->sectors + page - 1) / page * page;
	h->folded++;
}

bool host_admit(struct host *h, struct request *r, const char *trace_name, struct fault *fault)
{
	if (h->settings->mode == HOST_OPEN && h->settings->time_scale != 1)
		r->arrival = (tick_t)((double)r->arrival * h->settings->time_scale);
	if (r->start <= h->sectors && r->sectors <= h->sectors - r->start)
		return true;
	if (r->sectors > h->sectors - h->device.sectors_per_page)
		return fault_set(fault, "%s:%llu: a request of %u sectors is larger than the drive of %llu",
			trace_name, (unsigned long long)r->line, r->sectors, (unsigned long long)h->sectors);
	if (!h->trace->fold)
		return fault_set(fault,
			"%s:%llu: sectors %llu to %llu lie beyond the drive of %llu sectors; use a larger "
			"drive or -s trace.fold=true",
			trace_name, (unsigned long long)r->line, (unsigned long long)r->start,
			(unsigned long long)(r->start + r->sectors - 1), (unsigned long long)h->sectors);
	host_fold(h, r);
	return true;
}

tick_t host_cross(struct host *h, bool from_device, tick_t ready, uint32_t sectors)
{
	const struct host_settings *s = h->settings;
	tick_t *free = &h->link_free[from_device];
	double ns = s->link_mb_per_s > 0 ? (double)sectors * SECTOR_BYTES * 1000.0 / s->link_mb_per_s : 0;

	*free = (ready > *free ? ready : *free) + (tick_t)(ns + 0.5);
	return *free + s->link_ns;
}
