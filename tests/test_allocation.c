/*
 * Out of memory.  Each allocation of a command fails once: the first, the second, and so on until the command
 * succeeds.  Wherever it fails, it must end with status 2 and one line that says what the memory was for, and
 * leave no incomplete result behind.
 *
 * All memory comes from base/memory.c, which is compiled into this program with a calloc() and a realloc()
 * that can be made to fail; the rest of the product is unchanged.
 */
#define _DEFAULT_SOURCE /* as base/memory.c wants it, before the first header */
#include <stdlib.h>

static void *calloc_or_fail(size_t count, size_t bytes);
static void *realloc_or_fail(void *old, size_t bytes);

#undef _DEFAULT_SOURCE
#define calloc  calloc_or_fail
#define realloc realloc_or_fail
#include "base/memory.c" /* NOLINT: on purpose, see above */
#undef calloc
#undef realloc

#include "cli/cli.h"
#include "tests/any_workload.h"
#include "tests/drive_fixture.h"

#include <dirent.h>
#include <fcntl.h>

/* ---- the allocator ---- */

/* In the child that runs the command. */
static uint64_t allocations, failing_allocation; /* counted from 1; 0 = none fails */

static bool fails_now(void)
{
	return ++allocations == failing_allocation;
}

static void *calloc_or_fail(size_t count, size_t bytes)
{
	return fails_now() ? NULL : calloc(count, bytes);
}

static void *realloc_or_fail(void *old, size_t bytes)
{
	return fails_now() ? NULL : realloc(old, bytes);
}

/* ---- a command in a folder of its own ---- */

enum { MOST_ARGUMENTS = 48 };

struct attempt {
	const struct command *command;
	const char *arguments; /* cut at spaces; "@" becomes the folder */
	const char *folder;
	uint64_t fail; /* which allocation; 0 = none */
};

static void run_command(void *context)
{
	const struct attempt *a = context;
	char *argv[MOST_ARGUMENTS + 1], line[2048];
	struct options options = { .typed = argv };
	struct fault fault = { "" };
	int argc = 0, out = open("/dev/null", O_WRONLY);
	size_t length = 0;

	dup2(out, STDOUT_FILENO);
	cli_catch_signals(); /* as main() does: also removes unfinished files */
	for (const char *c = a->arguments; *c; c++)
		length += (size_t)snprintf(line + length, sizeof line - length, *c == '@' ? "%s" : "%.1s",
			*c == '@' ? a->folder : c);
	for (char *word = strtok(line, " "); word && argc < MOST_ARGUMENTS; word = strtok(NULL, " "))
		argv[argc++] = word;
	argv[argc] = NULL;
	failing_allocation = a->fail;
	if (!options_parse(&options, a->command, argv + (strchr(a->command->name, ' ') ? 2 : 1), &fault))
		_exit(STATUS_USER);
	_exit(a->command->run(&options, &fault));
}

/* ---- the files it leaves ---- */

enum { MOST_FILES = 8 };

struct files {
	size_t n;
	struct file {
		char name[64];
		uint64_t digest; /* of its content */
	} file[MOST_FILES];
};

static uint64_t digest_of(const char *path)
{
	FILE *file = fopen(path, "rb");
	uint64_t digest = 0xcbf29ce484222325u; /* FNV-1a */

	assert_non_null(file);
	for (int c; (c = fgetc(file)) != EOF;)
		digest = (digest ^ (uint64_t)c) * 0x100000001b3u;
	fclose(file);
	return digest;
}

/* Removes the files from the folder and records their names and digests. */
static void take_files(const char *folder, struct files *files)
{
	DIR *list = opendir(folder);
	char path[320];

	assert_non_null(list);
	files->n = 0;
	for (struct dirent *entry; (entry = readdir(list)) != NULL;) {
		struct file *file = &files->file[files->n];

		if (entry->d_name[0] == '.')
			continue;
		assert_true(files->n++ < MOST_FILES);
		snprintf(file->name, sizeof file->name, "%.63s", entry->d_name);
		snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
		file->digest = digest_of(path);
		assert_int_equal(unlink(path), 0);
	}
	closedir(list);
}

/* Each file equals, to the byte, one of the complete run. */
static void assert_whole(const struct files *files, const struct files *complete, const struct attempt *a)
{
	for (size_t i = 0; i < files->n; i++) {
		size_t k = 0;

		while (k < complete->n && strcmp(files->file[i].name, complete->file[k].name))
			k++;
		if (k == complete->n || files->file[i].digest != complete->file[k].digest)
			fail_msg("%s: allocation %llu fails and leaves a %s that is not whole", a->arguments,
				(unsigned long long)a->fail, files->file[i].name);
	}
}

