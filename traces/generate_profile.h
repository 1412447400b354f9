/*
 * A profile: the settings of the generator as a user writes them.  Reads them and checks that they make sense
 * together.
 */
#ifndef TRACES_GENERATE_PROFILE_H
#define TRACES_GENERATE_PROFILE_H

#include "base/fault.h"
#include "traces/generate_align.h"
#include "traces/generate_draw.h"
#include "traces/generate_targets.h"
#include "types.h"

enum { KIND_READ, KIND_WRITE, KINDS };

enum gap_law { GAP_FIXED, GAP_EXPONENTIAL };
enum run_follows { RUN_NEW, RUN_ANY, RUN_LAST };

/* Settings of the reads or of the writes; the rows in generate_profile.c explain the keys. */
struct kind_settings {
	char *sizes;
	double sequential, recent, popular, near, other, resized, shifted;
	uint64_t streams, recent_depth, near_span;
	int follow; /* enum run_follows */
	double places, zipf, flat;
	double mean, small, odd; /* mean in bytes; the others are shares */
};

struct profile {
	char *brief;
	uint64_t requests, seed, space, grid, offset;
	double write_share, together, head;
	double across, across_16k, across_ratio;
	int gap_law; /* enum gap_law */
	char *gaps;
	uint64_t range_bytes;
	struct align_settings align;
	struct kind_settings kind[KINDS];

	/* Parsed from the texts above. */
	struct mix gap_mix;         /* ns */
	struct mix size_mix[KINDS]; /* sectors */
};

/* Finds, reads and checks a profile.  On failure: false and a fault, and nothing to release. */
bool profile_open(struct profile *, const char *name, char *const overrides[], size_t n, struct fault *);
void profile_release(struct profile *);

/* The share of a kind's requests that follow a request of the same kind. */
double profile_after_own_kind(const struct profile *, unsigned kind);

#endif
