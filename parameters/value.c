#include "parameters/value.h"

#include "base/memory.h"

#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The largest whole number of a parameter file. */
#define UINT_LIMIT ((uint64_t)INT64_MAX)

#define TICKS_MAX 4

static bool value_has_range(const struct param *row)
{
	return row->type == PARAM_UINT || row->type == PARAM_REAL || row->type == PARAM_TICKS;
}

void value_check_row(const struct param *row)
{
	BUG_ON(!row->unit || !row->preset || !row->help, "parameter %s has no unit, default or help",
		row->name);
	BUG_ON((row->type == PARAM_CHOICE) != (row->choices != NULL),
		"parameter %s: choices and type disagree", row->name);
	BUG_ON(value_has_range(row) && !(row->min < row->max), "parameter %s has no range", row->name);
	BUG_ON(value_has_range(row) && row->type != PARAM_REAL && row->min < 0,
		"parameter %s is a whole number that may be negative", row->name);
}

/* ---- permitted values, in words ---- */

static void value_write_bound(const struct param *row, double bound, char *text, size_t room)
{
	if (row->type == PARAM_REAL)
		snprintf(text, room, "%.15g", bound);
	else
		snprintf(text, room, "%" PRIu64, bound >= (double)UINT_LIMIT ? UINT_LIMIT : (uint64_t)bound);
}

/* "1 to 65536" */
static void value_range(const struct param *row, struct fault *range)
{
	char low[32], high[32];

	value_write_bound(row, row->min, low, sizeof low);
	value_write_bound(row, row->max, high, sizeof high);
	fault_set(range, "%s to %s", low, high);
}

/* "a", "b" or "c" */
static void value_choices(const char *const *choices, struct fault *list)
{
	size_t used = 0;

	list->text[0] = '\0';
	for (size_t i = 0; choices[i] && used < sizeof list->text; i++) {
		const char *before = i == 0 ? "" : choices[i + 1] ? ", " : " or ";

		used += (size_t)snprintf(
			list->text + used, sizeof list->text - used, "%s\"%s\"", before, choices[i]);
	}
}

void value_kind(const struct param *row, struct fault *kind)
{
	const char *unit = row->unit, *of = *unit ? " of " : "", *open = *unit ? " (" : "",
		   *close = *unit ? ")" : "";

	switch (row->type) {
	case PARAM_BOOL:
		fault_set(kind, "true or false");
		break;
	case PARAM_UINT:
		fault_set(kind, "a whole number%s%s", of, unit);
		break;
	case PARAM_REAL:
		fault_set(kind, "a number%s%s%s", open, unit, close);
		break;
	case PARAM_CHOICE:
		value_choices(row->choices, kind);
		break;
	case PARAM_TEXT:
		fault_set(kind, "a text of one line%s%s%s", open, unit, close);
		break;
	case PARAM_TICKS:
		fault_set(kind, "a whole number%s%s, or 1 to %d of them in [ ]", of, unit, TICKS_MAX);
		break;
	}
}

void value_describe(const struct param *row, struct fault *kind)
{
	struct fault range;
	size_t used;

	value_kind(row, kind);
	if (!value_has_range(row))
		return;
	value_range(row, &range);
	used = strlen(kind->text);
	snprintf(kind->text + used, sizeof kind->text - used, ", %s", range.text);
}

/* ---- from text ---- */

enum value_outcome { VALUE_GOOD, VALUE_OF_ANOTHER_KIND, VALUE_OUT_OF_RANGE };

union value {
	bool truth;
	uint64_t whole;
	double real;
	int choice;
	char *text;
	struct tick_list ticks;
};

/* -1: it is none of the names. */
static int value_index(const char *const *names, const char *text)
{
	for (int i = 0; names[i]; i++)
		if (!strcmp(names[i], text))
			return i;
	return -1;
}

