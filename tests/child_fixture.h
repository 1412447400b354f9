/*
 * Child processes that may die, and the headers that every test needs.
 */
#ifndef TESTS_CHILD_FIXTURE_H
#define TESTS_CHILD_FIXTURE_H

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

enum { TEMPORARY_PATH = 256 };

/* Makes a file in TMPDIR (/tmp).  Returns its descriptor, or -1. */
static inline int temporary_file(char path[TEMPORARY_PATH])
{
	const char *folder = getenv("TMPDIR");

	snprintf(path, TEMPORARY_PATH, "%s/ssdlab-XXXXXX", folder ? folder : "/tmp");
	return mkstemp(path);
}

/* A path at which there is no file. */
static inline void temporary_path(char path[TEMPORARY_PATH])
{
	close(temporary_file(path));
	unlink(path);
}

struct child {
	int status;      /* as from waitpid() */
	char text[8192]; /* what it printed on stderr, cut off where it is long */
};

static inline void read_all(int descriptor, char *text, size_t room)
{
	size_t length = 0;
	ssize_t got;
	char rest[512];

	while (length < room - 1 && (got = read(descriptor, text + length, room - 1 - length)) > 0)
		length += (size_t)got;
	text[length] = 0;
	while (read(descriptor, rest, sizeof rest) > 0)
		;
}

/* The child must not use cmocka's assertions; it ends with status 0 if `act` returns. */
static inline void run_in_child(struct child *child, void (*act)(void *), void *context)
{
	struct rlimit no_core = { 0, 0 };
	int ends[2];
	pid_t pid;

	assert_int_equal(pipe(ends), 0);
	fflush(NULL);
	pid = fork();
	assert_true(pid >= 0);
	if (pid == 0) {
		setrlimit(RLIMIT_CORE, &no_core);
		dup2(ends[1], STDERR_FILENO);
		close(ends[0]);
		close(ends[1]);
		act(context);
		fflush(NULL);
		_exit(0);
	}
	close(ends[1]);
	read_all(ends[0], child->text, sizeof child->text);
	close(ends[0]);
	assert_int_equal(waitpid(pid, &child->status, 0), pid);
}

/* `act` must end in BUG() with a line that says `text`. */
static inline void assert_aborts(void (*act)(void *), void *context, const char *text)
{
	struct child child;

	run_in_child(&child, act, context);
	if (!WIFSIGNALED(child.status) || WTERMSIG(child.status) != SIGABRT || !strstr(child.text, text))
		fail_msg("should abort with \"%s\"; status %#x, \"%s\"", text, (unsigned)child.status,
			child.text);
}

#endif
