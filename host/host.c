#include "host/host.h"

#include "base/memory.h"
#include "host/door.h"

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

#define HOST(type, field) PARAM(type, struct host_settings, field)
#define TENANT(type, field)                                                                                  \
#field, PARAM_##type, offsetof(struct host_settings, of) + offsetof(struct tenant_settings, field)
#define TRACE(type, field) PARAM(type, struct trace_settings, field)

static const char *const mode_names[] = { "open", "closed", NULL };
static const char *const end_names[] = { "last", "first", NULL };
static const char *const arbitration_names[] = { "fifo", "round_robin", "weighted", "priority", NULL };
static const char *const done_names[] = { "flash", "memory", NULL };

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
	{ HOST(UINT, command_ns), 0, 1e9, "ns", "0",
		"time of the controller's processor for each request, one after another: it limits requests "
		"a second, whatever their size",
		.stateless = true, .quiet = true },
	{ HOST(UINT, link_ns), 0, 1e9, "ns", "0",
		"latency of the link, added to each request; requests overlap in it", .stateless = true },
	{ HOST(REAL, link_mb_per_s), 0, 1e6, "MB/s", "0",
		"transfer rate of the link in each direction, 10^6 bytes per second; 0 = no limit",
		.stateless = true },
	{ TENANT(UINT, tenants), 1, TENANTS_MOST, "", "1",
		"tenants, each with a queue in front of the drive; the device of a request, from 0, is the "
		"number of its tenant.  Several traces are a tenant each",
		.stateless = true, .quiet = true },
	{ TENANT(CHOICE, arbitration), 0, 0, "", "fifo",
		"whose command enters the drive next: fifo = the one that arrived first; round_robin = that "
		"of the next tenant; weighted = classes take turns as long as their weights; priority = that "
		"of the highest class",
		arbitration_names, .matters_if = "host.tenants!=1", .stateless = true, .quiet = true },
	{ TENANT(TEXT, classes), 0, 0, "", "",
		"class of each tenant, a list such as H,M,M: urgent (U), high (H), medium (M), low (L); \"\" "
		"= all medium.  Urgent ones always go first; tenants of a class take turns",
		.matters_if = "host.arbitration=weighted,priority", .stateless = true, .quiet = true },
	{ TENANT(TEXT, weights), 0, 0, "", "4,2,1", "commands in a turn of the classes H, M and L",
		.matters_if = "host.arbitration=weighted", .stateless = true, .quiet = true },
	{ TENANT(UINT, burst), 1, 1e6, "commands", "1", "of one tenant in a row, while it has some",
		.matters_if = "host.arbitration!=fifo", .stateless = true, .quiet = true },
	{ TENANT(UINT, slots), 0, 1e9, "requests", "0",
		"in the drive at once, if a tenant is closed; 0 = as many as closed ones may have "
		"(queue_depth, depths), and queue_limit more if a tenant is open",
		.matters_if = "host.tenants!=1", .stateless = true, .quiet = true },
	{ TENANT(TEXT, modes), 0, 0, "", "",
		"mode of each tenant, a list such as open,closed; \"\" = host.mode",
		.matters_if = "host.tenants!=1", .stateless = true, .quiet = true },
	{ TENANT(TEXT, depths), 0, 0, "", "",
		"closed: requests that each tenant always has in its queue and the drive, a list such as "
		"1,32; \"\" = host.queue_depth",
		.matters_if = "host.tenants!=1", .stateless = true, .quiet = true },
	{ TENANT(TEXT, time_scales), 0, 0, "", "",
		"open: factor of the arrival times of each tenant, a list such as 1,0.5; \"\" = "
		"host.time_scale",
		.matters_if = "host.tenants!=1", .stateless = true, .quiet = true },
	{ TENANT(TEXT, ranges), 0, 0, "", "",
		"shares of the drive's sectors that each tenant addresses, a list such as 0..0.5,0.5..1; "
		"apart = one behind the other, of one size; \"\" = each addresses all",
		.matters_if = "host.tenants!=1", .stateless = true, .quiet = true },
	{ TENANT(TEXT, seeds), 0, 0, "", "",
		"added to the seed of the profile of each tenant, a list such as 0,0,7; \"\" = the tenant's "
		"number",
		.matters_if = "host.tenants!=1", .stateless = true, .quiet = true },
	{ TENANT(CHOICE, end), 0, 0, "", "last",
		"last: the run ends with the last request of all; first: once one tenant has sent all of its "
		"requests, none of another arrives any more",
		end_names, .matters_if = "host.tenants!=1", .stateless = true, .quiet = true },
	{ TENANT(TEXT, alone), 0, 0, "", "",
		"number of the only tenant whose requests enter the drive, as if the others had none; \"\" = "
		"requests of all do",
		.matters_if = "host.tenants!=1", .stateless = true, .quiet = true },
	{ HOST(CHOICE, write_done), 0, 0, "", "flash",
		"a write is complete when its data is in flash, or when there is room for it in the "
		"controller's memory",
		done_names, .stateless = true, .quiet = true },
	{ HOST(UINT, write_bytes), 0, 1e15, "bytes", "0",
		"memory for data that is written; 0 = 2 x flash.cell_bits pages for each plane of the drive, "
		"and with programs by wordline for each of fdp.handles",
		.matters_if = "host.write_done=memory", .stateless = true, .quiet = true },
	{ HOST(BOOL, plp), 0, 1, "", "false",
		"the drive's memory survives a loss of power: FLUSH and FUA wait for no program",
		.stateless = true, .quiet = true },
	{ HOST(UINT, flush_every), 0, 1e15, "writes", "0",
		"a FLUSH follows each so many writes of the workload, at the arrival of the last one; 0 = "
		"none but those of the workload",
		.stateless = true, .quiet = true },
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
	{ TRACE(BOOL, flush), 0, 1, "", "false",
		"FLUSH and FUA in traces of blkparse and fio are read; off = they are left out, as other "
		"events that are no requests",
		.quiet = true },
	{ TRACE(UINT, limit), 0, 1e15, "requests", "0", "only the first requests; 0 = all" },
	{ 0 },
};

