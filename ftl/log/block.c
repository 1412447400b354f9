/*
 * Block mapping, the first FTL. A table holds the place of each logical block, in which pages have fixed
 * offsets.  A page above all written ones of its block is programmed in place.  To overwrite a page, the
 * whole block is rewritten, once for all pages of a request in this block.
 */
#include "ftl/log/log.h"

struct block_ftl {
	struct log_ftl log;
	/* The parts of a request in one group of logical blocks; per block, in the order of planes, `parts`
	 * of them. */
	struct page_part *part;
	uint32_t *parts;
};

static const struct param block_params[] = { LOG_PARAM_STRIPE, { 0 } };

static bool block_init(struct ftl *f, struct fault *fault)
{
	struct block_ftl *b = f->state;

	if (!log_init(&b->log, f, 0, 0, fault))
		return false;
	b->part = memory_array(b->log.group_pages, sizeof *b->part, "parts of a request");
	b->parts = memory_array(f->geometry->planes, sizeof *b->parts, "parts of a request");
	return true;
}

static void block_exit(struct ftl *f)
{
	struct block_ftl *b = f->state;

	memory_free(b->part);
	memory_free(b->parts);
	log_exit(&b->log);
}

static bool block_write_block(
	struct log_ftl *l, struct io *io, uint32_t lbn, const struct page_part *part, uint32_t parts)
{
	if (log_place(l, part->lpn).offset < log_next(l, l->data[lbn]))
		return log_merge(l, io, lbn, BLOCK_NONE, part, parts);
	for (; parts; part++, parts--)
		if (!log_write_data(l, io, *part))
			return false;
	return true;
}

/* Writes the collected parts of a group of logical blocks. */
static bool block_write_group(struct block_ftl *b, struct io *io, uint32_t group)
{
	const struct geometry *g = b->log.geometry;
	bool done = true;

	for (uint32_t p = 0; p < g->planes; p++) {
		if (done && b->parts[p])
			done = block_write_block(&b->log, io, group * g->planes + p,
				&b->part[p * g->pages_per_block], b->parts[p]);
		b->parts[p] = 0;
	}
	return done;
}

static void block_write(struct ftl *f, struct io *io, const struct extent *extents, size_t n)
{
	struct block_ftl *b = f->state;
	struct page_walk walk = page_walk_start(f->geometry, extents, n);
	struct page_part part;
	uint32_t group = 0;

	while (page_walk_next(&walk, &part)) {
		uint32_t lbn = log_place(&b->log, part.lpn).lbn, p = log_position(&b->log, lbn);
		uint32_t its = divide(lbn, b->log.per_planes);

		if (log_pads_nothing(&b->log, part))
			continue;
		if (its != group && !block_write_group(b, io, group))
			return;
		group = its;
		b->part[p * f->geometry->pages_per_block + b->parts[p]++] = part;
	}
	block_write_group(b, io, group);
}

const struct ftl_ops ftl_block = {
	.name = "block",
	.brief = "block mapping without logs: to overwrite a page, its block is rewritten",
	.size = sizeof(struct block_ftl),
	.params = block_params,
	.settings_size = sizeof(struct log_settings),
	.init = block_init,
	.exit = block_exit,
	.write = block_write,
	LOG_OPERATIONS,
	.pads = true,
};
