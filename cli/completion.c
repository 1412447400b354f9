/* What a word of a command line may become, for the completion of shells. */
#include "cli/options.h"
#include "drive/settings.h"
#include "traces/generate.h"

#include <string.h>

/* `name` with `more` behind it, if the word is a beginning of that. */
static void offer(const char *word, const char *name, const char *more)
{
	char whole[256];

	snprintf(whole, sizeof whole, "%s%s", name, more);
	if (!strncmp(whole, word, strlen(word)))
		puts(whole);
}

static void offer_name(void *word, const char *name)
{
	offer(word, name, "");
}

static void offer_profile(void *word, const char *name, const char *brief)
{
	(void)brief;
	offer(word, name, "");
}

/* "KEY=", and once that is there the names it may be. */
static void offer_setting(const char *word, const struct param *row, const char *key)
{
	static const char *const truths[] = { "true", "false", NULL };
	const char *const *choice = row->type == PARAM_BOOL ? truths : row->choices;
	size_t length = strlen(key);
	char start[200];

	if (strncmp(word, key, length) != 0 || word[length] != '=') {
		offer(word, key, "=");
		return;
	}
	snprintf(start, sizeof start, "%s=", key);
	for (; choice && *choice; choice++)
		offer(word, start, *choice);
}

/* Every key, as `put` shows it. */
static void visit_keys(const char *word, void (*put)(const char *word, const struct param *, const char *key))
{
	struct settings settings;
	struct fault fault = { "" };

	if (settings_init(&settings, &fault))
		for (size_t i = 0; i < settings.groups; i++)
			for (const struct param *row = settings.group[i].rows; row && row->name; row++) {
				const char *group = settings.group[i].name;
				char key[160];

				snprintf(key, sizeof key, "%s%s%s", group, *group ? "." : "", row->name);
				put(word, row, key);
			}
	settings_release(&settings);
}

static void put_key(const char *word, const struct param *row, const char *key)
{
	(void)row;
	offer(word, key, "");
}

static void offer_options(const struct command *c, const char *word)
{
	char text[64];

	for (const struct option *row = NULL; (row = options_next(c, row));) {
		if (row->letter) {
			snprintf(text, sizeof text, "-%c", row->letter);
			offer(word, text, "");
		}
		if (row->name) {
			snprintf(text, sizeof text, "--%s", row->name);
			offer(word, text, "");
		}
	}
}

/* The row if this word is an option that takes the next word for its value, else NULL. */
static const struct option *option_before(const struct command *c, const char *word)
{
	for (const struct option *row = NULL; (row = options_next(c, row));)
		if (row->kind != FLAG &&
			((row->name && !strncmp(word, "--", 2) && !strcmp(word + 2, row->name)) ||
				(row->letter && word[0] == '-' && word[1] == row->letter && !word[2])))
			return row;
	return NULL;
}

static void offer_values(const struct option *row, const char *word)
{
	char values[256];

	if (row->kind == WORDS && (row->takers & TAKES_RUN))
		visit_keys(word, offer_setting);
	if (!row->values)
		return;
	row->values(values, sizeof values);
	for (char *value = strtok(values, ", "); value; value = strtok(NULL, ", "))
		offer(word, value, "");
}

static const struct command *the_program(const struct command *all)
{
	while (*all->name)
		all++;
	return all;
}

static void offer_commands(const struct command *group, const struct command *all, const char *word)
{
	size_t length = strlen(group->name) + (*group->name != '\0');

	for (const struct command *c = NULL; (c = options_next_of_group(group, all, c));)
		offer(word, c->name + length, "");
}

/* The i-th operand, by the word for it in the command's synopsis. */
static void offer_operands(const struct command *c, const struct command *all, size_t i, char *word)
{
	const char *name = c->operands;

	if (i >= c->most)
		return;
	for (; i && strchr(name, ' '); i--)
		name = strchr(name, ' ') + 1;
	if ((!strncmp(name, "TRACE", 5) && (c->takes & TAKES_RUN)) || !strncmp(name, "PROFILE", 7))
		generator_list(offer_profile, word);
	else if (!strncmp(name, "[WHAT]", 6))
		cli_visit_listings(offer_name, word);
	else if (!strncmp(name, "[GROUP|KEY]", 11))
		visit_keys(word, put_key);
	else if (!strncmp(name, "[COMMAND]", 9))
		offer_commands(the_program(all), all, word);
}

/* The command of the first word or two, which `*typed` moves behind; the program if it is none of a name. */
static const struct command *command_of(const struct words *typed, size_t *at, const struct command *all)
{
	const struct command *group = the_program(all), *c;

	for (*at = 0; *at + 1 < typed->count; ++*at) {
		size_t length = strlen(group->name) + (*group->name != '\0');

		for (c = NULL; (c = options_next_of_group(group, all, c));)
			if (!strcmp(c->name + length, typed->text[*at]))
				break;
		if (!c)
			break;
		group = c;
	}
	return group;
}

int completion_print(const struct words *typed, const struct command *all)
{
	size_t at, operands = 0, last = typed->count - 1;
	const struct command *c;
	char *word;

	cli_listing();
	if (!typed->count)
		return STATUS_DONE;
	word = typed->text[last];
	c = command_of(typed, &at, all);
	for (const struct option *row; at < last; at++) {
		if (*typed->text[at] != '-')
			operands++;
		else if ((row = option_before(c, typed->text[at])) && ++at == last) {
			offer_values(row, word);
			return STATUS_DONE;
		}
	}
	if (*word == '-') {
		offer_options(c, word);
		return STATUS_DONE;
	}
	if (!operands)
		offer_commands(c, all, word);
	offer_operands(c, all, operands, word);
	return STATUS_DONE;
}
