/*
 * SSDsim 2.1 as it behaved: reads its parameter file and a trace, writes ex.out and
 * statistic10.dat byte for byte as the original did, quirks included.  A small engine of
 * its own; nothing else in the simulator includes it.
 */
#ifndef LEGACY_LEGACY_H
#define LEGACY_LEGACY_H

#include "base/fault.h"
#include "legacy/quirks.h"

struct legacy_options {
	const char *parameters; /* path of page.parameters */
	const char *trace;      /* path of the trace; its last component is echoed */
	const char *directory;  /* where ex.out and statistic10.dat go */
	quirk_set repaired;     /* quirks to repair; 0 is SSDsim itself */
	const char *list;       /* requests in place of the trace (traces/trace.h), or NULL */
};

enum legacy_end {
	LEGACY_DONE,    /* every line served */
	LEGACY_REFUSED, /* the input cannot be run, fault.text says why; no result files */
	/*
	 * the drive's state ended the run, fault.text says how; the results so far are written and end
	 * in a line that says so
	 */
	LEGACY_DIED,
};

struct legacy_result {
	uint64_t noted[QUIRKS]; /* how often the run went on where SSDsim would not */
	uint64_t requests;      /* finished */
	uint64_t blank_lines, disordered_lines, trims;
	uint64_t state_bytes; /* memory of the drive's pages and blocks */
	uint64_t pages;       /* physical */
	unsigned unknown_keys;
	char unknown_key[64]; /* the first */
};

enum legacy_end legacy_run(const struct legacy_options *, struct legacy_result *, struct fault *);

#endif
