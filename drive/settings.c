#include "drive/settings.h"

#include "base/memory.h"
#include "buffer/buffer.h"

#include <string.h>

#define WORKLOAD "workload."

static const char *const buffer_names[] = {
#define BUFFER(name)              #name,
#define BUFFER_CALLED(name, text) text,
#include "buffer/list.h"
#undef BUFFER
	NULL,
};

static const char *const precondition_names[] = { "none", "aged", "synthetic", "fill", "trace", NULL };
static const char *const premap_names[] = { "none", "pages", "sectors", "requests", NULL };
static const char *const layout_names[] = { "mixed", "apart", NULL };

#define TOP(type, field)          PARAM(type, struct top_settings, field)
#define DRAM(type, field)         PARAM(type, struct dram_settings, field)
#define PRECONDITION(type, field) PARAM(type, struct precondition_settings, field)

static const struct param top_params[] = {
	{ TOP(CHOICE, ftl), 0, 0, "", "page", "the flash translation layer; `ssd list` describes them",
		ftl_names },
	{ TOP(CHOICE, buffer), 0, 0, "", "none", "the write buffer in front of it", buffer_names,
		.stateless = true },
	{ TOP(UINT, seed), 0, 9e15, "", "1",
		"of every random choice, those of a generated workload too; the same seed gives the same results "
		"to the byte" },
	{ 0 },
};

static const struct param dram_params[] = {
	{ DRAM(UINT, access_ns), 0, 1e9, "ns", "1000",
		"time of one page-level look-up of the map or hit in the buffer" },
	{ DRAM(UINT, buffer_bytes), 0, 1e15, "bytes", "32M",
		"size of the write buffer; at least one page is kept", .matters_if = "buffer!=none" },
	{ 0 },
};

static const struct param precondition_params[] = {
	{ PRECONDITION(CHOICE, mode), 0, 0, "", "none",
		"state of the drive before the first request: fresh; aged = `used` pages programmed and "
		"dead; synthetic = `used` pages programmed, `valid` of them live; fill = every logical page "
		"written once; trace = a trace was written before",
		precondition_names },
	{ PRECONDITION(REAL, used), 0, 1, "share", "0.9", "physical pages programmed",
		.matters_if = "precondition.mode=aged,synthetic,trace" },
	{ PRECONDITION(REAL, valid), 0, 1, "share", "0.398",
		"synthetic: physical pages that are live; pages the trace touches come first",
		.matters_if = "precondition.mode=synthetic" },
	{ PRECONDITION(CHOICE, layout), 0, 0, "", "mixed",
		"synthetic: where live pages lie; mixed = anywhere among dead ones; apart = in blocks of "
		"their own",
		layout_names, .matters_if = "precondition.mode=synthetic" },
	{ PRECONDITION(UINT, fill_run), 0, 4e9, "pages", "0",
		"fill: in runs of so many pages, the runs in random order; 0 = all pages ascending",
		.matters_if = "precondition.mode=fill" },
	{ PRECONDITION(BOOL, beneath), 0, 1, "", "false",
		"fill: the whole device before the host layer comes, not what the layer exports through it" },
	{ PRECONDITION(CHOICE, premap), 0, 0, "", "pages",
		"what the trace reads holds data from the start: pages = every page that is read, whole; "
		"sectors = only sectors that are read before the trace writes or trims them, as SSDsim does; "
		"requests = these, but written as they are read first, request by request; "
		"none = nothing.  synthetic: they are live first, with pages also those the trace only writes, "
		"with sectors those only after all that it leaves alone, with none all alike",
		premap_names },
	{ PRECONDITION(TEXT, trace), 0, 0, "", "",
		"trace: file or profile that is replayed without time until `used` is reached",
		.matters_if = "precondition.mode=trace", .stateless = true },
	{ PRECONDITION(UINT, passes), 1, 1e6, "", "1", "trace: at most so many times",
		.matters_if = "precondition.mode=trace" },
	{ 0 },
};

#define CORE_GROUPS 11

static void add_group(
	struct settings *c, const char *name, const struct param *rows, void *settings, bool stateless)
{
	c->group[c->groups++] = (struct param_group){ name, rows, settings, stateless };
}

static void *add_plugin(
	struct settings *c, const char *name, const struct param *rows, size_t size, bool stateless)
{
	void *settings;

	if (!rows)
		return NULL;
	settings = memory_array(1, size, "settings");
	add_group(c, name, rows, settings, stateless);
	return settings;
}

/* And the device model. */
static size_t count_plugins(void)
{
	size_t f = 0, b = 0, h = 0;

	while (ftls[f])
		f++;
	while (buffers[b])
		b++;
	while (host_layers[h])
		h++;
	return f + b + h + 1;
}

