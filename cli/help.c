/* --help of a command, from the tables. */
#include "base/wrap.h"
#include "cli/options.h"

#include <string.h>

#define INDENT "                       "
#define WIDTH  77 /* of the text after it */

#define LINE_BYTES 1024

const char *options_synopsis(const struct command *c, char *text, size_t bytes)
{
	snprintf(text, bytes, "ssd%s%s%s%s%s", *c->name ? " " : "", c->name, c->takes ? " [OPTION]..." : "",
		*c->operands ? " " : "", c->operands);
	return text;
}

const char *options_word(const struct command *group, const struct command *c)
{
	return c->name + strlen(group->name) + (*group->name != '\0');
}

const struct command *options_next_of_group(
	const struct command *group, const struct command *all, const struct command *c)
{
	for (c = c ? c + 1 : all; *c->name; c++)
		if (c != group && !strncmp(c->name, group->name, strlen(group->name)) &&
			!strchr(options_word(group, c), ' '))
			return c;
	return NULL;
}

const struct command *options_command(char *const *word, size_t *words, const struct command *all)
{
	const struct command *group = all, *c;
	size_t most = *words;

	while (*group->name)
		group++;
	for (*words = 0; *words < most && word[*words]; ++*words) {
		for (c = NULL; (c = options_next_of_group(group, all, c));)
			if (!strcmp(options_word(group, c), word[*words]))
				break;
		if (!c)
			break;
		group = c;
	}
	return group;
}

const char *options_about(const struct option *row, char *text, size_t bytes)
{
	size_t length = (size_t)snprintf(text, bytes, "%s", row->help);

	if (row->values)
		row->values(text + length, bytes - length);
	return text;
}

/* "  -o, --output FILE    default: standard output" */
static void help_print_option(const struct option *row)
{
	char letter[4] = { row->letter ? '-' : '\0', row->letter }, start[64], about[ABOUT_BYTES];
	int length;

	options_about(row, about, sizeof about);
	if (!row->letter && !row->name) {
		putchar('\n');
		wrap_print(stdout, about, "", strlen(INDENT) + WIDTH);
		return;
	}
	length = snprintf(start, sizeof start, "  %s%s%s%s%s%s", letter, row->letter && row->name ? ", " : "",
		row->name ? "--" : "", row->name ? row->name : "", row->value ? " " : "",
		row->value ? row->value : "");
	printf("%-*s", (int)strlen(INDENT), start);
	if (length >= (int)strlen(INDENT))
		printf("\n%s", INDENT);
	wrap_print(stdout, about, INDENT, WIDTH);
}

/* Paragraphs, a line each; indented lines stay as they are. */
static void help_print_text(const char *text)
{
	char line[LINE_BYTES];

	for (size_t length; *text; text += length + (text[length] == '\n')) {
		length = strcspn(text, "\n");
		snprintf(line, sizeof line, "%.*s", (int)length, text);
		if (*line == ' ')
			puts(line);
		else
			wrap_print(stdout, line, "", strlen(INDENT) + WIDTH);
	}
}

int options_usage(const struct command *command, const struct command *all)
{
	const char *heading = "\ncommands:\n";
	char line[128];

	cli_listing();
	printf("usage: %s\n\n", options_synopsis(command, line, sizeof line));
	help_print_text(command->about);
	putchar('\n');
	for (const struct option *row = NULL; (row = options_next(command, row));)
		help_print_option(row);
	for (const struct command *c = NULL; (c = options_next_of_group(command, all, c)); heading = "")
		printf("%s  %-20s %s\n", heading, c->name, c->brief);
	if (command->examples)
		printf("\nexamples:\n%s", command->examples);
	return STATUS_DONE;
}
