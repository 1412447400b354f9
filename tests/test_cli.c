/*
 * The program as a user meets it: exit statuses, one line for each mistake, results that are whole or not
 * there. Runs the binary named by $SSD (default build/ssd) from the top of the tree.
 */
#include "tests/drive_fixture.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <time.h>

enum { DONE = 0, USER = 2, DRIVE_FAILED = 3, INTERRUPTED = 130 };

/* ---- running it ---- */

/* Where standard output goes; all but the first cannot be written. */
enum sink { SINK_KEPT, SINK_FULL, SINK_CLOSED, SINK_BROKEN_PIPE, SINKS };

/* A folder of the test's own. */
struct world {
	char folder[32];
	enum sink sink;
	rlim_t file_limit;   /* bytes a file may grow to; 0: any number */
	rlim_t memory_limit; /* bytes of address space; 0: any number */
	int status;          /* exit status, or -1 after a signal */
	char *out;           /* what it printed; NULL unless SINK_KEPT */
	char err[8192];
};

static const char *binary(void)
{
	const char *path = getenv("SSD");

	return path ? path : "build/ssd";
}

static char *contents(const char *path)
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
static int open_sink(enum sink sink, const char *kept)
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

static void limit(int resource, rlim_t most)
{
	struct rlimit limits = { most, most };

	if (most)
		setrlimit(resource, &limits);
}

static void become_ssd(const struct world *w, char **argv, const char *output, int error)
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
	signal(SIGXFSZ, SIG_IGN);
	limit(RLIMIT_FSIZE, w->file_limit);
	limit(RLIMIT_AS, w->memory_limit);
	execv(binary(), argv);
	_exit(127);
}

/* Cuts at spaces; "@" becomes the test's folder. */
static char **split(const struct world *w, char *line)
{
	static const size_t most = 64;
	char **argv = memory_array(most, sizeof *argv, "arguments"), *word = strtok(line, " ");
	size_t n = 1;

	argv[0] = memory_string("ssd", "argument");
	for (; word; word = strtok(NULL, " ")) {
		char *text = memory_array(strlen(word) + sizeof w->folder, 1, "argument"),
		     *at = strchr(word, '@');

		assert_true(n + 1 < most);
		if (at)
			sprintf(text, "%.*s%s%s", (int)(at - word), word, w->folder, at + 1);
		else
			strcpy(text, word);
		argv[n++] = text;
	}
	return argv;
}

static void free_arguments(char **argv)
{
	for (char **a = argv; *a; a++)
		memory_free(*a);
	memory_free(argv);
}

static pid_t start(struct world *w, const char *arguments, int *error)
{
	char *line = memory_string(arguments, "command line"), **argv = split(w, line), output[64];
	int ends[2];
	pid_t pid;

	snprintf(output, sizeof output, "%s/stdout", w->folder);
	assert_int_equal(pipe(ends), 0);
	fflush(NULL);
	pid = fork();
	assert_true(pid >= 0);
	if (pid == 0)
		become_ssd(w, argv, output, ends[1]);
	close(ends[1]);
	*error = ends[0];
	free_arguments(argv);
	memory_free(line);
	return pid;
}

static void finish(struct world *w, pid_t pid, int error)
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

/* `ssd` with these arguments. */
static void ssd(struct world *w, const char *arguments)
{
	int error;
	pid_t pid = start(w, arguments, &error);

	finish(w, pid, error);
}

static char *path_in(const struct world *w, const char *name)
{
	char *path = memory_array(strlen(w->folder) + strlen(name) + 2, 1, "path");

	sprintf(path, "%s/%s", w->folder, name);
	return path;
}

static void put_bytes(const struct world *w, const char *name, const void *bytes, size_t size)
{
	char *path = path_in(w, name);
	FILE *file = fopen(path, "wb");

	assert_non_null(file);
	assert_int_equal(fwrite(bytes, 1, size, file), size);
	assert_int_equal(fclose(file), 0);
	memory_free(path);
}

static void put_text(const struct world *w, const char *name, const char *text)
{
	put_bytes(w, name, text, strlen(text));
}

static bool exists(const struct world *w, const char *name)
{
	char *path = path_in(w, name);
	bool there = access(path, F_OK) == 0;

	memory_free(path);
	return there;
}

static int set_up(void **state)
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

static int tear_down(void **state)
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

static void assert_status(const struct world *w, int status, const char *arguments)
{
	if (w->status != status)
		fail_msg("ssd %s: status %d, should be %d; \"%s\"", arguments, w->status, status, w->err);
}

/* Status 2, one line that says all of it, and no results.  Prints what differs. */
static bool is_mistake(struct world *w, const char *arguments, const char *says)
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

static void assert_mistake(struct world *w, const char *arguments, const char *says)
{
	assert_true(is_mistake(w, arguments, says));
}

static bool says(const struct world *w, const char *line)
{
	return w->out && strstr(w->out, line);
}

static uint64_t value_of(const struct world *w, const char *name)
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

