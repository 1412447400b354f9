/*
 * The ideal device: every page written is exactly one program and every page read one read.
 * Old data is merged, garbage collected and wear levelled free of charge and in no time.  No FTL of the
 * same page size can do better without packing several requests into a page, so it is the upper bound to
 * draw beside the others.  Its data still lives under NAND's laws and the oracle.
 */
#include "ftl/page/page.h"

static void direct_write(struct ftl *f, struct io *io, const struct extent *extents, size_t n)
{
	struct page_walk walk = page_walk_start(f->geometry, extents, n);
	struct io free_of_charge = *io;
	struct page_part part;

	free_of_charge.timed = false;
	while (page_walk_next(&walk, &part)) {
		ftl_count_lookup(f, io);
		if (!page_write_part(f, io, &free_of_charge, part, OP_NONE))
			return;
	}
}

static const struct ftl_hints direct_hints = { .expect = page_expect };

const struct ftl_ops ftl_direct = {
	.name = "direct",
	.brief = "the ideal device: no read-modify-write, garbage collection free of charge; an upper bound",
	.size = sizeof(struct page_ftl),
	.map_in_dram = true,
	.init = page_init,
	.exit = page_exit,
	.read = page_read,
	.write = direct_write,
	.trim = page_trim,
	.check = page_check,
	.state = page_state,
	.facts = page_facts,
	.statistics = page_statistics,
	.hints = &direct_hints,
};
