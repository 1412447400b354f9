#include "parameters/params.h"

#include "base/memory.h"
#include "base/suggest.h"
#include "parameters/expand.h"
#include "parameters/value.h"

#include <libconfig.h>
#include <string.h>

/* The tables, and where trouble is described. */
struct reader {
	const struct param_group *groups;
	size_t count;
	struct expansion *expansion; /* of the file being read */
	struct fault *fault;
};

/* A row and the group it was found in. */
struct entry {
	const struct param_group *group;
	const struct param *row; /* NULL: there is none */
};

#define KEY_BYTES   160
#define SHOWN_BYTES 64
#define LIST_BYTES  160

/* What a user wrote, short and without control characters, for a message of one line. */
static const char *shown(const char *text, char *room)
{
	size_t i;

	for (i = 0; text[i] && i < SHOWN_BYTES - 4; i++)
		room[i] = (unsigned char)text[i] < 0x20 || text[i] == 0x7f ? '?' : text[i];
	snprintf(room + i, SHOWN_BYTES - i, "%s", text[i] ? "..." : "");
	return room;
}

static const char *key_of(struct entry entry, char *room)
{
	snprintf(
		room, KEY_BYTES, "%s%s%s", entry.group->name, *entry.group->name ? "." : "", entry.row->name);
	return room;
}

/* Walks all rows of all groups: start with row NULL; false after the last one. */
static bool next_entry(const struct reader *reader, struct entry *entry)
{
	const struct param_group *end = reader->groups + reader->count;
	const struct param_group *group = entry->group ? entry->group : reader->groups;
	const struct param *row = entry->row ? entry->row + 1 : NULL;

	for (; group < end; group++, row = NULL) {
		if (!row)
			row = group->rows;
		if (row && row->name) {
			*entry = (struct entry){ group, row };
			return true;
		}
	}
	return false;
}

static bool in_group(struct entry entry, const char *name, size_t length)
{
	return strncmp(entry.group->name, name, length) == 0 && entry.group->name[length] == '\0';
}

static bool group_exists(const struct reader *reader, const char *name, size_t length)
{
	for (size_t i = 0; i < reader->count; i++)
		if (in_group((struct entry){ &reader->groups[i], NULL }, name, length))
			return true;
	return false;
}

/* A key cut at its dot. */
struct key {
	const char *group;
	size_t group_length;
	const char *name;
};

static struct key key_cut(const char *text)
{
	const char *dot = strchr(text, '.');

	if (!dot)
		return (struct key){ "", 0, text };
	return (struct key){ text, (size_t)(dot - text), dot + 1 };
}

static struct entry find(const struct reader *reader, struct key key)
{
	struct entry entry = { 0 };

	while (next_entry(reader, &entry))
		if (in_group(entry, key.group, key.group_length) && strcmp(entry.row->name, key.name) == 0)
			return entry;
	return (struct entry){ 0 };
}

/* A slip in the name: near in the group the user meant, or in any when the group is unknown too. */
static struct entry nearest_spelling(const struct reader *reader, const char *text)
{
	struct key key = key_cut(text);
	bool group_known = key.group_length && group_exists(reader, key.group, key.group_length);
	struct suggestion suggestion = { .word = group_known ? key.name : text };
	struct entry entry = { 0 }, best = { 0 };
	char room[KEY_BYTES];

	while (next_entry(reader, &entry)) {
		if (group_known && !in_group(entry, key.group, key.group_length))
			continue;
		if (suggestion_offer(&suggestion, group_known ? entry.row->name : key_of(entry, room)))
			best = entry;
	}
	return best;
}

/* The right name in the wrong group. */
static struct entry same_name(const struct reader *reader, const char *text)
{
	const char *name = key_cut(text).name;
	struct entry entry = { 0 };

	while (next_entry(reader, &entry))
		if (strcmp(entry.row->name, name) == 0)
			return entry;
	return (struct entry){ 0 };
}

/* Adds to "a, b, c"; a list that grows long ends in "...". */
static void add_name(struct fault *list, const char *name, const char *more)
{
	size_t used = strlen(list->text);

	if (used < LIST_BYTES)
		snprintf(list->text + used, sizeof list->text - used, "%s%s%s", used ? ", " : "", name, more);
	else if (list->text[used - 1] != '.')
		snprintf(list->text + used, sizeof list->text - used, ", ...");
}

