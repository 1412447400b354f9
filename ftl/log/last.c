/*
 * LAST: locality-aware sector translation.  Lee, Shin, Kim and Kim, ACM SIGOPS Operating Systems Review
 * 42(6), 2008.  Pages of long requests go to one of several sequential logs, those of short requests to
 * shared logs, with hot and cold pages separated.  All pages of a hot log tend to become invalid, so that it
 * is erased without a merge.
 *
 * A page is hot if its newest data is in a hot log, or if since its last write at most k pages were written
 * to shared logs, k being half the pages of these logs.  All shared logs form one pool; the share of hot ones
 * depends on the writes.  The victim, when all are full: a log without valid pages; else, while at most half
 * of the pool is hot, the cold log with data of the fewest logical blocks; else the hot log with the oldest
 * last change (a write to it, or one of its pages invalidated).  The paper leaves the definition of hot and
 * the last rule open; both are choices.
 */
#include "ftl/log/log.h"

struct last_settings {
	struct log_settings log;
	uint64_t sequential, threshold_sectors;
};

struct last_statistics {
	uint64_t sequential_writes, hot_writes, cold_writes, demotions;
};

struct last {
	struct log_ftl log;
	uint32_t *current; /* per plane: the cold and the hot shared log being filled */

	/* Ring of the last `window` pages written to shared logs of each plane, and the next element to
	 * replace. */
	struct log_page *recent;
	struct hash index;
	uint32_t *turn, window;

	uint32_t *seen, mark; /* per logical block: `mark` when it was counted last */
	struct last_statistics count, uncounted;
};

static const struct param last_params[] = {
	LOG_PARAM_LOGS,
	LOG_PARAM_STRIPE,
	{ PARAM(UINT, struct last_settings, sequential), 0, 1e6, "blocks", "0",
		"sequential logs of each plane; 0 = a quarter of the logs, at least one" },
	{ PARAM(UINT, struct last_settings, threshold_sectors), 1, 1e6, "sectors", "8",
		"shortest long request" },
	{ 0 },
};

static bool last_init(struct ftl *f, struct fault *fault)
{
	struct last *last = f->state;
	const struct last_settings *s = f->settings;
	uint32_t logs = log_count_of(f, &s->log), planes = f->geometry->planes;
	uint32_t sequential = s->sequential ? (uint32_t)s->sequential : logs < 4 ? 1 : logs / 4;

	if (sequential >= logs)
		return fault_set(fault,
			"last: %u sequential ones of %u logs leave none to share; use fewer, or more logs",
			sequential, logs);
	if (!log_init(&last->log, f, sequential, logs - sequential, fault))
		return false;
	if (logs - sequential > 1)
		last->window = f->geometry->pages_per_block * ((logs - sequential) / 2) + 1;
	last->current = memory_array(2 * planes, sizeof *last->current, "logs");
	last->recent = memory_array((size_t)planes * last->window, sizeof *last->recent, "pages written");
	last->turn = memory_array(planes, sizeof *last->turn, "pages written");
	last->seen = memory_array(last->log.lbns, sizeof *last->seen, "logical blocks of a log");
	last->index = hash_create(planes * last->window, "pages written");
	for (uint32_t i = 0; i < 2 * planes; i++)
		last->current[i] = INDEX_NONE;
	for (uint32_t i = 0; i < planes * last->window; i++)
		last->recent[i].lpn = LPN_NONE;
	return true;
}

static void last_exit(struct ftl *f)
{
	struct last *last = f->state;

	memory_free(last->current);
	memory_free(last->recent);
	memory_free(last->turn);
	memory_free(last->seen);
	hash_free(&last->index);
	log_exit(&last->log);
}

static struct last_statistics *last_counts(struct last *last, const struct io *io)
{
	return io->timed ? &last->count : &last->uncounted;
}

/* ---- hot and cold ---- */

static struct hashed last_recent_pages(const struct last *last)
{
	return HASHED(last->recent, lpn, link);
}

static bool last_is_hot(const struct last *last, lpn_t lpn)
{
	const struct log_ftl *l = &last->log;
	uint32_t i = hash_find(&l->index, HASHED(l->page, lpn, link), lpn);

	return (i != INDEX_NONE && l->log[geometry_block(l->geometry, i)].hot) ||
	       (last->window && hash_find(&last->index, last_recent_pages(last), lpn) != INDEX_NONE);
}

