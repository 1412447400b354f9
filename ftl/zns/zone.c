#include "ftl/zns/zns.h"

#include "flash/schedule.h"

#include <stdarg.h>

const char *const zone_state_names[ZONE_STATES] = { "empty", "open", "open by command", "closed", "full" };

static struct array_field zone_links(const struct zns *z)
{
	return ARRAY_FIELD(z->zone, link);
}

static bool zone_is_open(const struct zone *zone)
{
	return zone->state == ZONE_OPEN || zone->state == ZONE_EXPLICIT;
}

static bool zone_is_active(const struct zone *zone)
{
	return zone_is_open(zone) || zone->state == ZONE_CLOSED;
}

/* Changes the state, and with it the counts and the list. */
static void zone_become(struct zns *z, uint32_t number, enum zone_state state)
{
	struct zone *zone = &z->zone[number];

	z->open -= zone_is_open(zone);
	z->active -= zone_is_active(zone);
	if (zone->state == ZONE_OPEN)
		list_remove(zone_links(z), number);
	zone->state = state;
	if (zone->state == ZONE_OPEN)
		list_append(zone_links(z), z->zones, number);
	z->open += zone_is_open(zone);
	z->active += zone_is_active(zone);
	if (z->open > z->count.open_most)
		z->count.open_most = z->open;
	if (z->active > z->count.active_most)
		z->count.active_most = z->active;
}

static void zone_become_closed(struct zns *z, uint32_t number)
{
	zone_become(z, number, z->zone[number].written ? ZONE_CLOSED : ZONE_EMPTY);
}

/* ---- refusals ---- */

/* A place in a zone, in words. */
struct zone_place {
	char text[48];
};

static struct zone_place zone_name_place(const struct ftl *f, sector_t sectors)
{
	uint32_t page = f->geometry->sectors_per_page, rest = (uint32_t)(sectors % page);
	struct zone_place place;

	snprintf(place.text, sizeof place.text, rest ? "page %llu, sector %u" : "page %llu",
		(unsigned long long)(sectors / page), rest);
	return place;
}

/* Counts the refusal; with zns.refuse = stop, ends the run and sets f->refusal.  Returns false. */
__attribute__((format(printf, 4, 5))) static bool zone_refuse(
	struct ftl *f, struct io *io, enum zone_error error, const char *format, ...)
{
	const struct zns_settings *s = f->settings;
	va_list args;

	zns_count(f, io)->error[error]++;
	if (s->refuse == ANSWER_COUNT)
		return false;
	va_start(args, format);
	vsnprintf(f->refusal, sizeof f->refusal, format, args);
	va_end(args);
	f->failed = true;
	return false;
}

/* May the zone be active?  An empty one would be one more. */
static bool zone_may_be_active(struct ftl *f, struct io *io, uint32_t number)
{
	const struct zns_settings *s = f->settings;
	const struct zns *z = f->state;

	if (z->zone[number].state != ZONE_EMPTY || !s->active || z->active < s->active)
		return true;
	return zone_refuse(f, io, ERROR_ACTIVE,
		"needs zone %u, an empty one, while zns.active = %llu are active", number,
		(unsigned long long)s->active);
}

/* Closes zones that a write has opened, first the one used least recently, until one more may be open. */
static bool zone_may_open(struct ftl *f, struct io *io, uint32_t number)
{
	const struct zns_settings *s = f->settings;
	struct zns *z = f->state;

	while (s->open && z->open >= s->open) {
		uint32_t least = list_next(zone_links(z), z->zones);

		if (least == z->zones)
			return zone_refuse(f, io, ERROR_OPEN,
				"needs zone %u, which is not open, while zns.open = %llu are open by command",
				number, (unsigned long long)s->open);
		zns_count(f, io)->implicit_closes++;
		schedule_note(f->flash->schedule, "zone %u, used least recently, is closed: zns.open = %llu",
			least, (unsigned long long)s->open);
		zone_become_closed(z, least);
	}
	return true;
}

/* A zone with a worn-out block cannot be written again, and no spare block replaces it. */
static bool zone_is_worn(const struct ftl *f, uint32_t number)
{
	const struct zns_settings *s = f->settings;

	for (plane_t p = 0; p < f->geometry->planes; p++)
		for (uint32_t row = 0; row < s->rows; row++)
			if (flash_worn_out(f->flash, zns_block(f, number, p, row)))
				return true;
	return false;
}

static bool zone_become_open(struct ftl *f, struct io *io, uint32_t number, enum zone_state state)
{
	f->failed |= zns_of(f)->zone[number].state == ZONE_EMPTY && zone_is_worn(f, number);
	if (f->failed || !zone_may_be_active(f, io, number) || !zone_may_open(f, io, number))
		return false;
	zone_become(zns_of(f), number, state);
	return true;
}

/* ---- writes ---- */

static bool zone_takes(struct ftl *f, struct io *io, uint32_t number, struct extent e)
{
	const struct zns *z = f->state;
	const struct zone *zone = &z->zone[number];
	sector_t start = e.start - zns_start(z, number), end = e.end - zns_start(z, number);

	if (zone->state == ZONE_FULL)
		return zone_refuse(f, io, ERROR_FULL, "writes zone %u, which is full", number);
	if (end > z->zone_sectors)
		return zone_refuse(f, io, ERROR_BOUNDARY,
			"writes zone %u up to %s, which is behind its end at %s", number,
			zone_name_place(f, end).text, zone_name_place(f, z->zone_sectors).text);
	if (start != zone->written)
		return zone_refuse(f, io, ERROR_POINTER, "writes zone %u at %s, its write pointer is at %s",
			number, zone_name_place(f, start).text, zone_name_place(f, zone->written).text);
	return true;
}

