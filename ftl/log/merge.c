#include "ftl/log/log.h"

#include "flash/schedule.h"

static ppn_t merge_first_page(const struct log_ftl *l, block_t block)
{
	return geometry_first_page(l->geometry, block);
}

bool log_write_data(struct log_ftl *l, struct io *io, struct page_part part)
{
	struct log_place at = log_place(l, part.lpn);
	block_t *block = &l->data[at.lbn];

	if (*block == BLOCK_NONE)
		*block = log_take(l, at.lbn);
	if (*block == BLOCK_NONE)
		return false;
	log_program(l, io, part, merge_first_page(l, *block) + at.offset, INDEX_NONE);
	return true;
}

/* ---- merges ---- */

uint32_t log_copy_until(struct log_ftl *l, struct io *io, uint32_t lbn, block_t into, uint32_t end)
{
	uint32_t copies = 0;

	for (uint32_t offset = log_next(l, into); offset < end; offset++) {
		ppn_t from = log_find(l, log_lpn(l, (struct log_place){ lbn, offset }));

		if (from == PPN_NONE)
			continue;
		log_copy(l, io, from, merge_first_page(l, into) + offset);
		copies++;
	}
	return copies;
}

/* Does the logical block have data?  If not, a merge needs no block. */
static bool merge_has_data(const struct log_ftl *l, uint32_t lbn)
{
	for (uint32_t offset = 0; offset < l->geometry->pages_per_block; offset++)
		if (log_find(l, log_lpn(l, (struct log_place){ lbn, offset })) != PPN_NONE)
			return true;
	return false;
}

static void merge_count_merge(struct log_statistics *s, bool full, bool whole, uint32_t copies)
{
	if (full) {
		s->full++;
		s->full_copies += copies;
	} else {
		s->switches += whole;
		s->partial += !whole;
		s->partial_copies += copies;
	}
}

/* Notes the reason for the operations that follow. */
static void merge_note_merge(const struct log_ftl *l, uint32_t lbn, block_t into, bool full)
{
	struct schedule *s = l->ftl->flash->schedule;

	if (into == BLOCK_NONE)
		schedule_note(s, "nothing is left of logical block %u", lbn);
	else if (full)
		schedule_note(
			s, "full merge: logical block %u is collected in block %u, a free one", lbn, into);
	else
		schedule_note(s,
			"%s: block %u has the first %u of %u pages of logical block %u and becomes its data "
			"block",
			log_next(l, into) == l->geometry->pages_per_block ? "switch" : "partial merge", into,
			log_next(l, into), l->geometry->pages_per_block, lbn);
}

bool log_merge(struct log_ftl *l, struct io *io, uint32_t lbn, block_t into, const struct page_part *part,
	size_t parts)
{
	uint32_t pages = l->geometry->pages_per_block, copies = 0;
	bool full = into == BLOCK_NONE, whole = log_next(l, into) == pages;
	block_t old = l->data[lbn];

	if (full && (parts || merge_has_data(l, lbn))) {
		into = log_take(l, lbn);
		if (into == BLOCK_NONE)
			return false;
	}
	merge_note_merge(l, lbn, into, full);
	for (; parts; part++, parts--) {
		uint32_t offset = log_place(l, part->lpn).offset;

		copies += log_copy_until(l, io, lbn, into, offset);
		log_program(l, io, *part, merge_first_page(l, into) + offset, INDEX_NONE);
	}
	if (into != BLOCK_NONE)
		copies += log_copy_until(l, io, lbn, into, pages);
	l->data[lbn] = into;
	if (old != BLOCK_NONE)
		blocks_give(l->blocks, io, old, CAUSE_MERGE);
	merge_count_merge(log_counts(l, io), full, whole, copies);
	return true;
}

/* ---- logs of one logical block ---- */

static struct array_field merge_links(const struct log_ftl *l)
{
	return ARRAY_FIELD(l->log, link);
}

/* The head of a plane's ring. */
static uint32_t merge_ring_of(const struct log_ftl *l, uint32_t lbn)
{
	return l->logs + log_position(l, lbn);
}

static uint32_t merge_number_of(const struct log_ftl *l, const struct log_block *log)
{
	return (uint32_t)(log - l->log);
}

bool log_close(struct log_ftl *l, struct io *io, struct log_block *log, const struct page_part *part)
{
	struct log_statistics *count = log_counts(l, io);
	uint32_t lbn = log->lbn, used = log_next(l, log->block);
	block_t block = log->block;

	if (!log_merge(l, io, lbn, log->ordered ? block : BLOCK_NONE, part, part != NULL))
		return false;
	count->pages += used;
	count->room += l->geometry->pages_per_block;
	l->own[lbn] = INDEX_NONE;
	log->lbn = LBN_NONE;
	log->block = BLOCK_NONE;
	if (!log->ordered)
		blocks_give(l->blocks, io, block, CAUSE_MERGE);
	list_remove(merge_links(l), merge_number_of(l, log));
	list_prepend(merge_links(l), merge_ring_of(l, lbn), merge_number_of(l, log));
	return true;
}

struct log_block *log_open(struct log_ftl *l, struct io *io, uint32_t lbn)
{
	uint32_t i = list_next(merge_links(l), merge_ring_of(l, lbn));
	struct log_block *log = &l->log[i];
	block_t block;

	if (log->block != BLOCK_NONE && !log_close(l, io, log, NULL))
		return NULL;
	block = log_take(l, lbn);
	if (block == BLOCK_NONE)
		return NULL;
	l->own[lbn] = i;
	log->block = block;
	log->lbn = lbn;
	log->ordered = true;
	return log;
}

bool log_append(struct log_ftl *l, struct io *io, struct log_block *log, uint32_t page, struct page_part part)
{
	uint32_t i = merge_number_of(l, log);

	log_program(l, io, part, merge_first_page(l, log->block) + page, i);
	log->ordered &= log_place(l, part.lpn).offset == page;
	list_remove(merge_links(l), i);
	list_append(merge_links(l), merge_ring_of(l, log->lbn), i);
	if (page + 1 < l->geometry->pages_per_block || !log->ordered)
		return true;
	return log_close(l, io, log, NULL);
}
