#include "drive/prepare/workload.h"

#include "base/memory.h"
#include "drive/settings.h"
#include "traces/generate.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* "auto" or empty: the reader chooses. */
static const char *workload_or_null(const char *text)
{
	return *text && strcmp(text, "auto") ? text : NULL;
}

/* A name is a file's if the file exists, or if it looks like one and is no known profile: then the file is
 * missing. */
static bool workload_is_file_name(const char *name)
{
	return !strcmp(name, "-") || !access(name, F_OK) || (strpbrk(name, "/.") && !generator_known(name));
}

/* The seed of the run is added to the profile's, unless that was set.  With trace.fit a profile that needs
 * more space than there is gets the space there is. */
static struct generator *workload_open_profile(
	const char *name, const struct trace_settings *settings, struct fault *fault)
{
	size_t n = settings->profile_count;
	struct generator *g = generator_open(name, settings->profile, n, fault);
	bool shrinks = g && settings->fit && generator_sectors(g) * SECTOR_BYTES > settings->bytes;
	char **words, seed[32], space[32];

	if (!g || (!settings->seed_shift && !shrinks))
		return g;
	snprintf(seed, sizeof seed, "seed=%" PRIu64, generator_seed(g) + settings->seed_shift);
	snprintf(space, sizeof space, "space=%" PRIu64, settings->bytes);
	generator_close(g);
	words = memory_array(n + 2, sizeof *words, "settings of the workload");
	words[0] = seed;
	for (size_t i = 0; i < n; i++)
		words[i + 1] = settings->profile[i];
	words[n + 1] = space;
	g = generator_open(name, words, n + 1 + shrinks, fault);
	memory_free(words);
	return g;
}

static void workload_warn(void *workload, const char *text)
{
	struct workload *w = workload;

	if (warnings_add(&w->warnings, text, w->warn) && w->warn)
		w->warn(NULL, text);
}

void workload_each_warning(
	const struct workload *w, void (*visit)(void *context, const struct warning *), void *context)
{
	for (uint32_t i = 0; i < w->parts; i++)
		workload_each_warning(&w->part[i], visit, context);
	for (uint32_t i = 0; i < w->warnings.used; i++)
		visit(context, &w->warnings.list[i]);
}

bool workload_open(struct workload *w, const char *name, const struct trace_settings *settings, bool again,
	void (*warn)(void *, const char *), struct fault *fault)
{
	struct trace_options options = {
		.format = workload_or_null(settings->format),
		.columns = workload_or_null(settings->columns),
		.member = workload_or_null(settings->member),
		.devices = workload_or_null(settings->devices),
		.time_unit = workload_or_null(settings->time_unit),
		.sort_fully = settings->sort_fully,
		.list = settings->list,
		.page_bytes = (uint32_t)settings->page_bytes,
		.commands = true,
		.shared = settings->shared,
		.flush = settings->flush,
		.again = again,
		.warn = workload_warn,
		.warn_context = w,
	};

	*w = (struct workload){ .name = name,
		.settings = *settings,
		.limit = settings->limit ? settings->limit : UINT64_MAX,
		.warn = warn };
	if (settings->list || workload_is_file_name(name))
		w->trace = trace_open(name, &options, fault);
	else
		w->generator = workload_open_profile(name, settings, fault);
	if (w->trace && settings->profile_count) {
		workload_close(w);
		return fault_set(fault, "-s workload.%s: %s is a trace, only profiles have settings",
			settings->profile[0], name);
	}
	return w->generator || w->trace;
}

/* Settings of the profile of a tenant: "1.requests=1000" is one of tenant 1 alone. */
static char **workload_words_of(const struct trace_settings *s, uint32_t tenant, size_t *count)
{
	char **words = memory_array(s->profile_count, sizeof *words, "settings of the workload");

	*count = 0;
	for (size_t i = 0; i < s->profile_count; i++) {
		char *word = s->profile[i], *end;
		unsigned long number = strtoul(word, &end, 10);
		bool names = end > word && *end == '.';

		if (!names || number == tenant)
			words[(*count)++] = names ? end + 1 : word;
	}
	return words;
}