static void last_note_written(struct last *last, uint32_t position, lpn_t lpn)
{
	uint32_t i = position * last->window + last->turn[position];

	if (!last->window)
		return;
	if (last->recent[i].lpn != LPN_NONE)
		hash_remove(&last->index, last_recent_pages(last), i);
	last->recent[i].lpn = lpn;
	hash_add(&last->index, last_recent_pages(last), i);
	last->turn[position] = (last->turn[position] + 1) % last->window;
}

/* ---- victims ---- */

/* Number of logical blocks with valid pages in the log. */
static uint32_t last_count_blocks(struct last *last, const struct log_block *log)
{
	const struct log_ftl *l = &last->log;
	ppn_t first = geometry_first_page(l->geometry, log->block);
	uint32_t blocks = 0;

	last->mark++;
	for (uint32_t page = 0; page < l->geometry->pages_per_block; page++) {
		lpn_t lpn = flash_owner(l->ftl->flash, first + page);
		uint32_t lbn = lpn == OWNER_NONE ? LBN_NONE : log_place(l, lpn).lbn;

		if (lbn == LBN_NONE || last->seen[lbn] == last->mark)
			continue;
		last->seen[lbn] = last->mark;
		blocks++;
	}
	return blocks;
}

/* The next possible victim: a full shared log, except the current log of the other kind. */
static uint32_t last_next_victim(const struct last *last, uint32_t position, uint32_t own, uint32_t i)
{
	const uint32_t *current = &last->current[2 * position];

	do
		i = log_next_shared(&last->log, position, i);
	while (i != INDEX_NONE && i != own && (i == current[0] || i == current[1]));
	return i;
}

/* The best victim of a kind: the cold log with the fewest logical blocks, or the hot log with the oldest last
 * change; among equals the oldest log. */
static uint32_t last_choose_among(struct last *last, uint32_t position, uint32_t own, bool hot)
{
	const struct log_ftl *l = &last->log;
	uint32_t best = INDEX_NONE;
	uint64_t least = 0;

	for (uint32_t i = INDEX_NONE; (i = last_next_victim(last, position, own, i)) != INDEX_NONE;) {
		uint64_t value;

		if (l->log[i].hot != hot)
			continue;
		value = hot ? l->log[i].touched : last_count_blocks(last, &l->log[i]);
		if (best == INDEX_NONE || value < least ||
			(value == least && l->log[i].opened < l->log[best].opened)) {
			best = i;
			least = value;
		}
	}
	return best;
}

static uint32_t last_choose_victim(struct log_ftl *l, struct io *io, uint32_t position, uint32_t own)
{
	struct last *last = l->ftl->state;
	uint32_t dead = INDEX_NONE, cold, hot = 0;

	for (uint32_t i = INDEX_NONE; (i = last_next_victim(last, position, own, i)) != INDEX_NONE;) {
		hot += l->log[i].hot;
		if (!l->live[l->log[i].block] &&
			(dead == INDEX_NONE || l->log[i].opened < l->log[dead].opened))
			dead = i;
	}
	if (dead != INDEX_NONE)
		return dead;
	cold = hot <= l->shared / 2 ? last_choose_among(last, position, own, false) : INDEX_NONE;
	if (cold != INDEX_NONE)
		return cold;
	last_counts(last, io)->demotions++;
	return last_choose_among(last, position, own, true);
}

/* ---- writing ---- */

/* Appends the page to the sequential log of its block, which is merged as soon as it is full. */
static bool last_append(struct last *last, struct io *io, struct log_block *log, struct page_part part)
{
	struct log_ftl *l = &last->log;
	struct log_place at = log_place(l, part.lpn);

	last_counts(last, io)->sequential_writes++;
	if (!log_append(l, io, log, at.offset, part))
		return false;
	return at.offset + 1 < l->geometry->pages_per_block || !log_of(l, at.lbn) ||
	       log_close(l, io, log_of(l, at.lbn), NULL);
}

static bool last_write_random(struct last *last, struct io *io, struct page_part part)
{
	struct log_ftl *l = &last->log;
	struct log_place at = log_place(l, part.lpn);
	uint32_t position = log_position(l, at.lbn);
	bool hot = last_is_hot(last, part.lpn);
	uint32_t *current = &last->current[2 * position + hot];
	struct log_block *log;

	if (!log_append_shared(l, io, current, part, last_choose_victim))
		return false;
	l->log[*current].hot = hot;
	log = log_of(l, at.lbn);
	if (log && at.offset < log_next(l, log->block))
		log->ordered = false;
	last_note_written(last, position, part.lpn);
	if (hot)
		last_counts(last, io)->hot_writes++;
	else
		last_counts(last, io)->cold_writes++;
	return true;
}

