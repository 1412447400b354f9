/*
 * Synthetic block traces from a profile: requests made on the fly, in constant memory,
 * the same ones every time.  Knows profiles, distributions and requests; nothing of
 * drives, files or formats.
 *
 * The model.  Each request is a read or a write; the number of writes is exact.  Reads and
 * writes have settings of their own (groups `read` and `write` of the profile):
 *
 *	sizes       an empirical mix
 *	sequential  share that starts where an earlier request of its kind ended
 *	recent      share that repeats a recent request of its kind: same start, same length
 *	popular     share that goes to a fixed set of places (start and length), chosen by
 *	            a Zipf-Mandelbrot law: rewrites of files, logs and metadata
 *	(the rest)  begins anywhere, uniformly
 *
 * Starts lie on a 4 KB grid that is shifted locally (generate_align.h) or on a grid of the
 * profile's own.  Gaps between arrivals are constant or a mix of exponentials.  Everything
 * scales: with another `requests` or `space` all shares stay as they are.
 *
 * A profile is a libconfig file; `./ssd params` style rows for its keys are in
 * generate_profile.c.
 */
#ifndef TRACES_GENERATE_H
#define TRACES_GENERATE_H

#include "base/fault.h"
#include "types.h"

struct generator;

/*
 * Opens a profile: a path (it contains '/' or ends in ".cfg") or a name, looked up as
 * NAME.cfg in $SSDLAB_PROFILES, in traces/profiles beside the executable, and in
 * traces/profiles of the current folder.  `overrides` are n texts "key=value" that take
 * precedence over the file, e.g. "requests=50000" or "write.sequential=0.5".
 * NULL and a fault if there is no such profile or it says something impossible.
 */
struct generator *generator_open(const char *profile, char *const overrides[], size_t n, struct fault *);
void generator_close(struct generator *);

/* The next request; false at the end.  Arrivals start at 0 and never go back. */
bool generator_next(struct generator *, struct request *);

/* How many requests there are in all, and the size of the address space they lie in. */
uint64_t generator_requests(const struct generator *);
uint64_t generator_sectors(const struct generator *);

/* Is there a profile of that name (or at that path)? */
bool generator_known(const char *profile);

/* Visits the profiles found, by name within each folder; `brief` is the profile's one line. */
void generator_list(void (*visit)(void *context, const char *name, const char *brief), void *context);

#endif