/* The next part.  A profile's space (for trace.fit) and seed are those of its tenant. */
static bool workload_open_part(struct workload *w, const char *name, const struct settings *s,
	const struct tenants *tenants, struct workload_opening how, struct fault *fault)
{
	struct workload *part = &w->part[w->parts];
	const struct tenant *tenant = &tenants->of[w->parts];
	struct trace_settings settings = s->trace;
	char **words = workload_words_of(&s->trace, w->parts, &settings.profile_count);
	bool done;

	settings.profile = words;
	settings.seed_shift += tenant->seed;
	settings.bytes = extent_sectors(tenant->range) * SECTOR_BYTES;
	done = workload_open(part, name, &settings, how.again, how.warn, fault);
	part->is_part = true;
	part->tenant = w->parts;
	part->words = words;
	return done;
}

bool workload_open_several(struct workload *w, char *const names[], size_t n, const struct settings *s,
	struct workload_opening how, struct fault *fault)
{
	struct tenants tenants;
	bool done;

	if (n == 1)
		return workload_open(w, names[0], &s->trace, how.again, how.warn, fault);
	*w = (struct workload){ .name = names[0], .limit = UINT64_MAX };
	done = tenants_read(
		&tenants, &s->host, s->trace.bytes / SECTOR_BYTES, s->flash.page_bytes / SECTOR_BYTES, fault);
	w->part = memory_array(n, sizeof *w->part, "workloads");
	w->ahead = memory_array(n, sizeof *w->ahead, "workloads");
	for (; done && w->parts < n; w->parts++)
		done = workload_open_part(w, names[w->parts], s, &tenants, how, fault);
	if (!done)
		workload_close(w);
	return done;
}

void workload_close(struct workload *w)
{
	for (uint32_t i = 0; i < w->parts; i++)
		workload_close(&w->part[i]);
	memory_free(w->part);
	memory_free(w->ahead);
	memory_free(w->words);
	w->part = NULL;
	w->ahead = NULL;
	w->words = NULL;
	w->parts = 0;
	if (w->trace)
		trace_close(w->trace);
	if (w->generator)
		generator_close(w->generator);
	w->trace = NULL;
	w->generator = NULL;
	warnings_release(&w->warnings);
}

bool workload_rewind(struct workload *w, struct fault *fault)
{
	bool done = true;

	w->served = w->writes = w->left_out = 0;
	for (uint32_t i = 0; i < w->parts && done; i++) {
		w->ahead[i].line = 0;
		done = workload_rewind(&w->part[i], fault);
	}
	if (w->part)
		return done;
	if (w->trace)
		return trace_rewind(w->trace, fault);
	generator_close(w->generator);
	w->generator = workload_open_profile(w->name, &w->settings, fault);
	return w->generator;
}

enum trace_status workload_next(struct workload *w, struct request *r, struct fault *fault)
{
	enum trace_status status;

	if (w->served == w->limit)
		return TRACE_END;
	if (w->generator)
		status = generator_next(w->generator, r) ? TRACE_OK : TRACE_END;
	else
		status = trace_next(w->trace, r, fault);
	w->served += status == TRACE_OK;
	if (w->is_part)
		r->device = w->tenant;
	return status;
}

/* host.flush_every: the next request is a FLUSH, if enough writes have been taken since the last one. */
static bool workload_flushes(const struct host *host, struct workload *w, struct request *r)
{
	uint64_t every = host->settings->flush_every;

	if (!every || w->writes < every)
		return false;
	w->writes = 0;
	*r = (struct request){ .arrival = w->last_write.arrival,
		.line = w->last_write.line,
		.device = w->last_write.device,
		.type = REQUEST_FLUSH };
	return true;
}

static enum trace_status workload_next_of(
	struct host *host, struct workload *w, struct request *r, struct fault *fault)
{
	enum trace_status status;

