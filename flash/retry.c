#include "flash/retry.h"

#include "base/memory.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DAY_SECONDS 86400.0

/* With RETRY_STEPS_MOST in thousandths, the product of the three bounds fits 64 bits. */
#define ERASES_MOST  100000.0
#define SECONDS_MOST 1e9

#define RETRY(type, field) PARAM(type, struct retry_settings, field)
#define RETRY_IF_ON        .stateless = true

const struct param retry_params[] = {
	{ RETRY(TEXT, pe), 0, 0, "erases", "", "rows of the table: \"0 1000 3000\"", RETRY_IF_ON },
	{ RETRY(TEXT, days), 0, 0, "days", "", "columns of the table: \"0 10 100\"", RETRY_IF_ON },
	{ RETRY(TEXT, steps), 0, 0, "senses", "",
		"table of the further senses that a read needs: rows by erases of the block, separated by "
		"commas, of columns by the days since it was opened, separated by blanks; between them in "
		"proportion.  Empty = none",
		.stateless = true, .switches = true },
	{ RETRY(UINT, reads_per_step), 0, 1e12, "senses", "0",
		"senses of a block since its erase that cost a read of it one more; 0 = none do",
		.stateless = true, .switches = true },
	{ RETRY(UINT, max), 1, RETRY_STEPS_MOST, "senses", "24",
		"further senses of a read at most; data that needs more by the table counts as failed, and "
		"is taken as recovered",
		RETRY_IF_ON },
	{ RETRY(UINT, ecc_ns), 0, 1e9, "ns", "10000",
		"time after the data of a sense until it is known to have failed", RETRY_IF_ON },
	{ RETRY(UINT, erases), 0, 1e6, "erases", "0", "of every block before the run, for the table only",
		RETRY_IF_ON },
	{ RETRY(REAL, age_days), 0, 36500, "days", "0", "age of the data that is there before the run",
		RETRY_IF_ON },
	{ RETRY(BOOL, history), 0, 1, "", "false",
		"a read begins with the voltages of the last read of its block", RETRY_IF_ON },
	{ 0 },
};

/* ---- the table ---- */

/* What the numbers of a line are: of which parameter, from 0 to `most`, and stored times `unit`. */
struct retry_numbers {
	const char *name;
	double most, unit;
	bool ascending;
};

/* Reads the numbers of a line up to `end` and stores them, rounded. */
static bool retry_read_numbers(const struct retry_numbers *as, const char *at, const char *end,
	int64_t *numbers, uint32_t *count, struct fault *fault)
{
	for (*count = 0;; ++*count) {
		char *behind;
		double number;

		at += strspn(at, " ");
		if (at >= end)
			return true;
		number = strtod(at, &behind);
		if (behind == at || behind > end || (*behind && !strchr(" ,", *behind)) ||
			!(number >= 0 && number <= as->most))
			return fault_set(fault,
				"retry.%s: \"%.20s\" should be a number from 0 to %g, with blanks between "
				"two",
				as->name, at, as->most);
		if (*count == RETRY_ROWS_MOST)
			return fault_set(
				fault, "retry.%s: more than %u numbers in a line", as->name, RETRY_ROWS_MOST);
		numbers[*count] = llround(number * as->unit);
		if (as->ascending && *count && numbers[*count] <= numbers[*count - 1])
			return fault_set(fault, "retry.%s: %g is not more than the number before it",
				as->name, number);
		at = behind;
	}
}

static bool retry_read_axis(const struct retry_numbers *as, const char *text, int64_t *numbers,
	uint32_t *count, struct fault *fault)
{
	return retry_read_numbers(as, text, text + strlen(text), numbers, count, fault);
}

