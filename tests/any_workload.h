/* Settings with which a drive takes any workload: one that is written in zones takes random writes through
 * the layer that writes zones, and has no buffer; one with classes of data has room for an open block of
 * each. */
#ifndef TESTS_ANY_WORKLOAD_H
#define TESTS_ANY_WORKLOAD_H

#include "base/memory.h"
#include "drive/settings.h"
#include "ftl/ftl.h"

#include <string.h>

#define ZONES_BEHIND(option)                                                                                 \
	option "host.layer=zoned" option "buffer=none" option "zoned.share=0.42" option "zoned.low=2"

#define BLOCKS_OF_CLASSES(option)                                                                            \
	option "flash.blocks=32" option "flash.over_provisioning=0.5" option "wear.delta=0"

static inline bool has_classes(const struct ftl_ops *f)
{
	return f->stream_of;
}

/* The settings as a text of words, and as options of the command line. */
static inline const char *any_workload(const struct ftl_ops *f)
{
	return f->admit ? ZONES_BEHIND(" ") : has_classes(f) ? BLOCKS_OF_CLASSES(" ") : "";
}

static inline const char *any_workload_options(const struct ftl_ops *f)
{
	return f->admit ? ZONES_BEHIND(" -s ") : has_classes(f) ? BLOCKS_OF_CLASSES(" -s ") : "";
}

/* Adds them to the settings of a drive, which name its FTL. */
static inline bool set_any_workload(struct settings *s, struct fault *fault)
{
	char *words = memory_string(any_workload(ftls[s->top.ftl]), "settings");
	bool done = true;

	for (char *next = strtok(words, " "); next; next = strtok(NULL, " "))
		done = done && params_set(next, s->group, s->groups, fault);
	memory_free(words);
	return done;
}

#endif
