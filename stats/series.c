#include "stats/series.h"

#include "base/memory.h"
#include "stats/histogram.h"

#include <inttypes.h>

struct series {
	const struct stat_list *list;
	uint64_t *count;        /* at the end of the previous window, in the order of the list */
	struct histogram *time; /* the same */
	uint32_t counts, times;
	struct histogram window;
};

/* The columns must be known at the beginning: groups that a report may leave out have none. */
static bool series_next(const struct stat_list *list, struct stat_number *n)
{
	do
		if (!stat_next(list, n))
			return false;
	while (list->group[n->group].quiet);
	return true;
}

struct series *series_create(const struct stat_list *list)
{
	struct series *s = memory_array(1, sizeof *s, "series");

	s->list = list;
	for (struct stat_number n = { .row = NULL }; series_next(list, &n);) {
		s->counts += n.row->kind == STAT_COUNT;
		s->times += n.row->kind == STAT_TIMES;
	}
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

/* The window gets the values added to `now` since `before`, which becomes equal to `now`.  Bins outside the
 * smallest and largest value are left as they are: no percentile of the window looks there. */
static void series_subtract(struct histogram *window, struct histogram *before, const struct histogram *now)
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

static void series_put_times(struct series *s, const struct histogram *w, FILE *out)
{
	fputc(',', out);
	if (w->count)
		fprintf(out, "%.9g", histogram_mean(w));
	for (size_t i = 0; i <= s->list->percentiles; i++) {
		fputc(',', out);
		if (w->count)
			fprintf(out, "%" PRIu64, histogram_percentile(w, s->list->share[i]));
	}
}

void series_begin(struct series *s, FILE *out)
{
	uint64_t *count = s->count;
	struct histogram *time = s->time;

	stat_list_gather(s->list);
	for (struct stat_number n = { .row = NULL }; series_next(s->list, &n);)
		if (n.row->kind == STAT_COUNT) {
			fprintf(out, ",%s", n.name);
			*count++ = stat_count(n.value);
		} else if (n.row->kind == STAT_TIMES) {
			fprintf(out, ",%s_mean_ns", n.name);
			for (size_t i = 0; i <= s->list->percentiles; i++)
				fprintf(out, ",%s%s", n.name, s->list->suffix[i]);
			*time++ = *(const struct histogram *)(const void *)n.value;
		}
	fputc('\n', out);
}

void series_row(struct series *s, FILE *out)
{
	uint64_t *count = s->count;
	struct histogram *time = s->time;

	stat_list_gather(s->list);
	for (struct stat_number n = { .row = NULL }; series_next(s->list, &n);)
		if (n.row->kind == STAT_COUNT) {
			uint64_t now = stat_count(n.value);

			fprintf(out, ",%" PRId64, (int64_t)(now - *count));
			*count++ = now;
		} else if (n.row->kind == STAT_TIMES) {
			series_subtract(&s->window, time++, (const void *)n.value);
			series_put_times(s, &s->window, out);
		}
	fputc('\n', out);
}

const struct state_row series_state[] = {
	STATE_FIXED(list, counts, times),
	STATE_NUMBERS(struct series, count),
	STATE_NUMBERS(struct series, time),
	STATE_SCRATCH(window),
	{ 0 },
};
