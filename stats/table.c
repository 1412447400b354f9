#include "stats/table.h"

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

/* "99.9" becomes "_p999_ns". */
static void name_percentile(struct stat_list *list, const char *text, size_t length)
{
	char *to = list->suffix[list->percentiles];

	to += sprintf(to, "_p");
	for (size_t i = 0; i < length; i++)
		if (text[i] != '.')
			*to++ = text[i];
	strcpy(to, "_ns");
}

bool stat_list_init(struct stat_list *list, const struct stat_settings *settings, struct fault *fault)
{
	const char *at = settings->percentiles + strspn(settings->percentiles, " ,");

	*list = (struct stat_list){ .room = 0 };
	while (*at) {
		size_t length = strcspn(at, " ,");
		double value = strtod(at, NULL);

		if (strspn(at, "0123456789.") != length || length > 12 || value < 0 || value > 100)
			return fault_set(fault,
				"stats.percentiles: \"%.*s\" is not a number from 0 to 100, such as 99.9",
				(int)(length < 40 ? length : 40), at);
		if (list->percentiles == PERCENTILES_MOST)
			return fault_set(fault, "stats.percentiles names more than %d", PERCENTILES_MOST);
		name_percentile(list, at, length);
		list->percentile[list->percentiles++] = value;
		at += length + strspn(at + length, " ,");
	}
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

/* ---- every name of every row, one after another ---- */

static void visit_row(const struct stat_list *list, const struct stat_group *g, const struct stat_row *row,
	stat_visitor *visit, void *context)
{
	struct stat_number n = { .row = row, .value = (const char *)g->values + row->offset };

	for (int i = 0; i < (row->each ? row->count : 1); i++, n.value += sizeof(uint64_t)) {
		snprintf(n.name, sizeof n.name, "%s%s%s%s", g->prefix ? g->prefix : "", row->name,
			row->each ? "." : "", row->each ? row->each(i) : "");
		visit(context, list, &n);
	}
}

static void visit_group(
	const struct stat_list *list, const struct stat_group *g, stat_visitor *visit, void *context)
{
	for (const struct stat_row *row = g->rows; row->name; row++)
		visit_row(list, g, row, visit, context);
}

void stat_list_visit(const struct stat_list *list, stat_visitor *visit, void *context)
{
	for (size_t i = 0; i < list->groups; i++) {
		if (list->group[i].gather)
			list->group[i].gather(list->group[i].owner);
		visit_group(list, &list->group[i], visit, context);
	}
}

void stat_list_look(const struct stat_list *list, stat_visitor *visit, void *context)
{
	for (size_t i = 0; i < list->groups; i++)
		visit_group(list, &list->group[i], visit, context);
}

static void require_times(void *context, const struct stat_list *list, const struct stat_number *n)
{
	struct regions *r = context;

	(void)list;
	if (n->row->kind == STAT_TIMES)
		regions_require(r, histogram_agrees((const void *)n->value), "statistics");
}

void stat_list_regions(struct stat_list *list, struct regions *r)
{
	for (size_t i = 0; i < list->groups; i++) {
		regions_visit(r, list->group[i].values, list->group[i].size);
		visit_group(list, &list->group[i], require_times, r);
	}
}

/* ---- reporting ---- */

static double ratio(const struct stat_number *n)
{
	uint64_t divisor = stat_count(n->value - n->row->offset + n->row->over);

	return divisor ? (double)stat_count(n->value) / (double)divisor : NAN;
}

/* Of nothing there is no time to tell. */
static void report_time(struct report *r, const char *name, const struct histogram *h, uint64_t ns)
{
	if (h->count)
		report_count(r, name, ns, "ns", "");
	else
		report_real(r, name, NAN, "ns", "");
}

static void report_times(struct report *r, const struct stat_list *list, const struct stat_number *n,
	const struct histogram *h)
{
	char name[STAT_NAME_BYTES + 32];

	snprintf(name, sizeof name, "%s_mean_ns", n->name);
	report_real(r, name, h->count ? histogram_mean(h) : NAN, "ns", n->row->meaning);
	snprintf(name, sizeof name, "%s_sd_ns", n->name);
	report_real(r, name, h->count ? histogram_deviation(h) : NAN, "ns", "standard deviation");
	for (size_t i = 0; i < list->percentiles; i++) {
		snprintf(name, sizeof name, "%s%s", n->name, list->suffix[i]);
		report_time(r, name, h, histogram_percentile(h, list->percentile[i] / 100));
	}
	snprintf(name, sizeof name, "%s_max_ns", n->name);
	report_time(r, name, h, h->max);
}

static void report_number(void *report, const struct stat_list *list, const struct stat_number *n)
{
	const struct stat_row *row = n->row;

	switch (row->kind) {
	case STAT_COUNT:
		report_count(report, n->name, stat_count(n->value), row->unit, row->meaning);
		break;
	case STAT_REAL:
		report_real(
			report, n->name, *(const double *)(const void *)n->value, row->unit, row->meaning);
		break;
	case STAT_RATIO:
		report_real(report, n->name, ratio(n), row->unit, row->meaning);
		break;
	case STAT_TEXT:
		report_text(report, n->name, *(const char *const *)(const void *)n->value, row->meaning);
		break;
	case STAT_TIMES:
		report_times(report, list, n, (const struct histogram *)(const void *)n->value);
	}
}

void stat_list_report(struct stat_list *list, struct report *report)
{
	for (size_t i = 0; i < list->groups; i++) {
		const struct stat_group *g = &list->group[i];

		if (g->gather)
			g->gather(g->owner);
		if (g->title)
			report_section(report, g->title);
		visit_group(list, g, report_number, report);
	}
}

/* ---- listing ---- */

struct listing {
	FILE *out;
	const char *title; /* still to be printed, or NULL */
	struct stat_names *shown;
};

/* False: the name is known already. */
static bool learn(struct stat_names *s, const char *name)
{
	for (size_t i = 0; i < s->names; i++)
		if (!strcmp(s->name[i], name))
			return false;
	s->name = memory_grown(s->name, &s->room, s->names + 1, sizeof *s->name, "names");
	s->name[s->names++] = memory_string(name, "names");
	return true;
}

static void print_number(void *context, const struct stat_list *list, const struct stat_number *n)
{
	struct listing *l = context;
	bool times = n->row->kind == STAT_TIMES;
	const char *unit = times ? "ns" : n->row->unit, *meaning = n->row->meaning;
	char name[STAT_NAME_BYTES + 8];

	(void)list;
	snprintf(name, sizeof name, "%s%s", n->name, times ? "_*_ns" : "");
	if (!learn(l->shown, n->name))
		return;
	if (l->title)
		fprintf(l->out, "\n%s\n", l->title);
	l->title = NULL;
	fprintf(l->out, "  %-35s %s%s%s\n", name, unit, *unit && *meaning ? ": " : "", meaning);
}

void stat_list_print(const struct stat_list *list, FILE *out, struct stat_names *shown)
{
	struct listing l = { .out = out, .shown = shown };

	for (size_t i = 0; i < list->groups; i++) {
		l.title = list->group[i].title ? list->group[i].title : l.title;
		visit_group(list, &list->group[i], print_number, &l);
	}
}

void stat_names_release(struct stat_names *s)
{
	for (size_t i = 0; i < s->names; i++)
		memory_free(s->name[i]);
	memory_free(s->name);
}
