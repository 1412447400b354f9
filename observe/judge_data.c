/* Where the data of each page is: which read an operation needs, pages moved and erased outside time. */
#include "observe/judge_inside.h"

/* If the request has read the page, here or where it was before GC moved it, no time has passed since: so the
 * program must depend on that read. */
void judge_kept(void *judge, ppn_t page, ppn_t from)
{
	struct judge *j = judge;
	const struct judged_op *program = judge_find(j, j->writer[page]),
			       *read = judge_find(j, j->reader[from]);
	bool waits = false;

	if (!program || program->request != j->serial || !read || read->request != j->serial)
		return;
	for (uint32_t at = program->waits; at != INDEX_NONE && !waits; at = judge_wait(j, at)->next) {
		const struct judged_op *other = judge_find(j, judge_wait(j, at)->other);

		waits = other->data == j->meant[from] && other->request == j->serial && !judge_writes(other);
	}
	BUG_ON(!waits, "page %u keeps data of page %u and does not wait for a read of it", page, from);
}

void judge_copied(void *judge, ppn_t page, ppn_t from)
{
	struct judge *j = judge;

	judge_find(j, j->writer[page])->data = j->meant[page] = j->meant[from];
	judge_kept(j, page, from);
}

void judge_answers(void *judge, ppn_t page)
{
	struct judge *j = judge;
	const struct judged_op *read = judge_find(j, j->reader[page]);

	BUG_ON(!read || read->request != j->serial || !read->made.awaited,
		"a request is answered from page %u and waits for no read of it", page);
}

void judge_reads_at(void *judge, op_t op, ppn_t source)
{
	struct judge *j = judge;
	struct judged_op *d = judge_find(j, op);

	BUG_ON(!d || d->stage != JUDGED_MADE, "operation %llu changes its source after it has started",
		(unsigned long long)op);
	BUG_ON(judge_is_done(j, j->writer[d->made.ppn]), "page %u is read at page %u although it is there",
		d->made.ppn, source);
	j->unit[judge_unit(j, d)].reads--;
	d->at = source;
	j->unit[judge_unit(j, d)].reads++;
	d->at_epoch = judge_block(j, source)->epoch;
}

void judge_mode(void *judge, ppn_t first, bool slc)
{
	struct judge *j = judge;
	uint32_t block = first / j->settings.pages_per_block;

	for (ppn_t ppn = first; ppn < first + j->settings.pages_per_block; ppn++)
		BUG_ON(j->meant[ppn], "block %u changes its mode although it is not erased", block);
	if (slc)
		bits_set(j->mode, block);
	else
		bits_clear(j->mode, block);
}

/* ---- outside time ---- */

void judge_placed(void *judge, ppn_t page, ppn_t from)
{
	struct judge *j = judge;

	judge_programmed(j, page, bits_get(j->mode, page / j->settings.pages_per_block));
	j->meant[page] = from == PPN_NONE ? ++j->data : j->meant[from];
	j->present[page] = j->meant[page];
	j->writer[page] = 0;
}

/* A new epoch: operations in flight no longer concern the block. */
void judge_cleared(void *judge, ppn_t first)
{
	struct judge *j = judge;
	struct judged_block *b = judge_block(j, first);

	for (ppn_t ppn = first; ppn < first + j->settings.pages_per_block; ppn++) {
		j->meant[ppn] = j->present[ppn] = 0;
		j->writer[ppn] = j->reader[ppn] = 0;
	}
	while (b->old != INDEX_NONE)
		pool_give(&j->lives, ring_take(&b->old, judge_life_links(j)));
	*b = (struct judged_block){ .epoch = b->epoch + 1, .old = INDEX_NONE, .wordline = INDEX_NONE };
}
