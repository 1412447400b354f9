#include "parameters/inside.h"

#include "base/memory.h"
#include "base/suggest.h"
#include "base/wrap.h"
#include "parameters/value.h"

#include <stdlib.h>
#include <string.h>

/* ---- rows by their keys ---- */

const char *params_shown(const char *text, char *room)
{
	size_t i;

	for (i = 0; text[i] && i < SHOWN_BYTES - 4; i++)
		room[i] = (unsigned char)text[i] < 0x20 || text[i] == 0x7f ? '?' : text[i];
	snprintf(room + i, SHOWN_BYTES - i, "%s", text[i] ? "..." : "");
	return room;
}

const char *params_key(struct params_entry entry, char *room)
{
	/* NOLINTNEXTLINE(clang-analyzer-core.NullDereference): a row has a group */
	const char *group = entry.group->name;

	snprintf(room, KEY_BYTES, "%s%s%s", group, *group ? "." : "", entry.row->name);
	return room;
}

/* Walks all rows of all groups: start with row NULL; false after the last one. */
static bool params_next(const struct params_reader *r, struct params_entry *entry)
{
	const struct param_group *group = entry->group ? entry->group : r->groups;
	const struct param *row = entry->row ? entry->row + 1 : NULL;

	for (; group < r->groups + r->count; group++, row = NULL) {
		if (!row)
			row = group->rows;
		if (row && row->name) {
			*entry = (struct params_entry){ group, row };
			return true;
		}
	}
	return false;
}

/* Is it named by the first `length` characters? */
static bool params_is_group(const struct param_group *group, const char *name, size_t length)
{
	return !strncmp(group->name, name, length) && !group->name[length];
}

bool params_has_group(const struct params_reader *r, const char *name, size_t length)
{
	for (size_t i = 0; i < r->count; i++)
		if (params_is_group(&r->groups[i], name, length))
			return true;
	return false;
}

/* Cuts a key at its dot.  Returns the name; *length: of the group, 0 if it has none. */
static const char *params_cut(const char *key, size_t *length)
{
	const char *dot = strchr(key, '.');

	*length = dot ? (size_t)(dot - key) : 0;
	return dot ? dot + 1 : key;
}

struct params_entry params_find(const struct params_reader *r, const char *key)
{
	size_t length;
	const char *name = params_cut(key, &length);
	struct params_entry entry = { NULL, NULL };

	while (params_next(r, &entry))
		if (!strcmp(entry.row->name, name) && params_is_group(entry.group, key, length))
			return entry;
	return (struct params_entry){ NULL, NULL };
}

/* ---- keys that are unknown ---- */

/* Adds to "a, b, c"; a list that grows long ends in "...". */
static void params_add_name(struct fault *list, const char *name, const char *more)
{
	size_t used = strlen(list->text);

	if (used < LIST_BYTES)
		snprintf(list->text + used, sizeof list->text - used, "%s%s%s", used ? ", " : "", name, more);
	else if (list->text[used - 1] != '.')
		snprintf(list->text + used, sizeof list->text - used, ", ...");
}

/* The groups that have a name, each once. */
static void params_list_groups(const struct params_reader *r, const char *more, struct fault *list)
{
	struct params_reader before = { .groups = r->groups };

	for (; before.count < r->count; before.count++) {
		const struct param_group *group = &r->groups[before.count];

		if (*group->name && group->rows &&
			!params_has_group(&before, group->name, strlen(group->name)))
			params_add_name(list, group->name, more);
	}
}

/* The key that was meant: near to this one, in its group if that is known, or the same name in another
 * group. */
static struct params_entry params_nearest(const struct params_reader *r, const char *key)
{
	size_t length;
	const char *name = params_cut(key, &length);
	bool in_group = length && params_has_group(r, key, length);
	struct suggestion spelling = { .word = in_group ? name : key };
	struct params_entry entry = { NULL, NULL }, near = entry, same = entry;
	char room[KEY_BYTES];

	while (params_next(r, &entry)) {
		if (!same.row && !strcmp(entry.row->name, name))
			same = entry;
		if (in_group && !params_is_group(entry.group, key, length))
			continue;
		if (suggestion_offer(&spelling, in_group ? entry.row->name : params_key(entry, room)))
			near = entry;
	}
	return near.row ? near : same;
}

bool params_unknown(const struct params_reader *r, const char *key)
{
	size_t length;
	struct params_entry entry = { NULL, NULL }, near = params_nearest(r, key);
	struct fault known = { "" };
	char room[SHOWN_BYTES], near_room[KEY_BYTES];

	if (near.row)
		return fault_set(r->fault, "%sunknown parameter \"%s\"; did you mean \"%s\"?", r->where,
			params_shown(key, room), params_key(near, near_room));
	params_cut(key, &length);
	while (params_next(r, &entry))
		if (params_is_group(entry.group, key, length))
			params_add_name(&known, entry.row->name, "");
	if (!length || !*known.text)
		params_list_groups(r, ".NAME", &known);
	return fault_set(r->fault, "%sunknown parameter \"%s\"; known are %s", r->where,
		params_shown(key, room), known.text);
}

