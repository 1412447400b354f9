#include "stats/table.h"

#include "base/hash.h"
#include "base/memory.h"
#include "stats/histogram.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const struct param stat_params[] = {
	{ PARAM(TEXT, struct stat_settings, percentiles), 0, 0, "", "50 95 99 99.9 99.99",
		"of latencies, in percent, at most 16: 99.9 is reported as p999" },
	{ 0 },
};

/* "99.9" becomes "_p999_ns" and 0.999.  False: a number before it has that name. */
static bool stat_add_percentile(struct stat_list *list, const char *text, size_t length)
{
	char *name = list->suffix[list->percentiles], *to = name;

	to += sprintf(to, "_p");
	for (size_t i = 0; i < length; i++)
		if (text[i] != '.')
			*to++ = text[i];
	strcpy(to, "_ns");
	for (size_t i = 0; i < list->percentiles; i++)
		if (!strcmp(list->suffix[i], name))
			return false;
	list->share[list->percentiles++] = strtod(text, NULL) / 100;
	return true;
}

static bool stat_read_percentile(struct stat_list *list, const char *text, size_t length, struct fault *fault)
{
	char *end;

	if (strspn(text, "0123456789.") != length || length > 12 || strtod(text, &end) > 100 ||
		end != text + length)
		return fault_set(fault,
			"stats.percentiles: \"%.*s\" is not a number from 0 to 100, such as 99.9",
			(int)(length < 40 ? length : 40), text);
	if (list->percentiles == PERCENTILES_MOST)
		return fault_set(fault, "stats.percentiles names more than %d", PERCENTILES_MOST);
	return stat_add_percentile(list, text, length) ||
	       fault_set(fault,
		       "stats.percentiles: \"%.*s\" has the same name in results as a number before it (99.9 "
		       "is p999); leave one of them out",
		       (int)length, text);
}

bool stat_list_init(struct stat_list *list, const struct stat_settings *settings, struct fault *fault)
{
	const char *at = settings->percentiles + strspn(settings->percentiles, " ,");

	*list = (struct stat_list){ .room = 0 };
	while (*at) {
		size_t length = strcspn(at, " ,");

		if (!stat_read_percentile(list, at, length, fault))
			return false;
		at += length + strspn(at + length, " ,");
	}
	list->share[list->percentiles] = 1;
	strcpy(list->suffix[list->percentiles], "_max_ns");
	return true;
}

void stat_list_release(struct stat_list *list)
{
	memory_free(list->group);
	*list = (struct stat_list){ .room = 0 };
}

void stat_list_add(struct stat_list *list, struct stat_group group)
{
	list->group =
		memory_grown(list->group, &list->room, list->groups + 1, sizeof *list->group, "statistics");
	list->group[list->groups++] = group;
}

void stat_list_start(struct stat_list *list)
{
	for (size_t i = 0; i < list->groups; i++) {
		const struct stat_group *g = &list->group[i];

		memset(g->values, 0, g->size);
		if (g->start)
			g->start(g->owner);
	}
}

void stat_list_gather(const struct stat_list *list)
{
	for (size_t i = 0; i < list->groups; i++)
		if (list->group[i].gather)
			list->group[i].gather(list->group[i].owner);
}

bool stat_next(const struct stat_list *list, struct stat_number *n)
{
	const struct stat_group *g;

	if (!n->row) {
		n->row = list->groups ? list->group->rows : NULL;
	} else if (++n->index >= (n->row->each ? n->row->count : 1)) {
		n->index = 0;
		n->row++;
	}
	while (n->group < list->groups && !n->row->name)
		if (++n->group < list->groups)
			n->row = list->group[n->group].rows;
	if (n->group >= list->groups)
		return false;
	g = &list->group[n->group];
	n->title = n->row == g->rows && !n->index ? g->title : NULL;
	n->values = g->values;
	n->value = n->values + n->row->offset + (size_t)n->index * sizeof(uint64_t);
	snprintf(n->name, sizeof n->name, "%s%s%s%s", g->prefix ? g->prefix : "", n->row->name,
		n->row->each ? "." : "", n->row->each ? n->row->each(n->index) : "");
	return true;
}

/* ---- saved ---- */

static void stat_list_visit(void *statistics, struct state_visitor *r)
{
	struct stat_list *list = statistics;

	for (size_t i = 0; i < list->groups; i++)
		state_visit_bytes(r, list->group[i].values, list->group[i].size);
}

static uint64_t stat_list_layout(const void *list)
{
	uint64_t sum = HASH_NOTHING;

	for (struct stat_number n = { .row = NULL }; stat_next(list, &n);) {
		const uint64_t place[] = { n.row->kind, (uint64_t)(n.value - n.values) };

		sum = hash_bytes(sum, n.name, strlen(n.name) + 1);
		sum = hash_bytes(sum, place, sizeof place);
	}
	return sum;
}

