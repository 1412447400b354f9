/*
 * A small option table with one row of every type, for the tests of parameters/.
 * It is no real table: its names, ranges and defaults are chosen for the tests.
 */
#ifndef TESTS_SAMPLE_PARAMS_H
#define TESTS_SAMPLE_PARAMS_H

#include "base/param.h"

#include <stdbool.h>

enum { SAMPLE_GROUPS = 5 };

struct sample_top {
	uint64_t seed;
	int order;
};

struct sample_flash {
	uint64_t page_bytes, blocks;
	double reserve;
	bool suspend;
	char *label;
	struct tick_list read_ns;
};

struct sample_gc {
	double threshold;
};

struct sample {
	struct sample_top top;
	struct sample_flash flash;
	struct sample_gc gc;
};

static const char *const sample_orders[] = { "read_first", "fifo", "random", NULL };

static const struct param sample_top_rows[] = {
	{ "seed", PARAM_UINT, offsetof(struct sample_top, seed), 0, 0x1p64, "", "1", "Seed of chance.",
		NULL },
	{ "order", PARAM_CHOICE, offsetof(struct sample_top, order), 0, 0, "", "fifo", "Who goes first.",
		sample_orders },
	{ 0 },
};

static const struct param sample_flash_rows[] = {
	{ "page_bytes", PARAM_UINT, offsetof(struct sample_flash, page_bytes), 2048, 32768, "bytes", "8K",
		"User data of a page.", NULL },
	{ "blocks", PARAM_UINT, offsetof(struct sample_flash, blocks), 1, 4294967296.0, "", "256",
		"Blocks of a plane.", NULL },
	{ "reserve", PARAM_REAL, offsetof(struct sample_flash, reserve), 0, 0.5, "", "0.07",
		"Share of the flash that the host never sees; what the collector works with, so that a "
		"larger share makes for fewer copies.",
		NULL },
	{ "suspend", PARAM_BOOL, offsetof(struct sample_flash, suspend), 0, 0, "", "false",
		"Reads interrupt programs.", NULL },
	{ "label", PARAM_TEXT, offsetof(struct sample_flash, label), 0, 0, "", "", "A name for the drive.",
		NULL },
	{ "read_ns", PARAM_TICKS, offsetof(struct sample_flash, read_ns), 0, 1e12, "ns", "75000",
		"Sense time of a page.", NULL },
	{ 0 },
};

static const struct param sample_gc_rows[] = {
	{ "threshold", PARAM_REAL, offsetof(struct sample_gc, threshold), 0, 100, "%", "10",
		"Free blocks below this share start a collection.", NULL },
	{ 0 },
};

/* The group "absent" is known but has no settings; "bare" has no rows. */
static inline void sample_bind(struct sample *sample, struct param_group groups[SAMPLE_GROUPS])
{
	groups[0] = (struct param_group){ "", sample_top_rows, &sample->top };
	groups[1] = (struct param_group){ "flash", sample_flash_rows, &sample->flash };
	groups[2] = (struct param_group){ "gc", sample_gc_rows, &sample->gc };
	groups[3] = (struct param_group){ "absent", sample_gc_rows, NULL };
	groups[4] = (struct param_group){ "bare", NULL, NULL };
}

#endif