bool settings_init(struct settings *c, struct fault *fault)
{
	*c = (struct settings){ 0 };
	c->group = memory_array(CORE_GROUPS + count_plugins(), sizeof *c->group, "settings");
	c->ftl_own = memory_array(count_plugins(), sizeof *c->ftl_own, "settings");
	c->buffer_own = memory_array(count_plugins(), sizeof *c->buffer_own, "settings");
	c->host_own = memory_array(count_plugins(), sizeof *c->host_own, "settings");
	add_group(c, "", top_params, &c->top, false);
	add_group(c, "flash", flash_params, &c->flash, false);
	add_group(c, "placement", placement_params, &c->ftl.placement, false);
	add_group(c, "gc", gc_params, &c->ftl.gc, false);
	add_group(c, "wear", wear_params, &c->ftl.wear, false);
	add_group(c, "map", map_params, &c->ftl.map, false);
	add_group(c, "dram", dram_params, &c->dram, true);
	add_group(c, "host", host_params, &c->host, false);
	add_group(c, "trace", trace_params, &c->trace, true);
	add_group(c, "precondition", precondition_params, &c->precondition, false);
	add_group(c, "stats", stat_params, &c->stats, true);
	for (size_t i = 0; ftls[i]; i++)
		c->ftl_own[i] = add_plugin(c, ftls[i]->name, ftls[i]->params, ftls[i]->settings_size, false);
	for (size_t i = 0; buffers[i]; i++)
		c->buffer_own[i] = add_plugin(
			c, buffer_group(buffers[i]), buffers[i]->params, buffers[i]->settings_size, true);
	for (size_t i = 0; host_layers[i]; i++)
		c->host_own[i] = add_plugin(c, host_layers[i]->name, host_layers[i]->params,
			host_layers[i]->settings_size, false);
	c->striped = add_plugin(c, "striped", striped_params, sizeof *c->striped, false);
	return params_defaults(c->group, c->groups, fault);
}

void settings_release(struct settings *c)
{
	params_release(c->group, c->groups);
	for (size_t i = CORE_GROUPS; i < c->groups; i++)
		memory_free(c->group[i].settings);
	memory_free(c->ftl_own);
	memory_free(c->buffer_own);
	memory_free(c->host_own);
	memory_free(c->trace.profile);
	memory_free(c->group);
}

/* 0 of a device that cannot be, which is said when it is made. */
static uint64_t device_bytes(const struct flash_settings *s)
{
	struct geometry g;
	struct fault ignored;

	return geometry_derive(&g, s, &ignored) ? g.logical_sectors * SECTOR_BYTES : 0;
}

bool settings_read(
	struct settings *c, const char *path, char *const assignments[], size_t n, struct fault *fault)
{
	if (path && !params_read_file(path, c->group, c->groups, fault))
		return false;
	c->trace.profile = memory_array(n, sizeof *c->trace.profile, "settings of the workload");
	for (size_t i = 0; i < n; i++)
		if (!strncmp(assignments[i], WORKLOAD, strlen(WORKLOAD)))
			c->trace.profile[c->trace.profile_count++] = assignments[i] + strlen(WORKLOAD);
		else if (!params_set(assignments[i], c->group, c->groups, fault))
			return false;
	c->trace.seed_shift = c->top.seed - 1;
	c->trace.page_bytes = c->flash.page_bytes;
	c->trace.bytes = device_bytes(&c->flash);
	c->ftl.gc.seed = c->top.seed;
	c->ftl.map.seed = c->top.seed;
	return true;
}

/* "requests=1000", which the generator has read already. */
static void echo_workload(const char *word, param_visitor *visit, void *context)
{
	char key[96] = WORKLOAD;
	size_t length = strcspn(word, "="), room = sizeof key - sizeof WORKLOAD;

	strncat(key, word, length < room ? length : room);
	visit(context, &(struct param_echo){ key, word + length + 1, "", true });
}

static bool is_chosen(const struct settings *s, const struct param_group *group)
{
	const void *own = group->settings;

	return group < s->group + CORE_GROUPS || own == s->ftl_own[s->top.ftl] ||
	       own == s->buffer_own[s->top.buffer] || own == s->host_own[s->host.layer] ||
	       (own == s->striped && s->striped->superblock);
}

void settings_echo(const struct settings *s, param_visitor *visit, void *context)
{
	struct param_group *groups = memory_array(s->groups, sizeof *groups, "settings");
	const struct ftl_ops *ftl = ftls[s->top.ftl];
	char no_map[64];

	snprintf(no_map, sizeof no_map, "ftl = %s", ftl->name);
	for (size_t i = 0; i < s->groups; i++) {
		groups[i] = s->group[i];
		if (!is_chosen(s, &s->group[i]))
			groups[i].settings = NULL;
		if (groups[i].rows == map_params && ftl->map_in_dram)
			groups[i].unused = no_map;
	}
	params_echo(groups, s->groups, visit, context);
	for (size_t i = 0; i < s->trace.profile_count; i++)
		echo_workload(s->trace.profile[i], visit, context);
	memory_free(groups);
}
