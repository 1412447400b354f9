#include "stats/series.h"

#include "base/memory.h"
#include "stats/histogram.h"

#include <inttypes.h>

struct series {
	const struct stat_list *list;
	FILE *out;
	bool names;             /* a line of names, not of a window */
	uint64_t *count;        /* at the end of the window before, in the order of the list */
	struct histogram *time; /* the same */
	uint32_t counts, times; /* so many so far, in the end all */
	struct histogram window;
};

static void add_column(void *series, const struct stat_list *list, const struct stat_number *n)
{
	struct series *s = series;

	(void)list;
	s->counts += n->row->kind == STAT_COUNT;
	s->times += n->row->kind == STAT_TIMES;
}

struct series *series_create(const struct stat_list *list)
{
	struct series *s = memory_array(1, sizeof *s, "series");

	s->list = list;
	stat_list_look(list, add_column, s);
	s->count = memory_array(s->counts, sizeof *s->count, "series");
	s->time = memory_array(s->times, sizeof *s->time, "series");
	return s;
}

void series_free(struct series *s)
{
	if (!s)
		return;
	memory_free(s->count);
	memory_free(s->time);
	memory_free(s);
}

static void put_count(struct series *s, const struct stat_number *n)
{
	uint64_t now = stat_count(n->value), *before = &s->count[s->counts++];

	if (s->names)
		fprintf(s->out, ",%s", n->name);
	else
		fprintf(s->out, ",%" PRId64, (int64_t)(now - *before));
	*before = now;
}

/* What has come to `before`, which catches up.  Bins where no value ever was are left as they are: a percentile of the
 * window does not look there. */
static void subtract(struct histogram *window, struct histogram *before, const struct histogram *now)
{
	window->count = now->count - before->count;
	window->sum = now->sum - before->sum;
	window->min = now->min;
	window->max = now->max;
	if (!window->count)
		return;
	for (unsigned i = histogram_bin(now->min); i <= histogram_bin(now->max); i++) {
		window->bin[i] = now->bin[i] - before->bin[i];
		before->bin[i] = now->bin[i];
	}
	before->count = now->count;
	before->sum = now->sum;
}

static void put_window(struct series *s)
{
	const struct histogram *w = &s->window;

	if (w->count)
		fprintf(s->out, ",%.9g", histogram_mean(w));
	else
		fputc(',', s->out);
	for (size_t i = 0; i <= s->list->percentiles; i++) {
		double share = i < s->list->percentiles ? s->list->percentile[i] / 100 : 1;

		fputc(',', s->out);
		if (w->count)
			fprintf(s->out, "%" PRIu64, histogram_percentile(w, share));
	}
}

static void put_times(struct series *s, const struct stat_number *n)
{
	const struct histogram *now = (const struct histogram *)(const void *)n->value;

	if (s->names) {
		fprintf(s->out, ",%s_mean_ns", n->name);
		for (size_t i = 0; i < s->list->percentiles; i++)
			fprintf(s->out, ",%s%s", n->name, s->list->suffix[i]);
		fprintf(s->out, ",%s_max_ns", n->name);
		s->time[s->times] = *now;
	} else {
		subtract(&s->window, &s->time[s->times], now);
		put_window(s);
	}
	s->times++;
}

static void put_number(void *series, const struct stat_list *list, const struct stat_number *n)
{
	(void)list;
	if (n->row->kind == STAT_COUNT)
		put_count(series, n);
	else if (n->row->kind == STAT_TIMES)
		put_times(series, n);
}

static void put_line(struct series *s, FILE *out, bool names)
{
	s->out = out;
	s->names = names;
	s->counts = s->times = 0;
	stat_list_visit(s->list, put_number, s);
	fputc('\n', out);
}

void series_begin(struct series *s, FILE *out)
{
	put_line(s, out, true);
}

void series_row(struct series *s, FILE *out)
{
	put_line(s, out, false);
}

struct check {
	const struct series *series;
	struct regions *regions;
	uint32_t times;
};

static void require_part(void *check, const struct stat_list *list, const struct stat_number *n)
{
	struct check *c = check;

	(void)list;
	if (n->row->kind == STAT_TIMES && !c->regions->broken)
		regions_require(c->regions,
			histogram_is_part(&c->series->time[c->times++], (const void *)n->value), "series");
}

void series_regions(struct series *s, struct regions *r)
{
	regions_visit(r, s->count, s->counts * sizeof *s->count);
	regions_visit(r, s->time, s->times * sizeof *s->time);
	stat_list_look(s->list, require_part, &(struct check){ s, r, 0 });
}
