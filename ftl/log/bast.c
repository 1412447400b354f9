/*
 * BAST: block-associative sector translation.  Kim, Kim, Noh, Min and Cho, IEEE Transactions on Consumer
 * Electronics, 2002.  Each of N logical blocks has its own log, which takes pages in any order.
 *
 * A log that is full and in order becomes the data block at once.  A full log out of order is merged when its
 * logical block is written next.  When all logs are in use and another logical block needs one, the least
 * recently written log is merged.
 */
#include "ftl/log/log.h"

static const struct param bast_params[] = { LOG_PARAM_LOGS, LOG_PARAM_STRIPE, LOG_PARAM_GAP, { 0 } };

static bool bast_write_page(struct ftl *f, struct io *io, struct page_part part)
{
	struct log_ftl *l = f->state;
	struct log_place at = log_place(l, part.lpn);
	struct log_block *log = log_of(l, at.lbn);

	if (log && log_next(l, log->block) == l->geometry->pages_per_block) {
		if (!log_close(l, io, log, NULL))
			return false;
		log = NULL;
	}
	if (!log && at.offset >= log_next(l, l->data[at.lbn]))
		return log_write_data(l, io, part);
	if (!log)
		log = log_open(l, io, at.lbn);
	return log && log_append(l, io, log, log_next(l, log->block), part);
}

static bool bast_init(struct ftl *f, struct fault *fault)
{
	((struct log_ftl *)f->state)->write_page = bast_write_page;
	return log_init(f->state, f, log_count_of(f, f->settings), 0, fault);
}

const struct ftl_ops ftl_bast = {
	.name = "bast",
	.brief = "log blocks of one logical block each, filled in any order",
	.size = sizeof(struct log_ftl),
	.params = bast_params,
	.settings_size = sizeof(struct log_settings),
	.init = bast_init,
	.exit = log_free,
	.write = log_write,
	LOG_OPERATIONS,
	.pads = true,
};
