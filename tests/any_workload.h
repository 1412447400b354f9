/* What a drive needs to take any workload: one that is written in zones takes random writes through the layer
 * that writes zones, and has no buffer. */
#ifndef TESTS_ANY_WORKLOAD_H
#define TESTS_ANY_WORKLOAD_H

#include "ftl/ftl.h"

#define ZONES_BEHIND(option)                                                                                 \
	option "host.layer=zoned" option "buffer=none" option "zoned.share=0.42" option "zoned.low=2"

/* In words of a text, and on the command line. */
static inline const char *any_workload(const struct ftl_ops *f)
{
	return f->admit ? ZONES_BEHIND(" ") : "";
}

static inline const char *any_workload_options(const struct ftl_ops *f)
{
	return f->admit ? ZONES_BEHIND(" -s ") : "";
}

#endif