/* The names in a group. */
static void list_names(const struct reader *reader, const char *group, size_t length, struct fault *list)
{
	struct entry entry = { 0 };

	while (next_entry(reader, &entry))
		if (in_group(entry, group, length))
			add_name(list, entry.row->name, "");
}

/* The groups that have a name, each once. */
static void list_groups(const struct reader *reader, const char *more, struct fault *list)
{
	struct reader before = *reader;

	for (size_t i = 0; i < reader->count; i++) {
		const char *name = reader->groups[i].name;

		before.count = i;
		if (*name && reader->groups[i].rows && !group_exists(&before, name, strlen(name)))
			add_name(list, name, more);
	}
}

static bool unknown_parameter(const struct reader *reader, const char *where, const char *text)
{
	struct key key = key_cut(text);
	struct entry near = nearest_spelling(reader, text);
	struct fault known = { "" };
	char room[SHOWN_BYTES], near_room[KEY_BYTES];

	if (!near.row)
		near = same_name(reader, text);
	if (near.row)
		return fault_set(reader->fault, "%sunknown parameter \"%s\"; did you mean \"%s\"?", where,
			shown(text, room), key_of(near, near_room));
	list_names(reader, key.group, key.group_length, &known);
	if (!key.group_length || !*known.text)
		list_groups(reader, ".NAME", &known);
	return fault_set(reader->fault, "%sunknown parameter \"%s\"; known are %s", where, shown(text, room),
		known.text);
}

static bool unknown_group(const struct reader *reader, const char *where, const char *name)
{
	struct suggestion suggestion = { .word = name };
	struct fault known = { "" };
	char room[SHOWN_BYTES];

	for (size_t i = 0; i < reader->count; i++)
		suggestion_offer(&suggestion, reader->groups[i].name);
	if (suggestion.nearest)
		return fault_set(reader->fault, "%sunknown group \"%s\"; did you mean \"%s\"?", where,
			shown(name, room), suggestion.nearest);
	list_groups(reader, "", &known);
	return fault_set(
		reader->fault, "%sunknown group \"%s\"; known are %s", where, shown(name, room), known.text);
}

/* "a \"b\"" in quotes loses them and the backslashes; anything else stays as it is. */
static void unquote(char *text)
{
	size_t length = strlen(text);
	char *to = text;

	if (length < 2 || text[0] != '"' || text[length - 1] != '"')
		return;
	for (const char *from = text + 1; from < text + length - 1; from++) {
		if (*from == '\\' && from + 1 < text + length - 1)
			from++;
		*to++ = *from;
	}
	*to = '\0';
}

/* ---- conditions ---- */

/* A condition, "gc.policy=fifo,random" or "buffer!=none", cut into its parts. */
struct condition {
	char key[KEY_BYTES];
	bool is_not;
	const char *values; /* apart by commas */
};

static struct condition condition_of(const struct param *row)
{
	const char *equals = strchr(row->matters_if, '=');
	struct condition c = { .is_not = equals > row->matters_if && equals[-1] == '!',
		.values = equals + 1 };

	snprintf(c.key, sizeof c.key, "%.*s", (int)(equals - row->matters_if) - c.is_not, row->matters_if);
	return c;
}

/* Cuts the first of the values off; false: there is none. */
static bool next_value(const char **values, char *value, size_t room)
{
	size_t length = strcspn(*values, ",");

	snprintf(value, room, "%.*s", (int)length, *values);
	*values += length + ((*values)[length] == ',');
	return length > 0;
}

/* Its key is known, and may have these values. */
static bool condition_is_sound(const struct reader *reader, const struct param *row)
{
	struct condition c;
	struct fault ignored;
	struct entry on;
	char value[SHOWN_BYTES];
	bool sound = true;

	if (!row->matters_if)
		return true;
	c = condition_of(row);
	on = find(reader, key_cut(c.key));
	while (next_value(&c.values, value, sizeof value))
		sound = sound && on.row && value_store(on.row, NULL, value, &ignored);
	return sound;
}

/* Writes "gc.policy = greedy" if that makes the row have no effect, "" if it has one. */
static void tell_unused(const struct reader *reader, const struct param *row, char *why, size_t room)
{
	struct condition c;
	struct entry on;
	char one[SHOWN_BYTES], *now;
	bool listed = false;

	*why = '\0';
	if (!row->matters_if)
		return;
	c = condition_of(row);
	on = find(reader, key_cut(c.key));
	now = value_text(on.row, on.group->settings);
	unquote(now);
	while (next_value(&c.values, one, sizeof one))
		listed = listed || !strcmp(one, now);
	if (listed == c.is_not)
		snprintf(why, room, "%s = %s", c.key, now);
	else
		tell_unused(reader, on.row, why, room);
	memory_free(now);
}

