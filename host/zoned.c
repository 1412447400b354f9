/*
 * Takes writes in any order and writes zones sequentially, as dm-zap of Linux or a log-structured file system
 * does.
 *
 * The layer exports a share of the drive and maps it page by page.  Writes fill the open zone of host data
 * from its first page to its last.  When few zones are free it cleans one: the live pages of the full zone
 * with the fewest are read and written to the open zone of cleaned data, and the zone is reset.  So the host
 * does the garbage collection that a drive with a map does inside, by the rules of `ftl = page` with
 * gc.policy = greedy, on zones instead of blocks.
 *
 * Pages are written whole: a partial write is a read-modify-write.  A trim unmaps the pages that it covers.
 * Cleaning is in the foreground: the write that needs it is complete when the copies are written and the zone
 * is reset, and a zone is reset when its live pages are written elsewhere.
 */
#include "base/index.h"
#include "base/memory.h"
#include "host/host.h"

#include <math.h>

struct zoned_settings {
	double share;
	uint64_t low;
	bool separate;
};

#define ZONED(type, field) PARAM(type, struct zoned_settings, field)

static const struct param zoned_params[] = {
	{ ZONED(REAL, share), 0.01, 1, "share", "0.75",
		"pages that the host sees, of those of all zones; the others are room for cleaning" },
	{ ZONED(UINT, low), 2, 1e6, "zones", "3",
		"with fewer free zones one is cleaned before a zone is opened for new data" },
	{ ZONED(BOOL, separate), 0, 1, "", "true",
		"pages that are cleaned go to a zone of their own, not among new data" },
	{ 0 },
};

enum zoned_stream { STREAM_HOST, STREAM_CLEANED, ZONED_STREAMS };

struct zoned_zone {
	uint32_t written, live; /* pages since the reset; of these, those that the host can read */
	uint32_t resets;
	uint64_t since; /* number of the event by which it became full, or last lost a live page while full */
};

struct zoned_counts {
	uint64_t writes, moved, cleaned, cleaned_empty, completed;
	uint64_t programs, free_zones; /* computed when the statistics are read */
};

struct zoned {
	uint32_t page_sectors, zone_pages, zones, pages; /* pages: of the host */
	uint32_t *place;                                 /* page of the host -> of the device; INDEX_NONE */
	uint32_t *page;                                  /* page of the device -> of the host; INDEX_NONE */
	struct zoned_zone *zone;
	uint32_t open[ZONED_STREAMS]; /* zone that each stream fills; INDEX_NONE */
	uint32_t free;                /* zones */
	uint64_t now;                 /* number of the last event, for `since` */
	struct zoned_counts count;
};

/* ---- life ---- */

static bool zoned_fits(const struct host *h, struct fault *fault)
{
	const struct zoned_settings *s = h->own;
	const struct zoned *t = h->state;
	uint64_t exported = ((uint64_t)t->pages + t->zone_pages - 1) / t->zone_pages;

	if (!t->pages)
		return fault_set(fault, "zoned.share = %g leaves no page of %u for the host", s->share,
			t->zones * t->zone_pages);
	if (s->separate && h->device.active_zones == 1)
		return fault_set(fault,
			"zoned.separate = true: new data and cleaned data each fill a zone, and zns.active = "
			"1 allows one; set zoned.separate = false, or zns.active = 2 or more");
	return t->zones >= exported + s->low + 2 ||
	       fault_set(fault,
		       "zoned.share = %g: of %u zones %llu hold the host's data; zoned.low + 2 = %llu "
		       "must be left for cleaning: use a smaller share, or smaller zones",
		       s->share, t->zones, (unsigned long long)exported, (unsigned long long)s->low + 2);
}

