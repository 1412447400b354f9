#include "drive/settings.h"

#include "base/built_in.h"
#include "base/memory.h"
#include "base/suggest.h"
#include "buffer/buffer.h"
#include "drive/plugin.h"

#include <string.h>
#include <unistd.h>

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
	{ TOP(CHOICE, ftl), 0, 0, "", "page", "flash translation layer; `ssd list ftls` describes them",
		ftl_names },
	{ TOP(CHOICE, buffer), 0, 0, "", "none",
		"write buffer in front of it; `ssd list buffers` describes them", buffer_names,
		.stateless = true },
	{ TOP(UINT, seed), 0, 9e15, "", "1",
		"seed of all random choices, also those of a generated workload; the same seed gives the "
		"same results, to the byte" },
	{ 0 },
};

static const struct param dram_params[] = {
	{ DRAM(UINT, access_ns), 0, 1e9, "ns", "1000",
		"time of a look-up of one page in the map, or of a hit in the buffer" },
	{ DRAM(UINT, buffer_bytes), 0, 1e15, "bytes", "32M", "size of the write buffer; at least one page",
		.matters_if = "buffer!=none" },
	{ 0 },
};

static const struct param precondition_params[] = {
	{ PRECONDITION(CHOICE, mode), 0, 0, "", "none",
		"state of the drive before the first request: none = fresh; aged = `used` of the pages "
		"programmed, all of them dead; synthetic = `used` programmed and `valid` live; fill = every "
		"logical page written once; trace = another trace replayed",
		precondition_names },
	{ PRECONDITION(REAL, used), 0, 1, "share", "0.9", "physical pages programmed",
		.matters_if = "precondition.mode=aged,synthetic,trace" },
	{ PRECONDITION(REAL, valid), 0, 1, "share", "0.398",
		"share of the physical pages that are live, chosen first among those that the workload "
		"touches",
		.matters_if = "precondition.mode=synthetic" },
	{ PRECONDITION(CHOICE, layout), 0, 0, "", "mixed",
		"place of the live pages: mixed = anywhere among dead ones; apart = in blocks of their own",
		layout_names, .matters_if = "precondition.mode=synthetic" },
	{ PRECONDITION(UINT, fill_run), 0, 4e9, "pages", "0",
		"write in runs of this many pages, the runs in random order; 0 = all pages in ascending "
		"order",
		.matters_if = "precondition.mode=fill" },
	{ PRECONDITION(BOOL, beneath), 0, 1, "", "false",
		"write the whole device, not only the address space that the host layer exports",
		.matters_if = "precondition.mode=fill" },
	{ PRECONDITION(CHOICE, premap), 0, 0, "", "pages",
		"data that is there from the start, so that the workload does not read what was never "
		"written: pages = all of each page that it reads; sectors = only the sectors that it reads "
		"before it writes or trims them, as in SSDsim; requests = the same sectors, written in the "
		"order and sizes in which they are first read; none = nothing.  In mode synthetic this is "
		"live first: with pages also the pages that it only writes; with sectors these come last, "
		"after all pages that it does not touch; with none no page comes before another",
		premap_names },
	{ PRECONDITION(TEXT, trace), 0, 0, "", "",
		"file or profile that is replayed, without time passing, until `used` is reached",
		.matters_if = "precondition.mode=trace", .stateless = true },
	{ PRECONDITION(UINT, passes), 1, 1e6, "", "1", "replay it at most this many times",
		.matters_if = "precondition.mode=trace" },
	{ 0 },
};

#define CORE_GROUPS 12

/* Adds the group.  Returns its settings, newly allocated; NULL: it has no rows. */
static void *settings_add_plugin(struct settings *c, struct param_group group, size_t size)
{
	if (!group.rows)
		return NULL;
	group.settings = memory_array(1, size, "settings");
	c->group[c->groups++] = group;
	return group.settings;
}

/* All plug-ins, with the device model of `ssd measure` and an FTL of the user. */
static size_t settings_count_plugins(void)
{
	size_t f = 0, b = 0, h = 0;

	while (ftls[f])
		f++;
	while (buffers[b])
		b++;
	while (host_layers[h])
		h++;
	return TOOLS + f + b + h + 2;
}