/* Tables are ours: whatever is wrong with them is a bug. */
static void check_tables(const struct reader *reader)
{
	struct entry entry = { 0 };
	char room[KEY_BYTES];

	while (next_entry(reader, &entry)) {
		struct key key = { entry.group->name, strlen(entry.group->name), entry.row->name };

		value_check_row(entry.row);
		BUG_ON(find(reader, key).row != entry.row, "parameter %s is in two tables",
			key_of(entry, room));
		BUG_ON(!condition_is_sound(reader, entry.row), "parameter %s matters if \"%s\"",
			key_of(entry, room), entry.row->matters_if);
	}
}

bool params_defaults(const struct param_group *groups, size_t count, struct fault *fault)
{
	struct reader reader = { .groups = groups, .count = count };
	struct entry entry = { 0 };
	struct fault should;
	char room[KEY_BYTES];

	check_tables(&reader);
	while (next_entry(&reader, &entry))
		if (!value_store(entry.row, entry.group->settings, entry.row->preset, &should))
			return fault_set(fault, "the default of %s is \"%s\", should be %s",
				key_of(entry, room), entry.row->preset, should.text);
	return true;
}

/* ---- parameter files ---- */

/* "drive.cfg:7: " */
static const char *where_is(const struct reader *reader, const config_setting_t *setting, char *room)
{
	struct place place = expansion_place(reader->expansion, config_setting_source_line(setting));

	snprintf(room, FAULT_BYTES / 2, "%.200s:%u: ", place.file, place.line);
	return room;
}

static const char *type_name(int type)
{
	switch (type) {
	case CONFIG_TYPE_INT:
	case CONFIG_TYPE_INT64:
		return "a whole number";
	case CONFIG_TYPE_FLOAT:
		return "a real number";
	case CONFIG_TYPE_STRING:
		return "a string";
	case CONFIG_TYPE_BOOL:
		return "a truth value";
	case CONFIG_TYPE_GROUP:
		return "a group";
	default:
		return "a list";
	}
}

/* Whether a file may write a value of this type for the row. */
static bool type_fits(enum param_type wanted, int type)
{
	bool whole = type == CONFIG_TYPE_INT || type == CONFIG_TYPE_INT64;

	switch (wanted) {
	case PARAM_BOOL:
		return type == CONFIG_TYPE_BOOL;
	case PARAM_UINT:
		return whole || type == CONFIG_TYPE_STRING;
	case PARAM_REAL:
		return whole || type == CONFIG_TYPE_FLOAT || type == CONFIG_TYPE_STRING;
	case PARAM_CHOICE:
	case PARAM_TEXT:
		return type == CONFIG_TYPE_STRING;
	case PARAM_TICKS:
		return whole || type == CONFIG_TYPE_ARRAY || type == CONFIG_TYPE_LIST;
	}
	return false;
}

static void write_scalar(const config_setting_t *setting, char *text, size_t room)
{
	switch (config_setting_type(setting)) {
	case CONFIG_TYPE_BOOL:
		snprintf(text, room, "%s", config_setting_get_bool(setting) ? "true" : "false");
		break;
	case CONFIG_TYPE_FLOAT:
		value_write_real(config_setting_get_float(setting), text, room);
		break;
	case CONFIG_TYPE_INT:
		snprintf(text, room, "%d", config_setting_get_int(setting));
		break;
	case CONFIG_TYPE_INT64:
		snprintf(text, room, "%lld", config_setting_get_int64(setting));
		break;
	default:
		snprintf(text, room, "(%s)", type_name(config_setting_type(setting)));
		break;
	}
}

/* "[58000, 78000]"; cut short when it is longer than any list of times can be. */
static void write_list(const config_setting_t *setting, char *text, size_t room)
{
	int length = config_setting_length(setting);
	size_t used = (size_t)snprintf(text, room, "[");

	for (int i = 0; i < length && used + SHOWN_BYTES < room; i++) {
		char element[SHOWN_BYTES - 4];

		write_scalar(config_setting_get_elem(setting, (unsigned)i), element, sizeof element);
		used += (size_t)snprintf(text + used, room - used, "%s%s", i ? ", " : "", element);
	}
	snprintf(text + used, room - used, "]");
}

