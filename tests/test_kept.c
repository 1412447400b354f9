/*
 * Files of state (drive/kept.h): what their check says is heard, whatever happens to the process meanwhile.
 */
#include "drive/kept.h"
#include "tests/child_fixture.h"

#include <sys/time.h>
#include <time.h>

static void visit_number(void *number, struct regions *r)
{
	regions_visit(r, number, sizeof(uint64_t));
}

/* Takes longer than it is until the next signal; 14 says nothing before it ends. */
static void check_number(void *number)
{
	uint64_t n = *(uint64_t *)number;

	if (n == 14)
		close(STDERR_FILENO);
	nanosleep(&(struct timespec){ .tv_nsec = 20000000 }, NULL);
	BUG_ON(n >= 13, "thirteen");
}

/* Of this number, saved and loaded. */
static bool is_kept(uint64_t number, struct fault *fault)
{
	struct kept k = { "magic", "number", "make one", .visit = visit_number, .check = check_number,
		.context = &number };
	char path[] = "/tmp/ssdlab-kept-XXXXXX";
	bool done;

	close(mkstemp(path));
	kept_add(&k, "key", "value");
	done = kept_save(&k, path, fault) && kept_load(&k, path, fault);
	kept_release(&k);
	unlink(path);
	return done;
}

static void ignore(int number)
{
	(void)number;
}

static void test_the_check_is_heard(void **state)
{
	struct fault fault = { "" };

	(void)state;
	assert_true(is_kept(12, &fault));
	assert_false(is_kept(13, &fault));
	assert_non_null(strstr(fault.text, "damaged in its thirteen"));
}

/* A signal ends a wait that is not begun again. */
static void test_the_check_is_heard_among_signals(void **state)
{
	static const struct itimerval often = { { 0, 1000 }, { 0, 1000 } }, never = { 0 };
	struct sigaction action = { .sa_handler = ignore }, before;
	struct fault fault = { "" };
	bool sound, broken, silent;

	(void)state;
	sigaction(SIGALRM, &action, &before);
	setitimer(ITIMER_REAL, &often, NULL);
	sound = is_kept(12, &fault);
	silent = !is_kept(14, &fault);
	broken = !is_kept(13, &fault);
	setitimer(ITIMER_REAL, &never, NULL);
	sigaction(SIGALRM, &before, NULL);
	assert_true(sound);
	assert_true(silent);
	assert_true(broken);
	assert_non_null(strstr(fault.text, "damaged in its thirteen"));
}

/* Then nobody learns how a child ended. */
static void test_what_cannot_be_checked_is_refused(void **state)
{
	struct fault fault = { "" };
	bool sound, broken;

	(void)state;
	signal(SIGCHLD, SIG_IGN);
	sound = is_kept(12, &fault);
	broken = !is_kept(13, &fault);
	signal(SIGCHLD, SIG_DFL);
	assert_false(sound);
	assert_true(broken);
	assert_non_null(strstr(fault.text, "cannot be checked"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_the_check_is_heard),
		cmocka_unit_test(test_the_check_is_heard_among_signals),
		cmocka_unit_test(test_what_cannot_be_checked_is_refused),
	};

	return cmocka_run_group_tests_name("files of state", tests, NULL, NULL);
}
