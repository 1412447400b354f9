#include "stats/report.h"

#include "base/memory.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Where the comments of the text form begin, unless name and value are longer. */
#define COMMENT_COLUMN 56

/* ROW_NOTHING: a number of which there is nothing to tell, such as the mean of no requests. */
enum row_kind { ROW_SECTION, ROW_PARAMETER, ROW_COUNT, ROW_REAL, ROW_TEXT, ROW_NOTHING };

struct row {
	enum row_kind kind;
	char *name; /* NULL for a section */
	char *text; /* owned: title or value; NULL for numbers */
	uint64_t count;
	double real;
	const char *unit, *meaning;
	bool quoted; /* the text of a parameter is written in quotes */
};

struct report {
	struct row *rows;
	uint32_t used, room;
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
	memory_free(report);
}

static struct row *append(struct report *report, enum row_kind kind)
{
	report->rows =
		memory_grown(report->rows, &report->room, report->used + 1, sizeof *report->rows, "report");
	report->rows[report->used] = (struct row){ .kind = kind };
	return &report->rows[report->used++];
}

static bool is_statistic(const struct row *row)
{
	return row->name && row->kind != ROW_PARAMETER;
}

static struct row *append_named(
	struct report *report, enum row_kind kind, const char *name, const char *unit, const char *meaning)
{
	struct row *row;

	for (size_t i = 0; i < report->used; i++) {
		row = &report->rows[i];
		BUG_ON(is_statistic(row) && strcmp(row->name, name) == 0, "\"%s\" is reported twice", name);
	}
	row = append(report, kind);
	row->name = memory_string(name, "report");
	row->unit = unit;
	row->meaning = meaning;
	return row;
}

void report_section(struct report *report, const char *title)
{
	append(report, ROW_SECTION)->text = memory_string(title, "report");
}

void report_parameter(struct report *report, const char *key, const char *value)
{
	struct row *row = append(report, ROW_PARAMETER);
	char *to;

	row->name = memory_string(key, "report");
	row->text = to = memory_string(value, "report");
	row->quoted = *value == '"';
	if (!row->quoted)
		return;
	for (value++; *value && (*value != '"' || value[1]); value++) {
		value += *value == '\\' && value[1];
		*to++ = *value;
	}
	*to = '\0';
}

void report_count(
	struct report *report, const char *name, uint64_t value, const char *unit, const char *meaning)
{
	append_named(report, ROW_COUNT, name, unit, meaning)->count = value;
}

void report_real(struct report *report, const char *name, double value, const char *unit, const char *meaning)
{
	enum row_kind kind = isfinite(value) ? ROW_REAL : ROW_NOTHING;

	append_named(report, kind, name, unit, meaning)->real = value != 0 ? value : 0;
}

void report_text(struct report *report, const char *name, const char *value, const char *meaning)
{
	append_named(report, ROW_TEXT, name, "", meaning)->text = memory_string(value, "report");
}

/*
 * Length of the well-formed UTF-8 sequence at `s`, 0 when the bytes are none.  Overlong
 * forms, surrogates and code points above U+10FFFF are excluded by the second byte's range.
 */
static size_t utf8_length(const unsigned char *s)
{
	unsigned low = 0x80, high = 0xbf;
	size_t length;

	if (s[0] < 0x80)
		return 1;
	if (s[0] < 0xc2 || s[0] > 0xf4)
		return 0;
	length = s[0] < 0xe0 ? 2 : s[0] < 0xf0 ? 3 : 4;
	if (s[0] == 0xe0)
		low = 0xa0;
	else if (s[0] == 0xed)
		high = 0x9f;
	else if (s[0] == 0xf0)
		low = 0x90;
	else if (s[0] == 0xf4)
		high = 0x8f;
	if (s[1] < low || s[1] > high)
		return 0;
	for (size_t i = 2; i < length; i++)
		if ((s[i] & 0xc0) != 0x80)
			return 0;
	return length;
}

/* As a JSON string; bytes that are not UTF-8 become U+FFFD.  Returns the bytes written. */
static size_t write_quoted(const char *text, FILE *stream)
{
	const unsigned char *s = (const unsigned char *)text;
	size_t written = 2;

	fputc('"', stream);
	while (*s) {
		size_t length = utf8_length(s);

		if (length == 0)
			written += (size_t)fprintf(stream, "\\ufffd");
		else if (*s == '"' || *s == '\\')
			written += (size_t)fprintf(stream, "\\%c", *s);
		else if (*s < 0x20 || *s == 0x7f)
			written += (size_t)fprintf(stream, "\\u%04x", *s);
		else
			written += fwrite(s, 1, length, stream);
		s += length ? length : 1;
	}
	fputc('"', stream);
	return written;
}

