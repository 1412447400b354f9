#include "prepare/workload.h"

#include "base/memory.h"
#include "traces/generate.h"

#include <inttypes.h>
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
		.again = again,
		.warn = warn,
	};

	*w = (struct workload){
		.name = name, .settings = *settings, .limit = settings->limit ? settings->limit : UINT64_MAX
	};
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

void workload_close(struct workload *w)
{
	if (w->trace)
		trace_close(w->trace);
	if (w->generator)
		generator_close(w->generator);
	w->trace = NULL;
	w->generator = NULL;
}

bool workload_rewind(struct workload *w, struct fault *fault)
{
	w->served = 0;
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
	return status;
}

enum trace_status workload_next_for(
	struct host *host, struct workload *w, struct request *r, struct fault *fault)
{
	enum trace_status status = workload_next(w, r, fault);

	return status == TRACE_OK && !host_admit(host, r, w->name, fault) ? TRACE_BAD : status;
}

uint64_t workload_requests(const struct workload *w)
{
	uint64_t all = w->generator ? generator_requests(w->generator) : UINT64_MAX;

	all = all < w->limit ? all : w->limit;
	return all < UINT64_MAX ? all : 0;
}

double workload_progress(const struct workload *w)
{
	uint64_t all = workload_requests(w), bytes = w->trace ? trace_bytes_total(w->trace) : 0;
	double of_requests = all ? (double)w->served / (double)all : -1;
	double of_bytes = bytes ? (double)trace_bytes_read(w->trace) / (double)bytes : -1;

	return of_requests > of_bytes ? of_requests : of_bytes;
}
