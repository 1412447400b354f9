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

static void *field(const struct param *row, void *settings)
{
	return (char *)settings + row->offset;
}

static const void *const_field(const struct param *row, const void *settings)
{
	return (const char *)settings + row->offset;
}

bool value_has_range(const struct param *row)
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

static void write_bound(const struct param *row, double bound, char *text, size_t room)
{
	if (row->type == PARAM_REAL)
		snprintf(text, room, "%.15g", bound);
	else if (bound >= (double)UINT_LIMIT)
		snprintf(text, room, "%" PRIu64, UINT_LIMIT);
	else
		snprintf(text, room, "%" PRIu64, (uint64_t)bound);
}

void value_range(const struct param *row, struct fault *range)
{
	char low[32], high[32];

	write_bound(row, row->min, low, sizeof low);
	write_bound(row, row->max, high, sizeof high);
	fault_set(range, "%s to %s", low, high);
}

/* "a", "b" or "c" */
static void list_choices(const char *const *choices, struct fault *list)
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
	const char *unit = row->unit;

	switch (row->type) {
	case PARAM_BOOL:
		fault_set(kind, "true or false");
		break;
	case PARAM_UINT:
		fault_set(kind, "a whole number%s%s", *unit ? " of " : "", unit);
		break;
	case PARAM_REAL:
		fault_set(kind, "a number%s%s%s", *unit ? " (" : "", unit, *unit ? ")" : "");
		break;
	case PARAM_CHOICE:
		list_choices(row->choices, kind);
		break;
	case PARAM_TEXT:
		fault_set(kind, "a text of one line%s%s%s", *unit ? " (" : "", unit, *unit ? ")" : "");
		break;
	case PARAM_TICKS:
		fault_set(kind, "a whole number%s%s, or 1 to %d of them in [ ]", *unit ? " of " : "", unit,
			TICKS_MAX);
		break;
	}
}

static bool not_the_kind(const struct param *row, struct fault *should)
{
	value_kind(row, should);
	return false;
}

static bool out_of_range(const struct param *row, struct fault *should)
{
	struct fault range;

	value_range(row, &range);
	return fault_set(should, "%s%s%s", range.text, *row->unit ? " " : "", row->unit);
}

static bool store_bool(const struct param *row, void *settings, const char *text, struct fault *should)
{
	static const char *const names[] = { "false", "true", "no", "yes", "off", "on", "0", "1" };

	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		if (strcmp(text, names[i]) != 0)
			continue;
		if (settings)
			*(bool *)field(row, settings) = i & 1;
		return true;
	}
	return not_the_kind(row, should);
}

/* The factor of a suffix K, M, G or T; 1 without one; 0 for anything else. */
static uint64_t suffix_factor(const char *suffix)
{
	static const char letters[] = "KMGT";
	const char *letter;

	if (!*suffix)
		return 1;
	letter = strchr(letters, toupper((unsigned char)*suffix));
	return letter && !suffix[1] ? (uint64_t)1 << 10 * (letter - letters + 1) : 0;
}

/* Outcomes of reading a number. */
enum outcome { NUMBER_GOOD, NUMBER_NONE, NUMBER_OUT_OF_RANGE };

static enum outcome parse_whole(const struct param *row, const char *text, uint64_t *value)
{
	bool negative = *text == '-';
	const char *digits = text + (negative || *text == '+');
	bool hex = digits[0] == '0' && (digits[1] == 'x' || digits[1] == 'X') &&
		   isxdigit((unsigned char)digits[2]);
	uint64_t factor;
	char *end;

	if (!isdigit((unsigned char)*digits))
		return NUMBER_NONE;
	*value = strtoull(digits, &end, hex ? 16 : 10);
	factor = row->type == PARAM_TICKS && *end ? 0 : suffix_factor(end);
	if (!factor)
		return NUMBER_NONE;
	if ((negative && *value) || *value > UINT_LIMIT / factor)
		return NUMBER_OUT_OF_RANGE;
	*value *= factor;
	if ((double)*value < row->min || (double)*value > row->max)
		return NUMBER_OUT_OF_RANGE;
	return NUMBER_GOOD;
}

static enum outcome parse_real(const struct param *row, const char *text, double *value)
{
	uint64_t factor;
	char *end;

	if (!isdigit((unsigned char)text[strspn(text, "+-.")]) || text[strcspn(text, "xX")])
		return NUMBER_NONE;
	*value = strtod(text, &end);
	factor = suffix_factor(end);
	if (end == text || !factor)
		return NUMBER_NONE;
	*value *= (double)factor;
	return *value >= row->min && *value <= row->max ? NUMBER_GOOD : NUMBER_OUT_OF_RANGE;
}

static bool judge(const struct param *row, enum outcome outcome, struct fault *should)
{
	if (outcome == NUMBER_NONE)
		return not_the_kind(row, should);
	return outcome == NUMBER_GOOD || out_of_range(row, should);
}