static void assert_mistakes(struct world *w, const struct mistake *list, size_t n)
{
	size_t right = 0;

	for (size_t i = 0; i < n; i++)
		right += is_mistake(w, list[i].arguments, list[i].says);
	assert_int_equal(right, n);
}

#define COUNT(array) (sizeof(array) / sizeof *(array))

/* ---- status 0 ---- */

static void test_commands_that_only_print(void **state)
{
	static const struct mistake cases[] = {
		{ "help", "usage: ssd COMMAND" },
		{ "", "usage: ssd COMMAND" },
		{ "--help", "usage: ssd COMMAND" },
		{ "version", "ssd " },
		{ "list", "page" },
		{ "params", "threshold" },
		{ "params gc", "threshold" },
		{ "params gc.threshold", "0.1" },
		{ "run --help", "usage: ssd run" },
		{ "trace --help", "usage: ssd trace" },
		{ "trace stat --help", "usage: ssd trace stat" },
		{ "trace convert --help", "ssdsim" },
		{ "trace generate --help", "usage: ssd trace generate" },
		{ "params --help", "usage: ssd params" },
	};
	struct world *w = *state;

	for (size_t i = 0; i < COUNT(cases); i++) {
		ssd(w, cases[i].arguments);
		assert_status(w, DONE, cases[i].arguments);
		assert_string_equal(w->err, "");
		if (!says(w, cases[i].says))
			fail_msg("ssd %s does not say \"%s\"", cases[i].arguments, cases[i].says);
	}
}

static void test_a_run(void **state)
{
	struct world *w = *state;
	char *path = path_in(w, "deep/results/statistics.txt"), *file;

	ssd(w, "run --verify -s trace.limit=2000 -o @/deep/results --json @/run.json parameters/tiny.cfg "
	       "uniform");
	assert_status(w, DONE, "run");
	assert_true(says(w, "run.requests = 2000 ") && says(w, "run.served = 2000 ") &&
		    says(w, "run.verified = 1 "));
	assert_true(says(w, "run.interrupted = 0 ") && says(w, "run.drive_failed = 0 "));
	file = contents(path);
	assert_non_null(file);
	assert_string_equal(file, w->out);
	assert_true(exists(w, "deep/results/latency.txt") && exists(w, "deep/results/wear.txt") &&
		    exists(w, "run.json"));
	memory_free(file);
	memory_free(path);
}

static void test_quiet(void **state)
{
	struct world *w = *state;

	ssd(w, "run --quiet -s trace.limit=100 parameters/tiny.cfg uniform");
	assert_status(w, DONE, "run --quiet");
	assert_string_equal(w->out, "");
	assert_string_equal(w->err, "");
}

/* Every name that `ssd list` shows can be asked for. */
static void test_every_plug_in_runs(void **state)
{
	struct world *w = *state;
	char line[300];

	for (size_t f = 0; ftls[f]; f++)
		for (size_t b = 0; buffers[b]; b++) {
			snprintf(line, sizeof line,
				"run --verify -s ftl=%s -s buffer=%s -s dram.buffer_bytes=8K -s "
				"trace.limit=3000 "
				"parameters/tiny.cfg uniform",
				ftls[f]->name, buffers[b]->name);
			ssd(w, line);
			assert_status(w, DONE, line);
			snprintf(line, sizeof line, "run.ftl = %s", ftls[f]->name);
			assert_true(says(w, line));
		}
}

/* ---- mistakes on the command line ---- */

static void test_mistakes_on_the_command_line(void **state)
{
	static const struct mistake cases[] = {
		{ "lst", "unknown command \"lst\"" },
		{ "list all", "\"all\"" },
		{ "params no.such", "unknown parameter \"no.such\"" },
		{ "params gc.treshold", "did you mean \"gc.threshold\"" },
		{ "params gc wear", "at most" },
		{ "run", "needs a parameter file and a trace" },
		{ "run parameters/tiny.cfg", "needs a parameter file and a trace" },
		{ "run parameters/tiny.cfg uniform more", "needs a parameter file and a trace" },
		{ "run --verfy parameters/tiny.cfg uniform", "--verfy" },
		{ "run parameters/tiny.cfg uniform -s", "-s" },
		{ "run -s gc parameters/tiny.cfg uniform", "KEY=VALUE" },
		{ "run -s gc.treshold=0.2 parameters/tiny.cfg uniform", "did you mean \"gc.threshold\"" },
		{ "run -s threshold=0.2 parameters/tiny.cfg uniform", "unknown parameter \"threshold\"" },
		{ "run -s gc.threshold=high parameters/tiny.cfg uniform", "gc.threshold=high" },
		{ "run -s gc.threshold=1.5 parameters/tiny.cfg uniform", "should be 0 to 0.9" },
		{ "run -s flash.pages=-1 parameters/tiny.cfg uniform", "flash.pages=-1" },
		{ "run -s flash.pages=99999999999999999999 parameters/tiny.cfg uniform", "flash.pages=" },
		{ "run -s flash.copyback=maybe parameters/tiny.cfg uniform", "flash.copyback=maybe" },
		{ "run -s flash.read_ns=[1,2,3,4,5] parameters/tiny.cfg uniform", "flash.read_ns=" },
		{ "run -s ftl=pagee parameters/tiny.cfg uniform", "\"page\"" },
		{ "run -s placement.order=CCDP parameters/tiny.cfg uniform", "placement.order = \"CCDP\"" },
		{ "run -s precondition.mode=trace parameters/tiny.cfg uniform", "precondition.trace" },
		{ "run -s precondition.mode=synthetic -s precondition.used=0.2 -s precondition.valid=0.5 "
		  "parameters/tiny.cfg uniform",
			"precondition.valid = 0.5" },
		{ "run parameters/tiny.cfg no-such-trace", "no-such-trace: " },
		{ "run parameters/no-such.cfg uniform", "parameters/no-such.cfg" },
		{ "run parameters uniform", "parameters" },
		{ "trace", "stat, convert or generate" },
		{ "trace stats x", "unknown command \"stats\"" },
		{ "trace stat", "which trace" },
		{ "trace stat no-such-trace", "no-such-trace: " },
		{ "trace stat --formt msr no-such-trace", "--formt" },
		{ "trace convert --to nothing no-such-trace", "no-such-trace" },
		{ "trace generate no-such-profile", "no-such-profile" },
		{ "trace generate -s request=5 uniform", "did you mean \"requests\"" },
	};

	assert_mistakes(*state, cases, COUNT(cases));
}