static bool retry_read_steps(struct retry_table *t, const char *text, struct fault *fault)
{
	const struct retry_numbers as = { "steps", RETRY_STEPS_MOST, 1000, false };
	uint32_t row = 0, columns;

	for (const char *end; *text; text = *end ? end + 1 : end, row++) {
		end = text + strcspn(text, ",");
		if (row == t->rows)
			return fault_set(fault, "retry.steps has more rows than the %u of retry.pe", t->rows);
		if (!retry_read_numbers(&as, text, end, t->steps[row], &columns, fault))
			return false;
		if (columns != t->columns)
			return fault_set(fault, "retry.steps has %u numbers in row %u, and retry.days has %u",
				columns, row + 1, t->columns);
	}
	return row == t->rows ||
	       fault_set(fault, "retry.steps has %u rows, and retry.pe has %u numbers", row, t->rows);
}

static bool retry_read_table(struct retry *r, struct fault *fault)
{
	const struct retry_settings *s = r->settings;
	struct retry_table *t = &r->table;

	const struct retry_numbers pe = { "pe", ERASES_MOST, 1, true };
	const struct retry_numbers days = { "days", SECONDS_MOST / DAY_SECONDS, DAY_SECONDS, true };

	if (!*s->steps)
		return true;
	return retry_read_axis(&pe, s->pe, t->erases, &t->rows, fault) &&
	       retry_read_axis(&days, s->days, t->seconds, &t->columns, fault) &&
	       retry_read_steps(t, s->steps, fault);
}

/* Place of a value among ascending numbers: the last one not above it and the next, the distance of the value
 * from the first, and their distance.  Values outside count as the nearest end. */
struct retry_place {
	uint32_t at, next;
	int64_t beyond, width;
};

static struct retry_place retry_find(const int64_t *numbers, uint32_t count, int64_t value)
{
	uint32_t at = 0;

	while (at + 1 < count && numbers[at + 1] <= value)
		at++;
	if (at + 1 == count || value <= numbers[0])
		return (struct retry_place){ at, at, 0, 1 };
	return (struct retry_place){ at, at + 1, value - numbers[at], numbers[at + 1] - numbers[at] };
}

/* Further senses, in thousandths, rounded down. */
static int64_t retry_look_up(const struct retry_table *t, int64_t erases, int64_t seconds)
{
	struct retry_place row, column;
	int64_t sum;

	if (!t->rows)
		return 0;
	row = retry_find(t->erases, t->rows, erases);
	column = retry_find(t->seconds, t->columns, seconds);
	sum = t->steps[row.at][column.at] * (row.width - row.beyond) * (column.width - column.beyond) +
	      t->steps[row.at][column.next] * (row.width - row.beyond) * column.beyond +
	      t->steps[row.next][column.at] * row.beyond * (column.width - column.beyond) +
	      t->steps[row.next][column.next] * row.beyond * column.beyond;
	return sum / (row.width * column.width);
}

/* ---- blocks ---- */

static const char *retry_name_senses(int n)
{
	static const char *const names[RETRY_STEPS_MOST + 1] = { "0", "1", "2", "3", "4", "5", "6", "7", "8",
		"9", "10", "11", "12", "13", "14", "15", "16", "17", "18", "19", "20", "21", "22", "23", "24",
		"25", "26", "27", "28", "29", "30", "31", "32", "33", "34", "35", "36", "37", "38", "39",
		"40", "41", "42", "43", "44", "45", "46", "47", "48", "49", "50", "51", "52", "53", "54",
		"55", "56", "57", "58", "59", "60", "61", "62", "63", "64" };

	return names[n];
}

#define COUNT(name) STAT_COUNT, offsetof(struct retry_statistics, name)

static const struct stat_row retry_rows[] = {
	{ "retry.senses", "", "of pages, those of first attempts and of copies included", COUNT(senses) },
	{ "retry.reads", "pages", "that needed further senses", COUNT(reads) },
	{ "retry.steps", "", "senses beyond the first of each read", COUNT(steps) },
	{ "retry.failed", "pages", "read that needed more senses than retry.max", COUNT(failed) },
	{ "retry.history_hits", "pages", "read in one sense, as the last read of the block had shown how",
		COUNT(history_hits) },
	{ 0 },
};

