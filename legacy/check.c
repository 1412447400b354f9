#include "legacy/engine.h"

/* The map must point to every page with valid sectors.  Moves rely on it. */
static void check_check_block(const struct engine *e, uint32_t block)
{
	uint32_t first = block * e->layout.pages;

	BUG_ON(e->block[block].written > e->layout.pages, "block %u has %u pages written", block,
		e->block[block].written);
	for (uint32_t ppn = first; ppn < first + e->block[block].written; ppn++) {
		struct record spare = record_get(&e->spare, ppn);

		if (spare.mask)
			BUG_ON(record_get(&e->map, spare.number).number != ppn,
				"page %u holds logical page %u, which is at %u", ppn, spare.number,
				record_get(&e->map, spare.number).number);
	}
}

static void check_queues(const struct engine *e)
{
	uint32_t reads = 0, collections = 0;

	for (uint32_t c = 0; c < e->layout.channels; c++) {
		reads += e->channel[c].reads;
		collections += e->channel[c].collections;
	}
	BUG_ON(reads != e->queued_reads.count, "%u reads on the channels, %u in all", reads,
		e->queued_reads.count);
	BUG_ON(collections != e->waiting_collections, "%u collections on the channels, %u in all",
		collections, e->waiting_collections);
	BUG_ON(!e->stopped && (e->queued_writes || e->queued_requests ||
				      e->queued_reads.count > e->count.update_reads),
		"the run ended with %u requests, %u writes and %u reads waiting", e->queued_requests,
		e->queued_writes, e->queued_reads.count);
}

void legacy_check(const struct engine *e)
{
	const struct counters *n = &e->count;

	/* A run that died may have died half-way through a victim. */
	for (uint32_t block = 0; !e->stopped && block < e->layout.planes_all * e->layout.blocks; block++)
		check_check_block(e, block);
	check_queues(e);
	BUG_ON(n->writes > n->programs, "%llu pages written by %llu programs", (unsigned long long)n->writes,
		(unsigned long long)n->programs);
	BUG_ON(e->kind[0].completed + e->kind[1].completed + e->queued_requests != e->admitted,
		"%llu requests admitted, %u not completed", (unsigned long long)e->admitted,
		e->queued_requests);
}