static sector_t zoned_init(struct host *h, struct fault *fault)
{
	struct zoned *t = h->state;
	const struct zoned_settings *s = h->own;
	uint32_t all;

	if (!h->device.zone_sectors) {
		fault_set(fault, "host.layer = zoned writes zones: ftl = zns has them");
		return 0;
	}
	t->page_sectors = h->device.sectors_per_page;
	t->zone_pages = (uint32_t)(h->device.zone_sectors / t->page_sectors);
	t->zones = t->free = (uint32_t)(h->device.sectors / h->device.zone_sectors);
	all = t->zones * t->zone_pages;
	t->pages = (uint32_t)floor(s->share * all + 1e-6);
	if (!zoned_fits(h, fault))
		return 0;
	t->place = memory_array(t->pages, sizeof *t->place, "map of the layer");
	t->page = memory_array(all, sizeof *t->page, "map of the layer");
	t->zone = memory_array(t->zones, sizeof *t->zone, "zones of the layer");
	for (uint32_t i = 0; i < t->pages; i++)
		t->place[i] = INDEX_NONE;
	for (uint32_t i = 0; i < all; i++)
		t->page[i] = INDEX_NONE;
	for (unsigned stream = 0; stream < ZONED_STREAMS; stream++)
		t->open[stream] = INDEX_NONE;
	return (sector_t)t->pages * t->page_sectors;
}

static void zoned_exit(struct host *h)
{
	struct zoned *t = h->state;

	memory_free(t->place);
	memory_free(t->page);
	memory_free(t->zone);
}

/* ---- parts ---- */

static struct extent zoned_extent(const struct host *h, uint32_t zone)
{
	return (struct extent){ zone * h->device.zone_sectors, (zone + 1) * h->device.zone_sectors };
}

/* A whole page of the host at a page of the device. */
static struct host_part zoned_part(
	const struct zoned *t, enum request_type type, uint32_t page, uint32_t place)
{
	sector_t start = (sector_t)place * t->page_sectors;

	return (struct host_part){ { start, start + t->page_sectors }, (sector_t)page * t->page_sectors,
		type };
}

/* Does the part go on where the last one ends, in the same zone?  Then they are one command. */
static bool zoned_continues(const struct host *h, const struct host_part *part)
{
	const struct host_part *last = &h->part[h->parts - 1];

	return h->parts && part->type == last->type && !last->moves && !h->after.end && !last->after.end &&
	       part->device.start == last->device.end &&
	       part->host == last->host + extent_sectors(last->device) &&
	       part->device.start % h->device.zone_sectors;
}

/* Adds a part, joined to the last one if it continues that. */
static void zoned_add(struct host *h, struct host_part part)
{
	if (zoned_continues(h, &part))
		h->part[h->parts - 1].device.end = part.device.end;
	else
		host_add(h, part);
}

/* ---- zones ---- */

static bool zoned_is_full(const struct zoned *t, const struct zoned_zone *zone)
{
	return zone->written == t->zone_pages;
}

/* The page of the device is dead from now on. */
static void zoned_release(struct zoned *t, uint32_t place)
{
	struct zoned_zone *zone = &t->zone[place / t->zone_pages];

	t->page[place] = INDEX_NONE;
	zone->live--;
	if (zoned_is_full(t, zone))
		zone->since = ++t->now;
}

/* The free zone with the fewest resets, of these the first. */
static uint32_t zoned_find_free(const struct zoned *t)
{
	uint32_t best = INDEX_NONE;

	for (uint32_t z = 0; z < t->zones; z++)
		if (!t->zone[z].written && z != t->open[STREAM_HOST] && z != t->open[STREAM_CLEANED] &&
			(best == INDEX_NONE || t->zone[z].resets < t->zone[best].resets))
			best = z;
	return best;
}

