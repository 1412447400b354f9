#include "library/inside.h"

#include "base/version.h"
#include "flash/schedule.h"
#include "ftl/store.h"

#include <stdlib.h>
#include <string.h>

/* ---- statistics ---- */

static const char *library_or_nothing(const char *text)
{
	return text ? text : "";
}

/* Counts are compared before they are reported, as at the end of a run. */
static void library_make_report(struct library_call *c)
{
	ssdlab_drive *h = c->h;
	struct run run = h->run;
	const char *parameters = c->text[1] ? c->text[1] : h->shared->options.parameters;
	const char *workload = c->text[2] ? c->text[2] : h->workload_name;
	struct run_facts facts = { c->text[0] ? c->text[0] : "libssdlab", SSD_VERSION,
		library_or_nothing(parameters), library_or_nothing(workload),
		.end = h->end == SSDLAB_DRIVE_FULL ? RUN_DRIVE_FAILED
		       : h->stopped                ? RUN_INTERRUPTED
						   : RUN_DONE,
		.before = &h->before };

	library_changed(h);
	drive_check(h->drive);
	run.windows = h->counted.counting ? &h->counted : NULL;
	h->report = report_create();
	run_report(h->report, &run, &facts);
}

/* One name, and no list of patterns, which report_lacks() takes, too. */
static bool library_is_reported(const struct report *report, const char *name)
{
	char lacks[96];

	return *name && !strpbrk(name, " ,*?[\\") && !report_lacks(report, name, lacks, sizeof lacks);
}

static void library_call_statistic(void *call)
{
	struct library_call *c = call;
	const char *name = c->text[0];

	if (!c->h->report)
		library_make_report(c);
	if (!library_is_reported(c->h->report, name))
		library_fault(c, "there is no statistic \"%.200s\"; `ssd list statistics` shows all", name);
	else if (report_value(c->h->report, name))
		library_fault(c, "%s is a text, not a number; ssdlab_json() has it", name);
	else
		*(double *)c->out = report_number(c->h->report, name);
}

/* NOLINTNEXTLINE(readability-non-const-parameter): the call writes it through `out` */
enum ssdlab_status ssdlab_statistic(ssdlab_drive *h, const char *name, double *value)
{
	struct library_call c = { .h = h, .text = { name }, .out = value, NEEDED(GIVEN(name), GIVEN(value)) };

	return library_enter(&c, NEEDS_DRIVE, library_call_statistic);
}

static void library_call_json(void *call)
{
	struct library_call *c = call;
	size_t bytes;
	FILE *out;

	library_make_report(c);
	out = open_memstream(c->out, &bytes);
	if (!out) {
		library_fault(c, "out of memory: the text of the statistics");
		c->status = SSDLAB_NO_MEMORY;
		return;
	}
	report_write_json(c->h->report, out);
	fclose(out);
	library_changed(c->h); /* its facts are those of this call */
}

enum ssdlab_status ssdlab_json(
	ssdlab_drive *h, const char *command, const char *parameters, const char *workload, char **text)
{
	struct library_call c = {
		.h = h, .text = { command, parameters, workload }, .out = text, NEEDED(GIVEN(text))
	};

	if (text)
		*text = NULL;
	return library_enter(&c, NEEDS_DRIVE, library_call_json);
}

void ssdlab_free(char *text)
{
	free(text);
}

static void library_call_reset(void *call)
{
	struct library_call *c = call;
	ssdlab_drive *h = c->h;

	library_changed(h);
	drive_count_from_here(h->drive);
	h->counted.counting = true;
	h->counted.counted_from.requests = h->run.requests - h->run.commands;
	h->counted.counted_from.when = schedule_now(h->drive->flash->schedule);
}

enum ssdlab_status ssdlab_reset_statistics(ssdlab_drive *h)
{
	struct library_call c = { .h = h };

	return library_enter(&c, NEEDS_DRIVE, library_call_reset);
}

static void library_call_check(void *call)
{
	struct library_call *c = call;

	drive_check(c->h->drive);
}

enum ssdlab_status ssdlab_check(ssdlab_drive *h)
{
	struct library_call c = { .h = h };

	return library_enter(&c, NEEDS_DRIVE, library_call_check);
}

/* ---- blocks ---- */

static struct ssdlab_block library_block(const struct drive *d, block_t b)
{
	const struct geometry *g = &d->geometry;
	const struct flash *f = d->flash;
	ppn_t first = geometry_first_page(g, b);
	struct ssdlab_block block = { .block = b,
		.plane = geometry_plane(g, b),
		.pages = g->pages_per_block,
		.programmed_pages = f->block[b].next,
		.erases = f->block[b].erases };

	for (uint32_t page = 0; page < f->block[b].next; page++)
		block.valid_pages += flash_owner(f, first + page) != OWNER_NONE;
	return block;
}

static void library_call_blocks(void *call)
{
	const struct library_call *c = call;
	const struct drive *d = c->h->drive;
	struct ssdlab_block *to = c->out;

	for (block_t b = 0; b < d->geometry.blocks && b < c->n; b++)
		to[b] = library_block(d, b);
	*c->count = d->geometry.blocks;
}

enum ssdlab_status ssdlab_blocks(ssdlab_drive *h, struct ssdlab_block *blocks, size_t room, size_t *count)
{
	struct library_call c = {
		.h = h, .out = blocks, .n = room, .count = count, NEEDED(GIVEN(count), GIVEN_IF(room, blocks))
	};

	if (count)
		*count = 0;
	return library_enter(&c, NEEDS_DRIVE, library_call_blocks);
}
