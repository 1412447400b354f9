/*
 * The measurements from which one learns what a drive is made of: a list of jobs.  They are run on a model
 * (measure.c) or written as job files of fio for a real drive (fio.c), and the results of both have the form
 * of fio's JSON.
 *
 * The drive is emptied before each stage.
 */
#ifndef PROBE_PROBE_H
#define PROBE_PROBE_H

#include "drive/drive.h"

#include <stdio.h>

enum probe_stage {
	PROBE_EMPTY,  /* nothing has been written */
	PROBE_FRESH,  /* it is written for the first time */
	PROBE_MEMORY, /* the same parts are written again and again, and in bursts */
	PROBE_CACHE,  /* its first writes are made durable; then it is written in order, up to half of it */
	PROBE_FULL,   /* it is filled, read, and overwritten */
	PROBE_STAGES
};

/* Jobs that differ in one thing. */
struct probe_series {
	const char *name, *title;
	enum probe_stage stage;
	uint8_t reads; /* of 100 requests */
	bool in_order;
	enum {
		PROBE_BY_SIZE,
		PROBE_BY_DEPTH,
		PROBE_BY_REGION,
		PROBE_BY_BURST,
		PROBE_BY_PLACE, /* where the part begins, and how large it is */
		PROBE_BY_PART,
		PROBE_BY_ROUND
	} by;
	uint64_t from, to;     /* range of what differs: doubled each time, parts and rounds counted */
	uint64_t bytes, depth; /* of a request; requests in the drive: unless it is what differs */
	uint64_t requests;     /* at least, if the drive is large enough */
	bool flushes;          /* a FLUSH follows each request; one at a time */
	bool middle;           /* of the drive: neither what was written first nor what was written last */
};

struct probe_job {
	const struct probe_series *series;
	char name[40];
	uint64_t bytes, depth, requests;
	uint64_t offset, region; /* bytes: the part of the drive that they go to */
	uint64_t burst;          /* requests that come at once, before a pause; 0: no pauses */
};

struct probe_plan {
	struct probe_job *job;
	uint32_t jobs;
};

/* The smallest drive that can be probed, in bytes as the host sees it. */
#define PROBE_LEAST (UINT64_C(16) << 20)

/* Between two bursts. */
#define PROBE_PAUSE_NS UINT64_C(500000000)

/* For a drive of that many bytes.  probe_plan_free() must follow. */
void probe_plan_make(struct probe_plan *, uint64_t bytes);
void probe_plan_free(struct probe_plan *);

/* ---- on a model ---- */

struct probe_result {
	struct histogram latency[2]; /* ns, [REQUEST_READ] and [REQUEST_WRITE] */
	struct histogram flush;      /* ns, of a FLUSH */
	tick_t ns;                   /* from the first request to the last completion */
};

/* Runs a job on a drive in which nothing is in flight.  False: the drive failed. */
bool probe_measure(struct drive *, const struct probe_job *, struct random *, struct probe_result *);

/* ---- as fio has it ---- */

/* Writes the jobs of a stage for the drive or file `target`, with instructions. */
void probe_write_fio(FILE *, const struct probe_plan *, enum probe_stage, const char *target);

/* Results as fio's JSON: the beginning, each job, the end. */
void probe_json_begin(FILE *, const char *source);
void probe_json_job(FILE *, const struct probe_job *, const struct probe_result *, bool first);
void probe_json_end(FILE *);

#endif