bool settings_init(struct settings *c, struct fault *fault)
{
	const struct param_group core[CORE_GROUPS] = { { "", top_params, &c->top },
		{ "flash", flash_params, &c->flash }, { "placement", placement_params, &c->ftl.placement },
		{ "gc", gc_params, &c->ftl.gc }, { "map", map_params, &c->ftl.map },
		{ "dram", dram_params, &c->dram, .stateless = true },
		{ "retry", retry_params, &c->retry, .stateless = true },
		{ "upkeep", upkeep_params, &c->upkeep, .stateless = true }, { "host", host_params, &c->host },
		{ "trace", trace_params, &c->trace, .stateless = true },
		{ "precondition", precondition_params, &c->precondition },
		{ "stats", stat_params, &c->stats, .stateless = true } };
	size_t plugins = settings_count_plugins();

	*c = (struct settings){ .groups = CORE_GROUPS };
	c->group = memory_array(CORE_GROUPS + plugins, sizeof *c->group, "settings");
	memcpy(c->group, core, sizeof core);
	c->ftl_own = memory_array(plugins, sizeof *c->ftl_own, "settings");
	c->buffer_own = memory_array(plugins, sizeof *c->buffer_own, "settings");
	c->host_own = memory_array(plugins, sizeof *c->host_own, "settings");
	for (size_t i = 0; i < TOOLS; i++)
		c->ftl.tool[i] = settings_add_plugin(c,
			(struct param_group){ store_tools[i]->name, store_tools[i]->params,
				.stateless = store_tools[i]->stateless },
			store_tools[i]->settings_size);
	c->core_groups = c->groups;
	for (size_t i = 0; ftls[i]; i++)
		c->ftl_own[i] = settings_add_plugin(
			c, (struct param_group){ ftls[i]->name, ftls[i]->params }, ftls[i]->settings_size);
	for (size_t i = 0; buffers[i]; i++)
		c->buffer_own[i] = settings_add_plugin(c,
			(struct param_group){
				buffer_group(buffers[i]), buffers[i]->params, .stateless = true },
			buffers[i]->settings_size);
	for (size_t i = 0; host_layers[i]; i++)
		c->host_own[i] = settings_add_plugin(c,
			(struct param_group){ host_layers[i]->name, host_layers[i]->params },
			host_layers[i]->settings_size);
	c->striped =
		settings_add_plugin(c, (struct param_group){ "striped", striped_params }, sizeof *c->striped);
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
	for (size_t i = 0; i < c->brought.used; i++)
		memory_free(c->brought.memory[i]);
	plugin_close(c->brought.ftl_file);
}

/* ---- the user's own plug-ins ---- */

static void *settings_keep(struct settings *c, void *memory)
{
	return c->brought.memory[c->brought.used++] = memory;
}

/* Adds a choice to a parameter of these settings.  Copies the parameter's table first, which other settings
 * share.  Returns the number of the choice. */
static int settings_offer(struct settings *c, const void *settings, const char *key, const char *name)
{
	struct param_group *group = c->group;
	struct param *copy, *row;
	const char **choice;
	size_t rows = 0, choices = 0;

	while (group->settings != settings)
		group++;
	while (group->rows[rows].name)
		rows++;
	copy = settings_keep(c, memory_array(rows + 1, sizeof *copy, "settings"));
	memcpy(copy, group->rows, rows * sizeof *copy);
	group->rows = row = copy;
	while (strcmp(row->name, key) != 0)
		row++;
	while (row->choices[choices])
		choices++;
	choice = settings_keep(c, memory_array(choices + 2, sizeof *choice, "settings"));
	memcpy(choice, row->choices, choices * sizeof *choice);
	choice[choices] = name;
	row->choices = choice;
	return (int)choices;
}

void settings_bring_policy(struct settings *c, const struct gc_policy_ops *ops, const void *own)
{
	c->ftl.gc.brought = ops;
	c->ftl.gc.own = own;
	c->brought.policy_choice = settings_offer(c, &c->ftl.gc, "policy", ops->name);
}

void settings_bring_buffer(struct settings *c, const struct buffer_ops *ops, const void *own)
{
	c->brought.buffer = ops;
	c->brought.buffer_own = own;
	c->brought.buffer_choice = settings_offer(c, &c->top, "buffer", ops->name);
}

/* Adds an FTL.  Its parameters become a group, like those of the FTLs in the list. */
static bool settings_add_ftl(
	struct settings *c, const struct ftl_ops *ops, const char *choice, struct fault *fault)
{
	for (size_t i = 0; ftls[i]; i++)
		if (!strcmp(ops->name, ftls[i]->name))
			return fault_set(fault, "%.200s: ssdlab has an FTL \"%s\"; name yours otherwise",
				choice, ops->name);
	c->brought.ftl = ops;
	c->brought.ftl_choice = settings_offer(c, &c->top, "ftl", choice);
	params_release(c->group, c->groups);
	c->ftl_own[c->brought.ftl_choice] =
		settings_add_plugin(c, (struct param_group){ ops->name, ops->params }, ops->settings_size);
	return params_defaults(c->group, c->groups, fault);
}

