#include "observe/judge_inside.h"

static struct judged_wordline *judge_wordline(const struct judge *j, uint32_t number)
{
	return (struct judged_wordline *)pool_at(&j->wordlines, number);
}

static uint32_t judge_wordline_pages(const struct judge *j)
{
	return j->settings.wordline_pages;
}

/* Is it the last wordline of its block? */
static bool judge_ends_block(const struct judge *j, const struct judged_wordline *w)
{
	return w->first % j->settings.pages_per_block + judge_wordline_pages(j) ==
	       j->settings.pages_per_block;
}

/* A wordline that holds only pads takes one pass. */
static uint32_t judge_passes(const struct judge *j, const struct judged_wordline *w)
{
	return w->data ? j->settings.passes : 1;
}

/* ---- issued ---- */

static void judge_open_wordline(struct judge *j, struct judged_block *b, const struct judged_op *d)
{
	uint32_t number = pool_take(&j->wordlines), before = b->wordline;

	*judge_wordline(j, number) = (struct judged_wordline){
		.first = d->made.ppn, .life = d->life, .before = INDEX_NONE, .after = INDEX_NONE
	};
	if (before != INDEX_NONE && judge_wordline(j, before)->life == d->life &&
		judge_wordline(j, before)->first + judge_wordline_pages(j) == d->made.ppn) {
		judge_wordline(j, before)->after = number;
		judge_wordline(j, number)->before = before;
	}
	b->wordline = number;
}

/* Does it wait for pages to be issued: its own or, before its second pass, those of the next one? */
static bool judge_lacks_pages(const struct judge *j, const struct judged_wordline *w)
{
	if (w->made < judge_wordline_pages(j))
		return true;
	if (judge_passes(j, w) == 1 || judge_ends_block(j, w))
		return false;
	return w->after == INDEX_NONE || judge_wordline(j, w->after)->made < judge_wordline_pages(j);
}

/* The program `made` may have given the wordline its last missing page.  Until then work in idle time did not
 * wait for those of its programs that were ready. */
static void judge_leave_ready(struct judge *j, const struct judged_op *made, uint32_t wordline)
{
	const struct judged_request *work = &j->request[j->work];

	if (!work->submitted || judge_lacks_pages(j, judge_wordline(j, wordline)))
		return;
	for (struct judged_op *d = j->op; d < j->op + j->ops; d++)
		d->left |= d != made && d->stage != JUDGED_DONE && d->request == work->serial &&
			   d->wordline == wordline && judge_waits_are_over(j, d);
}

void judge_made_part(struct judge *j, struct judged_op *d)
{
	struct judged_block *b = judge_block(j, d->made.ppn);
	uint32_t part = d->made.ppn % j->settings.pages_per_block % judge_wordline_pages(j);
	struct judged_wordline *w;

	BUG_ON(d->made.owner == OWNER_NONE && (d->made.awaited || d->made.cause != CAUSE_PAD),
		"page %u belongs to nobody, and is programmed for %s", d->made.ppn,
		cause_name(d->made.cause));
	if (!part)
		judge_open_wordline(j, b, d);
	BUG_ON(b->wordline == INDEX_NONE || judge_wordline(j, b->wordline)->first + part != d->made.ppn ||
			judge_wordline(j, b->wordline)->made != part,
		"page %u is programmed in a wordline that was not begun", d->made.ppn);
	d->wordline = b->wordline;
	w = judge_wordline(j, d->wordline);
	w->made++;
	w->data |= d->made.owner != OWNER_NONE;
	if (j->work == INDEX_NONE || w->made < judge_wordline_pages(j))
		return;
	judge_leave_ready(j, d, d->wordline);
	if (w->before != INDEX_NONE)
		judge_leave_ready(j, d, w->before);
}

bool judge_may_be_left(const struct judge *j, const struct judged_op *d)
{
	return d->left ||
	       (d->wordline != INDEX_NONE && judge_lacks_pages(j, judge_wordline(j, d->wordline)) &&
		       judge_waits_are_over(j, d));
}

/* ---- started ---- */

