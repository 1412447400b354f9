#include "stats/report.h"

#include "base/memory.h"
#include "base/utf8.h"

#include <fnmatch.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Column at which comments of the text form begin, unless name and value are longer. */
#define COMMENT_COLUMN 56

/* ROW_NOTHING: a number without a value, such as the mean of no requests. */
enum report_row_kind { ROW_SECTION, ROW_PARAMETER, ROW_COUNT, ROW_REAL, ROW_TEXT, ROW_NOTHING };

struct report_row {
	enum report_row_kind kind;
	char *name; /* NULL for a section */
	char *text; /* owned: title, or value as it was given; NULL for numbers */
	uint64_t count;
	double real;
	const char *unit, *meaning;
};

struct report {
	struct report_row *rows;
	uint32_t used, room;
	struct warnings warnings;
};

struct report *report_create(void)
{
	return memory_array(1, sizeof(struct report), "report");
}

void report_free(struct report *report)
{
	if (!report)
		return;
	for (size_t i = 0; i < report->used; i++) {
		memory_free(report->rows[i].name);
		memory_free(report->rows[i].text);
	}
	memory_free(report->rows);
	warnings_release(&report->warnings);
	memory_free(report);
}

static struct report_row *report_append(struct report *report, enum report_row_kind kind)
{
	report->rows =
		memory_grown(report->rows, &report->room, report->used + 1, sizeof *report->rows, "report");
	report->rows[report->used] = (struct report_row){ .kind = kind };
	return &report->rows[report->used++];
}

static bool report_is_statistic(const struct report_row *row)
{
	return row->name && row->kind != ROW_PARAMETER;
}

static struct report_row *report_append_named(struct report *report, enum report_row_kind kind,
	const char *name, const char *unit, const char *meaning)
{
	struct report_row *row;

	for (size_t i = 0; i < report->used; i++) {
		row = &report->rows[i];
		BUG_ON(report_is_statistic(row) && strcmp(row->name, name) == 0, "\"%s\" is reported twice",
			name);
	}
	row = report_append(report, kind);
	row->name = memory_string(name, "report");
	row->unit = unit;
	row->meaning = meaning;
	return row;
}

void report_section(struct report *report, const char *title)
{
	report_append(report, ROW_SECTION)->text = memory_string(title, "report");
}

void report_parameter(struct report *report, const char *key, const char *value)
{
	struct report_row *row = report_append(report, ROW_PARAMETER);

	row->name = memory_string(key, "report");
	row->text = memory_string(value, "report");
}

void report_count(
	struct report *report, const char *name, uint64_t value, const char *unit, const char *meaning)
{
	report_append_named(report, ROW_COUNT, name, unit, meaning)->count = value;
}

void report_real(struct report *report, const char *name, double value, const char *unit, const char *meaning)
{
	enum report_row_kind kind = isfinite(value) ? ROW_REAL : ROW_NOTHING;

	report_append_named(report, kind, name, unit, meaning)->real = value != 0 ? value : 0;
}

void report_text(struct report *report, const char *name, const char *value, const char *meaning)
{
	report_append_named(report, ROW_TEXT, name, "", meaning)->text = memory_string(value, "report");
}

void report_warn(struct report *report, const char *text, bool told)
{
	warnings_add(&report->warnings, text, told);
}

const struct warnings *report_warnings(const struct report *report)
{
	return &report->warnings;
}

/* As a JSON string; bytes that are not UTF-8 become U+FFFD.  Returns the bytes written. */
static size_t report_write_quoted(const char *text, FILE *stream)
{
	size_t written = 2;

	fputc('"', stream);
	for (const char *s = text; *s;) {
		size_t length = utf8_length(s);

		if (length == 0)
			written += (size_t)fprintf(stream, "\\ufffd");
		else if (*s == '"' || *s == '\\')
			written += (size_t)fprintf(stream, "\\%c", *s);
		else if (utf8_is_control(s))
			written += (size_t)fprintf(stream, "\\u%04x", (unsigned char)s[length - 1]);
		else
			written += fwrite(s, 1, length, stream);
		s += length ? length : 1;
	}
	fputc('"', stream);
	return written;
}

