/*
 * The ideal device: each page of a write is one program, each page of a read one read.  Merging old data,
 * collecting garbage and levelling wear take no time and are not counted.  No FTL of the same page size can
 * do better without packing several requests into a page: an upper bound for the others.  The rules of NAND
 * and the oracle apply to it, too.
 */
#include "ftl/page/page.h"

static void direct_write(struct ftl *f, struct io *io, const struct extent *extents, size_t n)
{
	struct page_walk walk = page_walk_start(f->geometry, extents, n);
	struct io background = *io;
	struct page_part part;

	background.timed = false;
	while (page_walk_next(&walk, &part)) {
		ftl_count_lookup(f, io);
		if (!page_write_part(f, io, &background, part, OP_NONE))
			return;
	}
}

static const struct ftl_hints direct_hints = { .prefetch = page_prefetch };

const struct ftl_ops ftl_direct = {
	.name = "direct",
	.brief = "the ideal device: no read-modify-write, garbage collection takes no time; an upper bound",
	.size = sizeof(struct page_map),
	.state = page_map_state,
	.map_in_dram = true,
	.collects_untimed = true,
	.init = page_init,
	.exit = page_exit,
	.read = page_read,
	.write = direct_write,
	.trim = page_trim,
	.check = page_check,
	.facts = page_facts,
	.hints = &direct_hints,
};
