#include "drive/settings.h"

#include "base/memory.h"
#include "buffer/buffer.h"
#include "parameters/params.h"

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
	{ TOP(CHOICE, buffer), 0, 0, "", "none", "the write buffer in front of it", buffer_names },
	{ TOP(UINT, seed), 0, 9e15, "", "1",
		"of every random choice, those of a generated workload too; the same seed gives the same results "
		"to the byte" },
	{ 0 },
};

static const struct param dram_params[] = {
	{ DRAM(UINT, access_ns), 0, 1e9, "ns", "1000",
		"time of one page-level look-up of the map or hit in the buffer" },
	{ DRAM(UINT, buffer_bytes), 0, 1e15, "bytes", "32M",
		"size of the write buffer; at least one page is kept" },
	{ 0 },
};

static const struct param precondition_params[] = {
	{ PRECONDITION(CHOICE, mode), 0, 0, "", "none",
		"state of the drive before the first request: fresh; aged = `used` pages programmed and "
		"dead; synthetic = `used` pages programmed, `valid` of them live; fill = every logical page "
		"written once; trace = a trace was written before",
		precondition_names },
	{ PRECONDITION(REAL, used), 0, 1, "share", "0.9", "physical pages programmed" },
	{ PRECONDITION(REAL, valid), 0, 1, "share", "0.398",
		"synthetic: physical pages that are live; pages the trace touches come first" },
	{ PRECONDITION(CHOICE, layout), 0, 0, "", "mixed",
		"synthetic: where live pages lie; mixed = anywhere among dead ones; apart = in blocks of "
		"their own",
		layout_names },
	{ PRECONDITION(UINT, fill_run), 0, 4e9, "pages", "0",
		"fill: in runs of so many pages, the runs in random order; 0 = all pages ascending" },
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
		"trace: file or profile that is replayed without time until `used` is reached" },
	{ PRECONDITION(UINT, passes), 1, 1e6, "", "1", "trace: at most so many times" },
	{ 0 },
};

#define CORE_GROUPS 11

static void add_group(struct settings *c, const char *name, const struct param *rows, void *settings)
{
	c->group[c->groups++] = (struct param_group){ name, rows, settings };
}

