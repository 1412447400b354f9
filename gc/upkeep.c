#include "gc/upkeep.h"

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

static void upkeep_add_chore(struct upkeep *u, struct tool *t)
{
	uint64_t wait = t->ops->wait ? t->ops->wait(t->settings) : u->settings->idle_ns;

	if (!wait)
		return;
	u->chore[u->chores++] = (struct chore){ t, wait, false };
	if (!u->least_wait_ns || wait < u->least_wait_ns)
		u->least_wait_ns = wait;
}

static bool upkeep_has_rate(const struct upkeep *u)
{
	return u->collector && u->collector->settings->copies_per_write > 0;
}

void upkeep_init(struct upkeep *u, const struct upkeep_settings *settings, struct collector *collector)
{
	*u = (struct upkeep){ .settings = settings, .collector = collector };
	if (!collector)
		return;
	TOOLS_WITH (t, collector->tools, idle)
		upkeep_add_chore(u, t);
	if (settings->idle_ns || upkeep_has_rate(u))
		collector_expect_steps(collector);
}

tick_t upkeep_due(const struct upkeep *u, tick_t now)
{
	tick_t due = TICK_NEVER;

	if (u->requests || u->works)
		return due;
	for (const struct chore *c = u->chore; c < u->chore + u->chores; c++)
		if (c->has_work && u->idle_since + c->wait_ns < due)
			due = u->idle_since + c->wait_ns;
	return due > now ? due : now;
}

static bool upkeep_is_due(const struct upkeep *u, const struct chore *c, tick_t now)
{
	return now >= u->idle_since + c->wait_ns;
}

/* A unit spans several planes, each of which moves step_pages. */
static uint32_t upkeep_step_pages(const struct upkeep *u)
{
	uint64_t pages = u->settings->step_pages * space_parts(u->collector->space);

	return pages < UINT32_MAX ? (uint32_t)pages : UINT32_MAX;
}

/* Works in the plane on the first chore that has something to do there.  False: none has. */
static bool upkeep_work(struct upkeep *u, struct io *io, plane_t p, tick_t now)
{
	for (struct chore *c = u->chore; c < u->chore + u->chores; c++) {
		uint64_t moved;

		if (!upkeep_is_due(u, c, now) ||
			!c->tool->ops->idle(c->tool, io, p, upkeep_step_pages(u), &moved))
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
	for (struct chore *c = u->chore; c < u->chore + u->chores; c++)
		if (c->tool->ops->round && upkeep_is_due(u, c, now))
			c->tool->ops->round(c->tool);
	for (plane_t p = 0; p < u->collector->space->geometry->planes; p++)
		worked |= upkeep_work(u, io, p, now);
	for (struct chore *c = u->chore; c < u->chore + u->chores; c++)
		c->has_work &= worked || !upkeep_is_due(u, c, now);
}

static const struct state_row upkeep_chore_state[] = {
	STATE_FIXED(tool, wait_ns),
	STATE_NUMBER(struct chore, has_work),
	{ 0 },
};

const struct state_row upkeep_state[] = {
	STATE_FIXED(settings, collector, chores, least_wait_ns),
	STATE_COUNTED(count),
	STATE_NUMBER(struct upkeep, requests),
	STATE_NUMBER(struct upkeep, idle_since),
	STATE_STRUCTS(struct upkeep, chore, upkeep_chore_state),
	STATE_NUMBER(struct upkeep, works),
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
	const struct gc_statistics *gc = &u->collector->count;

	u->count.rate_pages = gc->rate_pages;
	u->count.forced = gc->forced;
}

void upkeep_statistics(struct upkeep *u, struct stat_list *list)
{
	if (upkeep_is_on(u) || upkeep_has_rate(u))
		stat_list_add(list, (struct stat_group){ "collection ahead of need", NULL, upkeep_rows,
					    &u->count, sizeof u->count, u, NULL, upkeep_gather });
}
