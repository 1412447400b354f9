#include "parameters/inside.h"

#include "base/memory.h"
#include "parameters/value.h"

#include <libconfig.h>
#include <stdlib.h>
#include <string.h>

static const char *const params_type_names[] = { [CONFIG_TYPE_NONE] = "nothing",
	[CONFIG_TYPE_GROUP] = "a group",
	[CONFIG_TYPE_INT] = "a whole number",
	[CONFIG_TYPE_INT64] = "a whole number",
	[CONFIG_TYPE_FLOAT] = "a real number",
	[CONFIG_TYPE_STRING] = "a string",
	[CONFIG_TYPE_BOOL] = "a truth value",
	[CONFIG_TYPE_ARRAY] = "a list",
	[CONFIG_TYPE_LIST] = "a list" };

/* May a file give a value of libconfig's `type` to a row of the `wanted` type? */
static bool params_type_fits(enum param_type wanted, int type)
{
	enum { WHOLE = 1 << CONFIG_TYPE_INT | 1 << CONFIG_TYPE_INT64, STRING = 1 << CONFIG_TYPE_STRING };
	static const int fits[] = { [PARAM_BOOL] = 1 << CONFIG_TYPE_BOOL,
		[PARAM_UINT] = WHOLE | STRING,
		[PARAM_REAL] = WHOLE | STRING | 1 << CONFIG_TYPE_FLOAT,
		[PARAM_CHOICE] = STRING,
		[PARAM_TEXT] = STRING,
		[PARAM_TICKS] = WHOLE | 1 << CONFIG_TYPE_ARRAY | 1 << CONFIG_TYPE_LIST };

	return fits[wanted] >> type & 1;
}

/* A value as params_set() takes it; only the type of a string in a list, or of a group or list. */
static void params_write_value(FILE *out, const config_setting_t *setting, bool in_list)
{
	int type = config_setting_type(setting);
	char real[40];

	if (type == CONFIG_TYPE_BOOL)
		fputs(config_setting_get_bool(setting) ? "true" : "false", out);
	else if (type == CONFIG_TYPE_INT || type == CONFIG_TYPE_INT64)
		fprintf(out, "%lld", config_setting_get_int64(setting));
	else if (type == CONFIG_TYPE_STRING && !in_list)
		fputs(config_setting_get_string(setting), out);
	else if (type == CONFIG_TYPE_FLOAT) {
		value_write_real(config_setting_get_float(setting), real, sizeof real);
		fputs(real, out);
	} else
		fprintf(out, "(%s)", params_type_names[type]);
}

/* The same as a text to be freed, also of a list: "[58000, 78000]". */
static char *params_text_of(const config_setting_t *setting)
{
	char *text = NULL;
	size_t bytes;
	FILE *out = open_memstream(&text, &bytes);

	BUG_ON(!out, "no stream in memory");
	if (config_setting_is_aggregate(setting)) {
		fputc('[', out);
		for (int i = 0; i < config_setting_length(setting); i++) {
			fputs(i ? ", " : "", out);
			params_write_value(out, config_setting_get_elem(setting, (unsigned)i), true);
		}
		fputc(']', out);
	} else {
		params_write_value(out, setting, false);
	}
	fclose(out);
	return text;
}

static bool params_read_value(
	const struct params_reader *r, const config_setting_t *setting, struct params_entry entry)
{
	char key[KEY_BYTES], room[SHOWN_BYTES], *text;
	int type = config_setting_type(setting);
	const char *quote = type == CONFIG_TYPE_STRING ? "\"" : "";
	struct fault should;
	bool good;

	params_key(entry, key);
	if (!params_type_fits(entry.row->type, type)) {
		value_kind(entry.row, &should);
		return fault_set(r->fault, "%s%s is %s, should be %s", r->where, key, params_type_names[type],
			should.text);
	}
	text = params_text_of(setting);
	good = value_store(entry.row, entry.group->settings, text, &should) ||
	       fault_set(r->fault, "%s%s = %s%s%s, should be %s", r->where, key, quote,
		       params_shown(text, room), quote, should.text);
	free(text);
	return good;
}

/* "drive.cfg:7: " */
static void params_where(struct place place, char *where, size_t room)
{
	snprintf(where, room, "%.200s:%u: ", place.file, place.line);
}

