/* The parameters of collection. */
#include "gc/collect.h"

static const char *const gc_policy_names[] = {
#define GC_POLICY(name) #name,
#include "gc/list.h"
#undef GC_POLICY
	NULL,
};

static const char *const gc_together_names[] = { "plane", "die", NULL };

#define GC(type, field) PARAM(type, struct gc_settings, field)

const struct param gc_params[] = {
	{ GC(CHOICE, policy), 0, 0, "", "greedy", "which block is collected", gc_policy_names },
	{ GC(REAL, threshold), 0, 0.9, "share", "0.1",
		"free pages of a plane, as a share of all its pages, below which it is collected" },
	{ GC(REAL, hysteresis), 0, 0.9, "share", "0",
		"once started, collect until threshold + hysteresis is free; 0 = one block per page "
		"written" },
	{ GC(UINT, low), 0, 1e6, "blocks", "0",
		"collect when a stream needs a new block and the plane has fewer free blocks than this; 0 "
		"= use gc.threshold instead" },
	{ GC(REAL, soft), 0, 1, "share", "0",
		"free pages of a plane, as a share of all its pages, below which blocks are collected ahead: "
		"when the drive is idle (upkeep.idle_ns) and with gc.copies_per_write; less than "
		"gc.threshold = gc.threshold",
		.stateless = true, .quiet = true },
	{ GC(REAL, copies_per_write), 0, 1000, "pages", "0",
		"live pages moved for each page that the host writes while the free pages are between "
		"gc.threshold and gc.soft; steady writing never falls below gc.threshold if this is at least "
		"the write amplification minus 1",
		.stateless = true, .quiet = true },
	{ GC(CHOICE, together), 0, 0, "", "plane",
		"planes that are collected when one is below gc.threshold: plane = that one; die = with it "
		"the planes of its die that will be after another block, page by page in turn, so that "
		"their operations may join commands",
		gc_together_names, .quiet = true },
	{ GC(UINT, d), 1, 1e6, "blocks", "10", "number of blocks that d_choices draws at random",
		.matters_if = "gc.policy=d_choices" },
	{ GC(BOOL, strict), 0, 1, "", "false",
		"fifo, random and d_choices also choose blocks without a dead page, as analytic models "
		"assume; nothing is gained by collecting these.  false = such blocks are skipped",
		.matters_if = "gc.policy=fifo,random,d_choices" },
	{ GC(BOOL, separate), 0, 1, "", "true",
		"copied pages get blocks of their own instead of mixing with new data" },
	{ 0 },
};