bool params_unknown_group(const struct params_reader *r, const char *name)
{
	struct suggestion suggestion = { .word = name };
	struct fault known = { "" };
	char room[SHOWN_BYTES];

	for (size_t i = 0; i < r->count; i++)
		suggestion_offer(&suggestion, r->groups[i].name);
	if (suggestion.nearest)
		return fault_set(r->fault, "%sunknown group \"%s\"; did you mean \"%s\"?", r->where,
			params_shown(name, room), suggestion.nearest);
	params_list_groups(r, "", &known);
	return fault_set(r->fault, "%sunknown group \"%s\"; known are %s", r->where, params_shown(name, room),
		known.text);
}

/* ---- conditions ---- */

/* Removes the quotes around a text, and the backslashes in it; a text without quotes stays as it is. */
static char *params_unquoted(char *text)
{
	size_t length = strlen(text);
	char *to = text;

	if (length < 2 || text[0] != '"' || text[length - 1] != '"')
		return text;
	for (const char *from = text + 1; from < text + length - 1; from++) {
		if (*from == '\\' && from + 1 < text + length - 1)
			from++;
		*to++ = *from;
	}
	*to = '\0';
	return text;
}

/* A condition of a row, "gc.policy=fifo,random" or "buffer!=none", in its parts. */
struct params_condition {
	struct params_entry on; /* whose value counts */
	bool is_not;
	const char *values; /* separated by commas */
};

static struct params_condition params_condition(const struct params_reader *r, const char *text)
{
	size_t length = strcspn(text, "!=");
	struct params_condition c = { .is_not = text[length] == '!' };
	char key[KEY_BYTES];

	snprintf(key, sizeof key, "%.*s", (int)length, text);
	c.on = params_find(r, key);
	c.values = text + length + c.is_not + 1;
	BUG_ON(!c.on.row, "\"%s\" is a condition on a parameter that is unknown", text);
	return c;
}

/* Cuts off the first of the values; false: there are no more. */
static bool params_next_value(const char **values, char *value, size_t room)
{
	size_t length = strcspn(*values, ",");

	snprintf(value, room, "%.*s", (int)length, *values);
	*values += length + ((*values)[length] == ',');
	return length > 0;
}

/* Is the value one of those that the condition asks for?  `now`: the value, to be freed. */
static bool params_is_met(struct params_condition c, char **now)
{
	char one[SHOWN_BYTES];
	bool listed;

	*now = params_unquoted(value_text(c.on.row, c.on.group->settings));
	listed = !*c.values && !**now;
	while (params_next_value(&c.values, one, sizeof one))
		listed = listed || !strcmp(one, *now);
	return listed != c.is_not;
}

bool params_hold(const char *condition, const struct param_group *groups, size_t count)
{
	const struct params_reader r = { .groups = groups, .count = count };
	struct params_condition c = params_condition(&r, condition);
	bool met;
	char *now;

	if (!c.on.group->settings)
		return false;
	met = params_is_met(c, &now);
	memory_free(now);
	return met && (!c.on.row->matters_if || params_hold(c.on.row->matters_if, groups, count));
}

/* May the parameter have these values? */
static bool params_condition_is_sound(const struct params_reader *r, const struct param *row)
{
	struct params_condition c = params_condition(r, row->matters_if);
	struct fault ignored;
	char value[SHOWN_BYTES];
	bool sound = true;

	while (sound && params_next_value(&c.values, value, sizeof value))
		sound = value_store(c.on.row, NULL, value, &ignored);
	return sound;
}

/* Writes "gc.policy = greedy" if that is why the row has no effect, "" if it has one. */
static void params_tell_unused(const struct params_reader *r, const struct param *row, char *why, size_t room)
{
	struct params_condition c;
	char key[KEY_BYTES], *now;

	*why = '\0';
	if (!row->matters_if)
		return;
	c = params_condition(r, row->matters_if);
	if (!c.on.group->settings)
		return;
	if (!params_is_met(c, &now))
		snprintf(why, room, "%s = %.100s", params_key(c.on, key), now);
	else
		params_tell_unused(r, c.on.row, why, room);
	memory_free(now);
}

/* ---- defaults ---- */

/* The tables are part of the program: any error in them is a bug. */
static void params_check_tables(const struct params_reader *r)
{
	struct params_entry entry = { NULL, NULL };
	char key[KEY_BYTES];

	while (params_next(r, &entry)) {
		value_check_row(entry.row);
		BUG_ON(params_find(r, params_key(entry, key)).row != entry.row,
			"parameter %s is in two tables", key);
		BUG_ON(entry.row->matters_if && !params_condition_is_sound(r, entry.row),
			"parameter %s matters if \"%s\"", key, entry.row->matters_if);
	}
}