static bool last_write_page(struct last *last, struct io *io, struct page_part part, bool is_long)
{
	struct log_ftl *l = &last->log;
	struct log_place at = log_place(l, part.lpn);
	struct log_block *log = log_of(l, at.lbn);

	if (!log && at.offset >= log_next(l, l->data[at.lbn]))
		return log_write_data(l, io, part);
	if (is_long && log && at.offset == log_next(l, log->block))
		return last_append(last, io, log, part);
	if (is_long && log && !log_close(l, io, log, NULL))
		return false;
	if (is_long && at.offset == 0) {
		log = log_open(l, io, at.lbn);
		return log && last_append(last, io, log, part);
	}
	return last_write_random(last, io, part);
}

/* Number of extents, from this one, whose pages are consecutive; *sectors: from their start to their end. */
static size_t last_find_run(
	const struct log_ftl *l, const struct extent *extents, size_t n, uint64_t *sectors)
{
	sector_t end = log_end(l, *extents);
	size_t run = 1;

	for (; run < n &&
		geometry_lpn(l->geometry, extents[run].start) <= geometry_lpn(l->geometry, end - 1) + 1;
		run++)
		end = log_end(l, extents[run]);
	*sectors = end - extents->start;
	return run;
}

/* A buffer may flush a long write in several extents. */
static void last_write(struct ftl *f, struct io *io, const struct extent *extents, size_t n)
{
	const struct last_settings *s = f->settings;
	const struct log_ftl *l = f->state;
	uint64_t sectors;

	for (size_t run; n; extents += run, n -= run) {
		struct page_walk walk;
		struct page_part part;

		run = last_find_run(l, extents, n, &sectors);
		walk = page_walk_start(f->geometry, extents, run);
		while (page_walk_next(&walk, &part))
			if (!log_pads_nothing(l, part) &&
				!last_write_page(f->state, io, part, sectors >= s->threshold_sectors))
				return;
	}
}

/* Rebuilds the index from the pages. */
static void last_index_recent(void *last_ftl)
{
	struct last *last = last_ftl;
	uint32_t pages = last->log.geometry->planes * last->window;

	hash_free(&last->index);
	last->index = hash_create(pages, "pages written");
	for (uint32_t i = 0; i < pages; i++)
		if (last->recent[i].lpn != LPN_NONE)
			hash_add(&last->index, last_recent_pages(last), i);
}

static const struct state_row last_state[] = {
	STATE_FIXED(window),
	STATE_SCRATCH(seen, mark),
	STATE_COUNTED(count, uncounted),
	STATE_STRUCT(struct last, log, log_state),
	STATE_NUMBERS(struct last, current),
	STATE_NUMBERS(struct last, recent),
	STATE_NUMBERS(struct last, turn),
	STATE_REBUILT(index),
	STATE_RESTORED(last_index_recent),
	{ 0 },
};

/* With a single shared log nothing is hot. */
static void last_check(const struct ftl *f)
{
	const struct last *last = f->state;
	const struct log_ftl *l = &last->log;

	log_check(f);
	log_check_shared(l, last->current, 2);
	for (uint32_t i = 0; l->shared == 1 && i < (l->owned + 1) * f->geometry->planes; i++)
		BUG_ON(l->log[i].hot, "log %u is hot, there is no other", i);
}

#define COUNT(name) STAT_COUNT, offsetof(struct last_statistics, name)

static const struct stat_row rows[] = {
	{ "last.sequential_writes", "pages", "to sequential logs", COUNT(sequential_writes) },
	{ "last.hot_writes", "pages", "to shared logs of hot pages", COUNT(hot_writes) },
	{ "last.cold_writes", "pages", "to shared logs of cold pages", COUNT(cold_writes) },
	{ "last.demotions", "blocks", "hot logs emptied by merges", COUNT(demotions) },
	{ 0 },
};

static void last_add_statistics(struct ftl *f, struct stat_list *list)
{
	struct last *last = f->state;

	log_add_statistics(f, list);
	stat_list_add(list, (struct stat_group){ NULL, NULL, rows, &last->count, sizeof last->count });
}

const struct ftl_ops ftl_last = {
	.name = "last",
	.brief = "log blocks of logical blocks written in order, and shared ones for hot and for cold pages",
	.size = sizeof(struct last),
	.map_in_dram = true,
	.params = last_params,
	.settings_size = sizeof(struct last_settings),
	.init = last_init,
	.exit = last_exit,
	.read = log_read,
	.write = last_write,
	.trim = log_trim,
	.check = last_check,
	.state = last_state,
	.facts = log_facts,
	.statistics = last_add_statistics,
	.words = &log_words,
};