/* A tenant's range consists of whole zones if its requests address zones, else of whole pages. */
static sector_t host_range_unit(const struct host *h)
{
	bool zones = h->device.zone_sectors && h->ops->order == HOST_AS_ASKED;

	return zones ? h->device.zone_sectors : h->device.sectors_per_page;
}

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
	if (!h->sectors || !tenants_read(&h->tenants, settings, h->sectors, host_range_unit(h), fault)) {
		host_free(h);
		return NULL;
	}
	if (h->tenants.count > 1)
		h->door = door_create(&h->tenants, settings);
	return h;
}

void host_free(struct host *h)
{
	if (!h)
		return;
	if (h->ops->exit)
		h->ops->exit(h);
	door_free(h->door);
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
	STATE_FIXED(ops, own, settings, trace, sectors, device, tenants),
	STATE_SCRATCH(beneath, part, parts, part_room, after, trimmed),
	STATE_COUNTED(folded),
	STATE_CHOSEN(struct host, state, host_layer_state),
	STATE_OF_RUN,
	STATE_NUMBER(struct host, link_free),
	STATE_NUMBER(struct host, processor_free),
	STATE_POINTER(struct host, door, door_state),
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

/* Folds modulo the size of the range; a request that would then end behind it is moved back by whole pages.
 * Both keep its alignment. */
static void host_fold(struct host *h, struct request *r, sector_t sectors)
{
	sector_t page = h->device.sectors_per_page;

	r->start %= sectors;
	if (r->start + r->sectors > sectors)
		r->start -= (r->start + r->sectors - sectors + page - 1) / page * page;
	h->folded++;
}

/* Moves the request into the range of its tenant. */
static bool host_place(struct host *h, struct request *r, const struct tenant *tenant, const char *trace_name,
	struct fault *fault)
{
	sector_t sectors = extent_sectors(tenant->range);
	const char *what = sectors < h->sectors ? "range of its tenant," : "drive of";

	if (r->start > sectors || r->sectors > sectors - r->start) {
		if (r->sectors > sectors - h->device.sectors_per_page)
			return fault_set(fault,
				"%s:%llu: a request of %u sectors is larger than the %s %llu sectors",
				trace_name, (unsigned long long)r->line, r->sectors, what,
				(unsigned long long)sectors);
		if (!h->trace->fold)
			return fault_set(fault,
				"%s:%llu: sectors %llu to %llu lie beyond the %s %llu sectors; use a larger "
				"drive or -s trace.fold=true",
				trace_name, (unsigned long long)r->line, (unsigned long long)r->start,
				(unsigned long long)(r->start + r->sectors - 1), what,
				(unsigned long long)sectors);
		host_fold(h, r, sectors);
	}
	if (r->sectors)
		r->start += tenant->range.start;
	return true;
}

bool host_admit(struct host *h, struct request *r, const char *trace_name, struct fault *fault)
{
	const struct tenant *tenant = &h->tenants.of[0];

	if (h->door && r->device >= h->tenants.count)
		return fault_set(fault, "%s:%llu: device %u, host.tenants = %u", trace_name,
			(unsigned long long)r->line, r->device, h->tenants.count);
	if (h->door)
		tenant += r->device;
	if (tenant->is_open && tenant->time_scale != 1)
		r->arrival = (tick_t)((double)r->arrival * tenant->time_scale);
	return host_place(h, r, tenant, trace_name, fault);
}

tick_t host_process_command(struct host *h, tick_t now)
{
	if (!h->settings->command_ns)
		return now;
	h->processor_free = (now > h->processor_free ? now : h->processor_free) + h->settings->command_ns;
	return h->processor_free;
}

tick_t host_cross(struct host *h, bool from_device, tick_t ready, uint32_t sectors)
{
	const struct host_settings *s = h->settings;
	tick_t *free = &h->link_free[from_device];
	double ns = s->link_mb_per_s > 0 ? (double)sectors * SECTOR_BYTES * 1000.0 / s->link_mb_per_s : 0;

	*free = (ready > *free ? ready : *free) + (tick_t)(ns + 0.5);
	return *free + s->link_ns;
}