/* ---- parameter files ---- */

static void test_bad_parameter_files(void **state)
{
	static const struct {
		const char *text, *says;
	} cases[] = {
		{ "flash: { blocks = 16", "bad.cfg:1" },
		{ "flash: {\n  blocks = = 16;\n};\n", "bad.cfg:2" },
		{ "ftl = \"page;\n", "bad.cfg" },
		{ "flash: {\n  blokcs = 16;\n};\n",
			"bad.cfg:2: unknown parameter \"flash.blokcs\"; did you mean \"flash.blocks\"" },
		{ "falsh: { blocks = 16; };\n", "bad.cfg:1: unknown" },
		{ "ftl = 3;\n", "bad.cfg:1: ftl" },
		{ "flash: { blocks = \"many\"; };\n", "bad.cfg:1: flash.blocks" },
		{ "flash: { blocks = 1.5; };\n", "bad.cfg:1: flash.blocks" },
		{ "flash: { copyback = 7; };\n", "bad.cfg:1: flash.copyback" },
		{ "flash: { blocks = 0; };\n", "bad.cfg:1: flash.blocks" },
		{ "flash: { planes = 0; };\n", "bad.cfg:1: flash.planes" },
		{ "flash: { page_bytes = 3000; };\n", "flash.page_bytes = 3000 is not a power of two" },
		{ "flash: { page_bytes = 65536; };\n", "bad.cfg:1: flash.page_bytes" },
		{ "flash: { blocks = 16777216; pages = 1024; };\n", "at most 4294967294 can be addressed" },
		{ "flash: { over_provisioning = 0.0; };\n", "flash.over_provisioning leaves" },
		{ "flash: { blocks = 4; over_provisioning = 0.5; };\n", "flash.over_provisioning leaves" },
		{ "gc: { threshold = -0.1; };\n", "bad.cfg:1: gc.threshold" },
		{ "seed = 1;\nseed = 2;\n", "bad.cfg:2" },
		{ "flash = 7;\n", "bad.cfg:1: \"flash\" is a group" },
		{ "flash: { channels = 1; chips = 1; dies = 1; planes = 1; blocks = 99999999999; };\n",
			"bad.cfg:1: flash.blocks" },
		{ "\x7f"
		  "ELF\x01\x02\x03",
			"bad.cfg" },
	};
	struct world *w = *state;
	size_t right = 0;

	for (size_t i = 0; i < COUNT(cases); i++) {
		put_text(w, "bad.cfg", cases[i].text);
		right += is_mistake(w, "run @/bad.cfg uniform", cases[i].says);
	}
	assert_int_equal(right, COUNT(cases));
}

/* ---- traces ---- */

