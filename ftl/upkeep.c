#include "ftl/upkeep.h"

#include "ftl/store.h"

#define UPKEEP(type, field) PARAM(type, struct upkeep_settings, field)

const struct param upkeep_params[] = {
	{ UPKEEP(UINT, idle_ns), 0, 1e18, "ns", "0",
		"planes with fewer free pages than gc.soft are collected, and due blocks refreshed, when no "
		"request has been in the drive for so long; 0 = never",
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
	u->chore[CHORE_COLLECT].wait_ns = settings->idle_ns;
	if (refresh_is_on(&ftl->core->refresh))
		u->chore[CHORE_REFRESH].wait_ns = settings->idle_ns;
	if (slc_is_on(&ftl->core->slc))
		u->chore[CHORE_FOLD].wait_ns = ftl->core->slc.idle_ns;
	if (settings->idle_ns || ftl->core->gc.copies_per_write > 0)
		collector_expect_steps(ftl->store->collector);
}

uint64_t upkeep_least_wait(const struct upkeep *u)
{
	uint64_t least = UINT64_MAX;

	for (const struct chore *c = u->chore; c < u->chore + CHORES; c++)
		least = c->wait_ns && c->wait_ns < least ? c->wait_ns : least;
	return least;
}

tick_t upkeep_due(const struct upkeep *u, tick_t now)
{
	tick_t due = TICK_NEVER;

	if (u->requests || u->works)
		return due;
	for (const struct chore *c = u->chore; c < u->chore + CHORES; c++)
		if (c->wait_ns && c->has_work && u->idle_since + c->wait_ns < due)
			due = u->idle_since + c->wait_ns;
	return due > now ? due : now;
}

static bool upkeep_is_due(const struct upkeep *u, const struct chore *c, tick_t now)
{
	return c->wait_ns && now >= u->idle_since + c->wait_ns;
}

/* A unit spans all planes, each of which moves step_pages. */
static uint32_t upkeep_step_pages(const struct upkeep *u)
{
	const struct units *units = u->ftl->store->space->units;
	uint64_t pages = u->settings->step_pages * (units ? units->device->planes : 1);

	return pages < UINT32_MAX ? (uint32_t)pages : UINT32_MAX;
}

static bool upkeep_step(struct upkeep *u, struct io *io, plane_t p, enum chore_kind kind, uint64_t *moved)
{
	struct store *store = u->ftl->store;

	if (kind == CHORE_FOLD)
		return slc_fold_idle(&store->slc, io, p, moved);
	if (kind == CHORE_REFRESH)
		return refresh_idle(&store->refresh, io, p, moved);
	return collector_step(store->collector, io, p, upkeep_step_pages(u), moved);
}

/* Works in the plane on the first chore that has something to do there.  False: none has. */
static bool upkeep_work(struct upkeep *u, struct io *io, plane_t p, tick_t now)
{
	for (int kind = 0; kind < CHORES; kind++) {
		uint64_t moved;

		if (!upkeep_is_due(u, &u->chore[kind], now) ||
			!upkeep_step(u, io, p, (enum chore_kind)kind, &moved))
			continue;
		u->count.steps++;
		u->count.idle_pages += moved;
		return true;
	}
	return false;
}

void upkeep_begin_round(struct upkeep *u, struct io *io, tick_t now)
{
	bool worked = false;

	u->works = true;
	if (upkeep_is_due(u, &u->chore[CHORE_REFRESH], now)) {
		flash_pass_time(u->ftl->flash);
		refresh_look(&u->ftl->store->refresh);
	}
	for (plane_t p = 0; p < u->ftl->store->space->geometry->planes; p++)
		worked |= upkeep_work(u, io, p, now);
	for (struct chore *c = u->chore; c < u->chore + CHORES; c++)
		c->has_work &= worked || !upkeep_is_due(u, c, now);
}

static const struct state_row upkeep_chore_state[] = {
	STATE_FIXED(wait_ns),
	STATE_BOOL(struct chore, has_work),
	{ 0 },
};

const struct state_row upkeep_state[] = {
	STATE_FIXED(settings, ftl),
	STATE_COUNTED(count),
	STATE_NUMBER(struct upkeep, requests),
	STATE_NUMBER(struct upkeep, idle_since),
	STATE_STRUCTS(struct upkeep, chore, upkeep_chore_state),
	STATE_BOOL(struct upkeep, works),
	{ 0 },
};

/* ---- statistics ---- */

#define COUNT(name) STAT_COUNT, offsetof(struct upkeep_statistics, name)

static const struct stat_row upkeep_rows[] = {
	{ "upkeep.steps", "", "of collections, and blocks folded or refreshed, when the drive was idle",
		COUNT(steps) },
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
