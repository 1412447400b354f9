/*
 * Where requests come from: a trace file, or a profile of the generator under its name.
 */
#ifndef PREPARE_WORKLOAD_H
#define PREPARE_WORKLOAD_H

#include "host/host.h"
#include "traces/trace.h"

struct generator;

struct workload {
	const char *name;    /* as the user wrote it */
	struct trace *trace; /* one of these two */
	struct generator *generator;
	struct trace_settings settings; /* what it points to outlives the workload */
	uint64_t served, limit;
};

/* False and a fault if it is neither a readable trace nor a known profile.  `again`: it will be rewound, so
 * data from a pipe is kept (traces/source.h). */
bool workload_open(struct workload *, const char *name, const struct trace_settings *, bool again,
	void (*warn)(void *, const char *), struct fault *);
void workload_close(struct workload *);

/* Back to the first request. */
bool workload_rewind(struct workload *, struct fault *);

enum trace_status workload_next(struct workload *, struct request *, struct fault *);

/* The same, fitted to the drive (host_admit()); TRACE_BAD also if that cannot be. */
enum trace_status workload_next_for(struct host *, struct workload *, struct request *, struct fault *);

/* How many requests there are at most; 0: unknown. */
uint64_t workload_requests(const struct workload *);

/* Share of the requests returned so far, 0 to 1; negative: unknown. */
double workload_progress(const struct workload *);

#endif