struct retry *retry_create(
	const struct retry_settings *settings, const struct geometry *g, struct fault *fault)
{
	struct retry *r = memory_array(1, sizeof *r, "retries");

	*r = (struct retry){ .settings = settings,
		.geometry = g,
		.histogram_rows = { { .name = "retry.histogram",
			.unit = "pages",
			.meaning = "by the senses beyond the first that were made",
			.kind = STAT_COUNT,
			.offset = offsetof(struct retry_statistics, histogram),
			.each = retry_name_senses,
			.count = (int)settings->max + 1 } } };
	if (!retry_read_table(r, fault)) {
		memory_free(r);
		return NULL;
	}
	r->block = memory_array(g->blocks, sizeof *r->block, "retries");
	return r;
}

void retry_free(struct retry *r)
{
	if (!r)
		return;
	memory_free(r->block);
	memory_free(r);
}

bool retry_pass_time(struct retry *r, tick_t now)
{
	bool first = !r->begun;

	if (first)
		r->first = now;
	r->begun = true;
	r->now = (int64_t)(now - r->first);
	return first;
}

void retry_prefill(struct retry *r, block_t b)
{
	r->block[b] =
		(struct retry_block){ .born = -llround(r->settings->age_days * DAY_SECONDS) * 1000000000 };
}

void retry_note(struct retry *r, block_t b, enum retry_event event)
{
	if (!r->begun)
		return;
	if (event == RETRY_OPENED)
		r->block[b].born = r->now;
	if (event == RETRY_ERASED)
		r->block[b] = (struct retry_block){ 0 };
	if (r->listener.context)
		r->listener.hears(r->listener.context, b, event);
}

/* Further senses that a read of the block needs now. */
static uint32_t retry_needed(struct retry *r, const struct retry_block *b, uint32_t erases)
{
	const struct retry_settings *s = r->settings;
	int64_t most = (int64_t)s->max, needed = retry_look_up(&r->table, (int64_t)s->erases + erases,
						(r->now - b->born) / 1000000000);

	r->count.failed += needed >= 1000 * (most + 1);
	if (s->reads_per_step)
		needed += (int64_t)(1000 * b->senses / s->reads_per_step);
	return (uint32_t)(needed / 1000 < most ? needed / 1000 : most);
}

/* The senses of this read count for later reads only. */
uint32_t retry_read(struct retry *r, block_t block, uint32_t erases, bool slc)
{
	struct retry_block *b = &r->block[block];
	uint32_t needed = slc ? 0 : retry_needed(r, b, erases), made = needed;

	if (r->settings->history && b->worked == needed) {
		r->count.history_hits += needed > 0;
		made = 0;
	}
	b->worked = (uint8_t)needed;
	b->senses += 1 + made;
	r->count.senses += 1 + made;
	r->count.reads += made > 0;
	r->count.steps += made;
	r->count.histogram[made]++;
	retry_note(r, block, RETRY_SENSED);
	return made;
}

static const struct state_row retry_block_state[] = {
	STATE_NUMBER(struct retry_block, senses),
	STATE_NUMBER(struct retry_block, born),
	STATE_NUMBER(struct retry_block, worked),
	{ 0 },
};

const struct state_row retry_state[] = {
	STATE_FIXED(settings, geometry, table, listener, histogram_rows),
	STATE_COUNTED(count),
	STATE_OF_RUN,
	STATE_ARRAY(struct retry, block, retry_block_state),
	STATE_NUMBER(struct retry, begun),
	STATE_NUMBER(struct retry, first),
	STATE_NUMBER(struct retry, now),
	{ 0 },
};

void retry_statistics(struct retry *r, struct stat_list *list)
{
	stat_list_add(list, (struct stat_group){ "reads that are repeated", NULL, retry_rows, &r->count,
				    sizeof r->count });
	stat_list_add(list, (struct stat_group){ NULL, NULL, r->histogram_rows, &r->count });
}
