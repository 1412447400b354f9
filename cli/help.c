/* --help: what the tables say of a command. */
#include "cli/options.h"

#include <string.h>

const char *options_synopsis(const struct command *c, char *text, size_t bytes)
{
	snprintf(text, bytes, "ssd%s%s%s%s%s", *c->name ? " " : "", c->name, c->takes ? " [OPTION]..." : "",
		*c->operands ? " " : "", c->operands);
	return text;
}

const struct command *options_next_of_group(
	const struct command *group, const struct command *all, const struct command *c)
{
	size_t length = strlen(group->name) + (*group->name != '\0');

	for (c = c ? c + 1 : all; *c->name; c++)
		if (!strncmp(c->name, group->name, strlen(group->name)) && strlen(c->name) > length &&
			!strchr(c->name + length, ' '))
			return c;
	return NULL;
}

static void print_option(const struct option *row)
{
	char start[64] = "", values[256] = "";
	int length = 0;

	if (row->letter)
		length += snprintf(start, sizeof start, "-%c", row->letter);
	if (row->name)
		length += snprintf(start + length, sizeof start - (size_t)length, "%s--%s",
			length ? ", " : "", row->name);
	if (row->value)
		snprintf(start + length, sizeof start - (size_t)length, " %s", row->value);
	if (row->values)
		row->values(values, sizeof values);
	if (*start)
		printf("  %-20s ", start);
	printf("%s%s\n", row->help, values);
}

int options_usage(const struct command *command, const struct command *all)
{
	const char *heading = "\ncommands:\n";
	char line[128];

	cli_listing();
	printf("usage: %s\n\n%s\n", options_synopsis(command, line, sizeof line), command->about);
	for (const struct option *row = NULL; (row = options_next(command, row));)
		print_option(row);
	for (const struct command *c = NULL; (c = options_next_of_group(command, all, c)); heading = "")
		printf("%s  %-20s %s\n", heading, c->name, c->brief);
	if (command->examples)
		printf("\nexamples:\n%s", command->examples);
	return STATUS_DONE;
}