/* Maps the page of the host to the next page of the stream's zone.  If none is open, a zone must be free. */
static uint32_t zoned_take(struct zoned *t, enum zoned_stream stream, uint32_t page)
{
	uint32_t *open = &t->open[stream], place;
	struct zoned_zone *zone;

	if (*open == INDEX_NONE) {
		*open = zoned_find_free(t);
		t->free--;
	}
	BUG_ON(*open == INDEX_NONE, "no zone is free");
	zone = &t->zone[*open];
	place = *open * t->zone_pages + zone->written++;
	zone->live++;
	if (zoned_is_full(t, zone)) {
		zone->since = ++t->now;
		*open = INDEX_NONE;
	}
	t->page[place] = page;
	t->place[page] = place;
	return place;
}

/* ---- cleaning ---- */

static enum zoned_stream zoned_cleaned(const struct host *h)
{
	const struct zoned_settings *s = h->own;

	return s->separate ? STREAM_CLEANED : STREAM_HOST;
}

/* Victim selection: the full zone with the fewest live pages; of several, the one with this number for
 * longest.  INDEX_NONE: no zone has a dead page and live pages that fit into the room left. */
static uint32_t zoned_find_victim(const struct host *h)
{
	const struct zoned *t = h->state;
	uint32_t open = t->open[zoned_cleaned(h)], best = INDEX_NONE;
	uint64_t room = (uint64_t)t->free * t->zone_pages +
			(open == INDEX_NONE ? 0 : t->zone_pages - t->zone[open].written);

	for (uint32_t z = 0; z < t->zones; z++) {
		const struct zoned_zone *zone = &t->zone[z];

		if (zoned_is_full(t, zone) && zone->live < t->zone_pages && zone->live <= room &&
			(best == INDEX_NONE || zone->live < t->zone[best].live ||
				(zone->live == t->zone[best].live && zone->since < t->zone[best].since)))
			best = z;
	}
	return best;
}

/* Adds reads of the zone's live pages, and marks these dead.  Returns their number. */
static uint32_t zoned_read_live(struct host *h, uint32_t victim)
{
	struct zoned *t = h->state;
	struct zoned_zone *zone = &t->zone[victim];
	uint32_t live = zone->live;

	h->after = (struct host_parts){ 0 };
	for (uint32_t place = victim * t->zone_pages; zone->live; place++)
		if (t->page[place] != INDEX_NONE) {
			host_add(h, zoned_part(t, REQUEST_READ, t->page[place], place));
			t->page[place] = INDEX_NONE;
			zone->live--;
		}
	return live;
}

/* Each copy waits for its own read, the reset for all copies. */
static bool zoned_clean(struct host *h)
{
	struct zoned *t = h->state;
	uint32_t victim = zoned_find_victim(h), first = h->parts, live;

	if (victim == INDEX_NONE)
		return false;
	live = zoned_read_live(h, victim);
	for (uint32_t read = first; read < first + live; read++) {
		uint32_t page = (uint32_t)(h->part[read].host / t->page_sectors);
		struct host_part copy =
			zoned_part(t, REQUEST_WRITE, page, zoned_take(t, zoned_cleaned(h), page));

		copy.moves = true;
		h->after = (struct host_parts){ read, read + 1 };
		host_add(h, copy);
	}
	h->after = (struct host_parts){ first + live, h->parts };
	host_add(h, (struct host_part){ zoned_extent(h, victim), 0, REQUEST_TRIM });
	h->after = (struct host_parts){ 0 };
	t->count.cleaned++;
	t->count.cleaned_empty += !live;
	t->count.moved += live;
	t->zone[victim].written = 0;
	t->zone[victim].resets++;
	t->free++;
	return true;
}

/* Before a page of the host opens a zone: cleans until `low` zones are free, if it can, but at least two. */
static void zoned_make_room(struct host *h)
{
	struct zoned *t = h->state;
	const struct zoned_settings *s = h->own;

	while (t->open[STREAM_HOST] == INDEX_NONE && t->free < s->low && zoned_clean(h))
		;
	while (t->open[STREAM_HOST] == INDEX_NONE && t->free <= 1)
		BUG_ON(!zoned_clean(h), "no zone can be cleaned, %u of %u are free", t->free, t->zones);
}

/* ---- requests ---- */

