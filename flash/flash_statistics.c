/* Statistics of the medium. */
#include "flash/flash.h"
#include "flash/schedule.h"

#include <string.h>

static void flash_start_statistics(void *flash)
{
	struct flash *f = flash;

	memset(f->count, 0, sizeof f->count);
	memset(f->forwarded, 0, sizeof f->forwarded);
	memset(f->untimed, 0, sizeof f->untimed);
	f->transferred_sectors = 0;
	f->pages_used_before = f->pages_used;
	f->pages_erased = 0;
	f->wordlines = f->wordline_stalls = f->wordline_pads = f->forwarded_early = 0;
	f->erases_before = flash_erases(f);
	schedule_statistics_start(f->schedule);
}

static void flash_gather_totals(void *flash)
{
	struct flash *f = flash;

	for (int kind = 0; kind < OP_KINDS; kind++)
		f->total.count[kind] = flash_total(f, (enum op_kind)kind);
	f->total.forwarded = flash_forwarded(f);
	f->total.transferred_bytes = f->transferred_sectors * SECTOR_BYTES;
}

static const char *flash_name_cause(int cause)
{
	return cause_name((enum cause)cause);
}

/* Host data, read-modify-write and look-ups cause no erases. */
static const char *flash_name_erase_cause(int i)
{
	return cause_name((enum cause)(CAUSE_MERGE + i));
}

#define COUNTS(name) STAT_COUNT, offsetof(struct flash, name)
#define BY_CAUSE     .each = flash_name_cause, .count = CAUSES_ALWAYS

static const struct stat_row flash_rows[] = {
	{ "flash.read.total", "pages", "", COUNTS(total.count[OP_READ]) },
	{ "flash.read", "pages", "", COUNTS(count[OP_READ]), BY_CAUSE },
	{ "flash.read.forwarded", "pages",
		"reads of a page still on its way to flash, served from the controller; not in flash.read",
		COUNTS(total.forwarded) },
	{ "flash.read.forwarded", "pages", "", COUNTS(forwarded), BY_CAUSE },
	{ "flash.program.total", "pages", "", COUNTS(total.count[OP_PROGRAM]) },
	{ "flash.program", "pages", "", COUNTS(count[OP_PROGRAM]), BY_CAUSE },
	{ "flash.copy.total", "pages", "", COUNTS(total.count[OP_COPY]) },
	{ "flash.copy", "pages", "", COUNTS(count[OP_COPY]), BY_CAUSE },
	{ "flash.erase.total", "blocks", "", COUNTS(total.count[OP_ERASE]) },
	{ "flash.erase", "blocks", "", COUNTS(count[OP_ERASE][CAUSE_MERGE]), .each = flash_name_erase_cause,
		.count = CAUSES_ALWAYS - CAUSE_MERGE },
	{ "flash.transferred_bytes", "bytes", "over all channels", COUNTS(total.transferred_bytes) },
	{ 0 },
};

static const struct stat_row flash_wordline_rows[] = {
	{ "flash.wordlines", "", "begun to be programmed", COUNTS(wordlines) },
	{ "flash.wordline_pads", "pages", "of nobody, programmed because others waited for their wordline",
		COUNTS(wordline_pads) },
	{ "flash.wordline_stalls", "", "nothing could go on before wordlines were filled up",
		COUNTS(wordline_stalls) },
	{ "flash.read.forwarded.wordline", "pages",
		"of the reads served from the controller: their wordline lacked "
		"pages or data",
		COUNTS(forwarded_early) },
	{ 0 },
};

void flash_statistics(struct flash *f, struct stat_list *list)
{
	stat_list_add(list,
		(struct stat_group){
			.title = "flash operations by cause; a copy-back counts as a read, a program and a "
				 "copy",
			.rows = flash_rows,
			.values = f,
			.owner = f,
			.start = flash_start_statistics,
			.gather = flash_gather_totals });
	if (f->retry)
		retry_statistics(f->retry, list);
	if (f->settings->program_unit == UNIT_WORDLINE)
		stat_list_add(list, (struct stat_group){ .title = "programs by wordline",
					    .rows = flash_wordline_rows,
					    .values = f,
					    .owner = f });
	schedule_statistics(f->schedule, list);
}
