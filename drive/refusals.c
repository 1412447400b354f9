#include "drive/refusals.h"

#include "buffer/buffer.h"
#include "ftl/store.h"

#include <string.h>

static bool refusals_collects_nothing(const struct drive *d)
{
	return !d->ftl->store || d->ftl->ops->collects_untimed;
}

static bool refusals_idle(const struct drive *d)
{
	return d->settings->upkeep.idle_ns && refusals_collects_nothing(d);
}

static bool refusals_rate(const struct drive *d)
{
	return d->settings->ftl.gc.copies_per_write > 0 && refusals_collects_nothing(d);
}

static bool refusals_handles(const struct drive *d)
{
	return handles_are_on(&d->settings->ftl.handles);
}

static bool refusals_no_store(const struct drive *d)
{
	return refusals_handles(d) && refusals_collects_nothing(d);
}

static bool refusals_mixes_requests(const struct drive *d)
{
	return refusals_handles(d) && d->ftl->store && d->ftl->store->plan.mixes_requests;
}

static bool refusals_sorts_requests(const struct drive *d)
{
	return refusals_handles(d) && d->ftl->store && d->ftl->store->plan.sorts_requests;
}

static bool refusals_units(const struct drive *d)
{
	return placement_has_units(&d->settings->ftl.placement);
}

static bool refusals_units_no_store(const struct drive *d)
{
	return refusals_units(d) && refusals_collects_nothing(d);
}

static bool refusals_units_cold(const struct drive *d)
{
	return refusals_units(d) && d->settings->ftl.wear.delta > 0;
}

static bool refusals_units_die(const struct drive *d)
{
	return refusals_units(d) && d->settings->ftl.gc.together == GC_DIE;
}

static bool refusals_slc(const struct drive *d)
{
	return slc_is_on(&d->settings->ftl.slc);
}

static bool refusals_slc_no_store(const struct drive *d)
{
	return refusals_slc(d) && refusals_collects_nothing(d);
}

static bool refusals_slc_slots(const struct drive *d)
{
	return refusals_slc(d) && d->ftl->store && d->ftl->store->space->dead_slots;
}

static bool refusals_slc_units(const struct drive *d)
{
	return refusals_slc(d) && refusals_units(d);
}

static bool refusals_slc_apart(const struct drive *d)
{
	return refusals_slc(d) && refusals_handles(d) &&
	       d->settings->ftl.handles.isolation == ISOLATED_PERSISTENTLY;
}

static bool refusals_bad_list(const struct drive *d)
{
	return *d->settings->ftl.bad.list && refusals_collects_nothing(d);
}

static bool refusals_bad_share(const struct drive *d)
{
	return d->settings->ftl.bad.share > 0 && refusals_collects_nothing(d);
}

static bool refusals_merges(const struct drive *d)
{
	return refusals_handles(d) && d->buffer->merges;
}

static bool refusals_not_separate(const struct drive *d)
{
	return refusals_handles(d) && !d->settings->ftl.gc.separate;
}

static bool refusals_cold(const struct drive *d)
{
	return refusals_handles(d) && d->settings->ftl.handles.isolation == ISOLATED_PERSISTENTLY &&
	       d->settings->ftl.wear.delta > 0;
}

/* Does the FTL divide data of the host among its own streams? */
static bool refusals_classes(const struct drive *d)
{
	return d->ftl->store && d->ftl->store->plan.stream_of;
}

static bool refusals_classes_handles(const struct drive *d)
{
	return refusals_classes(d) && refusals_handles(d);
}

static bool refusals_classes_slc(const struct drive *d)
{
	return refusals_classes(d) && refusals_slc(d);
}

static bool refusals_classes_units(const struct drive *d)
{
	return refusals_classes(d) && refusals_units(d);
}

static bool refusals_classes_mixed(const struct drive *d)
{
	return refusals_classes(d) && !d->settings->ftl.gc.separate;
}

static bool refusals_classes_cold(const struct drive *d)
{
	return refusals_classes(d) && d->settings->ftl.wear.delta > 0;
}

/* Zones. */

static bool refusals_order(const struct drive *d)
{
	return d->ftl->ops->admit && d->host->ops->order == HOST_ANYWHERE;
}

static bool refusals_buffer(const struct drive *d)
{
	return d->ftl->ops->admit && d->buffer->ops->evict;
}