/* Every `name = value;` of a group or of the file, `group` NULL. */
static bool params_read_group(struct params_reader *r, const char *group, const config_setting_t *settings)
{
	bool good = true;

	for (int i = 0; good && i < config_setting_length(settings); i++) {
		const config_setting_t *setting = config_setting_get_elem(settings, (unsigned)i);
		struct place place = expansion_place(r->expansion, config_setting_source_line(setting));
		const char *name = config_setting_name(setting);
		bool is_group = config_setting_is_group(setting),
		     known = !group && params_has_group(r, name, strlen(name));
		struct params_entry entry;
		char key[KEY_BYTES];

		params_where(place, r->where, sizeof r->where);
		snprintf(key, sizeof key, "%s%s%s", group ? group : "", group ? "." : "", name);
		entry = params_find(r, key);
		if (is_group && known)
			good = params_read_group(r, name, setting);
		else if (entry.row)
			good = params_read_value(r, setting, entry);
		else if (is_group && !group)
			good = params_unknown_group(r, name);
		else if (known)
			good = fault_set(r->fault,
				"%s\"%s\" is a group, should be written %s: { name = value; };", r->where,
				name, name);
		else
			good = params_unknown(r, key);
	}
	return good;
}

struct params_file {
	struct expansion expansion;
	config_t config;
};

static bool params_syntax_fault(const struct params_file *file, struct fault *fault)
{
	struct place place = expansion_place(&file->expansion, (unsigned)config_error_line(&file->config));
	const char *what = config_error_text(&file->config);
	const char *hint = "";

	if (!strcmp(what, "syntax error"))
		hint = "; settings are written name = value; and groups flash: { name = value; };";
	else if (!strncmp(what, "duplicate", 9))
		hint = "; each parameter and each group may occur once";
	return fault_set(fault, "%.200s:%u: %s%s", place.file, place.line, what, hint);
}

static struct params_file *params_file(void)
{
	struct params_file *file = memory_array(1, sizeof *file, "parameter file");

	config_init(&file->config);
	return file;
}

void params_close(struct params_file *file)
{
	if (!file)
		return;
	config_destroy(&file->config);
	expansion_release(&file->expansion);
	memory_free(file);
}

/* Parses the expanded text; `good`: the expansion has succeeded. */
static bool params_parse(struct params_file *file, bool good, struct fault *fault)
{
	return good &&
	       (config_read_string(&file->config, file->expansion.text) || params_syntax_fault(file, fault));
}

struct params_file *params_open(const char *path, struct fault *fault)
{
	struct params_file *file = params_file();

	if (params_parse(file, expand_file(&file->expansion, path, fault), fault))
		return file;
	params_close(file);
	return NULL;
}

struct params_file *params_open_text(const char *text, const char *name, struct fault *fault)
{
	struct params_file *file = params_file();

	if (params_parse(file, expand_text(&file->expansion, text, name, fault), fault))
		return file;
	params_close(file);
	return NULL;
}

const char *params_text(const struct params_file *file, const char *name, struct fault *where)
{
	const config_setting_t *setting = config_lookup(&file->config, name);
	struct place place;

	if (!setting || config_setting_type(setting) != CONFIG_TYPE_STRING)
		return NULL;
	place = expansion_place(&file->expansion, config_setting_source_line(setting));
	params_where(place, where->text, sizeof where->text);
	return config_setting_get_string(setting);
}

bool params_read(
	struct params_file *file, const struct param_group *groups, size_t count, struct fault *fault)
{
	struct params_reader r = {
		.groups = groups, .count = count, .fault = fault, .expansion = &file->expansion
	};

	return params_read_group(&r, NULL, config_root_setting(&file->config));
}

bool params_read_file(const char *path, const struct param_group *groups, size_t count, struct fault *fault)
{
	struct params_file *file = params_open(path, fault);
	bool good = file && params_read(file, groups, count, fault);

	params_close(file);
	return good;
}

bool params_read_text(const char *text, const char *name, const struct param_group *groups, size_t count,
	struct fault *fault)
{
	struct params_file *file = params_open_text(text, name, fault);
	bool good = file && params_read(file, groups, count, fault);

	params_close(file);
	return good;
}