/* Makes the zone the most recently used one, and opens it if it is not open.  False: refused. */
static bool zone_use(struct ftl *f, struct io *io, uint32_t number)
{
	struct zns *z = f->state;

	if (z->zone[number].state == ZONE_EXPLICIT)
		return true;
	if (z->zone[number].state != ZONE_OPEN)
		return zone_become_open(f, io, number, ZONE_OPEN);
	list_remove(zone_links(z), number);
	list_append(zone_links(z), z->zones, number);
	return true;
}

bool zone_admit(struct ftl *f, struct io *io, struct extent *e, bool append)
{
	struct zns *z = f->state;
	uint32_t number = zns_zone_of(z, e->start);
	struct extent to = *e;

	if (append) {
		to.start = zns_start(z, number) + z->zone[number].written;
		to.end = to.start + extent_sectors(*e);
	}
	if (!zone_takes(f, io, number, to) || !zone_use(f, io, number))
		return false;
	*e = to;
	*(append ? &zns_count(f, io)->appends : &zns_count(f, io)->writes) += 1;
	return true;
}

void zone_written(struct ftl *f, struct io *io, uint32_t number, sector_t sectors)
{
	struct zns *z = f->state;
	struct zone *zone = &z->zone[number];

	zone->written += sectors;
	if (zone->written < z->zone_sectors)
		return;
	zns_count(f, io)->filled++;
	zone_become(z, number, ZONE_FULL);
}

/* ---- commands ---- */

bool zone_open(struct ftl *f, struct io *io, uint32_t number)
{
	struct zns *z = f->state;
	struct zone *zone = &z->zone[number];

	if (zone->state == ZONE_FULL)
		return zone_refuse(f, io, ERROR_FULL, "opens zone %u, which is full", number);
	if (zone_is_open(zone))
		zone_become(z, number, ZONE_EXPLICIT);
	else if (!zone_become_open(f, io, number, ZONE_EXPLICIT))
		return false;
	zns_count(f, io)->explicit_opens++;
	return true;
}

void zone_close(struct ftl *f, struct io *io, uint32_t number)
{
	struct zns *z = f->state;

	if (!zone_is_open(&z->zone[number]))
		return;
	zns_count(f, io)->closes++;
	zone_become_closed(z, number);
}

bool zone_finish(struct ftl *f, struct io *io, uint32_t number)
{
	struct zns *z = f->state;

	if (z->zone[number].state == ZONE_FULL)
		return true;
	if (!zone_may_be_active(f, io, number))
		return false;
	zns_count(f, io)->finishes++;
	schedule_note(f->flash->schedule, "zone %u is finished with %u of %u pages", number,
		zns_data_pages(f, number), z->zone_pages);
	zns_seal(f, io, number);
	zone_become(z, number, ZONE_FULL);
	return true;
}

void zone_reset(struct ftl *f, struct io *io, uint32_t number)
{
	struct zns *z = f->state;
	struct zone *zone = &z->zone[number];

	if (zone->state == ZONE_EMPTY)
		return;
	zns_count(f, io)->resets++;
	schedule_note(
		f->flash->schedule, "zone %u, with %u pages, is reset", number, zns_data_pages(f, number));
	zns_count(f, io)->erased_zones += zone->written || zone->padded;
	zns_erase(f, io, number);
	zone->written = 0;
	zone->padded = false;
	zone_become(z, number, ZONE_EMPTY);
}

/* ---- invariants ---- */

static void zone_check_one(const struct zns *z, uint32_t number)
{
	const struct zone *zone = &z->zone[number];
	bool ends = zone->written == z->zone_sectors;

	BUG_ON(zone->written > z->zone_sectors || (ends && zone->state != ZONE_FULL),
		"zone %u is %s, and its write pointer at sector %llu of %llu", number,
		zone_state_names[zone->state], (unsigned long long)zone->written,
		(unsigned long long)z->zone_sectors);
	BUG_ON((zone->state == ZONE_EMPTY && zone->written) || (zone->state == ZONE_CLOSED && !zone->written),
		"zone %u is %s with %llu sectors", number, zone_state_names[zone->state],
		(unsigned long long)zone->written);
	BUG_ON(zone->padded && zone->state != ZONE_FULL, "zone %u is padded and not full", number);
}

void zone_check(const struct ftl *f)
{
	const struct zns *z = f->state;
	uint32_t of[ZONE_STATES] = { 0 };

	for (uint32_t number = 0; number < z->zones; number++) {
		zone_check_one(z, number);
		of[z->zone[number].state]++;
	}
	BUG_ON(z->open != of[ZONE_OPEN] + of[ZONE_EXPLICIT], "%u zones are open, %u are counted",
		of[ZONE_OPEN] + of[ZONE_EXPLICIT], z->open);
	BUG_ON(z->active != z->open + of[ZONE_CLOSED], "%u zones are active, %u are counted",
		z->open + of[ZONE_CLOSED], z->active);
	BUG_ON(list_length(zone_links(z), z->zones, z->zones) != of[ZONE_OPEN],
		"%u zones are open by a write, the list has more or fewer", of[ZONE_OPEN]);
	for (uint32_t i = list_next(zone_links(z), z->zones); i != z->zones; i = list_next(zone_links(z), i))
		BUG_ON(z->zone[i].state != ZONE_OPEN, "zone %u is %s and in the list of open ones", i,
			zone_state_names[z->zone[i].state]);
}