const struct state_row stat_list_state[] = {
	STATE_FIXED(groups, room, percentiles, share, suffix),
	STATE_TABLE(struct stat_list, group, stat_list_visit, stat_list_layout),
	{ 0 },
};

/* ---- reporting ---- */

static double stat_ratio(const struct stat_number *n, double of_nothing)
{
	uint64_t divisor = stat_count(n->values + n->row->over);

	return divisor ? (double)stat_count(n->value) / (double)divisor : of_nothing;
}

static void stat_report_times(struct report *r, const struct stat_list *list, const struct stat_number *n)
{
	const struct histogram *h = (const void *)n->value;
	char name[STAT_NAME_BYTES + 32];

	snprintf(name, sizeof name, "%s_mean_ns", n->name);
	report_real(r, name, h->count ? histogram_mean(h) : NAN, "ns", n->row->meaning);
	snprintf(name, sizeof name, "%s_sd_ns", n->name);
	report_real(r, name, h->count ? histogram_deviation(h) : NAN, "ns", "standard deviation");
	for (size_t i = 0; i <= list->percentiles; i++) {
		snprintf(name, sizeof name, "%s%s", n->name, list->suffix[i]);
		if (h->count)
			report_count(r, name, histogram_percentile(h, list->share[i]), "ns", "");
		else
			report_real(r, name, NAN, "ns", "");
	}
}

static void stat_report_number(
	struct report *report, const struct stat_list *list, const struct stat_number *n)
{
	const struct stat_row *row = n->row;
	const void *value = n->value;

	switch (row->kind) {
	case STAT_COUNT:
		report_count(report, n->name, stat_count(n->value), row->unit, row->meaning);
		break;
	case STAT_REAL:
		report_real(report, n->name, *(const double *)value, row->unit, row->meaning);
		break;
	case STAT_RATIO:
		report_real(report, n->name, stat_ratio(n, NAN), row->unit, row->meaning);
		break;
	case STAT_SHARE:
		report_real(report, n->name, stat_ratio(n, 0), row->unit, row->meaning);
		break;
	case STAT_TEXT:
		report_text(report, n->name, *(const char *const *)value, row->meaning);
		break;
	case STAT_TIMES:
		stat_report_times(report, list, n);
	}
}

static bool stat_is_left_out(const struct stat_list *list, const struct stat_number *n)
{
	const struct stat_group *g = &list->group[n->group];

	return g->quiet && !stat_count(n->values + g->rows->offset);
}

void stat_list_report_left_out(const struct stat_list *list, struct report *report)
{
	for (struct stat_number n = { .row = NULL }; stat_next(list, &n);)
		if (stat_is_left_out(list, &n))
			stat_report_number(report, list, &n);
}

void stat_list_report(const struct stat_list *list, struct report *report)
{
	stat_list_gather(list);
	for (struct stat_number n = { .row = NULL }; stat_next(list, &n);) {
		if (stat_is_left_out(list, &n))
			continue;
		if (n.title)
			report_section(report, n.title);
		stat_report_number(report, list, &n);
	}
}

/* ---- listing ---- */

/* False: the name is known already. */
static bool stat_learn(struct stat_names *s, const char *name)
{
	for (size_t i = 0; i < s->names; i++)
		if (!strcmp(s->name[i], name))
			return false;
	s->name = memory_grown(s->name, &s->room, s->names + 1, sizeof *s->name, "names");
	s->name[s->names++] = memory_string(name, "names");
	return true;
}

void stat_list_print(const struct stat_list *list, FILE *out, struct stat_names *shown)
{
	const char *title = NULL; /* still to be printed */

	for (struct stat_number n = { .row = NULL }; stat_next(list, &n);) {
		bool times = n.row->kind == STAT_TIMES;
		const char *unit = times ? "ns" : n.row->unit, *meaning = n.row->meaning;
		char name[STAT_NAME_BYTES + 8];

		title = n.title ? n.title : title;
		if (!stat_learn(shown, n.name))
			continue;
		if (title)
			fprintf(out, "\n%s\n", title);
		title = NULL;
		snprintf(name, sizeof name, "%s%s", n.name, times ? "_*_ns" : "");
		fprintf(out, "  %-35s %s%s%s\n", name, unit, *unit && *meaning ? ": " : "", meaning);
	}
}

void stat_names_release(struct stat_names *s)
{
	for (size_t i = 0; i < s->names; i++)
		memory_free(s->name[i]);
	memory_free(s->name);
}
