/*
 * What the documents promise: every `$ ./ssd ...` they show in a console block is run, and every line of output they
 * show is in what it prints, in that order; "..." stands for lines left out.  Runs the binary
 * named by $SSD (default ./ssd) from the top of the tree.
 */
#include "base/memory.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define TEXT_ROOM (1u << 20)

static char *read_all(FILE *file)
{
	char *text = memory_array(TEXT_ROOM, 1, "document");

	text[fread(text, 1, TEXT_ROOM - 1, file)] = 0;
	return text;
}

static char *document(const char *path)
{
	FILE *file = fopen(path, "r");
	char *text;

	if (!file)
		fail_msg("%s cannot be read: tests run from the top of the tree", path);
	text = read_all(file);
	fclose(file);
	return text;
}

/* Output of `./ssd ARGUMENTS`, which must end well. */
static char *output_of(const char *command)
{
	const char *ssd = getenv("SSD");
	size_t room = strlen(command) + 512;
	char *line = memory_array(room, 1, "command"), *text;
	FILE *pipe;

	snprintf(line, room, "%s %s 2>/dev/null", ssd ? ssd : "./ssd", command + strlen("./ssd "));
	pipe = popen(line, "r");
	assert_non_null(pipe);
	text = read_all(pipe);
	if (pclose(pipe))
		fail_msg("%s: does not end with status 0", command);
	memory_free(line);
	return text;
}

/* Cuts the line off `*text`, which moves on; NULL at the end. */
static char *next_line(char **text)
{
	char *line = *text, *end = strchr(line, '\n');

	if (!*line)
		return NULL;
	if (end)
		*end++ = 0;
	*text = end ? end : line + strlen(line);
	return line;
}

/* The line begins somewhere in the output; returns what comes after it. */
static char *find_line(char *output, const char *line)
{
	size_t length = strlen(line);

	for (char *at = output; at && *at; at = strchr(at, '\n'), at = at ? at + 1 : NULL)
		if (!strncmp(at, line, length) && (at[length] == '\n' || !at[length]))
			return at + length;
	return NULL;
}

/* From a command to the next one or the end of its block.  Returns the line that ends it. */
static char *check_command(const char *path, const char *command, char **text)
{
	char *output = output_of(command), *at = output, *line;

	while ((line = next_line(text)) && strncmp(line, "```", 3) && strncmp(line, "$ ", 2)) {
		if (!strcmp(line, "...") || !*line)
			continue;
		at = find_line(at, line);
		if (!at)
			fail_msg("%s shows \"%s\", which \"%s\" does not print there", path, line, command);
	}
	memory_free(output);
	return line;
}

static size_t check_document(const char *path)
{
	char *whole = document(path), *text = whole, *line;
	size_t commands = 0;

	while ((line = next_line(&text)))
		while (line && !strncmp(line, "$ ./ssd ", 8)) {
			line = check_command(path, line + 2, &text);
			commands++;
		}
	memory_free(whole);
	return commands;
}

static void test_documents(void **state)
{
	static const char *const paths[] = { "README.md", "traces/README.md", "docs/across.md" };
	size_t commands = 0;

	(void)state;
	for (size_t i = 0; i < sizeof paths / sizeof *paths; i++)
		commands += check_document(paths[i]);
	assert_true(commands > 7);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_documents) };

	return cmocka_run_group_tests_name("documents", tests, NULL, NULL);
}