static void test_bad_traces(void **state)
{
	static const struct {
		const char *text, *says;
	} cases[] = {
		{ "", "bad.trace: " },
		{ "\n\n\n", "bad.trace: " },
		{ "0 0 0 4 0\n1 0 4 4\n", "bad.trace:2: " },
		{ "0 0 0 4 0\n1 0 x 4 0\n", "bad.trace:2: " },
		{ "0 0 0 4 0\n1 0 -4 4 0\n", "bad.trace:2: " },
		{ "0 0 0 4 0\n-1 0 4 4 0\n", "bad.trace:2: " },
		{ "0 0 0 4 0\n1 0 4 0 0\n", "bad.trace:2: " },
		{ "0 0 0 4 0\n1 0 4 -4 0\n", "bad.trace:2: " },
		{ "0 0 0 4 0\n1 0 4 4 9\n", "bad.trace:2: " },
		{ "0 0 0 4 0\n1 0 99999999999999999999999 4 0\n", "bad.trace:2: " },
		{ "0 0 0 4 0\n1 0 4 99999999999 0\n", "bad.trace:2: " },
		{ "0 0 0 4 0\n1 0 18446744073709551614 4 0\n", "bad.trace:2: " },
		{ "0 0 0 4 0\n1 0 9223372036854775806 4 0\n", "bad.trace:2: " },
		{ "0 0 0 4 0\n1 0 4 4294967295 0\n", "bad.trace:2: " },
		{ "0 0 0 4 0\n99999999999999999999999 0 4 4 0\n", "bad.trace:2: " },
		{ "0 0 0 4 0\n1 0 4 4 0 and more\n", "bad.trace:2: " },
		{ "0 0 0 4 0\n1 0 100000 4 0\n",
			"bad.trace:2: sectors 100000 to 100003 lie beyond the drive" },
		{ "0 0 0 4 0\n1 0 0 100000 0\n",
			"bad.trace:2: a request of 100000 sectors is larger than the drive" },
	};
	struct world *w = *state;
	size_t right = 0;

	for (size_t i = 0; i < COUNT(cases); i++) {
		put_text(w, "bad.trace", cases[i].text);
		right += is_mistake(w,
			"run -s trace.format=ssdsim -s trace.fold=false parameters/tiny.cfg @/bad.trace",
			cases[i].says);
		right += is_mistake(w,
			"run -s trace.format=ssdsim -s trace.fold=false -s precondition.premap=none "
			"parameters/tiny.cfg @/bad.trace",
			cases[i].says);
	}
	assert_int_equal(right, 2 * COUNT(cases));
}

/* The first half of a small SSDsim trace, compressed by gzip. */
static const unsigned char compressed[] = {
	0x1f,
	0x8b,
	0x08,
	0x00,
	0x00,
	0x00,
	0x00,
	0x00,
	0x02,
	0x03,
	0x2d,
	0x8e,
	0xb9,
	0x11,
	0x00,
	0x20,
	0x0c,
	0xc3,
	0x7a,
	0xa6,
	0x60,
	0x84,
	0x7c,
	0x40,
	0xb2,
	0xff,
	0x62,
	0x80,
	0xe3,
	0x4b,
	0x13,
	0x9d,
	0x0a,
	0x4b,
	0xa6,
	0xbc,
	0x8b,
	0x29,
	0x43,
	0x45,
	0xfe,
	0xeb,
	0xe7,
	0x91,
	0x0e,
	0x6b,
};

static void test_traces_that_are_not_text(void **state)
{
	struct world *w = *state;
	unsigned char noise[4096];
	struct random random;

	random_init(&random, seed_of_run(), 1);
	for (size_t i = 0; i < sizeof noise; i++)
		noise[i] = (unsigned char)random_next(&random);
	put_bytes(w, "noise", noise, sizeof noise);
	assert_mistake(w, "run parameters/tiny.cfg @/noise", "noise");
	assert_mistake(w, "trace stat @/noise", "noise");
	assert_mistake(w, "run parameters/tiny.cfg @", "is a directory");
	memcpy(noise, compressed, sizeof compressed);
	put_bytes(w, "corrupt.gz", noise, sizeof noise);
	assert_mistake(w, "run parameters/tiny.cfg @/corrupt.gz", "corrupt.gz");
	put_bytes(w, "truncated.gz", compressed, sizeof compressed);
	assert_mistake(w, "run parameters/tiny.cfg @/truncated.gz", "truncated.gz");
	assert_mistake(w, "trace stat @/truncated.gz", "truncated.gz");
}

/* A file that can be opened, but whose first byte cannot be read: as on a broken disk. */
static void test_a_trace_that_fails_to_be_read(void **state)
{
	struct world *w = *state;

	if (access("/proc/self/mem", R_OK))
		return;
	assert_mistake(w, "run parameters/tiny.cfg /proc/self/mem", "/proc/self/mem");
	assert_mistake(w, "trace stat /proc/self/mem", "/proc/self/mem");
	assert_mistake(w, "run /proc/self/mem uniform", "/proc/self/mem");
	assert_mistake(w, "run --load-drive /proc/self/mem parameters/tiny.cfg uniform", "/proc/self/mem");
}

/* A file that no one may read; a superuser may. */
static void test_an_unreadable_trace(void **state)
{
	struct world *w = *state;
	char *path = path_in(w, "secret.trace");

	put_text(w, "secret.trace", "0 0 0 4 0\n");
	assert_int_equal(chmod(path, 0), 0);
	if (access(path, R_OK) == 0) {
		ssd(w, "run --quiet -s trace.format=ssdsim parameters/tiny.cfg @/secret.trace");
		assert_status(w, DONE, "run as superuser");
	} else {
		assert_mistake(w, "run parameters/tiny.cfg @/secret.trace", "secret.trace: ");
	}
	memory_free(path);
}

