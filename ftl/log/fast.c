/*
 * FAST: fully associative sector translation.  Lee, Park, Chung, Lee, Park and Song, ACM Transactions on
 * Embedded Computing Systems, 2007.  All logs but one are shared by all logical blocks, so that no log is
 * merged when it holds few pages.  The other one, the sequential log, is for a logical block that is written
 * from its first page.
 *
 * A page at offset 0 starts a new sequential log, after merging the old one; the pages that follow in order
 * are appended.  Another page of the same logical block ends the log: with `include` the merge writes that
 * page in its place, as FlashSim does; `random` merges first and treats the page as any other.  Other pages
 * go to the shared logs, one log after another.  When all are full the oldest is emptied: every logical block
 * with data in it is merged.
 */
#include "ftl/log/log.h"

enum sw_break { BREAK_INCLUDE, BREAK_RANDOM };

struct fast_settings {
	struct log_settings log;
	int sw_break;
};

struct fast {
	struct log_ftl log;
	uint32_t *current; /* per plane: the shared log being filled */
};

static const char *const break_names[] = { "include", "random", NULL };

static const struct param fast_params[] = {
	LOG_PARAM_LOGS,
	LOG_PARAM_STRIPE,
	{ PARAM(CHOICE, struct fast_settings, sw_break), 0, 0, "", "include",
		"a page out of order in the block of the sequential log: include = is written into the "
		"merged block; random = goes to a shared log after the merge",
		break_names },
	{ 0 },
};

static uint32_t fast_choose_oldest(struct log_ftl *l, struct io *io, uint32_t position, uint32_t own)
{
	uint32_t oldest = log_next_shared(l, position, INDEX_NONE);

	(void)io;
	(void)own;
	for (uint32_t i = oldest; i != INDEX_NONE; i = log_next_shared(l, position, i))
		if (l->log[i].opened < l->log[oldest].opened)
			oldest = i;
	return oldest;
}

/* Merges the sequential log, together with a page that does not continue it. */
static bool fast_break_sequence(struct log_ftl *l, struct io *io, struct log_block *log, uint32_t offset,
	const struct page_part *part)
{
	log->ordered = offset > log_next(l, log->block);
	return log_close(l, io, log, part);
}

static bool fast_write_page(struct ftl *f, struct io *io, struct page_part part)
{
	struct fast *fast = f->state;
	struct log_ftl *l = &fast->log;
	const struct fast_settings *s = f->settings;
	struct log_place at = log_place(l, part.lpn);
	struct log_block *log = log_of(l, at.lbn);

	if (!log && at.offset >= log_next(l, l->data[at.lbn]))
		return log_write_data(l, io, part);
	if (at.offset == 0)
		log = log_open(l, io, at.lbn);
	if (at.offset == 0 && !log)
		return false;
	if (log && at.offset == log_next(l, log->block))
		return log_append(l, io, log, at.offset, part);
	if (log && s->sw_break == BREAK_INCLUDE)
		return fast_break_sequence(l, io, log, at.offset, &part);
	if (log && !log_close(l, io, log, NULL))
		return false;
	return log_append_shared(l, io, &fast->current[log_position(l, at.lbn)], part, fast_choose_oldest);
}

static bool fast_init(struct ftl *f, struct fault *fault)
{
	struct fast *fast = f->state;
	uint32_t logs = log_count_of(f, f->settings);

	if (logs < 2)
		return fault_set(
			fault, "fast.logs = 1, but fast needs 2: the sequential log and one to share");
	if (!log_init(&fast->log, f, 1, logs - 1, fault))
		return false;
	fast->log.write_page = fast_write_page;
	fast->current = memory_array(f->geometry->planes, sizeof *fast->current, "logs");
	for (plane_t p = 0; p < f->geometry->planes; p++)
		fast->current[p] = INDEX_NONE;
	return true;
}

static void fast_exit(struct ftl *f)
{
	struct fast *fast = f->state;

	memory_free(fast->current);
	log_exit(&fast->log);
}

static const struct state_row fast_state[] = {
	STATE_STRUCT(struct fast, log, log_state),
	STATE_NUMBERS(struct fast, current),
	{ 0 },
};

static void fast_check(const struct ftl *f)
{
	const struct fast *fast = f->state;

	log_check(f);
	log_check_shared(&fast->log, fast->current, 1);
}

const struct ftl_ops ftl_fast = {
	.name = "fast",
	.brief = "log blocks shared by all, and one for a logical block written in order",
	.size = sizeof(struct fast),
	.map_in_dram = true,
	.params = fast_params,
	.settings_size = sizeof(struct fast_settings),
	.init = fast_init,
	.exit = fast_exit,
	.read = log_read,
	.write = log_write,
	.trim = log_trim,
	.check = fast_check,
	.state = fast_state,
	.facts = log_facts,
	.statistics = log_add_statistics,
	.words = &log_words,
};
