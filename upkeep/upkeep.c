#include "upkeep/upkeep.h"

#include "ftl/store.h"

#define UPKEEP(type, field) PARAM(type, struct upkeep_settings, field)

const struct param upkeep_params[] = {
	{ UPKEEP(UINT, idle_ns), 0, 1e18, "ns", "0",
		"planes with fewer free pages than gc.soft are collected when no request has been in the "
		"drive for so long; 0 = never",
		.quiet = true },
	{ UPKEEP(UINT, step_pages), 1, 1e6, "pages", "8",
		"live pages that each plane moves at most before the drive looks for a request again; FTLs "
		"that keep a part of their map in flash move those of a whole block",
		.matters_if = "upkeep.idle_ns!=0", .quiet = true },
	{ 0 },
};

void upkeep_init(struct upkeep *u, const struct upkeep_settings *settings, struct ftl *ftl)
{
	*u = (struct upkeep){ .settings = settings, .ftl = ftl };
	if (upkeep_is_on(u) || ftl->core->gc.copies_per_write > 0)
		collector_expect_steps(ftl->store->collector);
}

tick_t upkeep_due(const struct upkeep *u, tick_t now)
{
	tick_t due = u->idle_since + u->settings->idle_ns;

	if (!upkeep_is_on(u) || u->requests || u->works || !u->has_work)
		return TICK_NEVER;
	return due > now ? due : now;
}

void upkeep_begin_round(struct upkeep *u, struct io *io)
{
	struct collector *collector = u->ftl->store->collector;

	u->works = true;
	u->has_work = false;
	for (plane_t p = 0; p < u->ftl->store->space->geometry->planes; p++) {
		uint64_t moved;

		if (!collector_step(collector, io, p, (uint32_t)u->settings->step_pages, &moved))
			continue;
		u->has_work = true;
		u->count.steps++;
		u->count.idle_pages += moved;
	}
}

const struct state_row upkeep_state[] = {
	STATE_FIXED(settings, ftl),
	STATE_COUNTED(count),
	STATE_NUMBER(struct upkeep, requests),
	STATE_NUMBER(struct upkeep, idle_since),
	STATE_BOOL(struct upkeep, has_work),
	STATE_BOOL(struct upkeep, works),
	{ 0 },
};

/* ---- statistics ---- */

#define COUNT(name) STAT_COUNT, offsetof(struct upkeep_statistics, name)

static const struct stat_row upkeep_rows[] = {
	{ "upkeep.steps", "", "of collections, made when the drive was idle", COUNT(steps) },
	{ "upkeep.idle_pages", "pages", "moved by these", COUNT(idle_pages) },
	{ "upkeep.rate_pages", "pages", "moved for pages of the host (gc.copies_per_write)",
		COUNT(rate_pages) },
	{ "upkeep.forced", "blocks", "collected because a plane had too few free pages all the same",
		COUNT(forced) },
	{ "upkeep.interrupted", "requests", "entered while operations of such steps were in flight",
		COUNT(interrupted) },
	{ 0 },
};

static void upkeep_gather(void *upkeep)
{
	struct upkeep *u = upkeep;
	const struct gc_statistics *gc = &u->ftl->store->collector->count;

	u->count.rate_pages = gc->rate_pages;
	u->count.forced = gc->forced;
}

void upkeep_statistics(struct upkeep *u, struct stat_list *list)
{
	if (upkeep_is_on(u) || u->ftl->core->gc.copies_per_write > 0)
		stat_list_add(list, (struct stat_group){ "collection ahead of need", NULL, upkeep_rows,
					    &u->count, sizeof u->count, u, NULL, upkeep_gather });
}