/* Sorted, counted and served. */
static void test_time_going_back(void **state)
{
	struct world *w = *state;

	put_text(w, "back.trace", "5000 0 0 4 0\n9000 0 4 4 0\n7000 0 8 4 0\n");
	ssd(w, "run -s trace.format=ssdsim parameters/tiny.cfg @/back.trace");
	assert_status(w, DONE, "run back.trace");
	assert_true(says(w, "run.served = 3 ") && says(w, "run.reordered = 1 "));
}

/* ---- results that cannot be written ---- */

static void test_results_that_cannot_be_written(void **state)
{
	static const struct mistake cases[] = {
		{ "run --quiet -o @/file/results -s trace.limit=10 parameters/tiny.cfg uniform", "file" },
		{ "run --quiet -o @/file -s trace.limit=10 parameters/tiny.cfg uniform", "file" },
		{ "run --quiet -o /proc/results -s trace.limit=10 parameters/tiny.cfg uniform",
			"/proc/results" },
		{ "run --quiet --json @/none/run.json -s trace.limit=10 parameters/tiny.cfg uniform",
			"none/run.json" },
		{ "run --quiet --json /dev/full -s trace.limit=10 parameters/tiny.cfg uniform", "/dev/full" },
		{ "run --quiet --save-drive /dev/full -s trace.limit=10 parameters/tiny.cfg uniform",
			"/dev/full" },
		{ "run --quiet --save-drive @/none/drive -s trace.limit=10 parameters/tiny.cfg uniform",
			"none/drive" },
		{ "trace generate -s requests=10 -o /dev/full uniform", "/dev/full" },
	};
	struct world *w = *state;

	put_text(w, "file", "not a folder");
	put_text(w, "fine.trace", "0 0 0 4 0\n");
	assert_mistakes(w, cases, COUNT(cases));
	ssd(w, "trace stat --json /dev/full @/fine.trace --format ssdsim"); /* prints the text, then fails */
	assert_status(w, USER, "trace stat --json /dev/full");
	assert_non_null(strstr(w->err, "/dev/full"));
}

/* A folder that no one may write to; a superuser may. */
static void test_a_folder_that_cannot_be_written(void **state)
{
	struct world *w = *state;
	char *path = path_in(w, "locked");

	assert_int_equal(mkdir(path, 0555), 0);
	if (access(path, W_OK)) {
		assert_mistake(w, "run --quiet -o @/locked parameters/tiny.cfg uniform", "locked");
		assert_mistake(w, "run --quiet -o @/locked/deep parameters/tiny.cfg uniform", "locked");
		assert_mistake(
			w, "run --quiet --json @/locked/run.json parameters/tiny.cfg uniform", "locked");
	}
	memory_free(path);
}

/* Full, closed, or a pipe whose reader has gone: what was asked for did not arrive, and the user hears so. */
static void test_a_standard_output_that_takes_nothing(void **state)
{
	static const char *const commands[] = {
		"help",
		"version",
		"list",
		"params",
		"run --help",
		"run -s trace.limit=10 parameters/tiny.cfg uniform",
		"trace stat --format ssdsim @/fine.trace",
		"trace generate -s requests=100000 uniform",
		"trace convert --format ssdsim --to spc @/fine.trace",
	};
	struct world *w = *state;

	put_text(w, "fine.trace", "0 0 0 4 0\n");
	for (w->sink = SINK_FULL; w->sink < SINKS; w->sink++)
		for (size_t i = 0; i < COUNT(commands); i++) {
			ssd(w, commands[i]);
			assert_status(w, USER, commands[i]);
			if (!strstr(w->err, "standard output") && !strstr(w->err, "/dev/stdout"))
				fail_msg("ssd %s, output %d: \"%s\"", commands[i], w->sink, w->err);
		}
}

/*
 * Files are written whole although standard output is closed: its number must not come to stand for one of
 * them.
 */
static void test_files_beside_a_closed_standard_output(void **state)
{
	struct world *w = *state;
	char *path = path_in(w, "open/statistics.txt"), *whole, *file;

	ssd(w, "run -o @/open --save-drive @/drive -s trace.limit=1000 parameters/tiny.cfg uniform");
	assert_status(w, DONE, "run");
	whole = contents(path);
	assert_non_null(whole);
	w->sink = SINK_CLOSED;
	ssd(w, "run --quiet -o @/open --save-drive @/drive -s trace.limit=1000 parameters/tiny.cfg uniform");
	assert_status(w, DONE, "run --quiet >&-");
	file = contents(path);
	assert_string_equal(strstr(file, "\nrequest."), strstr(whole, "\nrequest."));
	memory_free(file);
	w->sink = SINK_KEPT;
	ssd(w, "run --quiet --load-drive @/drive -s trace.limit=10 parameters/tiny.cfg uniform");
	assert_status(w, DONE, "run --load-drive");
	memory_free(whole);
	memory_free(path);
}

/* The modelled drive fails and the statistics are lost too: the second is what the user must hear. */
static void test_a_full_standard_output_of_a_failed_drive(void **state)
{
	struct world *w = *state;

	w->sink = SINK_FULL;
	ssd(w, "run -s flash.endurance=3 parameters/tiny.cfg uniform");
	assert_status(w, USER, "run of a drive that wears out > /dev/full");
	assert_non_null(strstr(w->err, "standard output"));
}

