#include "drive/refusals.h"

#include "buffer/buffer.h"
#include "ftl/store.h"

#include <string.h>

/* ---- traits of a drive that no setting tells ---- */

static bool refusals_units(const struct drive *d)
{
	return placement_has_units(&d->settings->ftl.placement);
}

static bool refusals_retries(const struct drive *d)
{
	return retry_is_on(&d->settings->retry);
}

static bool refusals_waits_for_map(const struct drive *d)
{
	return d->settings->ftl.map.blocking && !d->ftl->ops->map_in_dram;
}

/* Data that is there from the start would be in the way of the host's first write to its zone. */
static bool refusals_premap(const struct drive *d)
{
	const struct precondition_settings *s = &d->settings->precondition;

	return d->host->ops->order == HOST_AS_ASKED && s->premap != PREMAP_NONE &&
	       s->mode != PRECONDITION_FILL;
}

static bool refusals_untimed(const struct drive *d)
{
	return d->ftl->ops->collects_untimed;
}

static bool refusals_collects_nothing(const struct drive *d)
{
	return !d->ftl->store || d->ftl->ops->collects_untimed;
}

static bool refusals_slots(const struct drive *d)
{
	return d->ftl->store && d->ftl->store->space->dead_slots;
}

static bool refusals_mixes_requests(const struct drive *d)
{
	return d->ftl->store && d->ftl->store->plan.mixes_requests;
}

static bool refusals_sorts_requests(const struct drive *d)
{
	return d->ftl->store && d->ftl->store->plan.sorts_requests;
}

/* Does the FTL itself choose the stream of each host write? */
static bool refusals_divides_data(const struct drive *d)
{
	return d->ftl->ops->stream_of;
}

static bool refusals_zones(const struct drive *d)
{
	return d->ftl->ops->admit;
}

static bool refusals_anywhere(const struct drive *d)
{
	return d->host->ops->order == HOST_ANYWHERE;
}

static bool refusals_evicts(const struct drive *d)
{
	return d->buffer->ops->evict;
}

static bool refusals_merges(const struct drive *d)
{
	return d->buffer->merges;
}

static const struct trait {
	const char *name;
	bool (*has)(const struct drive *);
} refusals_traits[] = {
	{ "@units", refusals_units },
	{ "@retries", refusals_retries },
	{ "@waits_for_map", refusals_waits_for_map },
	{ "@premap", refusals_premap },
	{ "@untimed", refusals_untimed },
	{ "@collects_nothing", refusals_collects_nothing },
	{ "@slots", refusals_slots },
	{ "@mixes_requests", refusals_mixes_requests },
	{ "@sorts_requests", refusals_sorts_requests },
	{ "@divides_data", refusals_divides_data },
	{ "@zones", refusals_zones },
	{ "@anywhere", refusals_anywhere },
	{ "@evicts", refusals_evicts },
	{ "@merges", refusals_merges },
};

/* ---- rows ---- */

#define BY_WORDLINE "flash.program_unit=wordline"

static const struct refusal refusals[] = {
	{ "flash.program_unit", BY_WORDLINE, "ftl", "@collects_nothing", "places pages itself" },
	{ "flash.program_unit", BY_WORDLINE, "map.blocking", "@waits_for_map",
		"waits for the program of a single mapping page" },
	{ "flash.program_unit", BY_WORDLINE, "placement.superblock", "@units", "does not go with it yet" },
	{ "upkeep.idle_ns", "upkeep.idle_ns!=0", "ftl", "@collects_nothing",
		"has no collections that could be made ahead" },
	{ "gc.copies_per_write", "gc.copies_per_write!=0", "ftl", "@collects_nothing",
		"has no collections that could be made ahead" },
	{ "retry.max", "@retries", "ftl", "@untimed",
		"is the ideal device, whose reads never fail; repeated reads need another, such as page" },
	{ "gc.separate", "gc.separate=false", "ftl", "@divides_data",
		"decides where moved pages go; set gc.separate = true" },
	{ "wear.delta", "wear.delta!=0", "ftl", "@divides_data",
		"decides where moved pages go; set wear.delta = 0" },
	{ "host.layer", "@anywhere", "ftl", "@zones",
		"takes writes at write pointers only; use zoned or direct" },
	{ "buffer", "@evicts", "ftl", "@zones", "takes pages in the order of the host; use none" },
	{ "precondition.mode", "precondition.mode=aged,synthetic", "ftl", "@zones",
		"ages as its host has it; use none, fill or trace" },
	{ "precondition.premap", "@premap", "ftl", "@zones",
		"is filled by its host, zone by zone; set precondition.premap = none, or "
		"host.layer = zoned" },
	{ 0 },
};

static bool refusals_hold(const struct drive *d, const char *condition)
{
	const struct trait *t = refusals_traits;

	if (*condition != '@')
		return params_hold(condition, d->settings->group, d->settings->groups);
	while (strcmp(t->name, condition) != 0) {
		t++;
		BUG_ON(t == refusals_traits + sizeof refusals_traits / sizeof *refusals_traits,
			"\"%s\" is no trait of a drive", condition);
	}
	return t->has(d);
}

/* ---- messages ---- */

/* The value of a setting, without quotes. */
struct refusals_wanted {
	const char *key;
	char value[64];
};

static void refusals_look(void *wanted, const struct param_echo *setting)
{
	struct refusals_wanted *w = wanted;
	size_t quote = *setting->value == '"', length = strlen(setting->value) - 2 * quote;

	if (!strcmp(setting->key, w->key))
		snprintf(w->value, sizeof w->value, "%.*s", (int)length, setting->value + quote);
}

static bool refusals_refuse(const struct drive *d, const struct refusal *r, struct fault *fault)
{
	struct refusals_wanted key = { r->key, "" }, with = { r->with, "" };

	settings_echo(d->settings, refusals_look, &key);
	settings_echo(d->settings, refusals_look, &with);
	return fault_set(fault, "%s = %s: %s = %s %s", r->key, key.value, r->with, with.value, r->why);
}

static bool refusals_pass_table(const struct drive *d, const struct refusal *table, struct fault *fault)
{
	for (const struct refusal *r = table; r->key; r++)
		if ((!r->when || refusals_hold(d, r->when)) && refusals_hold(d, r->also))
			return refusals_refuse(d, r, fault);
	return true;
}

const struct refusal *refusals_table(size_t i)
{
	static const struct refusal none = { NULL };
	const struct refusal *const tables[] = { refusals, placement_refusals };
	size_t rooms = sizeof tables / sizeof *tables;

	if (i < rooms)
		return tables[i];
	if (i >= rooms + TOOLS)
		return NULL;
	return store_tools[i - rooms]->refusals ? store_tools[i - rooms]->refusals : &none;
}

/* Does the table count?  That of a tool: if it is on. */
static bool refusals_is_on(const struct drive *d, const struct refusal *table)
{
	for (int i = 0; i < TOOLS; i++)
		if (store_tools[i]->refusals == table)
			return tool_is_on(store_tools[i], d->settings->ftl.tool[i]);
	return true;
}

bool refusals_pass(const struct drive *d, struct fault *fault)
{
	const struct refusal *table;

	for (size_t i = 0; (table = refusals_table(i)); i++)
		if (refusals_is_on(d, table) && !refusals_pass_table(d, table, fault))
			return false;
	return true;
}