bool settings_bring_ftl(
	struct settings *c, const struct ftl_ops *ops, const struct toolbox *toolbox, struct fault *fault)
{
	c->brought.ftl_chosen = true;
	return plugin_share(toolbox, ops->name, fault) && settings_add_ftl(c, ops, ops->name, fault);
}

/* "./mine.so". */
static bool settings_open_ftl(struct settings *c, const char *path, struct fault *fault)
{
	const struct ftl_ops *ops;

	if (c->brought.ftl)
		return !strcmp(path, c->brought.path) ||
		       fault_set(fault, "%.200s: another FTL was brought before it", path);
	c->brought.path = settings_keep(c, memory_string(path, "settings"));
	ops = plugin_open(path, &c->brought.ftl_file, fault);
	if (!ops || !settings_add_ftl(c, ops, c->brought.path, fault))
		return false;
	c->brought.ftl_name_choice = settings_offer(c, &c->top, "ftl", ops->name);
	return true;
}

const char *settings_ftl_file(const char *assignment)
{
	bool chooses = !strncmp(assignment, "ftl=", 4) && strchr(assignment, '/');

	return chooses ? assignment + 4 : NULL;
}

/* Opens the FTLs in files of their own that the assignments choose. */
static bool settings_open_ftls(struct settings *c, char *const assignments[], size_t n, struct fault *fault)
{
	bool good = true;

	for (size_t i = 0; good && i < n; i++) {
		const char *path = settings_ftl_file(assignments[i]);

		good = !path || settings_open_ftl(c, path, fault);
	}
	return good;
}

/* A parameter file may be somebody else's: it can choose an FTL in a file only if that was opened already. */
static bool settings_starts_nothing(
	const struct settings *c, const struct params_file *file, struct fault *fault)
{
	struct fault where;
	const char *path = params_text(file, "ftl", &where);

	if (!path || !strchr(path, '/') || (c->brought.path && !strcmp(path, c->brought.path)))
		return true;
	return fault_set(fault,
		"%.210sftl = \"%.100s\": a shared object is a program, which a parameter file cannot start; "
		"name it on the command line: --plugin %.100s",
		where.text, path, path);
}

/* Chooses the plug-ins that were handed over, whatever else was set. */
static void settings_choose_brought(struct settings *c)
{
	if (c->brought.path && c->top.ftl == c->brought.ftl_name_choice)
		c->top.ftl = c->brought.ftl_choice;
	if (c->ftl.gc.brought)
		c->ftl.gc.policy = c->brought.policy_choice;
	if (c->brought.buffer)
		c->top.buffer = c->brought.buffer_choice;
	if (c->brought.ftl_chosen)
		c->top.ftl = c->brought.ftl_choice;
}

const struct ftl_ops *settings_ftl(const struct settings *s)
{
	return s->brought.ftl && s->top.ftl == s->brought.ftl_choice ? s->brought.ftl : ftls[s->top.ftl];
}

const struct buffer_ops *settings_buffer(const struct settings *s, const void **own)
{
	*own = s->brought.buffer ? s->brought.buffer_own : s->buffer_own[s->top.buffer];
	return s->brought.buffer ? s->brought.buffer : buffers[s->top.buffer];
}

bool settings_geometry(const struct settings *c, struct geometry *g, struct fault *fault)
{
	const struct ftl_ops *ftl = settings_ftl(c);

	return geometry_derive(g, &c->flash, fault) &&
	       (!ftl->shape || ftl->shape(c->ftl_own[c->top.ftl], g, fault));
}

/* 0 if the device is impossible, which is reported when it is made. */
static uint64_t settings_device_bytes(const struct settings *c)
{
	struct geometry g;
	struct fault ignored;

	return settings_geometry(c, &g, &ignored) ? g.logical_sectors * SECTOR_BYTES : 0;
}

static bool settings_read_file(struct settings *c, const char *path, struct fault *fault)
{
	struct params_file *file = params_open(path, fault);
	bool good = file && settings_starts_nothing(c, file, fault) &&
		    params_read(file, c->group, c->groups, fault);

	params_close(file);
	return good;
}

