/*
 * The documents against the program: every `./ssd ...` that they show, in a block or inside a line, is run
 * from a folder that looks like the top of the tree; the program must print every line of output in a console
 * block, in that order ("..." stands for lines left out); every file they name must exist.
 */
#include "tests/program_fixture.h"
#include "tests/tier.h"

static const char *const documents[] = { "README.md", "DESIGN.md", "CONTRIBUTING.md", "docs/README.md",
	"traces/README.md", "docs/across.md", "docs/buffers.md", "docs/dftl.md", "docs/experiments.md",
	"docs/host-layer.md", "docs/legacy.md", "docs/log-block.md", "docs/minipage.md", "docs/mrsm.md",
	"docs/sftl.md", "docs/tpftl.md", "docs/cdftl.md", "docs/classes.md", "docs/leaftl.md",
	"docs/mapping.md", "docs/icpp23.md", "docs/drives.md", "docs/modern.md", "docs/zones.md",
	"docs/slc.md", "docs/placement.md", "docs/parity.md", "docs/workloads.md", "docs/glossary.md",
	"docs/course/README.md", "docs/course/instructor.md", "docs/course/1-pages.md",
	"docs/course/2-collection.md", "docs/course/3-over-provisioning.md", "docs/course/4-victims.md",
	"docs/course/5-hot-and-cold.md", "docs/course/6-mapping.md", "docs/course/7-log-blocks.md",
	"docs/course/8-across-page.md", "docs/course/9-your-own.md", "docs/course/10-a-papers-figure.md",
	"docs/course/11-two-tenants.md", "docs/course/12-flush.md", "docs/flash.md", "docs/tenants.md",
	"docs/library.md", "docs/validation.md", "docs/papers.md" };

/* Makes the test's folder look like the top of the tree, with the user's files that the documents name. */
static void furnish(struct world *w)
{
	static const char line[] =
		"for f in \"$PWD\"/*; do ln -s \"$f\" $d/; done; ln -sf \"$ssd\" $d/ssd; cd $d && "
		"tar -xJf tests/legacy/golden.tar.xz traces/example.ascii -O >trace.ascii && "
		"tar -xJf tests/legacy/golden.tar.xz 01_default/page.parameters -O >page.parameters && "
		"cp traces/samples/random.trace my.trace && "
		"$ssd trace convert --to msr my.trace -o plain && xz -c plain >my-trace.csv.xz";

	shell(w, line);
	assert_status(w, DONE, line);
}

static char *document(const char *path)
{
	char *text = contents(path);

	if (!text)
		fail_msg("%s cannot be read: tests run from the top of the tree", path);
	return text;
}

/* A command with words in capitals is a pattern; `mine` is added by tests/extend.sh. */
static bool can_be_typed(const char *command)
{
	for (const char *c = command; *c; c++)
		if (*c == ' ' && c[1] >= 'A' && c[1] <= 'Z' && c[2] >= 'A' && c[2] <= 'Z')
			return false;
	return !strstr(command, "...") && !strstr(command, "=mine") && !strstr(command, "/mine.") &&
	       !strchr(command, '[');
}

/* Drives of 128 GB take seconds to prepare. */
static bool takes_long(const char *command)
{
	return strstr(command, "parameters/icpp23.cfg") && !strstr(command, "flash.blocks");
}

/* The output of `./ssd ARGUMENTS` without any input; it must succeed.  NULL: left to `make soak`.  `grade`
 * works at the top of the tree alone. */
static char *output_of(struct world *w, const char *path, const char *command)
{
	bool grades = !strncmp(command, "./ssd grade", 11);
	char line[512];

	if (takes_long(command) && !is_soak())
		return NULL;
	snprintf(line, sizeof line, "cd %s && </dev/null $ssd %s", grades ? "." : "$d",
		command + strlen("./ssd "));
	shell(w, line);
	if (w->status != DONE)
		fail_msg("%s: \"%s\" ends with status %d: %s", path, command, w->status, w->err);
	return w->out;
}

/* Cuts the first line off `*text` and returns it; NULL at the end. */
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

/* Finds the line in the output; returns what comes after it. */
static char *find_line(char *output, const char *line)
{
	size_t length = strlen(line);

	for (char *at = output; at && *at; at = strchr(at, '\n'), at = at ? at + 1 : NULL)
		if (!strncmp(at, line, length) && (at[length] == '\n' || !at[length]))
			return at + length;
	return NULL;
}

/* Checks a command and its output, up to the next command or the end of the block.  Returns the line that
 * ends it. */
static char *check_command(struct world *w, const char *path, const char *command, char **text)
{
	char *output = output_of(w, path, command), *at = output, *line;

	while ((line = next_line(text)) && strncmp(line, "```", 3) && strncmp(line, "$ ", 2)) {
		if (!strcmp(line, "...") || !*line || !output)
			continue;
		at = find_line(at, line);
		if (!at)
			fail_msg("%s shows \"%s\", which \"%s\" does not print there", path, line, command);
	}
	return line;
}

/* A file with a folder before it and an ending behind it. */
static bool is_file(const char *word)
{
	const char *dot = strrchr(word, '.');

	return dot && strchr(word, '/') &&
	       strlen(word) == strspn(word, "abcdefghijklmnopqrstuvwxyz0123456789/_.-") &&
	       !strncmp(word, "./", 2) + !strncmp(word, "results/", 8) + !!strstr(word, "mine") == 0;
}

/* Checks the words between backquotes in a line of text: commands are run, files must exist. */
static size_t check_words(struct world *w, const char *path, char *line)
{
	size_t commands = 0;

	for (char *word, *end; (word = strchr(line, '`')) && (end = strchr(++word, '`')); line = end + 1) {
		*end = 0;
		if (!strncmp(word, "./ssd ", 6) && can_be_typed(word)) {
			output_of(w, path, word);
			commands++;
		} else if (is_file(word) && access(word, F_OK)) {
			fail_msg("%s names %s, which is not there", path, word);
		}
	}
	return commands;
}

static size_t check_document(struct world *w, const char *path)
{
	char *whole = document(path), *text = whole, *line;
	size_t commands = 0;

	while ((line = next_line(&text))) {
		while (line && !strncmp(line, "$ ./ssd ", 8)) {
			line = check_command(w, path, line + 2, &text);
			commands++;
		}
		if (!line)
			break;
		line += strspn(line, " ");
		if (!strncmp(line, "./ssd ", 6) && can_be_typed(line)) {
			output_of(w, path, line);
			commands++;
		} else if (strncmp(line, "```", 3)) {
			commands += check_words(w, path, line);
		}
	}
	memory_free(whole);
	return commands;
}

static void test_documents(void **state)
{
	size_t commands = 0;

	furnish(*state);
	for (size_t i = 0; i < COUNT(documents); i++)
		if (!is_for_check(i, 3))
			commands += check_document(*state, documents[i]);
	assert_true(commands > 20);
}

int main(void)
{
	const struct CMUnitTest tests[] = { TEST(test_documents) };

	return cmocka_run_group_tests_name("documents", tests, NULL, NULL);
}
