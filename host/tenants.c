#include "host/tenants.h"

#include "host/host.h"

#include <stdlib.h>
#include <string.h>

/* An entry of a list, and where it goes. */
struct tenants_entry {
	struct tenants *tenants;
	uint32_t number;
	const char *text; /* the entry */
	sector_t sectors, unit;
};

/* A list setting, with an entry for each tenant or, of host.weights, for each class below urgent. */
struct tenants_list {
	const char *key, *text;
	bool (*read)(const struct tenants_entry *); /* false: the entry is not what it should be */
	const char *should;
};

static bool tenants_read_whole(const char *text, uint64_t least, uint64_t most, uint64_t *number)
{
	char *end;

	*number = strtoull(text, &end, 10);
	return *text >= '0' && *text <= '9' && !*end && *number >= least && *number <= most;
}

static bool tenants_read_real(const char *text, double most, double *number)
{
	char *end;

	*number = strtod(text, &end);
	return ((*text >= '0' && *text <= '9') || *text == '.') && !*end && *number <= most;
}

static bool tenants_read_class(const struct tenants_entry *e)
{
	static const char letters[TENANT_CLASSES + 1] = "UHML";
	const char *letter = strchr(letters, *e->text);

	if (!*e->text || e->text[1] || !letter)
		return false;
	e->tenants->of[e->number].rank = (enum tenant_class)(letter - letters);
	return true;
}

static bool tenants_read_mode(const struct tenants_entry *e)
{
	e->tenants->of[e->number].is_open = !strcmp(e->text, "open");
	return e->tenants->of[e->number].is_open || !strcmp(e->text, "closed");
}

static bool tenants_read_depth(const struct tenants_entry *e)
{
	return tenants_read_whole(e->text, 1, 1000000, &e->tenants->of[e->number].depth);
}

static bool tenants_read_time_scale(const struct tenants_entry *e)
{
	return tenants_read_real(e->text, 1e6, &e->tenants->of[e->number].time_scale);
}

static bool tenants_read_seed(const struct tenants_entry *e)
{
	return tenants_read_whole(e->text, 0, 1000000000, &e->tenants->of[e->number].seed);
}

/* "0.25..0.5" */
static bool tenants_read_range(const struct tenants_entry *e)
{
	struct extent *range = &e->tenants->of[e->number].range;
	const char *dots = strstr(e->text, "..");
	uint64_t units = e->sectors / e->unit;
	char from[16];
	double start, end;

	if (!dots || (size_t)(dots - e->text) >= sizeof from)
		return false;
	memcpy(from, e->text, (size_t)(dots - e->text));
	from[dots - e->text] = '\0';
	if (!tenants_read_real(from, 1, &start) || !tenants_read_real(dots + 2, 1, &end))
		return false;
	range->start = (sector_t)((double)units * start) * e->unit;
	range->end = end < 1 ? (sector_t)((double)units * end) * e->unit : e->sectors;
	return range->start < range->end;
}

static bool tenants_read_weight(const struct tenants_entry *e)
{
	return tenants_read_whole(e->text, 1, 1000000, &e->tenants->weight[TENANT_HIGH + e->number]);
}

/* Room for an entry and its end; longer ones are wrong. */
#define ENTRY_BYTES 40

static uint32_t tenants_count_entries(const char *text)
{
	uint32_t entries = *text != '\0';

	for (; *text; text++)
		entries += *text == ',';
	return entries;
}

/* Reads the entries of a list one by one.  False: there is a fault. */
static bool tenants_read_list(
	const struct tenants_list *list, const struct tenants_entry *of, uint32_t count, struct fault *fault)
{
	uint32_t entries = tenants_count_entries(list->text);
	const char *at = list->text;

	for (uint32_t i = 0; i < entries && i < count; i++) {
		struct tenants_entry e = *of;
		size_t length = strcspn(at, ",");
		char text[ENTRY_BYTES];

		snprintf(text, sizeof text, "%.*s", (int)length, at);
		e.number = i;
		e.text = text + strspn(text, " ");
		if (length >= sizeof text || !list->read(&e))
			return fault_set(fault, "%s: \"%.40s\" should be %s", list->key, text, list->should);
		at += length + 1;
	}
	return true;
}

