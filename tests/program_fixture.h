/*
 * The program, started by tests: the binary named by $SSD (default build/ssd), from the top of the tree, with
 * a folder of the test's own.
 */
#ifndef TESTS_PROGRAM_FIXTURE_H
#define TESTS_PROGRAM_FIXTURE_H

#include "base/memory.h"
#include "tests/child_fixture.h"

#include <fcntl.h>

enum { DONE = 0, USER = 2, DRIVE_FAILED = 3 };

/* ---- running it ---- */

/* Where standard output goes; all but the first cannot be written. */
enum sink { SINK_KEPT, SINK_FULL, SINK_CLOSED, SINK_BROKEN_PIPE, SINKS };

struct world {
	char folder[32]; /* of the test's own */
	enum sink sink;
	rlim_t file_limit;   /* bytes a file may grow to; 0: any number */
	rlim_t memory_limit; /* bytes of address space; 0: any number */
	int status;          /* exit status, or -1 after a signal */
	char *out;           /* what it printed; NULL unless SINK_KEPT */
	char err[8192];
};

static inline const char *binary(void)
{
	const char *path = getenv("SSD");

	return path ? path : "build/ssd";
}

static inline char *contents(const char *path)
{
	FILE *file = fopen(path, "rb");
	size_t room = 1 << 20, length;
	char *text;

	if (!file)
		return NULL;
	text = memory_array(room, 1, "file");
	length = fread(text, 1, room - 1, file);
	text[length] = 0;
	fclose(file);
	return text;
}

/* A descriptor that takes no byte, or the file that keeps them. */
static inline int open_sink(enum sink sink, const char *kept)
{
	int ends[2];

	switch (sink) {
	case SINK_KEPT:
		return open(kept, O_WRONLY | O_CREAT | O_TRUNC, 0666);
	case SINK_BROKEN_PIPE:
		if (pipe(ends))
			return -1;
		close(ends[0]);
		return ends[1];
	default:
		return open("/dev/full", O_WRONLY);
	}
}

static inline void limit(int resource, rlim_t most)
{
	struct rlimit limits = { most, most };

	if (most)
		setrlimit(resource, &limits);
}

static inline void become_shell(const struct world *w, const char *command, const char *output, int error)
{
	int out = open_sink(w->sink, output);

	if (out < 0)
		_exit(126);
	dup2(out, STDOUT_FILENO);
	dup2(error, STDERR_FILENO);
	close(out);
	close(error);
	if (w->sink == SINK_CLOSED)
		close(STDOUT_FILENO);
	limit(RLIMIT_FSIZE, w->file_limit);
	limit(RLIMIT_AS, w->memory_limit);
	execl("/bin/sh", "sh", "-c", command, (char *)NULL);
	_exit(127);
}

/* A line of shell in which $ssd is the program and $d the test's folder. */
static inline pid_t start_shell(struct world *w, const char *line, int *error)
{
	char command[2048], output[64];
	int ends[2];
	pid_t pid;

	snprintf(output, sizeof output, "%s/stdout", w->folder);
	assert_true(snprintf(command, sizeof command,
			    "ssd='%s' d='%s'; [ -z \"${ssd%%%%/*}\" ] || ssd=\"$PWD/$ssd\"; %s", binary(),
			    w->folder, line) < (int)sizeof command);
	assert_int_equal(pipe(ends), 0);
	fflush(NULL);
	pid = fork();
	assert_true(pid >= 0);
	if (pid == 0)
		become_shell(w, command, output, ends[1]);
	close(ends[1]);
	*error = ends[0];
	return pid;
}

/* The program alone, in place of the shell; "@" stands for the test's folder.  Runs print
 * all statistics. */
static inline pid_t start(struct world *w, const char *arguments, int *error)
{
	bool run = !strncmp(arguments, "run ", 4);
	char line[1024] = "exec \"$ssd\" ";
	size_t length = strlen(line);

	if (run)
		length = strlen(strcat(line, "run --all "));
	arguments += run ? 4 : 0;

	for (const char *c = arguments; *c; c++)
		length += (size_t)snprintf(line + length, sizeof line - length, *c == '@' ? "$d" : "%c", *c);
	assert_true(length < sizeof line);
	return start_shell(w, line, error);
}