static void assert_gives_up_in_one_line(const struct attempt *a, const struct child *child)
{
	static const char start[] = "ssd: out of memory: the ";
	const char *end = strchr(child->text, '\n');

	if (!WIFEXITED(child->status) || WEXITSTATUS(child->status) != STATUS_USER || !end || end[1] ||
		strncmp(child->text, start, strlen(start)) != 0 || !strstr(child->text, " needs "))
		fail_msg("%s: allocation %llu fails: status %#x, \"%s\"", a->arguments,
			(unsigned long long)a->fail, (unsigned)child->status, child->text);
}

/* Runs once without a failure, then with each allocation failing in turn (every 11th in `make check`, every
 * 61st in `make test`, of these every tenth if sanitized), until none is left to fail. */
static void step_through(struct attempt *a)
{
	struct files complete, files;
	struct child child;

	a->fail = 0;
	run_in_child(&child, run_command, a);
	if (child.status || child.text[0])
		fail_msg("%s: status %#x, \"%s\"", a->arguments, (unsigned)child.status, child.text);
	take_files(a->folder, &complete);
	while (child.status || !a->fail) {
		a->fail += amount(shorter(61, 11), 1) * (SANITIZED ? 10 : 1);
		run_in_child(&child, run_command, a);
		take_files(a->folder, &files);
		assert_whole(&files, &complete, a);
		if (child.status)
			assert_gives_up_in_one_line(a, &child);
	}
	assert_int_equal(files.n, complete.n);
	assert_true(a->fail > 1);
	print_message("%10llu allocations stepped through of ssd %.40s...\n", (unsigned long long)a->fail - 1,
		a->arguments);
}

/* ---- the commands ---- */

static const struct command command_run = { "run", cli_run, TAKES_RUN, 2, 2, "" };
static const struct command command_stat = { "trace stat", cli_trace_stat, TAKES_STAT, 1, 1, "" };
static const struct command command_convert = { "trace convert", cli_trace_convert, TAKES_CONVERT, 1, 1, "" };
static const struct command command_generate = { "trace generate", cli_trace_generate, TAKES_GENERATE, 1, 1,
	"" };
static const struct command command_params = { "params", cli_params, 0, 1, 1, "" };

static void step_in_new_folder(const struct command *command, const char *arguments)
{
	char folder[] = "/tmp/ssdlab-memory-XXXXXX";
	struct attempt a = { .command = command, .arguments = arguments, .folder = folder };

	assert_non_null(mkdtemp(folder));
	step_through(&a);
	assert_int_equal(rmdir(folder), 0);
}

/*
 * Creating, preconditioning, saving, running with collection, and reporting, with every FTL and the buffers
 * in turn.
 */
static void test_run(void **state)
{
	size_t buffers_listed = 0;
	char arguments[512];

	(void)state;
	while (buffers[buffers_listed])
		buffers_listed++;
	for (size_t f = 0; ftls[f]; f++) {
		const char *buffer = buffers[f % buffers_listed]->name;

		/* mmap and msac go together; msac and coop go with few other FTLs. */
		if (!strcmp(ftls[f]->name, "mmap"))
			buffer = "msac";
		else if (!strcmp(buffer, "msac") || !strcmp(buffer, "coop"))
			buffer = "bplru";
		snprintf(arguments, sizeof arguments,
			"run --verify --quiet -o @ --json @/run.json --save-drive @/drive -s ftl=%s -s "
			"buffer=%s -s precondition.mode=synthetic -s precondition.used=0.9 -s "
			"precondition.valid=0.5 -s trace.limit=300%s%s parameters/tiny.cfg mixed",
			ftls[f]->name, buffer, any_workload_options(ftls[f]),
			ftls[f]->admit ? " -s precondition.mode=fill" : "");
		step_in_new_folder(&command_run, arguments);
	}
}

static void test_run_from_a_trace_file(void **state)
{
	(void)state;
	step_in_new_folder(&command_run, "run --quiet -o @ -s trace.format=ssdsim -s trace.limit=300 -s "
					 "trace.fold=true -s precondition.mode=trace -s "
					 "precondition.trace=traces/samples/random.trace parameters/tiny.cfg "
					 "traces/samples/across.trace");
}

static void test_trace_commands(void **state)
{
	(void)state;
	step_in_new_folder(
		&command_stat, "trace stat --format ssdsim --json @/stat.json traces/samples/across.trace");
	step_in_new_folder(&command_convert,
		"trace convert --format ssdsim --to spc -o @/out.trace traces/samples/across.trace");
	step_in_new_folder(&command_generate, "trace generate -s requests=300 -o @/out.trace mixed");
}

static void test_commands_that_only_print(void **state)
{
	(void)state;
	step_in_new_folder(&command_params, "params gc.threshold");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_run),
		cmocka_unit_test(test_run_from_a_trace_file),
		cmocka_unit_test(test_trace_commands),
		cmocka_unit_test(test_commands_that_only_print),
	};

	return cmocka_run_group_tests_name("allocation", tests, NULL, NULL);
}
