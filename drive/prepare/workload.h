/*
 * Where requests come from: a trace file, or a profile of the generator under its name; or several of these,
 * one for each tenant.
 */
#ifndef PREPARE_WORKLOAD_H
#define PREPARE_WORKLOAD_H

#include "host/host.h"
#include "stats/warnings.h"
#include "traces/trace.h"

struct generator;
struct settings;

struct workload {
	const char *name;    /* as the user wrote it */
	struct trace *trace; /* one of these two */
	struct generator *generator;
	struct trace_settings settings; /* what it points to outlives the workload */
	uint64_t served, limit;
	uint64_t left_out;                  /* requests read past the limit, not served */
	void (*warn)(void *, const char *); /* is told of each warning when it is found; NULL: nobody is */
	struct warnings warnings;
	uint64_t writes; /* taken since the last FLUSH that host.flush_every adds */
	struct request last_write;

	/* Several in one: */
	struct workload *part; /* of each tenant; NULL: it is a single one */
	struct request *ahead; /* the next request of each part; line 0: not read yet */
	uint32_t parts;
	/* One of several: */
	bool is_part;
	uint32_t tenant; /* the device of all its requests */
	char **words;    /* settings of its profile */
};

/* False and a fault if it is neither a readable trace nor a known profile.  `again`: it will be rewound, so
 * data from a pipe is kept (traces/source.h). */
bool workload_open(struct workload *, const char *name, const struct trace_settings *, bool again,
	void (*warn)(void *, const char *), struct fault *);

/* How several are opened: as workload_open() says. */
struct workload_opening {
	bool again;
	void (*warn)(void *, const char *);
};

/*
 * The same with a name for each tenant, in order.  The whole gives all requests merged by time, at equal
 * times the first tenant's first; or requests are taken from each part by itself.  Each profile has its own
 * seed (host.seeds) and its own settings: "workload.1.requests=1000" is for the second alone.
 */
bool workload_open_several(struct workload *, char *const names[], size_t n, const struct settings *,
	struct workload_opening, struct fault *);
void workload_close(struct workload *);

/* Back to the first request. */
bool workload_rewind(struct workload *, struct fault *);

/* The next request of a single workload or of a part. */
enum trace_status workload_next(struct workload *, struct request *, struct fault *);

/* The next request of any workload, fitted to the drive (host_admit()); TRACE_BAD also if it cannot be. */
enum trace_status workload_next_for(struct host *, struct workload *, struct request *, struct fault *);

/* What was found doubtful in the traces so far. */
void workload_each_warning(
	const struct workload *, void (*visit)(void *context, const struct warning *), void *context);

/* How many requests there are at most; 0: unknown. */
uint64_t workload_requests(const struct workload *);

/* Share of the requests returned so far, 0 to 1; negative: unknown. */
double workload_progress(const struct workload *);

/*
 * After the last request: how many more its traces have behind trace.limit.  The first call reads on to find
 * out, but not beyond `most`.
 */
uint64_t workload_left_out(struct workload *, uint64_t most);

/* Do its requests come from traces in which they arrived at different times?  Lists do not count. */
bool workload_has_times(const struct workload *);

/* The name of the workload that the request is from. */
const char *workload_name(const struct workload *, const struct request *);

/* Format of its trace; "generated"; "several". */
const char *workload_kind(const struct workload *);

/* Requests of its traces that were out of order. */
uint64_t workload_reordered(const struct workload *);

#endif