/* The factor of a suffix K, M, G or T; 1 without one; 0 for anything else. */
static uint64_t value_factor(const char *suffix)
{
	static const char letters[] = "KMGT";
	const char *letter;

	if (!*suffix)
		return 1;
	letter = strchr(letters, toupper((unsigned char)*suffix));
	return letter && !suffix[1] ? (uint64_t)1 << 10 * (letter - letters + 1) : 0;
}

static enum value_outcome value_parse_whole(const struct param *row, const char *text, uint64_t *whole)
{
	bool negative = *text == '-';
	const char *digits = text + (negative || *text == '+');
	bool hex = digits[0] == '0' && (digits[1] == 'x' || digits[1] == 'X') &&
		   isxdigit((unsigned char)digits[2]);
	uint64_t factor;
	char *end;

	if (!isdigit((unsigned char)*digits))
		return VALUE_OF_ANOTHER_KIND;
	*whole = strtoull(digits, &end, hex ? 16 : 10);
	factor = row->type == PARAM_TICKS && *end ? 0 : value_factor(end);
	if (!factor)
		return VALUE_OF_ANOTHER_KIND;
	if ((negative && *whole) || *whole > UINT_LIMIT / factor)
		return VALUE_OUT_OF_RANGE;
	*whole *= factor;
	if ((double)*whole < row->min || (double)*whole > row->max)
		return VALUE_OUT_OF_RANGE;
	return VALUE_GOOD;
}

static enum value_outcome value_parse_real(const struct param *row, const char *text, double *real)
{
	uint64_t factor;
	char *end;

	if (!isdigit((unsigned char)text[strspn(text, "+-.")]) || text[strcspn(text, "xX")])
		return VALUE_OF_ANOTHER_KIND;
	*real = strtod(text, &end);
	factor = value_factor(end);
	if (end == text || !factor)
		return VALUE_OF_ANOTHER_KIND;
	*real *= (double)factor;
	return *real >= row->min && *real <= row->max ? VALUE_GOOD : VALUE_OUT_OF_RANGE;
}

/* "[1, 2]" or "1, 2": cuts each number out of a copy. */
static enum value_outcome value_parse_ticks(
	const struct param *row, const char *text, struct tick_list *ticks)
{
	enum value_outcome outcome = VALUE_GOOD;
	size_t length = strlen(text);
	char copy[160], *at = copy, *comma;

	if (length >= sizeof copy)
		return VALUE_OF_ANOTHER_KIND;
	memcpy(copy, text, length + 1);
	if (*copy == '[' && copy[length - 1] == ']') {
		copy[length - 1] = '\0';
		at++;
	}
	for (ticks->count = 0; at && outcome == VALUE_GOOD; at = comma ? comma + 1 : NULL) {
		if (ticks->count == TICKS_MAX)
			return VALUE_OF_ANOTHER_KIND;
		comma = strchr(at, ',');
		at += strspn(at, " \t");
		for (length = comma ? (size_t)(comma - at) : strlen(at);
			length && strchr(" \t", at[length - 1]);)
			length--;
		at[length] = '\0';
		outcome = value_parse_whole(row, at, &ticks->ns[ticks->count++]);
	}
	return outcome;
}

static enum value_outcome value_parse(const struct param *row, const char *text, union value *value)
{
	static const char *const truths[] = { "false", "true", "no", "yes", "off", "on", "0", "1", NULL };
	int index;

	switch (row->type) {
	case PARAM_BOOL:
		index = value_index(truths, text);
		value->truth = index & 1;
		return index < 0 ? VALUE_OF_ANOTHER_KIND : VALUE_GOOD;
	case PARAM_UINT:
		return value_parse_whole(row, text, &value->whole);
	case PARAM_REAL:
		return value_parse_real(row, text, &value->real);
	case PARAM_CHOICE:
		value->choice = value_index(row->choices, text);
		return value->choice < 0 ? VALUE_OF_ANOTHER_KIND : VALUE_GOOD;
	case PARAM_TICKS:
		return value_parse_ticks(row, text, &value->ticks);
	case PARAM_TEXT:
		while (*text && !iscntrl((unsigned char)*text))
			text++;
		return *text ? VALUE_OF_ANOTHER_KIND : VALUE_GOOD;
	}
	BUG("parameter %s has type %d", row->name, (int)row->type);
}