static inline void finish(struct world *w, pid_t pid, int error)
{
	char output[64];
	int status;

	read_all(error, w->err, sizeof w->err);
	close(error);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	w->status = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
	snprintf(output, sizeof output, "%s/stdout", w->folder);
	memory_free(w->out);
	w->out = w->sink == SINK_KEPT ? contents(output) : NULL;
}

static inline void shell(struct world *w, const char *line)
{
	int error;
	pid_t pid = start_shell(w, line, &error);

	finish(w, pid, error);
}

/* `ssd` with these arguments. */
static inline void ssd(struct world *w, const char *arguments)
{
	int error;
	pid_t pid = start(w, arguments, &error);

	finish(w, pid, error);
}

static inline char *path_in(const struct world *w, const char *name)
{
	char *path = memory_array(strlen(w->folder) + strlen(name) + 2, 1, "path");

	sprintf(path, "%s/%s", w->folder, name);
	return path;
}

static inline void put_bytes(const struct world *w, const char *name, const void *bytes, size_t size)
{
	char *path = path_in(w, name);
	FILE *file = fopen(path, "wb");

	assert_non_null(file);
	assert_int_equal(fwrite(bytes, 1, size, file), size);
	assert_int_equal(fclose(file), 0);
	memory_free(path);
}

static inline void put_text(const struct world *w, const char *name, const char *text)
{
	put_bytes(w, name, text, strlen(text));
}

/* The contents of the file, to be freed; NULL: there is no such file. */
static inline char *text_of(const struct world *w, const char *name)
{
	char *path = path_in(w, name), *text = contents(path);

	memory_free(path);
	return text;
}

static inline bool exists(const struct world *w, const char *name)
{
	char *path = path_in(w, name);
	bool there = access(path, F_OK) == 0;

	memory_free(path);
	return there;
}

static inline int set_up(void **state)
{
	struct world *w = memory_array(1, sizeof *w, "world");

	strcpy(w->folder, "/tmp/ssdlab-cli-XXXXXX");
	*state = w;
	if (access(binary(), X_OK)) {
		print_error("%s cannot be run: make it, or set SSD to the binary\n", binary());
		return -1;
	}
	return mkdtemp(w->folder) ? 0 : -1;
}

static inline int tear_down(void **state)
{
	struct world *w = *state;
	char command[64];
	int status;

	snprintf(command, sizeof command, "rm -rf %s", w->folder);
	status = system(command);
	memory_free(w->out);
	memory_free(w);
	return status;
}

/* ---- what is expected ---- */

static inline void assert_status(const struct world *w, int status, const char *arguments)
{
	if (w->status != status)
		fail_msg("ssd %s: status %d, should be %d; \"%s\"", arguments, w->status, status, w->err);
}

/* True if it ends with status 2, one line that contains `says`, and no results.  Prints what differs. */
static inline bool is_mistake(struct world *w, const char *arguments, const char *says)
{
	size_t lines = 0;

	ssd(w, arguments);
	for (const char *c = w->err; *c; c++)
		lines += *c == '\n';
	if (w->status == USER && lines == 1 && (!w->out || !*w->out) && !strncmp(w->err, "ssd: ", 5) &&
		strstr(w->err, says))
		return true;
	print_error("ssd %s: should end with status 2 and one line with \"%s\"; status %d, \"%s\"\n",
		arguments, says, w->status, w->err);
	return false;
}

static inline void assert_mistake(struct world *w, const char *arguments, const char *says)
{
	assert_true(is_mistake(w, arguments, says));
}

static inline bool says(const struct world *w, const char *line)
{
	return w->out && strstr(w->out, line);
}

static inline uint64_t value_of(const struct world *w, const char *name)
{
	char start[80];
	const char *line;

	snprintf(start, sizeof start, "\n%s = ", name);
	line = w->out ? strstr(w->out, start) : NULL;
	assert_non_null(line);
	return strtoull(line + strlen(start), NULL, 10);
}

struct mistake {
	const char *arguments, *says;
};

static inline void assert_mistakes(struct world *w, const struct mistake *list, size_t n)
{
	size_t right = 0;

	for (size_t i = 0; i < n; i++)
		right += is_mistake(w, list[i].arguments, list[i].says);
	assert_int_equal(right, n);
}

#define COUNT(array) (sizeof(array) / sizeof *(array))

#define TEST(function) cmocka_unit_test_setup_teardown(function, set_up, tear_down)

#endif
