/*
 * Files of state (drive/prepare/state_file.h): what is saved is loaded, and the result of their check
 * arrives, whatever happens to the process meanwhile.
 */
#include "drive/prepare/state_file.h"
#include "tests/child_fixture.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <time.h>

struct number {
	uint64_t value;
};

static const struct state_row number_state[] = {
	STATE_NUMBER(struct number, value),
	{ 0 },
};

/* Takes longer than the time to the next signal; 14 fails without a message. */
static void check_number(void *number)
{
	uint64_t n = ((struct number *)number)->value;

	if (n == 14)
		close(STDERR_FILENO);
	nanosleep(&(struct timespec){ .tv_nsec = 20000000 }, NULL);
	BUG_ON(n >= 13, "thirteen");
}

/* Saves this number and loads it. */
static bool is_saved(uint64_t number, struct fault *fault)
{
	struct number n = { number };
	struct state_file k = { "magic", "number", "make one", .rows = number_state, .owner = &n,
		.check = check_number };
	char path[] = "/tmp/ssdlab-state-XXXXXX";
	bool done;

	close(mkstemp(path));
	state_file_add(&k, "key", "value");
	done = state_file_save(&k, path, fault) && state_file_load(&k, path, fault);
	state_file_release(&k);
	unlink(path);
	return done;
}

enum { CHUNK = 65536 };

/* Less than a chunk; a few chunks and many, each with a partial one. */
struct areas {
	unsigned char small[5], middle[3 * CHUNK + 7], large[163 * CHUNK + 11];
};

static const struct state_row areas_state[] = {
	STATE_NUMBER(struct areas, small),
	STATE_NUMBER(struct areas, middle),
	STATE_NUMBER(struct areas, large),
	STATE_NUMBER(struct areas, small),
	{ 0 },
};

static void check_nothing(void *areas)
{
	(void)areas;
}

/* Bytes that depend on their place; every third chunk is zero. */
static void fill_area(unsigned char *bytes, size_t size)
{
	for (size_t i = 0; i < size; i++)
		bytes[i] = i / CHUNK % 3 == 1 ? 0 : (unsigned char)(i * 31 + i / CHUNK * 7 + 1);
}

static bool load_areas(struct areas *to, const char *path, struct fault *fault)
{
	struct state_file k = { "magic", "areas", "make one", .rows = areas_state, .owner = to,
		.check = check_nothing };
	bool done;

	state_file_add(&k, "key", "value");
	done = state_file_load(&k, path, fault);
	state_file_release(&k);
	return done;
}

/* Everything is loaded into its place, whatever was there; a file cut short anywhere is called too short. */
static void test_areas_of_every_size(void **state)
{
	struct areas *from = calloc(1, sizeof *from), *to = calloc(1, sizeof *to);
	struct state_file k = { "magic", "areas", "make one", .rows = areas_state, .owner = from,
		.check = check_nothing };
	char path[] = "/tmp/ssdlab-state-XXXXXX";
	struct fault fault = { "" };
	struct stat status;

	(void)state;
	close(mkstemp(path));
	fill_area(from->small, sizeof from->small);
	fill_area(from->middle, sizeof from->middle);
	fill_area(from->large, sizeof from->large);
	state_file_add(&k, "key", "value");
	assert_true(state_file_save(&k, path, &fault));
	state_file_release(&k);
	for (int before = 0; before < 256; before += 165) {
		memset(to, before, sizeof *to);
		assert_true(load_areas(to, path, &fault));
		assert_memory_equal(to, from, sizeof *to);
	}
	assert_int_equal(stat(path, &status), 0);
	for (off_t length = status.st_size - 1; length > CHUNK; length -= length / 5) {
		assert_int_equal(truncate(path, length), 0);
		assert_false(load_areas(to, path, &fault));
		assert_non_null(strstr(fault.text, "too short"));
	}
	unlink(path);
	free(from);
	free(to);
}

static void ignore(int number)
{
	(void)number;
}

static void test_the_check_is_heard(void **state)
{
	struct fault fault = { "" };

	(void)state;
	assert_true(is_saved(12, &fault));
	assert_false(is_saved(13, &fault));
	assert_non_null(strstr(fault.text, "damaged in its thirteen"));
}

/* A signal interrupts the wait for the check, which must be repeated. */
static void test_the_check_is_heard_among_signals(void **state)
{
	static const struct itimerval often = { { 0, 1000 }, { 0, 1000 } }, never = { 0 };
	struct sigaction action = { .sa_handler = ignore }, before;
	struct fault fault = { "" };
	bool sound, broken, silent;

	(void)state;
	sigaction(SIGALRM, &action, &before);
	setitimer(ITIMER_REAL, &often, NULL);
	sound = is_saved(12, &fault);
	silent = !is_saved(14, &fault);
	broken = !is_saved(13, &fault);
	setitimer(ITIMER_REAL, &never, NULL);
	sigaction(SIGALRM, &before, NULL);
	assert_true(sound);
	assert_true(silent);
	assert_true(broken);
	assert_non_null(strstr(fault.text, "damaged in its thirteen"));
}

/* While SIGCHLD is ignored, the exit status of the checking child is lost. */
static void test_what_cannot_be_checked_is_refused(void **state)
{
	struct fault fault = { "" };
	bool sound, broken;

	(void)state;
	signal(SIGCHLD, SIG_IGN);
	sound = is_saved(12, &fault);
	broken = !is_saved(13, &fault);
	signal(SIGCHLD, SIG_DFL);
	assert_false(sound);
	assert_true(broken);
	assert_non_null(strstr(fault.text, "cannot be checked"));
}

/* A device may never end, a pipe never begin, and a file may have no line at all. */
static void test_what_does_not_end_is_refused(void **state)
{
	char folder[] = "/tmp/ssdlab-state-XXXXXX", name[64];
	struct state_file k = { "magic", "number", "make one", .rows = number_state, .check = check_nothing };
	struct fault fault = { "" };
	int hole;

	(void)state;
	assert_false(state_file_load(&k, "/dev/zero", &fault));
	assert_string_equal(fault.text, "/dev/zero: should be a file, as a number is saved in one");
	snprintf(name, sizeof name, "%s/file", mkdtemp(folder));
	assert_int_equal(mkfifo(name, 0600), 0);
	assert_false(state_file_load(&k, name, &fault));
	assert_non_null(strstr(fault.text, "should be a file"));
	unlink(name);
	hole = open(name, O_CREAT | O_WRONLY, 0600);
	assert_int_equal(ftruncate(hole, (off_t)1 << 40), 0);
	close(hole);
	assert_false(state_file_load(&k, name, &fault));
	assert_non_null(strstr(fault.text, "not a saved number of this version"));
	unlink(name);
	rmdir(folder);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_areas_of_every_size),
		cmocka_unit_test(test_the_check_is_heard),
		cmocka_unit_test(test_the_check_is_heard_among_signals),
		cmocka_unit_test(test_what_cannot_be_checked_is_refused),
		cmocka_unit_test(test_what_does_not_end_is_refused),
	};

	return cmocka_run_group_tests_name("files of state", tests, NULL, NULL);
}
