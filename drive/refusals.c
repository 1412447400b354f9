#include "drive/refusals.h"

#include "buffer/buffer.h"
#include "ftl/store.h"

#include <string.h>

/* Properties of the settings. */

static bool refusals_idle(const struct drive *d)
{
	return d->settings->upkeep.idle_ns;
}

static bool refusals_rate(const struct drive *d)
{
	return d->settings->ftl.gc.copies_per_write > 0;
}

static bool refusals_together(const struct drive *d)
{
	return d->settings->ftl.gc.together == GC_DIE;
}

static bool refusals_mixed(const struct drive *d)
{
	return !d->settings->ftl.gc.separate;
}

static bool refusals_levels(const struct drive *d)
{
	return d->settings->ftl.wear.delta > 0;
}

static bool refusals_blocking(const struct drive *d)
{
	return d->settings->ftl.map.blocking && !d->ftl->ops->map_in_dram;
}

static bool refusals_wordlines(const struct drive *d)
{
	return d->settings->flash.program_unit == UNIT_WORDLINE;
}

static bool refusals_units(const struct drive *d)
{
	return placement_has_units(&d->settings->ftl.placement);
}

static bool refusals_no_units(const struct drive *d)
{
	return !placement_has_units(&d->settings->ftl.placement);
}

static bool refusals_planes(const struct drive *d)
{
	return d->settings->ftl.placement.policy != PLACE_SUPERBLOCK;
}

static bool refusals_handles(const struct drive *d)
{
	return handles_are_on(&d->settings->ftl.handles);
}

static bool refusals_handles_apart(const struct drive *d)
{
	return handles_are_on(&d->settings->ftl.handles) &&
	       d->settings->ftl.handles.isolation == ISOLATED_PERSISTENTLY;
}

static bool refusals_slc(const struct drive *d)
{
	return slc_is_on(&d->settings->ftl.slc);
}

static bool refusals_other_cells(const struct drive *d)
{
	return d->settings->flash.cell_bits > 1 &&
	       d->settings->flash.cell_bits != d->settings->ftl.slc.density;
}

static bool refusals_bad_list(const struct drive *d)
{
	return *d->settings->ftl.bad.list;
}

static bool refusals_bad_share(const struct drive *d)
{
	return d->settings->ftl.bad.share > 0;
}

static bool refusals_refresh_reads(const struct drive *d)
{
	return d->settings->ftl.refresh.reads;
}

static bool refusals_refresh_days(const struct drive *d)
{
	return d->settings->ftl.refresh.days > 0;
}

static bool refusals_retry(const struct drive *d)
{
	return retry_is_on(&d->settings->retry);
}

static bool refusals_parity(const struct drive *d)
{
	return parity_is_on(&d->settings->ftl.parity);
}

static bool refusals_aged(const struct drive *d)
{
	int mode = d->settings->precondition.mode;

	return mode == PRECONDITION_AGED || mode == PRECONDITION_SYNTHETIC;
}

/* Data that is there from the start would be in the way of the host's first write to its zone. */
static bool refusals_premap(const struct drive *d)
{
	const struct precondition_settings *s = &d->settings->precondition;

	return d->host->ops->order == HOST_AS_ASKED && s->premap != PREMAP_NONE &&
	       s->mode != PRECONDITION_FILL;
}

/* Properties of the FTL, of the host layer and of the buffer. */

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
static bool refusals_classes(const struct drive *d)
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

#define NO_COLLECTION(WHO_NEEDS)                                                                             \
	"places pages itself or collects in no time; " WHO_NEEDS " an FTL such as page, across or dftl"

