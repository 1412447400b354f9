#include "ftl/log/log.h"

/* The first shared log of the plane. */
static uint32_t shared_first_shared(const struct log_ftl *l, uint32_t position)
{
	return position * (l->owned + l->shared) + l->owned;
}

uint32_t log_next_shared(const struct log_ftl *l, uint32_t position, uint32_t i)
{
	uint32_t first = shared_first_shared(l, position);

	i = i == INDEX_NONE ? first : i + 1;
	while (i < first + l->shared && log_next(l, l->log[i].block) < l->geometry->pages_per_block)
		i++;
	return i < first + l->shared ? i : INDEX_NONE;
}

static uint32_t shared_find_free(const struct log_ftl *l, uint32_t position)
{
	for (uint32_t i = shared_first_shared(l, position), end = i + l->shared; i < end; i++)
		if (l->log[i].block == BLOCK_NONE)
			return i;
	return INDEX_NONE;
}

/* Merges every logical block that has live pages in the log, then erases the log. */
static bool shared_empty(struct log_ftl *l, struct io *io, struct log_block *log)
{
	struct log_statistics *count = log_counts(l, io);
	uint32_t pages = l->geometry->pages_per_block, merges = 0;
	ppn_t first = geometry_first_page(l->geometry, log->block);
	block_t block = log->block;

	for (uint32_t page = 0; page < pages; page++) {
		lpn_t lpn = flash_owner(l->ftl->flash, first + page);
		uint32_t lbn = lpn == OWNER_NONE ? LBN_NONE : log_place(l, lpn).lbn;

		if (lbn == LBN_NONE)
			continue;
		if (log_of(l, lbn) && !log_close(l, io, log_of(l, lbn), NULL))
			return false;
		/* Still here: the logical block had no log of its own, or one in order without this page,
		 * which was trimmed and written again. */
		if (flash_owner(l->ftl->flash, first + page) == lpn &&
			!log_merge(l, io, lbn, BLOCK_NONE, NULL, 0))
			return false;
		merges++;
	}
	count->victims++;
	count->victim_lbns += merges;
	count->dead += !merges;
	count->pages += pages;
	count->room += pages;
	log->block = BLOCK_NONE;
	blocks_give(l->blocks, io, block, CAUSE_MERGE);
	return true;
}

bool log_append_shared(
	struct log_ftl *l, struct io *io, uint32_t *current, struct page_part part, log_chooser *choose)
{
	uint32_t lbn = log_place(l, part.lpn).lbn, i = *current, page = 0;

	if (i != INDEX_NONE && l->log[i].block != BLOCK_NONE)
		page = log_next(l, l->log[i].block) % l->geometry->pages_per_block;
	if (!page) {
		i = shared_find_free(l, log_position(l, lbn));
		if (i == INDEX_NONE) {
			i = choose(l, io, log_position(l, lbn), *current);
			if (!shared_empty(l, io, &l->log[i]))
				return false;
		}
		*current = i;
		l->log[i].block = log_take(l, lbn);
		if (l->log[i].block == BLOCK_NONE)
			return false;
		l->log[i].opened = ++l->opened;
	}
	log_program(l, io, part, geometry_first_page(l->geometry, l->log[i].block) + page, i);
	return true;
}

static void shared_check_plane(
	const struct log_ftl *l, uint32_t position, const uint32_t *current, uint32_t kinds)
{
	uint32_t first = shared_first_shared(l, position);

	for (uint32_t kind = 0; kind < kinds; kind++)
		BUG_ON(current[kind] != INDEX_NONE && current[kind] - first >= l->shared,
			"log %u is filled in position %u", current[kind], position);
	for (uint32_t i = first; i < first + l->shared; i++)
		BUG_ON(l->log[i].block != BLOCK_NONE && i != current[0] && i != current[kinds - 1] &&
				log_next(l, l->log[i].block) < l->geometry->pages_per_block,
			"log %u is not full, and not being filled", i);
}

void log_check_shared(const struct log_ftl *l, const uint32_t *current, uint32_t kinds)
{
	for (uint32_t position = 0; position < l->geometry->planes; position++)
		shared_check_plane(l, position, &current[kinds * position], kinds);
}