/* The disk is full after some bytes: no result file is left looking complete, and none half-written. */
static void test_a_disk_that_fills_up(void **state)
{
	struct world *w = *state;
	static const rlim_t limits[] = { 1, 100, 1000, 4096 };

	for (size_t i = 0; i < COUNT(limits); i++) {
		char command[100];

		w->file_limit = limits[i];
		assert_mistake(w, "run --quiet -o @/full -s trace.limit=500 parameters/tiny.cfg uniform",
			"cannot write");
		assert_false(exists(w, "full/statistics.txt"));
		assert_mistake(w,
			"run --quiet --save-drive @/full/drive -s precondition.mode=aged parameters/tiny.cfg "
			"uniform",
			"cannot write");
		assert_false(exists(w, "full/drive"));
		w->file_limit = 0;
		snprintf(command, sizeof command, "test -z \"$(ls %s/full | grep partial)\"", w->folder);
		assert_int_equal(system(command), 0);
	}
}

static void test_other_files_on_a_disk_that_fills_up(void **state)
{
	static const struct {
		const char *arguments, *file;
	} cases[] = {
		{ "run --quiet --json @/run.json -s trace.limit=500 parameters/tiny.cfg uniform",
			"run.json" },
		{ "trace generate -s requests=5000 -o @/made.trace uniform", "made.trace" },
		{ "trace convert --format ssdsim --to spc -o @/made.spc traces/samples/across.trace",
			"made.spc" },
		{ "trace stat --format ssdsim --json @/stat.json traces/samples/across.trace", "stat.json" },
	};
	struct world *w = *state;

	for (size_t i = 0; i < COUNT(cases); i++) {
		w->file_limit = 600;
		ssd(w, cases[i].arguments);
		assert_status(w, USER, cases[i].arguments);
		assert_false(exists(w, cases[i].file));
	}
}

/* Results of an earlier run are replaced by whole ones or not at all. */
static void test_earlier_results_survive_a_full_disk(void **state)
{
	struct world *w = *state;
	char *path = path_in(w, "kept/statistics.txt"), *before, *after;

	ssd(w, "run --quiet -o @/kept -s trace.limit=500 parameters/tiny.cfg uniform");
	assert_status(w, DONE, "run");
	before = contents(path);
	w->file_limit = 3000;
	assert_mistake(
		w, "run --quiet -o @/kept -s trace.limit=900 parameters/tiny.cfg uniform", "cannot write");
	after = contents(path);
	assert_non_null(after);
	assert_string_equal(after, before);
	memory_free(before);
	memory_free(after);
	memory_free(path);
}

static void test_a_drive_larger_than_memory(void **state)
{
	struct world *w = *state;

	if (SANITIZED)
		return;
	w->memory_limit = (rlim_t)1 << 30;
	assert_mistake(w,
		"run -s flash.blocks=2000000 -s flash.pages=256 -s trace.limit=10 parameters/tiny.cfg "
		"uniform",
		"out of memory: the ");
}

/* ---- status 3 and 130 ---- */

static void test_a_worn_out_drive(void **state)
{
	struct world *w = *state;
	char line[200];

	for (size_t f = 0; ftls[f]; f++) {
		snprintf(line, sizeof line,
			"run --verify -o @/%s -s ftl=%s -s flash.endurance=3 parameters/tiny.cfg uniform",
			ftls[f]->name, ftls[f]->name);
		ssd(w, line);
		assert_status(w, DRIVE_FAILED, line);
		assert_true(says(w, "run.drive_failed = 1 ") && says(w, "run.interrupted = 0 "));
		snprintf(line, sizeof line, "%s/statistics.txt", ftls[f]->name);
		assert_true(exists(w, line));
	}
}

/* Waits until the program has made a file; false if it ends before. */
static bool makes(const struct world *w, pid_t pid, const char *name)
{
	struct timespec pause = { 0, 10000000 };
	siginfo_t ended = { 0 };

	while (!exists(w, name)) {
		if (waitid(P_PID, (id_t)pid, &ended, WEXITED | WNOHANG | WNOWAIT) || ended.si_pid)
			return false;
		nanosleep(&pause, NULL);
	}
	return true;
}

/* An endless workload; the saved drive says that the run has begun. */
static void test_interrupt(void **state)
{
	struct world *w = *state;
	char *path = path_in(w, "results/statistics.txt"), *file;
	int error;
	pid_t pid;

	put_text(w, "endless.cfg",
		"brief = \"never ends\";\nrequests = 1000000000000;\nspace = \"1M\";\nwrite_share = 1.0;\n"
		"arrival = { law = \"fixed\"; gaps = \"500\"; };\nwrite = { sizes = \"4K\"; };\n"
		"read = { sizes = \"4K\"; };\n");
	setenv("SSDLAB_PROFILES", w->folder, 1);
	pid = start(w,
		"run --save-drive @/begun -o @/results -s precondition.premap=none "
		"parameters/tiny.cfg endless",
		&error);
	if (!makes(w, pid, "begun")) {
		finish(w, pid, error);
		fail_msg("the run does not begin: %s", w->err);
	}
	kill(pid, SIGINT);
	finish(w, pid, error);
	unsetenv("SSDLAB_PROFILES");
	assert_status(w, INTERRUPTED, "run endless");
	assert_true(says(w, "run.interrupted = 1 ") && says(w, "run.drive_failed = 0 "));
	assert_true(value_of(w, "run.served") > 0);
	assert_int_equal(value_of(w, "run.served"), value_of(w, "run.requests"));
	file = contents(path);
	assert_string_equal(file, w->out);
	memory_free(file);
	memory_free(path);
}