static bool refusals_past(const struct drive *d)
{
	int mode = d->settings->precondition.mode;

	return d->ftl->ops->admit && (mode == PRECONDITION_AGED || mode == PRECONDITION_SYNTHETIC);
}

/* What is there from the start would be in the way of the host's first write to the zone. */
static bool refusals_premap(const struct drive *d)
{
	const struct precondition_settings *s = &d->settings->precondition;

	return d->ftl->ops->admit && d->host->ops->order == HOST_AS_ASKED && s->premap != PREMAP_NONE &&
	       s->mode != PRECONDITION_FILL;
}

static bool refusals_refresh_reads(const struct drive *d)
{
	return d->settings->ftl.refresh.reads && refusals_collects_nothing(d);
}

static bool refusals_refresh_days(const struct drive *d)
{
	return d->settings->ftl.refresh.days > 0 && refusals_collects_nothing(d);
}

static bool refusals_retry(const struct drive *d)
{
	return retry_is_on(&d->settings->retry) && d->ftl->ops->collects_untimed;
}

static bool refusals_by_wordline(const struct drive *d)
{
	return d->settings->flash.program_unit == UNIT_WORDLINE;
}

static bool refusals_parity(const struct drive *d)
{
	return parity_is_on(&d->settings->ftl.parity);
}

static bool refusals_parity_no_store(const struct drive *d)
{
	return refusals_parity(d) && refusals_collects_nothing(d);
}

static bool refusals_parity_slots(const struct drive *d)
{
	return refusals_parity(d) && d->ftl->store && d->ftl->store->space->dead_slots;
}

static bool refusals_parity_lines(const struct drive *d)
{
	return refusals_parity(d) && d->ftl->store && d->ftl->store->plan.sorts_requests;
}

static bool refusals_parity_policy(const struct drive *d)
{
	return refusals_parity(d) && d->settings->ftl.placement.policy != PLACE_SUPERBLOCK;
}

static bool refusals_parity_blocks(const struct drive *d)
{
	return refusals_parity(d) && !refusals_units(d);
}

static bool refusals_parity_slc(const struct drive *d)
{
	return refusals_parity(d) && refusals_slc(d);
}

static bool refusals_parity_wordline(const struct drive *d)
{
	return refusals_parity(d) && refusals_by_wordline(d);
}

static bool refusals_density(const struct drive *d)
{
	return refusals_slc(d) && d->settings->flash.cell_bits > 1 &&
	       d->settings->flash.cell_bits != d->settings->ftl.slc.density;
}

static bool refusals_wordline_units(const struct drive *d)
{
	return refusals_by_wordline(d) && refusals_units(d);
}

static bool refusals_wordline(const struct drive *d)
{
	return refusals_by_wordline(d) && refusals_collects_nothing(d);
}

/* Programs of a request may stand in one wordline: none is done before the others are issued. */
static bool refusals_blocking(const struct drive *d)
{
	return refusals_by_wordline(d) && d->settings->ftl.map.blocking && !d->ftl->ops->map_in_dram;
}