/* A text that a line `name = value # comment` could not hold unambiguously is quoted. */
static bool needs_quotes(const char *text)
{
	size_t length = strlen(text);

	if (length == 0 || text[0] == ' ' || text[length - 1] == ' ')
		return true;
	for (const char *c = text; *c; c++)
		if (*c == '"' || *c == '#' || (unsigned char)*c < 0x20 || *c == 0x7f)
			return true;
	return false;
}

/* Returns the bytes written. */
static size_t write_value(const struct row *row, FILE *stream)
{
	int length;

	if (row->kind == ROW_TEXT && needs_quotes(row->text))
		return write_quoted(row->text, stream);
	if (row->kind == ROW_TEXT)
		length = fprintf(stream, "%s", row->text);
	else if (row->kind == ROW_COUNT)
		length = fprintf(stream, "%" PRIu64, row->count);
	else
		length = fprintf(stream, "%.9g", row->real);
	return length > 0 ? (size_t)length : 0;
}

static void write_row(const struct row *row, FILE *stream)
{
	const char *unit = row->unit ? row->unit : "";
	const char *meaning = row->meaning ? row->meaning : "";
	size_t width = (size_t)fprintf(stream, "%s = ", row->name) + write_value(row, stream);

	if (*unit || *meaning) {
		int gap = width < COMMENT_COLUMN ? (int)(COMMENT_COLUMN - width) : 1;

		fprintf(stream, "%*s# %s%s%s", gap, "", unit, *unit && *meaning ? ": " : "", meaning);
	}
	fputc('\n', stream);
}

/* As a user would write it. */
static void write_parameter(const struct row *row, FILE *stream)
{
	fprintf(stream, "# %s = %s", row->name, row->quoted ? "\"" : "");
	for (const char *at = row->text; *at; at++) {
		if (row->quoted && (*at == '"' || *at == '\\'))
			fputc('\\', stream);
		fputc(*at, stream);
	}
	fputs(row->quoted ? "\"\n" : "\n", stream);
}

void report_write_text(const struct report *report, FILE *stream)
{
	for (size_t i = 0; i < report->used; i++) {
		const struct row *row = &report->rows[i];

		if (row->kind == ROW_SECTION)
			fprintf(stream, "%s# ---- %s ----\n", i ? "\n" : "", row->text);
		else if (row->kind == ROW_PARAMETER)
			write_parameter(row, stream);
		else if (row->kind != ROW_NOTHING)
			write_row(row, stream);
	}
}

/* ---- JSON ---- */

/* Numbers, truth values and lists of numbers are written as they are. */
static bool is_json_scalar(const char *text)
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

static void write_json_value(const struct row *row, FILE *stream)
{
	if (row->kind == ROW_NOTHING)
		fputs("null", stream);
	else if (row->kind == ROW_PARAMETER && !row->quoted && is_json_scalar(row->text))
		fputs(row->text, stream);
	else if (row->kind == ROW_PARAMETER || row->kind == ROW_TEXT)
		write_quoted(row->text, stream);
	else
		write_value(row, stream);
}

enum part { PART_PARAMETERS, PART_STATISTICS, PART_UNITS };

static bool belongs(const struct row *row, enum part part)
{
	if (part == PART_PARAMETERS)
		return row->kind == ROW_PARAMETER;
	return is_statistic(row) && (part == PART_STATISTICS || (row->unit && *row->unit));
}

static void write_json_part(const struct report *report, const char *title, enum part part, FILE *stream)
{
	const char *separator = "\n";

	fprintf(stream, ",\n  \"%s\": {", title);
	for (size_t i = 0; i < report->used; i++) {
		const struct row *row = &report->rows[i];

		if (!belongs(row, part))
			continue;
		fprintf(stream, "%s    ", separator);
		write_quoted(row->name, stream);
		fputs(": ", stream);
		if (part == PART_UNITS)
			write_quoted(row->unit, stream);
		else
			write_json_value(row, stream);
		separator = ",\n";
	}
	fputs("\n  }", stream);
}

void report_write_json(const struct report *report, FILE *stream)
{
	fprintf(stream, "{\n  \"schema\": %d", REPORT_SCHEMA);
	write_json_part(report, "parameters", PART_PARAMETERS, stream);
	write_json_part(report, "statistics", PART_STATISTICS, stream);
	write_json_part(report, "units", PART_UNITS, stream);
	fputs("\n}\n", stream);
}