static bool store_uint(const struct param *row, void *settings, const char *text, struct fault *should)
{
	uint64_t value;

	if (!judge(row, parse_whole(row, text, &value), should))
		return false;
	if (settings)
		*(uint64_t *)field(row, settings) = value;
	return true;
}

static bool store_real(const struct param *row, void *settings, const char *text, struct fault *should)
{
	double value = 0; /* not every compiler sees that only a good number is stored */

	if (!judge(row, parse_real(row, text, &value), should))
		return false;
	if (settings)
		*(double *)field(row, settings) = value;
	return true;
}

static bool store_choice(const struct param *row, void *settings, const char *text, struct fault *should)
{
	for (int i = 0; row->choices[i]; i++) {
		if (strcmp(text, row->choices[i]) != 0)
			continue;
		if (settings)
			*(int *)field(row, settings) = i;
		return true;
	}
	return not_the_kind(row, should);
}

static bool store_text(const struct param *row, void *settings, const char *text, struct fault *should)
{
	char **place;

	for (const char *c = text; *c; c++)
		if (iscntrl((unsigned char)*c))
			return not_the_kind(row, should);
	if (!settings)
		return true;
	place = field(row, settings);
	memory_free(*place);
	*place = memory_string(text, row->name);
	return true;
}

/* Copies the next number of `a, b, c` without its blanks; NULL when it is longer than any number. */
static const char *next_number(const char *text, char *number, size_t room)
{
	size_t length;

	text += strspn(text, " \t");
	length = strcspn(text, ",");
	while (length && (text[length - 1] == ' ' || text[length - 1] == '\t'))
		length--;
	if (length >= room)
		return NULL;
	memcpy(number, text, length);
	number[length] = '\0';
	return text + strcspn(text, ",");
}

static bool store_ticks(const struct param *row, void *settings, const char *text, struct fault *should)
{
	struct tick_list list = { 0 };
	size_t length = strlen(text);
	char inner[160], number[40];
	const char *at = inner;

	if (length >= sizeof inner)
		return not_the_kind(row, should);
	memcpy(inner, text, length + 1);
	if (*inner == '[' && inner[length - 1] == ']') {
		inner[length - 1] = '\0';
		at++;
	}
	do {
		at = next_number(at, number, sizeof number);
		if (!at || list.count == TICKS_MAX)
			return not_the_kind(row, should);
		if (!judge(row, parse_whole(row, number, &list.ns[list.count]), should))
			return false;
		list.count++;
	} while (*at++ == ',');
	if (settings)
		*(struct tick_list *)field(row, settings) = list;
	return true;
}

bool value_store(const struct param *row, void *settings, const char *text, struct fault *should)
{
	switch (row->type) {
	case PARAM_BOOL:
		return store_bool(row, settings, text, should);
	case PARAM_UINT:
		return store_uint(row, settings, text, should);
	case PARAM_REAL:
		return store_real(row, settings, text, should);
	case PARAM_CHOICE:
		return store_choice(row, settings, text, should);
	case PARAM_TEXT:
		return store_text(row, settings, text, should);
	case PARAM_TICKS:
		return store_ticks(row, settings, text, should);
	}
	BUG("parameter %s has type %d", row->name, (int)row->type);
}

/* In quotes, with what libconfig needs escaped. */
static char *quoted(const char *text)
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

static void write_ticks(const struct tick_list *list, char *text, size_t room)
{
	size_t used = 0;

	if (list->count == 1) {
		snprintf(text, room, "%" PRIu64, list->ns[0]);
		return;
	}
	for (uint32_t i = 0; i < list->count; i++)
		used += (size_t)snprintf(text + used, room - used, "%s%" PRIu64, i ? ", " : "[", list->ns[i]);
	snprintf(text + used, room - used, "%s", list->count ? "]" : "[]");
}

char *value_text(const struct param *row, const void *settings)
{
	const void *place = const_field(row, settings);
	char text[128] = "";

	switch (row->type) {
	case PARAM_BOOL:
		return memory_string(*(const bool *)place ? "true" : "false", "parameter text");
	case PARAM_UINT:
		snprintf(text, sizeof text, "%" PRIu64, *(const uint64_t *)place);
		break;
	case PARAM_REAL:
		value_write_real(*(const double *)place, text, sizeof text);
		break;
	case PARAM_CHOICE:
		return quoted(row->choices[*(const int *)place]);
	case PARAM_TEXT:
		return quoted(*(char *const *)place ? *(char *const *)place : "");
	case PARAM_TICKS:
		write_ticks(place, text, sizeof text);
		break;
	}
	return memory_string(text, "parameter text");
}

void value_release(const struct param *row, void *settings)
{
	char **place;

	if (row->type != PARAM_TEXT)
		return;
	place = field(row, settings);
	memory_free(*place);
	*place = NULL;
}