static bool tenants_read_weights(struct tenants *t, const char *text, struct fault *fault)
{
	const struct tenants_list list = { "host.weights", text, tenants_read_weight,
		"a whole number from 1 to 1000000" };

	if (tenants_count_entries(text) != TENANT_CLASSES - TENANT_HIGH)
		return fault_set(fault,
			"host.weights = \"%.40s\" should be the weights of the classes H, M and L: 4,2,1",
			text);
	return tenants_read_list(
		&list, &(struct tenants_entry){ .tenants = t }, TENANT_CLASSES - TENANT_HIGH, fault);
}

static bool tenants_read_alone(struct tenants *t, const char *text, struct fault *fault)
{
	uint64_t alone;

	if (!*text)
		return true;
	if (!tenants_read_whole(text, 0, t->count - 1, &alone))
		return fault_set(fault, "host.alone = \"%.40s\" should be the number of a tenant, 0 to %u",
			text, t->count - 1);
	for (uint32_t i = 0; i < t->count; i++)
		t->of[i].is_absent = i != alone;
	return true;
}

/* "apart": ranges of one size, one behind the other. */
static bool tenants_set_apart(struct tenants *t, sector_t sectors, sector_t unit, struct fault *fault)
{
	if (sectors / unit < t->count)
		return fault_set(fault,
			"host.ranges = apart: the drive is too small for ranges of %u tenants", t->count);
	for (uint32_t i = 0; i < t->count; i++)
		t->of[i].range = (struct extent){ sectors / unit * i / t->count * unit,
			i + 1 < t->count ? sectors / unit * (i + 1) / t->count * unit : sectors };
	return true;
}

bool tenants_read(struct tenants *t, const struct host_settings *s, sector_t sectors, sector_t unit,
	struct fault *fault)
{
	bool apart = !strcmp(s->of.ranges, "apart");
	const struct tenants_list lists[] = {
		{ "host.classes", s->of.classes, tenants_read_class, "U, H, M or L" },
		{ "host.modes", s->of.modes, tenants_read_mode, "open or closed" },
		{ "host.depths", s->of.depths, tenants_read_depth, "a whole number from 1 to 1000000" },
		{ "host.time_scales", s->of.time_scales, tenants_read_time_scale,
			"a number from 0 to 1000000" },
		{ "host.ranges", apart ? "" : s->of.ranges, tenants_read_range,
			"two ascending shares of the sectors, such as 0..0.5, at least a page apart" },
		{ "host.seeds", s->of.seeds, tenants_read_seed, "a whole number from 0 to 1000000000" },
	};
	const struct tenants_entry entry = { .tenants = t, .sectors = sectors, .unit = unit };

	*t = (struct tenants){ .count = (uint32_t)s->of.tenants };
	for (uint32_t i = 0; i < t->count; i++)
		t->of[i] = (struct tenant){ s->mode == HOST_OPEN, s->queue_depth, s->time_scale, i,
			TENANT_MEDIUM, { 0, sectors } };
	if (t->count == 1)
		return true;
	if (apart && !tenants_set_apart(t, sectors, unit, fault))
		return false;
	for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
		uint32_t entries = tenants_count_entries(lists[i].text);

		if (entries && entries != t->count)
			return fault_set(fault, "host.tenants = %u, %s = \"%.40s\" names %u", t->count,
				lists[i].key, lists[i].text, entries);
		if (!tenants_read_list(&lists[i], &entry, t->count, fault))
			return false;
	}
	return tenants_read_weights(t, s->of.weights, fault) && tenants_read_alone(t, s->of.alone, fault);
}
