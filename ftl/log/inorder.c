/*
 * In-order replacement blocks: block mapping as in simple controllers and, as far as its times show, in the
 * device that Chardin et al. measured (FlashDB 2011).  Each of N logical blocks may have a replacement block,
 * which is written strictly in ascending order: skipped pages are copied, and so is the rest when the block
 * is closed.  So the cost of a write grows with its distance from the previous one.
 */
#include "ftl/log/log.h"

static const struct param inorder_params[] = { LOG_PARAM_LOGS, LOG_PARAM_STRIPE, LOG_PARAM_GAP, { 0 } };

static bool inorder_write_page(struct ftl *f, struct io *io, struct page_part part)
{
	struct log_ftl *l = f->state;
	struct log_place at = log_place(l, part.lpn);
	struct log_block *log = log_of(l, at.lbn);

	if (log && at.offset < log_next(l, log->block)) {
		if (!log_close(l, io, log, NULL))
			return false;
		log = NULL;
	}
	if (!log && at.offset >= log_next(l, l->data[at.lbn]))
		return log_write_data(l, io, part);
	if (!log)
		log = log_open(l, io, at.lbn);
	if (!log)
		return false;
	log_counts(l, io)->gap_copies += log_copy_until(l, io, at.lbn, log->block, at.offset);
	return log_append(l, io, log, at.offset, part);
}

static bool inorder_init(struct ftl *f, struct fault *fault)
{
	((struct log_ftl *)f->state)->write_page = inorder_write_page;
	return log_init(f->state, f, log_count_of(f, f->settings), 0, fault);
}

const struct ftl_ops ftl_inorder = {
	.name = "inorder",
	.brief = "replacement blocks of one logical block each, written in ascending order",
	.size = sizeof(struct log_ftl),
	.params = inorder_params,
	.settings_size = sizeof(struct log_settings),
	.init = inorder_init,
	.exit = log_free,
	.write = log_write,
	LOG_OPERATIONS,
};