/* ---- saved drives ---- */

#define AGED                                                                                                 \
	"-s precondition.mode=synthetic -s precondition.used=0.8 -s precondition.valid=0.5 -s "              \
	"trace.limit=800 "

/* Everything from the requests on; what lies before names the command. */
static const char *results(const struct world *w)
{
	const char *from = w->out ? strstr(w->out, "request.read.count") : NULL;

	assert_non_null(from);
	return from;
}

static void test_a_loaded_drive_continues_as_the_saved_one(void **state)
{
	struct world *w = *state;
	char *saved;

	ssd(w, "run --verify " AGED "--save-drive @/drive parameters/tiny.cfg uniform");
	assert_status(w, DONE, "run --save-drive");
	saved = memory_string(results(w), "results");
	ssd(w, "run --verify " AGED "--load-drive @/drive parameters/tiny.cfg uniform");
	assert_status(w, DONE, "run --load-drive");
	assert_string_equal(results(w), saved);
	assert_true(says(w, "precondition.used = 0.8"));
	memory_free(saved);
}

static void test_saved_drives_that_do_not_fit(void **state)
{
	static const struct mistake cases[] = {
		{ "run --load-drive @/none parameters/tiny.cfg uniform", "none: cannot be read" },
		{ "run --load-drive @ parameters/tiny.cfg uniform", "" },
		{ "run --load-drive parameters/tiny.cfg parameters/tiny.cfg uniform", "not a saved drive" },
		{ "run --load-drive /dev/null parameters/tiny.cfg uniform", "not a saved drive" },
		{ "run --load-drive @/drive -s flash.blocks=32 parameters/tiny.cfg uniform",
			"another drive was saved" },
		{ "run --load-drive @/drive -s flash.over_provisioning=0.3 parameters/tiny.cfg uniform",
			"another drive was saved" },
		{ "run --load-drive @/drive -s ftl=skeleton parameters/tiny.cfg uniform",
			"another drive was saved" },
		{ "run --load-drive @/drive -s gc.policy=fifo parameters/tiny.cfg uniform",
			"another drive was saved" },
		{ "run --load-drive @/drive --verify parameters/tiny.cfg uniform",
			"another drive was saved" },
	};
	struct world *w = *state;

	ssd(w, "run --quiet " AGED "--save-drive @/drive parameters/tiny.cfg uniform");
	assert_status(w, DONE, "run --save-drive");
	assert_mistakes(w, cases, COUNT(cases));
}

static unsigned char *bytes_of(const struct world *w, const char *name, size_t *size)
{
	char *path = path_in(w, name);
	FILE *file = fopen(path, "rb");
	unsigned char *bytes = memory_array(1 << 20, 1, "saved drive");

	assert_non_null(file);
	*size = fread(bytes, 1, 1 << 20, file);
	fclose(file);
	memory_free(path);
	return bytes;
}

/* One byte that is not what was saved, at some 200 places, the first and the last bytes among them. */
static void test_a_flipped_byte_is_found(void **state)
{
	struct world *w = *state;
	unsigned char *bytes;
	size_t size, step;

	ssd(w, "run --quiet " AGED "--save-drive @/drive parameters/tiny.cfg uniform");
	bytes = bytes_of(w, "drive", &size);
	assert_true(size > 1000);
	step = size / 150;
	for (size_t at = 0; at < size; at += at < 20 || at + step + 20 > size ? 1 : step) {
		unsigned char flip = at % 3 ? 0x01 : 0x80;

		bytes[at] ^= flip;
		put_bytes(w, "flipped", bytes, size);
		ssd(w, "run --quiet --load-drive @/flipped parameters/tiny.cfg uniform");
		if (w->status != USER)
			fail_msg("byte %zu of %zu flipped by %#x: status %d", at, size, flip, w->status);
		bytes[at] ^= flip;
	}
	memory_free(bytes);
}

static void test_a_drive_cut_short_or_longer_is_found(void **state)
{
	struct world *w = *state;
	unsigned char *bytes;
	size_t size;

	ssd(w, "run --quiet " AGED "--save-drive @/drive parameters/tiny.cfg uniform");
	bytes = bytes_of(w, "drive", &size);
	for (size_t cut = 1; cut < size; cut = cut * 3 / 2 + 1) {
		put_bytes(w, "short", bytes, size - cut);
		assert_mistake(w, "run --quiet --load-drive @/short parameters/tiny.cfg uniform", "short: ");
	}
	put_bytes(w, "long", bytes, size + 1);
	assert_mistake(w, "run --quiet --load-drive @/long parameters/tiny.cfg uniform", "follows its end");
	memory_free(bytes);
}