/* "icpp23" is parameters/icpp23.cfg, or that file as it was compiled in. */
static bool settings_read_drive(struct settings *c, const char *name, struct fault *fault)
{
	struct suggestion nearest = { .word = name };
	const char *text = built_in_text(built_in_drives, name);
	char path[256];

	snprintf(path, sizeof path, "parameters/%s.cfg", name);
	if (!access(path, F_OK))
		return settings_read_file(c, path, fault);
	if (text)
		return params_read_text(text, name, c->group, c->groups, fault);
	for (const struct built_in *d = built_in_drives; d->name; d++)
		suggestion_offer(&nearest, d->name);
	return fault_set(fault,
		"there is no parameter file \"%.200s\" and no drive of that name%s%s%s `ssd list drives` "
		"shows all",
		name, nearest.nearest ? "; did you mean " : "", nearest.nearest ? nearest.nearest : "",
		nearest.nearest ? "?" : ";");
}

/* Is it a path, and not the name of a drive that ssdlab has? */
static bool settings_is_file(const char *path)
{
	return strpbrk(path, "/.") || !access(path, F_OK);
}

bool settings_read(
	struct settings *c, const char *path, char *const assignments[], size_t n, struct fault *fault)
{
	if (!settings_open_ftls(c, assignments, n, fault) ||
		(path &&
			!(settings_is_file(path) ? settings_read_file : settings_read_drive)(c, path, fault)))
		return false;
	c->trace.profile = memory_array(n, sizeof *c->trace.profile, "settings of the workload");
	for (size_t i = 0; i < n; i++)
		if (!strncmp(assignments[i], WORKLOAD, strlen(WORKLOAD)))
			c->trace.profile[c->trace.profile_count++] = assignments[i] + strlen(WORKLOAD);
		else if (!params_set(assignments[i], c->group, c->groups, fault))
			return false;
	settings_choose_brought(c);
	c->trace.seed_shift = c->top.seed - 1;
	c->trace.page_bytes = c->flash.page_bytes;
	c->trace.bytes = settings_device_bytes(c);
	c->trace.shared = c->host.of.tenants > 1 || tools_wants(c->ftl.tool).devices_apart;
	c->ftl.gc.seed = c->top.seed;
	c->ftl.map.seed = c->top.seed;
	return true;
}

bool settings_have_workloads(struct settings *c, size_t workloads, struct fault *fault)
{
	uint64_t *tenants = &c->host.of.tenants;

	if (workloads > TENANTS_MOST)
		return fault_set(
			fault, "%zu traces, each of a tenant: there may be %u", workloads, TENANTS_MOST);
	if (workloads > 1 && *tenants != 1 && *tenants != workloads)
		return fault_set(
			fault, "%zu traces, each of a tenant: host.tenants = %d", workloads, (int)*tenants);
	if (workloads > 1)
		*tenants = workloads;
	return true;
}

/* "requests=1000", which the generator has read already. */
static void settings_echo_workload(const char *word, param_visitor *visit, void *context)
{
	char key[96] = WORKLOAD;
	size_t length = strcspn(word, "="), room = sizeof key - sizeof WORKLOAD;

	strncat(key, word, length < room ? length : room);
	visit(context, &(struct param_echo){ key, word + length + 1, "", true });
}

static bool settings_is_chosen(const struct settings *s, const struct param_group *group)
{
	const void *own = group->settings;

	return group < s->group + s->core_groups || own == s->ftl_own[s->top.ftl] ||
	       own == s->buffer_own[s->top.buffer] || own == s->host_own[s->host.layer] ||
	       (own == s->striped && s->striped->superblock);
}

void settings_echo(const struct settings *s, param_visitor *visit, void *context)
{
	struct param_group *groups = memory_array(s->groups, sizeof *groups, "settings");
	const struct ftl_ops *ftl = settings_ftl(s);
	char no_map[64];

	snprintf(no_map, sizeof no_map, "ftl = %s", ftl->name);
	for (size_t i = 0; i < s->groups; i++) {
		groups[i] = s->group[i];
		if (!settings_is_chosen(s, &s->group[i]))
			groups[i].settings = NULL;
		if (groups[i].rows == map_params && ftl->map_in_dram)
			groups[i].unused = no_map;
	}
	params_echo(groups, s->groups, visit, context);
	for (size_t i = 0; i < s->trace.profile_count; i++)
		settings_echo_workload(s->trace.profile[i], visit, context);
	memory_free(groups);
}