/* The part of a request in a page of the host. */
struct zoned_piece {
	uint32_t page;
	sector_t start, end;
};

static struct zoned_piece zoned_piece_at(const struct zoned *t, const struct request *r, sector_t at)
{
	uint32_t page = (uint32_t)(at / t->page_sectors);
	sector_t end = r->start + r->sectors, behind = ((sector_t)page + 1) * t->page_sectors;

	return (struct zoned_piece){ page, at, end < behind ? end : behind };
}

static bool zoned_is_whole(const struct zoned *t, struct zoned_piece p)
{
	return p.end - p.start == t->page_sectors;
}

static void zoned_read(struct host *h, struct zoned_piece p)
{
	const struct zoned *t = h->state;
	sector_t before = p.start - (sector_t)p.page * t->page_sectors;
	struct host_part part;

	if (t->place[p.page] == INDEX_NONE)
		return;
	part = zoned_part(t, REQUEST_READ, p.page, t->place[p.page]);
	part.host = p.start;
	part.device.start += before;
	part.device.end = part.device.start + (p.end - p.start);
	zoned_add(h, part);
}

static void zoned_write(struct host *h, struct zoned_piece p)
{
	struct zoned *t = h->state;
	uint32_t old;

	zoned_make_room(h);
	old = t->place[p.page];
	h->after = (struct host_parts){ 0 };
	if (old != INDEX_NONE && !zoned_is_whole(t, p)) {
		host_add(h, zoned_part(t, REQUEST_READ, p.page, old));
		h->after = (struct host_parts){ h->parts - 1, h->parts };
		t->count.completed++;
	}
	t->count.writes++;
	zoned_add(h, zoned_part(t, REQUEST_WRITE, p.page, zoned_take(t, STREAM_HOST, p.page)));
	if (old != INDEX_NONE)
		zoned_release(t, old);
}

static void zoned_trim(struct host *h, struct zoned_piece p)
{
	struct zoned *t = h->state;

	if (t->place[p.page] == INDEX_NONE || !zoned_is_whole(t, p))
		return;
	zoned_release(t, t->place[p.page]);
	t->place[p.page] = INDEX_NONE;
}

/* The whole pages of a trim: the others keep their data. */
static struct extent zoned_whole_pages(const struct zoned *t, const struct request *r)
{
	sector_t page = t->page_sectors, end = (r->start + r->sectors) / page * page;

	return (struct extent){ (r->start + page - 1) / page * page, end };
}

static void zoned_map(struct host *h, const struct request *r)
{
	const struct zoned *t = h->state;

	if (r->type == REQUEST_TRIM)
		h->trimmed = zoned_whole_pages(t, r);
	for (sector_t at = r->start; at < r->start + r->sectors;) {
		struct zoned_piece p = zoned_piece_at(t, r, at);

		if (r->type == REQUEST_READ)
			zoned_read(h, p);
		else if (r->type == REQUEST_WRITE)
			zoned_write(h, p);
		else
			zoned_trim(h, p);
		at = p.end;
	}
}

/* ---- state ---- */

/* Rebuilds `page` from `place`. */
static void zoned_restored(void *zoned)
{
	struct zoned *t = zoned;

	for (uint32_t i = 0; i < t->zones * t->zone_pages; i++)
		t->page[i] = INDEX_NONE;
	for (uint32_t i = 0; i < t->pages; i++)
		if (t->place[i] != INDEX_NONE)
			t->page[t->place[i]] = i;
}

static const struct state_row zoned_zone_state[] = {
	STATE_NUMBER(struct zoned_zone, written),
	STATE_NUMBER(struct zoned_zone, live),
	STATE_NUMBER(struct zoned_zone, resets),
	STATE_NUMBER(struct zoned_zone, since),
	{ 0 },
};

