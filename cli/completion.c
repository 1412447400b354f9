/* Completions of a word of a command line, for shells. */
#include "base/built_in.h"
#include "base/utf8.h"
#include "cli/options.h"
#include "drive/settings.h"
#include "traces/generate.h"

#include <string.h>

/* Prints the two parts joined, if the word is a prefix of that. */
static void completion_offer(const char *word, const char *first, const char *second)
{
	char whole[256];

	snprintf(whole, sizeof whole, "%s%s", first, second);
	if (!strncmp(whole, word, strlen(word)) && !utf8_has_control(whole))
		puts(whole);
}

static void completion_offer_name(void *word, const char *name, const char *brief)
{
	(void)brief;
	completion_offer(word, name, "");
}

/* Every key of a drive's parameters; if `assigned`, as "KEY=" and, after that, the names it can be set to. */
static void completion_offer_keys(const char *word, bool assigned)
{
	static const char *const truths[] = { "true", "false", NULL };
	struct settings settings;
	struct fault fault = { "" };
	char key[160];

	settings_init(&settings, &fault);
	for (struct param_group *g = settings.group; g < settings.group + settings.groups; g++)
		for (const struct param *row = g->rows; row && row->name; row++) {
			const char *const *value = row->type == PARAM_BOOL ? truths : row->choices;

			snprintf(key, sizeof key, "%s%s%s%s", g->name, *g->name ? "." : "", row->name,
				assigned ? "=" : "");
			if (!assigned || strncmp(word, key, strlen(key)))
				completion_offer(word, key, "");
			else
				for (; value && *value; value++)
					completion_offer(word, key, *value);
		}
	settings_release(&settings);
}

static void completion_offer_drives(const char *word)
{
	for (const struct built_in *d = built_in_drives; d->name; d++)
		completion_offer(word, d->name, "");
}

static void completion_offer_options(const struct command *c, const char *word)
{
	for (const struct option *row = NULL; (row = options_next(c, row));) {
		if (row->letter)
			completion_offer(word, "-", (char[]){ row->letter, '\0' });
		if (row->name)
			completion_offer(word, "--", row->name);
	}
}

/* The row if this word is an option whose value is the next word, else NULL. */
static const struct option *completion_option(const struct command *c, const char *word)
{
	for (const struct option *row = NULL; (row = options_next(c, row));)
		if (row->kind != FLAG &&
			((row->name && !strncmp(word, "--", 2) && !strcmp(word + 2, row->name)) ||
				(row->letter && word[0] == '-' && word[1] == row->letter && !word[2])))
			return row;
	return NULL;
}

static void completion_offer_values(const struct option *row, const char *word)
{
	char values[256];

	if (row->kind == WORDS && (row->takers & TAKES_DRIVE))
		completion_offer_keys(word, true);
	if (!row->values)
		return;
	row->values(values, sizeof values);
	for (char *value = strtok(values, ", "); value; value = strtok(NULL, ", "))
		completion_offer(word, value, "");
}

static void completion_offer_commands(
	const struct command *group, const struct command *all, const char *word)
{
	for (const struct command *c = NULL; (c = options_next_of_group(group, all, c));)
		completion_offer(word, options_word(group, c), "");
}

/* The i-th operand, by its name in the command's synopsis. */
static void completion_offer_operands(
	const struct command *c, const struct command *all, size_t i, char *word)
{
	const char *name = c->operands;
	size_t none = 0;

	if (i >= c->most)
		return;
	for (; i && strchr(name, ' '); i--)
		name = strchr(name, ' ') + 1;
	if (!strncmp(name, "PARAMETERS", 10) && (c->takes & TAKES_DRIVE))
		completion_offer_drives(word);
	else if ((!strncmp(name, "TRACE", 5) && (c->takes & TAKES_DRIVE)) || !strncmp(name, "PROFILE", 7))
		generator_list(completion_offer_name, word);
	else if (!strncmp(name, "[WHAT]", 6))
		cli_visit_listings(completion_offer_name, word);
	else if (!strncmp(name, "[GROUP|KEY]", 11))
		completion_offer_keys(word, false);
	else if (!strncmp(name, "[COMMAND]", 9))
		completion_offer_commands(options_command(NULL, &none, all), all, word);
}

int completion_print(const struct words *typed, const struct command *all)
{
	size_t last = typed->count - 1, at = last, operands = 0;
	const struct command *c;
	char *word;

	cli_listing();
	if (!typed->count)
		return STATUS_DONE;
	word = typed->text[last];
	c = options_command(typed->text, &at, all);
	for (const struct option *row; at < last; at++) {
		if (*typed->text[at] != '-')
			operands++;
		else if ((row = completion_option(c, typed->text[at])) && ++at == last) {
			completion_offer_values(row, word);
			return STATUS_DONE;
		}
	}
	if (*word == '-') {
		completion_offer_options(c, word);
		return STATUS_DONE;
	}
	if (!operands)
		completion_offer_commands(c, all, word);
	completion_offer_operands(c, all, operands, word);
	return STATUS_DONE;
}