static void *add_plugin(struct settings *c, const char *name, const struct param *rows, size_t size)
{
	void *settings;

	if (!rows)
		return NULL;
	settings = memory_array(1, size, "settings");
	add_group(c, name, rows, settings);
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
	add_group(c, "", top_params, &c->top);
	add_group(c, "flash", flash_params, &c->flash);
	add_group(c, "placement", placement_params, &c->ftl.placement);
	add_group(c, "gc", gc_params, &c->ftl.gc);
	add_group(c, "wear", wear_params, &c->ftl.wear);
	add_group(c, "map", map_params, &c->ftl.map);
	add_group(c, "dram", dram_params, &c->dram);
	add_group(c, "host", host_params, &c->host);
	add_group(c, "trace", trace_params, &c->trace);
	add_group(c, "precondition", precondition_params, &c->precondition);
	add_group(c, "stats", stat_params, &c->stats);
	for (size_t i = 0; ftls[i]; i++)
		c->ftl_own[i] = add_plugin(c, ftls[i]->name, ftls[i]->params, ftls[i]->settings_size);
	for (size_t i = 0; buffers[i]; i++)
		c->buffer_own[i] = add_plugin(
			c, buffer_group(buffers[i]), buffers[i]->params, buffers[i]->settings_size);
	for (size_t i = 0; host_layers[i]; i++)
		c->host_own[i] = add_plugin(
			c, host_layers[i]->name, host_layers[i]->params, host_layers[i]->settings_size);
	c->striped = add_plugin(c, "striped", striped_params, sizeof *c->striped);
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
static void echo_workload(
	const char *word, void (*visit)(void *context, const char *key, const char *value), void *context)
{
	char key[96] = WORKLOAD;
	size_t length = strcspn(word, "="), room = sizeof key - sizeof WORKLOAD;

	strncat(key, word, length < room ? length : room);
	visit(context, key, word + length + 1);
}

void settings_echo(const struct settings *s, void (*visit)(void *context, const char *key, const char *value),
	void *context)
{
	const void *chosen[] = { s->ftl_own[s->top.ftl], s->buffer_own[s->top.buffer],
		s->host_own[s->host.layer], s->striped->superblock ? s->striped : NULL };

	params_echo(s->group, CORE_GROUPS, visit, context);
	for (size_t i = CORE_GROUPS; i < s->groups; i++)
		for (size_t k = 0; k < sizeof chosen / sizeof *chosen; k++)
			if (s->group[i].settings == chosen[k])
				params_echo(&s->group[i], 1, visit, context);
	for (size_t i = 0; i < s->trace.profile_count; i++)
		echo_workload(s->trace.profile[i], visit, context);
}

/* ---- which settings matter ---- */

/* A key, or all of a group ("map."), matters only while another setting is one of some, or is not (!) one of some. */
static const struct condition {
	const char *key, *on, *values;
} conditions[] = {
	{ "dram.buffer_bytes", "buffer", "!none" },
	{ "flash.suspend_ns", "flash.suspend", "!never" },
	{ "flash.resume_ns", "flash.suspend", "!never" },
	{ "flash.read_first_limit", "flash.scheduler", "read_first" },
	{ "flash.interleave", "flash.dies", "!1" },
	{ "flash.multiplane", "flash.planes", "!1" },
	{ "flash.multiplane_search", "flash.planes", "!1" },
	{ "flash.multiplane_search", "flash.multiplane", "!off" },
	{ "gc.d", "gc.policy", "d_choices" },
	{ "gc.strict", "gc.policy", "fifo random d_choices" },
	{ "wear.period", "wear.delta", "!0" },
	{ "host.queue_limit", "host.mode", "open" },
	{ "host.time_scale", "host.mode", "open" },
	{ "host.queue_depth", "host.mode", "closed" },
	{ "precondition.used", "precondition.mode", "aged synthetic trace" },
	{ "precondition.valid", "precondition.mode", "synthetic" },
	{ "precondition.layout", "precondition.mode", "synthetic" },
	{ "precondition.fill_run", "precondition.mode", "fill" },
	{ "precondition.trace", "precondition.mode", "trace" },
	{ "precondition.passes", "precondition.mode", "trace" },
};

struct effects {
	const struct settings *settings;
	const struct condition *condition; /* that is looked for, or NULL */
	char value[64];                    /* found of it */
	void (*visit)(void *context, const char *key, const char *value, const char *why);
	void *context;
};

static void find_value(void *context, const char *key, const char *value)
{
	struct effects *e = context;

	value += *value == '"';
	if (!strcmp(key, e->condition->on))
		snprintf(e->value, sizeof e->value, "%.*s", (int)strcspn(value, "\""), value);
}

/* Is it a word of the list? */
static bool listed(const char *word, const char *list)
{
	size_t length = strlen(word);

	for (; list; list = strchr(list, ' '), list = list ? list + 1 : NULL)
		if (!strncmp(list, word, length) && (list[length] == ' ' || !list[length]))
			return true;
	return false;
}

static bool holds(struct effects *e)
{
	const char *values = e->condition->values;

	settings_echo(e->settings, find_value, e);
	return *values == '!' ? !listed(e->value, values + 1) : listed(e->value, values);
}

static void tell_effect(void *context, const char *key, const char *value)
{
	struct effects *e = context;
	const struct settings *s = e->settings;
	char why[128] = "";

	for (size_t i = 0; i < sizeof conditions / sizeof *conditions; i++) {
		e->condition = &conditions[i];
		if (!strcmp(key, e->condition->key) && !holds(e))
			snprintf(why, sizeof why, "%s = %s", e->condition->on, e->value);
	}
	if (ftls[s->top.ftl]->map_in_dram && !strncmp(key, "map.", 4))
		snprintf(why, sizeof why, "ftl = %s", ftls[s->top.ftl]->name);
	e->visit(e->context, key, value, why);
}

void settings_effects(const struct settings *s,
	void (*visit)(void *context, const char *key, const char *value, const char *why), void *context)
{
	struct effects e = { .settings = s, .visit = visit, .context = context };

	settings_echo(s, tell_effect, &e);
}