static const struct state_row zoned_state[] = {
	STATE_FIXED(page_sectors, zone_pages, zones, pages),
	STATE_COUNTED(count),
	STATE_NUMBERS(struct zoned, place),
	STATE_ARRAY(struct zoned, zone, zoned_zone_state),
	STATE_NUMBER(struct zoned, open[STREAM_HOST]),
	STATE_NUMBER(struct zoned, open[STREAM_CLEANED]),
	STATE_NUMBER(struct zoned, free),
	STATE_NUMBER(struct zoned, now),
	STATE_REBUILT(page),
	STATE_RESTORED(zoned_restored),
	{ 0 },
};

static void zoned_check_zone(const struct zoned *t, uint32_t z)
{
	const struct zoned_zone *zone = &t->zone[z];
	bool open = z == t->open[STREAM_HOST] || z == t->open[STREAM_CLEANED];
	uint32_t live = 0;

	for (uint32_t i = 0; i < t->zone_pages; i++) {
		uint32_t page = t->page[z * t->zone_pages + i];

		live += page != INDEX_NONE;
		BUG_ON(page != INDEX_NONE && (i >= zone->written || t->place[page] != z * t->zone_pages + i),
			"page %u of zone %u holds page %u of the host, which is elsewhere", i, z, page);
	}
	BUG_ON(live != zone->live, "zone %u has %u live pages, %u are counted", z, live, zone->live);
	BUG_ON(open != (zone->written && !zoned_is_full(t, zone)),
		"zone %u has %u of %u pages written and is %sopen", z, zone->written, t->zone_pages,
		open ? "" : "not ");
}

static void zoned_check(const struct host *h)
{
	const struct zoned *t = h->state;
	uint32_t free = 0;

	for (uint32_t z = 0; z < t->zones; z++) {
		zoned_check_zone(t, z);
		free += !t->zone[z].written;
	}
	BUG_ON(free != t->free || !free, "%u zones are free, %u are counted", free, t->free);
	for (uint32_t i = 0; i < t->pages; i++)
		BUG_ON(t->place[i] != INDEX_NONE && t->page[t->place[i]] != i,
			"page %u lies in the page %u of another", i, t->place[i]);
}

/* ---- statistics ---- */

static void zoned_gather(void *state)
{
	struct zoned *t = state;

	t->count.programs = t->count.writes + t->count.moved;
	t->count.free_zones = t->free;
}

#define COUNT(field) STAT_COUNT, offsetof(struct zoned_counts, field)

static const struct stat_row zoned_rows[] = {
	{ "writes", "pages", "written for the host", COUNT(writes) },
	{ "completed", "pages", "of these, written in part: the other sectors were read first",
		COUNT(completed) },
	{ "cleaned", "zones", "", COUNT(cleaned) },
	{ "cleaned_empty", "zones", "of these, without a live page", COUNT(cleaned_empty) },
	{ "moved", "pages", "live ones of the zones cleaned, read and written elsewhere", COUNT(moved) },
	{ "waf", "", "write amplification of the layer: (writes + moved) / writes", STAT_RATIO,
		offsetof(struct zoned_counts, programs), offsetof(struct zoned_counts, writes) },
	{ "free_zones", "zones", "at the end", COUNT(free_zones) },
	{ 0 },
};

static void zoned_statistics(struct host *h, struct stat_list *list)
{
	struct zoned *t = h->state;

	stat_list_add(list, (struct stat_group){ "host layer that writes zones", "zoned.", zoned_rows,
				    &t->count, sizeof t->count, t, NULL, zoned_gather });
}

const struct host_ops host_zoned = {
	.name = "zoned",
	.brief =
		"zones are written from their first page to their last, and cleaned: any trace runs on ftl = "
		"zns",
	.size = sizeof(struct zoned),
	.params = zoned_params,
	.settings_size = sizeof(struct zoned_settings),
	.init = zoned_init,
	.exit = zoned_exit,
	.map = zoned_map,
	.state = zoned_state,
	.order = HOST_ZONES,
	.check = zoned_check,
	.statistics = zoned_statistics,
};