const struct refusal refusals[] = {
	{ "flash.program_unit", "ftl", refusals_wordlines, refusals_collects_nothing, "places pages itself" },
	{ "flash.program_unit", "map.blocking", refusals_wordlines, refusals_blocking,
		"waits for the program of a single mapping page" },
	{ "slc.density", "flash.cell_bits", refusals_slc, refusals_other_cells,
		"makes wordlines of another size; an SLC block has one page for each: set both alike" },
	{ "flash.program_unit", "placement.superblock", refusals_wordlines, refusals_units,
		"does not go with it yet" },
	{ "upkeep.idle_ns", "ftl", refusals_idle, refusals_collects_nothing,
		"has no collections that could be made ahead" },
	{ "gc.copies_per_write", "ftl", refusals_rate, refusals_collects_nothing,
		"has no collections that could be made ahead" },
	{ "fdp.handles", "ftl", refusals_handles, refusals_collects_nothing, NO_COLLECTION("handles need") },
	{ "fdp.handles", "ftl", refusals_handles, refusals_mixes_requests,
		"packs data of several requests into a page; set its `pack` to request" },
	{ "fdp.handles", "ftl", refusals_handles, refusals_sorts_requests,
		"writes pages of all requests in one order" },
	{ "fdp.handles", "gc.separate", refusals_handles, refusals_mixed,
		"mixes what is moved with what is written; set gc.separate = true" },
	{ "fdp.isolation", "wear.delta", refusals_handles_apart, refusals_levels,
		"moves cold data of all handles into the same blocks; set wear.delta = 0" },
	{ "placement.superblock", "ftl", refusals_units, refusals_collects_nothing,
		NO_COLLECTION("units need") },
	{ "placement.superblock", "wear.delta", refusals_units, refusals_levels,
		"levels blocks; a unit is levelled as a whole or not at all: set wear.delta = 0" },
	{ "placement.superblock", "gc.together", refusals_units, refusals_together,
		"collects planes; a unit is collected as a whole: set gc.together = plane" },
	{ "slc.mode", "ftl", refusals_slc, refusals_collects_nothing, NO_COLLECTION("an SLC cache needs") },
	{ "refresh.reads", "ftl", refusals_refresh_reads, refusals_collects_nothing,
		NO_COLLECTION("refresh needs") },
	{ "refresh.days", "ftl", refusals_refresh_days, refusals_collects_nothing,
		NO_COLLECTION("refresh needs") },
	{ "retry.max", "ftl", refusals_retry, refusals_untimed,
		"is the ideal device, whose reads never fail; repeated reads need another, such as page" },
	{ "slc.mode", "ftl", refusals_slc, refusals_slots,
		"keeps parts of pages; an SLC cache needs an FTL such as page, across or dftl" },
	{ "slc.mode", "placement.superblock", refusals_slc, refusals_units,
		"opens the blocks of all planes together, which are of one mode; set placement.superblock "
		"= drive" },
	{ "slc.mode", "fdp.isolation", refusals_slc, refusals_handles_apart,
		"keeps handles apart, and the cache mixes them; set fdp.isolation = initially" },
	{ "bad.list", "ftl", refusals_bad_list, refusals_collects_nothing, NO_COLLECTION("bad blocks need") },
	{ "bad.share", "ftl", refusals_bad_share, refusals_collects_nothing,
		NO_COLLECTION("bad blocks need") },
	{ "parity.on", "ftl", refusals_parity, refusals_collects_nothing, NO_COLLECTION("parity needs") },
	{ "parity.on", "ftl", refusals_parity, refusals_slots,
		"keeps parts of pages; parity needs an FTL such as page, across or dftl" },
	{ "parity.on", "ftl", refusals_parity, refusals_sorts_requests,
		"expects pages beside each other; parity needs an FTL such as page, across or dftl" },
	{ "parity.on", "slc.mode", refusals_parity, refusals_slc, "does not go with it; set slc.mode = off" },
	{ "parity.on", "flash.program_unit", refusals_parity, refusals_wordlines,
		"does not go with it yet; set flash.program_unit = page" },
	{ "parity.on", "placement.policy", refusals_parity, refusals_planes,
		"fills the planes one by one; set placement.policy = superblock and placement.superblock = "
		"unit" },
	{ "parity.on", "placement.superblock", refusals_parity, refusals_no_units,
		"fills the dies one by one; set placement.superblock = unit" },
	{ "fdp.handles", "buffer", refusals_handles, refusals_merges,
		"writes parts of pages of several handles into one" },
	{ "fdp.handles", "ftl", refusals_classes, refusals_handles,
		"decides where data goes; set fdp.handles = 1" },
	{ "slc.mode", "ftl", refusals_classes, refusals_slc, "decides where data goes; set slc.mode = off" },
	{ "placement.superblock", "ftl", refusals_classes, refusals_units,
		"opens blocks of a plane; set placement.superblock = drive" },
	{ "gc.separate", "ftl", refusals_classes, refusals_mixed,
		"decides where moved pages go; set gc.separate = true" },
	{ "wear.delta", "ftl", refusals_classes, refusals_levels,
		"decides where moved pages go; set wear.delta = 0" },
	{ "host.layer", "ftl", refusals_zones, refusals_anywhere,
		"takes writes at write pointers only; use zoned or direct" },
	{ "buffer", "ftl", refusals_zones, refusals_evicts,
		"takes pages in the order of the host; use none" },
	{ "precondition.mode", "ftl", refusals_zones, refusals_aged,
		"ages as its host has it; use none, fill or trace" },
	{ "precondition.premap", "ftl", refusals_zones, refusals_premap,
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

		if (!r->first(d) || !r->second(d))
			continue;
		settings_echo(d->settings, refusals_look, &key);
		settings_echo(d->settings, refusals_look, &with);
		return fault_set(
			fault, "%s = %s: %s = %s %s", r->key, key.value, r->with, with.value, r->why);
	}
	return true;
}