static bool read_value(const struct reader *reader, const config_setting_t *setting, struct entry entry)
{
	char where[FAULT_BYTES / 2], key[KEY_BYTES], room[SHOWN_BYTES], text[6 * SHOWN_BYTES];
	int type = config_setting_type(setting);
	const char *value = text;
	struct fault should;

	if (!type_fits(entry.row->type, type)) {
		value_kind(entry.row, &should);
		return fault_set(reader->fault, "%s%s is %s, should be %s", where_is(reader, setting, where),
			key_of(entry, key), type_name(type), should.text);
	}
	if (type == CONFIG_TYPE_STRING)
		value = config_setting_get_string(setting);
	else if (config_setting_is_aggregate(setting))
		write_list(setting, text, sizeof text);
	else
		write_scalar(setting, text, sizeof text);
	if (value_store(entry.row, entry.group->settings, value, &should))
		return true;
	return fault_set(reader->fault,
		type == CONFIG_TYPE_STRING ? "%s%s = \"%s\", should be %s" : "%s%s = %s, should be %s",
		where_is(reader, setting, where), key_of(entry, key), shown(value, room), should.text);
}

/* One `name = value;` of a group ("" for the top level). */
static bool read_setting(const struct reader *reader, const char *group, const config_setting_t *setting)
{
	const char *name = config_setting_name(setting);
	struct entry entry = find(reader, (struct key){ group, strlen(group), name });
	char where[FAULT_BYTES / 2], key[KEY_BYTES], room[SHOWN_BYTES];

	if (entry.row)
		return read_value(reader, setting, entry);
	where_is(reader, setting, where);
	if (!*group && config_setting_is_group(setting))
		return unknown_group(reader, where, name);
	if (!*group && group_exists(reader, name, strlen(name)))
		return fault_set(reader->fault,
			"%s\"%s\" is a group, should be written %s: { name = value; };", where, name, name);
	snprintf(key, sizeof key, "%s%s%s", group, *group ? "." : "", shown(name, room));
	return unknown_parameter(reader, where, key);
}

static bool read_group(const struct reader *reader, const config_setting_t *group)
{
	int count = config_setting_length(group);

	for (int i = 0; i < count; i++)
		if (!read_setting(
			    reader, config_setting_name(group), config_setting_get_elem(group, (unsigned)i)))
			return false;
	return true;
}

static bool read_root(const struct reader *reader, const config_setting_t *root)
{
	int count = config_setting_length(root);

	for (int i = 0; i < count; i++) {
		const config_setting_t *setting = config_setting_get_elem(root, (unsigned)i);
		const char *name = config_setting_name(setting);
		bool good;

		if (config_setting_is_group(setting) && group_exists(reader, name, strlen(name)))
			good = read_group(reader, setting);
		else
			good = read_setting(reader, "", setting);
		if (!good)
			return false;
	}
	return true;
}

static bool syntax_fault(const struct reader *reader, const config_t *config)
{
	struct place place = expansion_place(reader->expansion, (unsigned)config_error_line(config));
	const char *what = config_error_text(config);
	const char *hint = "";

	if (strcmp(what, "syntax error") == 0)
		hint = "; settings are written name = value; and groups flash: { name = value; };";
	else if (strncmp(what, "duplicate", 9) == 0)
		hint = "; each parameter and each group may occur once";
	return fault_set(reader->fault, "%.200s:%u: %s%s", place.file, place.line, what, hint);
}

/* Releases the expansion. */
static bool read_expansion(const struct reader *reader)
{
	config_t config;
	bool good;

	config_init(&config);
	if (config_read_string(&config, reader->expansion->text))
		good = read_root(reader, config_root_setting(&config));
	else
		good = syntax_fault(reader, &config);
	config_destroy(&config);
	expansion_release(reader->expansion);
	return good;
}

bool params_read_file(const char *path, const struct param_group *groups, size_t count, struct fault *fault)
{
	struct expansion expansion;

	return expand_file(&expansion, path, fault) &&
	       read_expansion(&(struct reader){ groups, count, &expansion, fault });
}

bool params_read_text(const char *text, const char *name, const struct param_group *groups, size_t count,
	struct fault *fault)
{
	struct expansion expansion;

	return expand_text(&expansion, text, name, fault) &&
	       read_expansion(&(struct reader){ groups, count, &expansion, fault });
}

/* ---- assignments of the command line ---- */