/* Pages whose first pass allows the second pass of the wordline before to start.  With a cache register that
 * one may be loaded as soon as the first is in the cells: judge_hardware.c checks that the cells serve one
 * command at a time. */
static uint32_t judge_first_pass(const struct judge *j, uint32_t number)
{
	const struct judged_wordline *w = judge_wordline(j, number);

	return j->settings.cache_programs ? w->begun : w->passed;
}

/* The pass of the wordline is due: a first pass in the order of the block, a second pass after the first pass
 * of the next wordline. */
static void judge_check_pass(
	const struct judge *j, const struct judged_op *d, const struct judged_wordline *w)
{
	uint32_t pages = judge_wordline_pages(j);
	const struct judged_wordline *before = w->before == INDEX_NONE ? NULL : judge_wordline(j, w->before);
	bool waits = before && before->before != INDEX_NONE &&
		     judge_wordline(j, before->before)->begun <
			     judge_passes(j, judge_wordline(j, before->before)) * pages;

	BUG_ON(w->made < pages, "the program of page %u starts, its wordline has %u of %u pages", d->made.ppn,
		w->made, pages);
	BUG_ON(w->begun != d->passed * pages + (d->made.ppn - w->first),
		"the program of page %u starts before another one of its wordline", d->made.ppn);
	BUG_ON(!d->passed && waits,
		"the wordline of page %u is programmed before the second pass of the one before last",
		d->made.ppn);
	BUG_ON(d->passed && !judge_ends_block(j, w) &&
			(w->after == INDEX_NONE || judge_first_pass(j, w->after) < pages),
		"the second pass of page %u starts before the first one of the next wordline is done",
		d->made.ppn);
}

void judge_start_part(struct judge *j, const struct judged_op *d)
{
	struct judged_wordline *w = judge_wordline(j, d->wordline);

	judge_check_pass(j, d, w);
	w->begun++;
}

/* ---- passed and done ---- */

/* The programs of a wordline end at one moment, in page order. */
static void judge_check_together(const struct judge *j, const struct judged_op *d, struct judged_wordline *w,
	uint32_t ended, tick_t now)
{
	if (!ended)
		w->ends = now;
	BUG_ON(ended != d->made.ppn - w->first || w->ends != now || w->begun % judge_wordline_pages(j),
		"the program of page %u ends apart from the others of its wordline", d->made.ppn);
}

void judge_pass_part(struct judge *j, struct judged_op *d, tick_t now)
{
	struct judged_wordline *w = judge_wordline(j, d->wordline);

	BUG_ON(d->passed || judge_passes(j, w) == 1, "page %u is programmed once more than it should be",
		d->made.ppn);
	judge_check_together(j, d, w, w->passed, now);
	w->passed++;
	d->passed = true;
}

/* Frees a wordline that is done, unless the one before it is not. */
static void judge_close_wordline(struct judge *j, struct judged_block *b, uint32_t number)
{
	struct judged_wordline *w = judge_wordline(j, number);

	if (w->before != INDEX_NONE && judge_wordline(j, w->before)->done < judge_wordline_pages(j))
		return;
	if (w->before != INDEX_NONE)
		judge_wordline(j, w->before)->after = INDEX_NONE;
	if (w->after != INDEX_NONE)
		judge_wordline(j, w->after)->before = INDEX_NONE;
	if (b->wordline == number)
		b->wordline = INDEX_NONE;
	pool_give(&j->wordlines, number);
}

void judge_end_part(struct judge *j, const struct judged_op *d, tick_t now)
{
	uint32_t pages = judge_wordline_pages(j), after;
	struct judged_wordline *w = judge_wordline(j, d->wordline);

	BUG_ON(d->passed != (judge_passes(j, w) == 2), "page %u is done after %u of %u passes", d->made.ppn,
		1u + d->passed, judge_passes(j, w));
	judge_check_together(j, d, w, w->done, now);
	w->passed += !d->passed;
	if (++w->done < pages)
		return;
	after = w->after;
	judge_close_wordline(j, judge_block(j, d->made.ppn), d->wordline);
	if (after != INDEX_NONE && judge_wordline(j, after)->done == pages)
		judge_close_wordline(j, judge_block(j, d->made.ppn), after);
}