	if (workload_flushes(host, w, r))
		return TRACE_OK;
	status = workload_next(w, r, fault);
	if (status == TRACE_OK && !host_admit(host, r, w->name, fault))
		return TRACE_BAD;
	if (status == TRACE_OK && r->type == REQUEST_WRITE) {
		w->writes++;
		w->last_write = *r;
	}
	return status;
}

static enum trace_status workload_next_merged(
	struct host *host, struct workload *w, struct request *r, struct fault *fault)
{
	struct request *first = NULL;

	for (uint32_t i = 0; i < w->parts; i++) {
		struct request *next = &w->ahead[i];
		enum trace_status status = TRACE_OK;

		if (!next->line)
			status = workload_next_of(host, &w->part[i], next, fault);
		if (status == TRACE_BAD)
			return status;
		if (status == TRACE_OK && (!first || next->arrival < first->arrival))
			first = next;
		if (status == TRACE_END)
			next->line = 0;
	}
	if (!first)
		return TRACE_END;
	*r = *first;
	first->line = 0;
	w->served++;
	return TRACE_OK;
}

enum trace_status workload_next_for(
	struct host *host, struct workload *w, struct request *r, struct fault *fault)
{
	return w->part ? workload_next_merged(host, w, r, fault) : workload_next_of(host, w, r, fault);
}

static uint64_t workload_requests_of_parts(const struct workload *w)
{
	uint64_t sum = 0;

	for (uint32_t i = 0; i < w->parts; i++) {
		uint64_t all = workload_requests(&w->part[i]);

		if (!all)
			return 0;
		sum += all;
	}
	return sum;
}

uint64_t workload_requests(const struct workload *w)
{
	uint64_t all = w->generator ? generator_requests(w->generator) : UINT64_MAX;

	if (w->part)
		return workload_requests_of_parts(w);
	all = all < w->limit ? all : w->limit;
	return all < UINT64_MAX ? all : 0;
}

/* The progress of the part that is furthest behind. */
static double workload_progress_of_parts(const struct workload *w)
{
	double least = 1;

	for (uint32_t i = 0; i < w->parts; i++) {
		double of_part = workload_progress(&w->part[i]);

		least = of_part < least ? of_part : least;
	}
	return least;
}

double workload_progress(const struct workload *w)
{
	uint64_t all = workload_requests(w), bytes = w->trace ? trace_bytes_total(w->trace) : 0;
	double of_requests = all ? (double)w->served / (double)all : -1;
	double of_bytes = bytes ? (double)trace_bytes_read(w->trace) / (double)bytes : -1;

	if (w->part)
		return workload_progress_of_parts(w);
	return of_requests > of_bytes ? of_requests : of_bytes;
}

uint64_t workload_left_out(struct workload *w, uint64_t most)
{
	struct fault fault;
	struct request r;
	uint64_t sum = 0;

	for (uint32_t i = 0; i < w->parts; i++)
		sum += workload_left_out(&w->part[i], most);
	if (!w->trace || w->served < w->limit)
		return sum;
	while (w->left_out < most && trace_next(w->trace, &r, &fault) == TRACE_OK)
		w->left_out++;
	return w->left_out;
}

bool workload_has_times(const struct workload *w)
{
	bool has = w->trace && strcmp(trace_format(w->trace), "list") != 0 && trace_span(w->trace) > 0;

	for (uint32_t i = 0; i < w->parts && !has; i++)
		has = workload_has_times(&w->part[i]);
	return has;
}

const char *workload_name(const struct workload *w, const struct request *r)
{
	return w->part ? w->part[r->device].name : w->name;
}

const char *workload_kind(const struct workload *w)
{
	if (w->part)
		return "several";
	return w->generator ? "generated" : trace_format(w->trace);
}

uint64_t workload_reordered(const struct workload *w)
{
	uint64_t sum = w->trace ? trace_counts(w->trace).reordered : 0;

	for (uint32_t i = 0; i < w->parts; i++)
		sum += workload_reordered(&w->part[i]);
	return sum;
}
