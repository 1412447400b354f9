/*
 * What the documents promise: every `$ ./ssd ...` they show in a console block is run, and every line of output they
 * show is in what it prints, in that order; "..." stands for lines left out.
 */
#include "tests/program_fixture.h"

static char *document(const char *path)
{
	char *text = contents(path);

	if (!text)
		fail_msg("%s cannot be read: tests run from the top of the tree", path);
	return text;
}

/* What `./ssd ARGUMENTS` prints; it must end well. */
static char *output_of(struct world *w, const char *command)
{
	char line[512];

	snprintf(line, sizeof line, "$ssd %s", command + strlen("./ssd "));
	shell(w, line);
	assert_status(w, DONE, line);
	return w->out;
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
static char *check_command(struct world *w, const char *path, const char *command, char **text)
{
	char *at = output_of(w, command), *line;

	while ((line = next_line(text)) && strncmp(line, "```", 3) && strncmp(line, "$ ", 2)) {
		if (!strcmp(line, "...") || !*line)
			continue;
		at = find_line(at, line);
		if (!at)
			fail_msg("%s shows \"%s\", which \"%s\" does not print there", path, line, command);
	}
	return line;
}

static size_t check_document(struct world *w, const char *path)
{
	char *whole = document(path), *text = whole, *line;
	size_t commands = 0;

	while ((line = next_line(&text)))
		while (line && !strncmp(line, "$ ./ssd ", 8)) {
			line = check_command(w, path, line + 2, &text);
			commands++;
		}
	memory_free(whole);
	return commands;
}

static void test_documents(void **state)
{
	static const char *const paths[] = { "README.md", "traces/README.md", "docs/across.md" };
	size_t commands = 0;

	for (size_t i = 0; i < COUNT(paths); i++)
		commands += check_document(*state, paths[i]);
	assert_true(commands > 7);
}

int main(void)
{
	const struct CMUnitTest tests[] = { TEST(test_documents) };

	return cmocka_run_group_tests_name("documents", tests, NULL, NULL);
}