const struct refusal refusals[] = {
	{ "flash.program_unit", "ftl", refusals_wordline, "places pages itself" },
	{ "flash.program_unit", "map.blocking", refusals_blocking,
		"waits for the program of a single mapping page" },
	{ "slc.density", "flash.cell_bits", refusals_density,
		"makes wordlines of another size; an SLC block has one page for each: set both alike" },
	{ "flash.program_unit", "placement.superblock", refusals_wordline_units, "does not go with it yet" },
	{ "upkeep.idle_ns", "ftl", refusals_idle, "has no collections that could be made ahead" },
	{ "gc.copies_per_write", "ftl", refusals_rate, "has no collections that could be made ahead" },
	{ "fdp.handles", "ftl", refusals_no_store,
		"places pages itself or collects in no time; handles need an FTL such as page, across or "
		"dftl" },
	{ "fdp.handles", "ftl", refusals_mixes_requests,
		"packs data of several requests into a page; set its `pack` to request" },
	{ "fdp.handles", "ftl", refusals_sorts_requests, "writes pages of all requests in one order" },
	{ "fdp.handles", "gc.separate", refusals_not_separate,
		"mixes what is moved with what is written; set gc.separate = true" },
	{ "fdp.isolation", "wear.delta", refusals_cold,
		"moves cold data of all handles into the same blocks; set wear.delta = 0" },
	{ "placement.superblock", "ftl", refusals_units_no_store,
		"places pages itself or collects in no time; units need an FTL such as page, across or "
		"dftl" },
	{ "placement.superblock", "wear.delta", refusals_units_cold,
		"levels blocks; a unit is levelled as a whole or not at all: set wear.delta = 0" },
	{ "placement.superblock", "gc.together", refusals_units_die,
		"collects planes; a unit is collected as a whole: set gc.together = plane" },
	{ "slc.mode", "ftl", refusals_slc_no_store,
		"places pages itself or collects in no time; an SLC cache needs an FTL such as page, "
		"across or "
		"dftl" },
	{ "refresh.reads", "ftl", refusals_refresh_reads,
		"places pages itself or collects in no time; refresh needs an FTL such as page, across or "
		"dftl" },
	{ "refresh.days", "ftl", refusals_refresh_days,
		"places pages itself or collects in no time; refresh needs an FTL such as page, across or "
		"dftl" },
	{ "retry.max", "ftl", refusals_retry,
		"is the ideal device, whose reads never fail; repeated reads need another, such as page" },
	{ "slc.mode", "ftl", refusals_slc_slots,
		"keeps parts of pages; an SLC cache needs an FTL such as page, across or dftl" },
	{ "slc.mode", "placement.superblock", refusals_slc_units,
		"opens the blocks of all planes together, which are of one mode; set placement.superblock "
		"= drive" },
	{ "slc.mode", "fdp.isolation", refusals_slc_apart,
		"keeps handles apart, and the cache mixes them; set fdp.isolation = initially" },
	{ "bad.list", "ftl", refusals_bad_list,
		"places pages itself or collects in no time; bad blocks need an FTL such as page, across or "
		"dftl" },
	{ "bad.share", "ftl", refusals_bad_share,
		"places pages itself or collects in no time; bad blocks need an FTL such as page, across or "
		"dftl" },
	{ "parity.on", "ftl", refusals_parity_no_store,
		"places pages itself or collects in no time; parity needs an FTL such as page, across or "
		"dftl" },
	{ "parity.on", "ftl", refusals_parity_slots,
		"keeps parts of pages; parity needs an FTL such as page, across or dftl" },
	{ "parity.on", "ftl", refusals_parity_lines,
		"expects pages beside each other; parity needs an FTL such as page, across or dftl" },
	{ "parity.on", "slc.mode", refusals_parity_slc, "does not go with it; set slc.mode = off" },
	{ "parity.on", "flash.program_unit", refusals_parity_wordline,
		"does not go with it yet; set flash.program_unit = page" },
	{ "parity.on", "placement.policy", refusals_parity_policy,
		"fills the planes one by one; set placement.policy = superblock and placement.superblock = "
		"unit" },
	{ "parity.on", "placement.superblock", refusals_parity_blocks,
		"fills the dies one by one; set placement.superblock = unit" },
	{ "fdp.handles", "buffer", refusals_merges, "writes parts of pages of several handles into one" },
	{ "fdp.handles", "ftl", refusals_classes_handles, "decides where data goes; set fdp.handles = 1" },
	{ "slc.mode", "ftl", refusals_classes_slc, "decides where data goes; set slc.mode = off" },
	{ "placement.superblock", "ftl", refusals_classes_units,
		"opens blocks of a plane; set placement.superblock = drive" },
	{ "gc.separate", "ftl", refusals_classes_mixed,
		"decides where moved pages go; set gc.separate = true" },
	{ "wear.delta", "ftl", refusals_classes_cold, "decides where moved pages go; set wear.delta = 0" },
	{ "host.layer", "ftl", refusals_order, "takes writes at write pointers only; use zoned or direct" },
	{ "buffer", "ftl", refusals_buffer, "takes pages in the order of the host; use none" },
	{ "precondition.mode", "ftl", refusals_past, "ages as its host has it; use none, fill or trace" },
	{ "precondition.premap", "ftl", refusals_premap,
		"is filled by its host, zone by zone; set precondition.premap = none, or "
		"host.layer = zoned" },
	{ 0 },
};

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

bool refusals_pass(const struct drive *d, struct fault *fault)
{
	for (const struct refusal *r = refusals; r->key; r++) {
		struct refusals_wanted key = { r->key, "" }, with = { r->with, "" };

		if (!r->applies(d))
			continue;
		settings_echo(d->settings, refusals_look, &key);
		settings_echo(d->settings, refusals_look, &with);
		return fault_set(
			fault, "%s = %s: %s = %s %s", r->key, key.value, r->with, with.value, r->why);
	}
	return true;
}