/* A text that a line `name = value # comment` could not hold unambiguously is quoted. */
static bool report_needs_quotes(const char *text)
{
	size_t length = strlen(text);

	return length == 0 || text[0] == ' ' || text[length - 1] == ' ' || strpbrk(text, "\"#") ||
	       utf8_has_control(text);
}

/* Returns the bytes written. */
static size_t report_write_value(const struct report_row *row, FILE *stream)
{
	int length;

	if (row->kind == ROW_TEXT && report_needs_quotes(row->text))
		return report_write_quoted(row->text, stream);
	if (row->kind == ROW_TEXT)
		length = fprintf(stream, "%s", row->text);
	else if (row->kind == ROW_COUNT)
		length = fprintf(stream, "%" PRIu64, row->count);
	else
		length = fprintf(stream, "%.9g", row->real);
	return length > 0 ? (size_t)length : 0;
}

static void report_write_row(const struct report_row *row, FILE *stream)
{
	const char *unit = row->unit ? row->unit : "";
	const char *meaning = row->meaning ? row->meaning : "";
	size_t width = (size_t)fprintf(stream, "%s = ", row->name) + report_write_value(row, stream);

	if (*unit || *meaning) {
		int gap = width < COMMENT_COLUMN ? (int)(COMMENT_COLUMN - width) : 1;

		fprintf(stream, "%*s# %s%s%s", gap, "", unit, *unit && *meaning ? ": " : "", meaning);
	}
	fputc('\n', stream);
}

static void report_write_parameter(const struct report_row *row, FILE *stream)
{
	fprintf(stream, "# %s = ", row->name);
	utf8_print(stream, row->text);
	fputc('\n', stream);
}

void report_write_text(const struct report *report, FILE *stream)
{
	for (size_t i = 0; i < report->used; i++) {
		const struct report_row *row = &report->rows[i];

		if (row->kind == ROW_SECTION)
			fprintf(stream, "%s# ---- %s ----\n", i ? "\n" : "", row->text);
		else if (row->kind == ROW_PARAMETER)
			report_write_parameter(row, stream);
		else if (row->kind != ROW_NOTHING)
			report_write_row(row, stream);
	}
}

/* ---- some of them ---- */

struct report_pattern {
	char text[96];
};

/* Cuts the first pattern off the list; `pattern` gets as much of it as fits.  False: there is none. */
static bool report_next_pattern(const char **list, struct report_pattern *pattern)
{
	size_t length;

	*list += strspn(*list, " ,");
	length = strcspn(*list, " ,");
	snprintf(pattern->text, sizeof pattern->text, "%.*s", (int)length, *list);
	*list += length;
	return length > 0;
}

static bool report_matches(const char *list, const char *name)
{
	struct report_pattern pattern;

	while (report_next_pattern(&list, &pattern))
		if (!fnmatch(pattern.text, name, 0))
			return true;
	return false;
}

void report_write_some(const struct report *report, const char *patterns, FILE *stream)
{
	for (const struct report_row *row = report->rows; row < report->rows + report->used; row++)
		if (report_is_statistic(row) && row->kind != ROW_NOTHING &&
			report_matches(patterns, row->name))
			report_write_row(row, stream);
}

bool report_lacks(const struct report *report, const char *patterns, char *which, size_t bytes)
{
	struct report_pattern pattern;

	while (report_next_pattern(&patterns, &pattern)) {
		const struct report_row *row = report->rows, *end = row + report->used;

		while (row < end && !(report_is_statistic(row) && report_matches(pattern.text, row->name)))
			row++;
		snprintf(which, bytes, "%s", pattern.text);
		if (row == end)
			return true;
	}
	return false;
}

/* ---- single values ---- */