/* ---- the same twice, and README ---- */

static void test_the_same_command_prints_the_same(void **state)
{
	struct world *w = *state;
	char *first, line[300];

	for (size_t f = 0; ftls[f]; f++) {
		snprintf(line, sizeof line,
			"run -s ftl=%s -s buffer=lru -s dram.buffer_bytes=8K -s gc.policy=random -s "
			"trace.limit=5000 parameters/tiny.cfg mixed",
			ftls[f]->name);
		ssd(w, line);
		assert_status(w, DONE, line);
		first = memory_string(w->out, "output");
		ssd(w, line);
		assert_string_equal(w->out, first);
		memory_free(first);
	}
}

/* All but the line with the command itself. */
static char *without_command(char *text)
{
	char *line = strstr(text, "run.command = "), *next;

	assert_non_null(line);
	next = strchr(line, '\n');
	memmove(line, next, strlen(next) + 1);
	return text;
}

/* The order of settings, where results go, and whether they are checked, change nothing. */
static void test_what_must_not_matter_does_not(void **state)
{
	static const char *const same[] = {
		"run -s ftl=across -s trace.limit=3000 -s gc.policy=d_choices parameters/tiny.cfg mixed",
		"run -s gc.policy=d_choices -s ftl=across -s trace.limit=3000 parameters/tiny.cfg mixed",
		"run parameters/tiny.cfg mixed -s trace.limit=3000 -s gc.policy=d_choices -s ftl=across",
		"run -s trace.limit=7 -s ftl=page -s ftl=across -s gc.policy=d_choices -s trace.limit=3000 "
		"parameters/tiny.cfg mixed",
		"run -o @/results --json @/run.json --save-drive @/drive -s ftl=across -s trace.limit=3000 "
		"-s "
		"gc.policy=d_choices parameters/tiny.cfg mixed",
	};
	struct world *w = *state;
	char *first = NULL;

	for (size_t i = 0; i < COUNT(same); i++) {
		ssd(w, same[i]);
		assert_status(w, DONE, same[i]);
		if (!first)
			first = memory_string(without_command(w->out), "output");
		else
			assert_string_equal(without_command(w->out), first);
	}
	ssd(w, "run --verify -s ftl=across -s trace.limit=3000 -s gc.policy=d_choices parameters/tiny.cfg "
	       "mixed");
	assert_string_equal(strstr(w->out, "\nrequest."), strstr(first, "\nrequest."));
	memory_free(first);
}

/* The first "./ssd ..." of README, and the lines "name = value" under it. */
static void test_the_quick_start_of_the_readme(void **state)
{
	struct world *w = *state;
	char *readme = contents("README.md"), *command, *line;

	assert_non_null(readme);
	command = strstr(readme, "$ ./ssd ");
	assert_non_null(command);
	command = strstr(command, "./ssd ") + strlen("./ssd ");
	line = strchr(command, '\n');
	*line++ = 0;
	ssd(w, command);
	assert_status(w, DONE, command);
	for (char *end; *line != '`' && (end = strchr(line, '\n')); line = end + 1) {
		*end = 0;
		if (strstr(line, " = ") && !says(w, line))
			fail_msg("README promises \"%s\" of ssd %s", line, command);
	}
	memory_free(readme);
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_commands_that_only_print),
		TEST(test_a_run),
		TEST(test_quiet),
		TEST(test_every_plug_in_runs),
		TEST(test_mistakes_on_the_command_line),
		TEST(test_bad_parameter_files),
		TEST(test_bad_traces),
		TEST(test_traces_that_are_not_text),
		TEST(test_a_trace_that_fails_to_be_read),
		TEST(test_an_unreadable_trace),
		TEST(test_time_going_back),
		TEST(test_results_that_cannot_be_written),
		TEST(test_a_folder_that_cannot_be_written),
		TEST(test_a_standard_output_that_takes_nothing),
		TEST(test_files_beside_a_closed_standard_output),
		TEST(test_a_full_standard_output_of_a_failed_drive),
		TEST(test_a_disk_that_fills_up),
		TEST(test_other_files_on_a_disk_that_fills_up),
		TEST(test_earlier_results_survive_a_full_disk),
		TEST(test_a_drive_larger_than_memory),
		TEST(test_a_worn_out_drive),
		TEST(test_interrupt),
		TEST(test_a_loaded_drive_continues_as_the_saved_one),
		TEST(test_saved_drives_that_do_not_fit),
		TEST(test_a_flipped_byte_is_found),
		TEST(test_a_drive_cut_short_or_longer_is_found),
		TEST(test_the_same_command_prints_the_same),
		TEST(test_what_must_not_matter_does_not),
		TEST(test_the_quick_start_of_the_readme),
	};

	return cmocka_run_group_tests_name("command line", tests, NULL, NULL);
}