/* A copy without blanks around it. */
static char *trimmed(const char *start, size_t length)
{
	char *copy;

	while (length && strchr(" \t", start[length - 1]))
		length--;
	while (length && strchr(" \t", *start)) {
		start++;
		length--;
	}
	copy = memory_array(length + 1, 1, "parameter text");
	memcpy(copy, start, length);
	return copy;
}

static bool assign(const struct reader *reader, const char *where, const char *key, const char *value)
{
	struct entry entry = find(reader, key_cut(key));
	struct fault should;
	char room[SHOWN_BYTES];

	if (!entry.row && *key && group_exists(reader, key, strlen(key)))
		return fault_set(reader->fault,
			"%s\"%s\" is a group; its parameters are set as %s.NAME=VALUE", where,
			shown(key, room), key);
	if (!entry.row)
		return unknown_parameter(reader, where, key);
	if (!value_store(entry.row, entry.group->settings, value, &should))
		return fault_set(reader->fault, "%sshould be %s", where, should.text);
	return true;
}

bool params_set(const char *assignment, const struct param_group *groups, size_t count, struct fault *fault)
{
	struct reader reader = { .groups = groups, .count = count, .fault = fault };
	const char *equals = strchr(assignment, '=');
	char room[SHOWN_BYTES], where[SHOWN_BYTES + 8];
	char *key, *value;
	bool good;

	if (!equals)
		return fault_set(fault, "-s %s: has no value, should be KEY=VALUE", shown(assignment, room));
	snprintf(where, sizeof where, "-s %s: ", shown(assignment, room));
	key = trimmed(assignment, (size_t)(equals - assignment));
	value = trimmed(equals + 1, strlen(equals + 1));
	unquote(value);
	good = assign(&reader, where, key, value);
	memory_free(key);
	memory_free(value);
	return good;
}

/* ---- printing ---- */

/* Words of `text` on lines that begin with a tab and end before column 92. */
static void print_wrapped(FILE *stream, const char *text)
{
	size_t column = 0;

	while (*text) {
		size_t length = strcspn(text, " \n");

		if (column == 0 || column + 1 + length > 84) {
			fprintf(stream, "%s\t", column ? "\n" : "");
			column = 0;
		} else {
			fputc(' ', stream);
			column++;
		}
		fwrite(text, 1, length, stream);
		column += length;
		text += length + strspn(text + length, " \n");
	}
	fputc('\n', stream);
}

static void print_row(FILE *stream, struct entry entry)
{
	const struct param *row = entry.row;
	struct fault kind, range;
	char key[KEY_BYTES];

	value_kind(row, &kind);
	fprintf(stream, "%s = %s\n", key_of(entry, key), *row->preset ? row->preset : "\"\"");
	fprintf(stream, "\t%s", kind.text);
	if (value_has_range(row)) {
		value_range(row, &range);
		fprintf(stream, ", %s", range.text);
	}
	fputc('\n', stream);
	print_wrapped(stream, row->help);
}

bool params_print(
	FILE *stream, const char *what, const struct param_group *groups, size_t count, struct fault *fault)
{
	struct reader reader = { .groups = groups, .count = count, .fault = fault };
	struct entry entry = { 0 };
	bool found = false;
	char key[KEY_BYTES];

	while (next_entry(&reader, &entry)) {
		if (what && strcmp(what, entry.group->name) != 0 && strcmp(what, key_of(entry, key)) != 0)
			continue;
		print_row(stream, entry);
		found = true;
	}
	return found || !what || unknown_parameter(&reader, "", what);
}

void params_echo(const struct param_group *groups, size_t count, param_visitor *visit, void *context)
{
	struct reader reader = { .groups = groups, .count = count };
	struct entry entry = { 0 };
	char key[KEY_BYTES], unused[KEY_BYTES];

	while (next_entry(&reader, &entry)) {
		const struct param_group *group = entry.group;
		char *value;

		if (!group->settings)
			continue;
		value = value_text(entry.row, group->settings);
		tell_unused(&reader, entry.row, unused, sizeof unused);
		visit(context, &(struct param_echo){ key_of(entry, key), value,
				       group->unused ? group->unused : unused,
				       group->stateless || entry.row->stateless });
		memory_free(value);
	}
}

void params_release(const struct param_group *groups, size_t count)
{
	struct reader reader = { .groups = groups, .count = count };
	struct entry entry = { 0 };

	while (next_entry(&reader, &entry))
		if (entry.group->settings)
			value_release(entry.row, entry.group->settings);
}