bool value_store(const struct param *row, void *settings, const char *text, struct fault *should)
{
	static const size_t bytes[] = { [PARAM_BOOL] = sizeof(bool),
		[PARAM_UINT] = sizeof(uint64_t),
		[PARAM_REAL] = sizeof(double),
		[PARAM_CHOICE] = sizeof(int),
		[PARAM_TEXT] = sizeof(char *),
		[PARAM_TICKS] = sizeof(struct tick_list) };
	struct fault range;
	union value value;

	switch (value_parse(row, text, &value)) {
	case VALUE_GOOD:
		break;
	case VALUE_OF_ANOTHER_KIND:
		value_kind(row, should);
		return false;
	case VALUE_OUT_OF_RANGE:
		value_range(row, &range);
		return fault_set(should, "%s%s%s", range.text, *row->unit ? " " : "", row->unit);
	}
	if (!settings)
		return true;
	value_release(row, settings);
	if (row->type == PARAM_TEXT)
		value.text = memory_string(text, row->name);
	memcpy((char *)settings + row->offset, &value, bytes[row->type]);
	return true;
}

void value_release(const struct param *row, void *settings)
{
	char **text = (char **)(void *)((char *)settings + row->offset);

	if (row->type != PARAM_TEXT)
		return;
	memory_free(*text);
	*text = NULL;
}

/* ---- to text ---- */

/* In quotes, with what libconfig needs escaped. */
static char *value_quoted(const char *text)
{
	char *result = memory_array(2 * strlen(text) + 3, 1, "parameter text");
	char *to = result;

	*to++ = '"';
	for (; *text; text++) {
		if (*text == '"' || *text == '\\')
			*to++ = '\\';
		*to++ = *text;
	}
	*to = '"';
	return result;
}

void value_write_real(double value, char *text, size_t room)
{
	snprintf(text, room, "%.15g", value);
	if (strtod(text, NULL) != value)
		snprintf(text, room, "%.17g", value);
}

/* "75000", "[58000, 78000]" or "[]" */
static void value_write_ticks(const struct tick_list *list, char *text, size_t room)
{
	size_t used = 0;

	for (uint32_t i = 0; i < list->count; i++)
		used += (size_t)snprintf(text + used, room - used, "%s%" PRIu64,
			i                 ? ", "
			: list->count > 1 ? "["
					  : "",
			list->ns[i]);
	if (list->count != 1)
		snprintf(text + used, room - used, "%s", list->count ? "]" : "[]");
}

char *value_text(const struct param *row, const void *settings)
{
	const void *field = (const char *)settings + row->offset;
	char text[128] = "";

	switch (row->type) {
	case PARAM_BOOL:
		return memory_string(*(const bool *)field ? "true" : "false", "parameter text");
	case PARAM_UINT:
		snprintf(text, sizeof text, "%" PRIu64, *(const uint64_t *)field);
		break;
	case PARAM_REAL:
		value_write_real(*(const double *)field, text, sizeof text);
		break;
	case PARAM_CHOICE:
		return value_quoted(row->choices[*(const int *)field]);
	case PARAM_TEXT:
		return value_quoted(*(char *const *)field ? *(char *const *)field : "");
	case PARAM_TICKS:
		value_write_ticks(field, text, sizeof text);
		break;
	}
	return memory_string(text, "parameter text");
}

bool value_is_preset(const struct param *row, const void *settings)
{
	char *text = value_text(row, settings);
	size_t quote = *text == '"', length = strlen(text) - 2 * quote;
	bool same = length == strlen(row->preset) && !memcmp(text + quote, row->preset, length);

	memory_free(text);
	return same;
}

bool value_is_on(const struct param *rows, const void *settings)
{
	bool switched = false;

	for (const struct param *row = rows; row->name; row++) {
		if (row->switches && !value_is_preset(row, settings))
			return true;
		switched |= row->switches;
	}
	return !switched;
}