static const struct report_row *report_find(const struct report *report, const char *name)
{
	for (const struct report_row *row = report->rows; row < report->rows + report->used; row++)
		if (row->name && !strcmp(row->name, name))
			return row;
	return NULL;
}

double report_number(const struct report *report, const char *name)
{
	const struct report_row *row = report_find(report, name);

	if (row && row->kind == ROW_COUNT)
		return (double)row->count;
	return row && row->kind == ROW_REAL ? row->real : (double)NAN;
}

const char *report_value(const struct report *report, const char *name)
{
	const struct report_row *row = report_find(report, name);

	return row ? row->text : NULL;
}

/* ---- JSON ---- */

/* Is it a number, a truth value or a list of numbers, all written alike in JSON? */
static bool report_is_json(const char *text)
{
	size_t length = strlen(text);
	char *end;

	if (!strcmp(text, "true") || !strcmp(text, "false"))
		return true;
	if (text[0] == '[' && length > 2)
		return strspn(text + 1, "0123456789, ") == length - 2 && text[length - 1] == ']';
	strtod(text, &end);
	return text[0] >= '0' && text[0] <= '9' && !*end;
}

/* The quotes around a text, and the backslashes in it, are removed first. */
static void report_write_json_parameter(const char *value, FILE *stream)
{
	char *text = memory_string(value, "report"), *to = text;
	const char *from = value + 1;

	if (*value == '"') {
		for (; *from && (*from != '"' || from[1]); from++) {
			from += *from == '\\' && from[1];
			*to++ = *from;
		}
		*to = '\0';
	}
	if (*value != '"' && report_is_json(text))
		fputs(text, stream);
	else
		report_write_quoted(text, stream);
	memory_free(text);
}

static void report_write_json_value(const struct report_row *row, FILE *stream)
{
	if (row->kind == ROW_NOTHING)
		fputs("null", stream);
	else if (row->kind == ROW_PARAMETER)
		report_write_json_parameter(row->text, stream);
	else if (row->kind == ROW_TEXT)
		report_write_quoted(row->text, stream);
	else
		report_write_value(row, stream);
}

enum part { PART_PARAMETERS, PART_STATISTICS, PART_UNITS };

static bool report_row_is_of(const struct report_row *row, enum part part)
{
	if (part == PART_PARAMETERS)
		return row->kind == ROW_PARAMETER;
	return report_is_statistic(row) && (part == PART_STATISTICS || (row->unit && *row->unit));
}

static void report_write_json_part(
	const struct report *report, const char *title, enum part part, FILE *stream)
{
	const char *separator = "\n";

	fprintf(stream, ",\n  \"%s\": {", title);
	for (size_t i = 0; i < report->used; i++) {
		const struct report_row *row = &report->rows[i];

		if (!report_row_is_of(row, part))
			continue;
		fprintf(stream, "%s    ", separator);
		report_write_quoted(row->name, stream);
		fputs(": ", stream);
		if (part == PART_UNITS)
			report_write_quoted(row->unit, stream);
		else
			report_write_json_value(row, stream);
		separator = ",\n";
	}
	fputs("\n  }", stream);
}

static void report_write_json_warnings(const struct warnings *w, FILE *stream)
{
	for (uint32_t i = 0; i < w->used; i++) {
		fputs(i ? ",\n    " : ",\n  \"warnings\": [\n    ", stream);
		report_write_quoted(w->list[i].text, stream);
	}
	if (w->used)
		fputs("\n  ]", stream);
}

void report_write_json(const struct report *report, FILE *stream)
{
	fprintf(stream, "{\n  \"schema\": %d", REPORT_SCHEMA);
	report_write_json_part(report, "parameters", PART_PARAMETERS, stream);
	report_write_json_part(report, "statistics", PART_STATISTICS, stream);
	report_write_json_part(report, "units", PART_UNITS, stream);
	report_write_json_warnings(&report->warnings, stream);
	fputs("\n}\n", stream);
}