bool params_defaults(const struct param_group *groups, size_t count, struct fault *fault)
{
	struct params_reader r = { .groups = groups, .count = count };
	struct params_entry entry = { NULL, NULL };
	struct fault should;
	char key[KEY_BYTES];

	params_check_tables(&r);
	while (params_next(&r, &entry))
		if (!value_store(entry.row, entry.group->settings, entry.row->preset, &should))
			return fault_set(fault, "the default of %s is \"%s\", should be %s",
				params_key(entry, key), entry.row->preset, should.text);
	return true;
}

/* ---- assignments of the command line ---- */

/* Cuts blanks off both ends. */
static char *params_trimmed(char *text)
{
	size_t length;

	text += strspn(text, " \t");
	for (length = strlen(text); length && strchr(" \t", text[length - 1]);)
		length--;
	text[length] = '\0';
	return text;
}

static bool params_assign(const struct params_reader *r, const char *key, const char *value)
{
	struct params_entry entry = params_find(r, key);
	struct fault should;
	char room[SHOWN_BYTES];

	if (!entry.row && *key && params_has_group(r, key, strlen(key)))
		return fault_set(r->fault, "%s\"%s\" is a group; its parameters are set as %s.NAME=VALUE",
			r->where, params_shown(key, room), key);
	if (!entry.row)
		return params_unknown(r, key);
	return value_store(entry.row, entry.group->settings, value, &should) ||
	       fault_set(r->fault, "%sshould be %s", r->where, should.text);
}

bool params_set(const char *assignment, const struct param_group *groups, size_t count, struct fault *fault)
{
	struct params_reader r = { .groups = groups, .count = count, .fault = fault };
	char room[SHOWN_BYTES], *copy = memory_string(assignment, "parameter text");
	char *equals = strchr(copy, '=');
	bool good;

	snprintf(r.where, sizeof r.where, "-s %s: ", params_shown(assignment, room));
	if (equals)
		*equals = '\0';
	good = equals ? params_assign(&r, params_trimmed(copy), params_unquoted(params_trimmed(equals + 1)))
		      : fault_set(fault, "%shas no value, should be KEY=VALUE", r.where);
	memory_free(copy);
	return good;
}

/* ---- printing ---- */

static void params_print_condition(FILE *stream, const struct params_reader *r, const struct param *row)
{
	struct params_condition c = params_condition(r, row->matters_if);
	char key[KEY_BYTES], value[SHOWN_BYTES];
	const char *between = "";

	fprintf(stream, "\tonly if %s is%s ", params_key(c.on, key), c.is_not ? " not" : "");
	while (params_next_value(&c.values, value, sizeof value)) {
		fprintf(stream, "%s%s", between, value);
		between = strchr(c.values, ',') ? ", " : " or ";
	}
	fputc('\n', stream);
}

static void params_print_row(FILE *stream, const struct params_reader *r, struct params_entry entry)
{
	const struct param *row = entry.row;
	struct fault kind;
	char key[KEY_BYTES];

	value_describe(row, &kind);
	fprintf(stream, "%s = %s\n\t%s\n", params_key(entry, key), *row->preset ? row->preset : "\"\"",
		kind.text);
	if (row->matters_if)
		params_print_condition(stream, r, row);
	fputc('\t', stream);
	wrap_print(stream, row->help, "\t", 84);
}

bool params_print(
	FILE *stream, const char *what, const struct param_group *groups, size_t count, struct fault *fault)
{
	struct params_reader r = { .groups = groups, .count = count, .fault = fault };
	struct params_entry entry = { NULL, NULL };
	bool found = false;
	char key[KEY_BYTES];

	while (params_next(&r, &entry)) {
		if (what && strcmp(what, entry.group->name) && strcmp(what, params_key(entry, key)))
			continue;
		params_print_row(stream, &r, entry);
		found = true;
	}
	return found || !what || params_unknown(&r, what);
}

void params_echo(const struct param_group *groups, size_t count, param_visitor *visit, void *context)
{
	struct params_reader r = { .groups = groups, .count = count };
	struct params_entry entry = { NULL, NULL };
	char key[KEY_BYTES], unused[KEY_BYTES + LIST_BYTES];

	while (params_next(&r, &entry)) {
		const struct param_group *group = entry.group;
		char *value;

		if (!group->settings || !value_is_on(group->rows, group->settings))
			continue;
		if (entry.row->quiet && value_is_preset(entry.row, group->settings))
			continue;
		value = value_text(entry.row, group->settings);
		params_tell_unused(&r, entry.row, unused, sizeof unused);
		visit(context, &(struct param_echo){ params_key(entry, key), value,
				       group->unused ? group->unused : unused,
				       group->stateless || entry.row->stateless });
		memory_free(value);
	}
}

void params_release(const struct param_group *groups, size_t count)
{
	struct params_reader r = { .groups = groups, .count = count };
	struct params_entry entry = { NULL, NULL };

	while (params_next(&r, &entry))
		if (entry.group->settings)
			value_release(entry.row, entry.group->settings);
}
