#include "cli/watch/terminal.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/select.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

bool terminal_there(void)
{
	return isatty(STDIN_FILENO) && isatty(STDOUT_FILENO);
}

void terminal_size(uint32_t *columns, uint32_t *rows)
{
	struct winsize size;
	bool known = !ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) && size.ws_col && size.ws_row;

	*columns = known ? size.ws_col : 80;
	*rows = known ? size.ws_row : 24;
}

uint32_t terminal_text_columns(void)
{
	const char *text = getenv("COLUMNS");
	unsigned long columns = text ? strtoul(text, NULL, 10) : 0;

	if (!columns)
		return 80;
	return columns < 40 ? 40 : columns > 400 ? 400 : (uint32_t)columns;
}

/* Makes ^C an ordinary key.  False: the settings cannot be read, and do not change. */
static bool terminal_take(struct termios *before)
{
	bool known = !tcgetattr(STDIN_FILENO, before);
	struct termios raw = *before;

	raw.c_lflag &= ~(tcflag_t)(ICANON | ECHO | ISIG);
	raw.c_cc[VMIN] = 1;
	raw.c_cc[VTIME] = 0;
	if (known)
		tcsetattr(STDIN_FILENO, TCSAFLUSH, &raw);
	fputs("\033[?1049h\033[?25l", stdout);
	fflush(stdout);
	return known;
}

static void terminal_give_back(const struct termios *before, bool known)
{
	fputs("\033[?25h\033[?1049l", stdout);
	fflush(stdout);
	if (known)
		tcsetattr(STDIN_FILENO, TCSAFLUSH, before);
}

enum { CHILD_DONE, CHILD_FAULT };

/* The signal only ends the wait for a key. */
static void terminal_be_resized(int number)
{
	(void)number;
}

/* Its standard error goes to the file. */
static _Noreturn void terminal_be_child(
	bool (*run)(void *context, struct fault *), void *context, FILE *errors)
{
	struct sigaction resized = { .sa_handler = terminal_be_resized };
	struct fault fault = { "" };
	sigset_t held;
	bool done;

	sigemptyset(&held);
	sigaddset(&held, SIGWINCH);
	sigprocmask(SIG_BLOCK, &held, NULL);
	sigaction(SIGWINCH, &resized, NULL);
	dup2(fileno(errors), STDERR_FILENO);
	done = run(context, &fault);
	fputs(fault.text, stderr);
	fflush(NULL);
	_exit(done ? CHILD_DONE : CHILD_FAULT);
}

/* Blocks the signals that would end this process: they are passed on to the child, and end this one when
 * the terminal is given back. */
static void terminal_hold_signals(sigset_t *held, sigset_t *before)
{
	static const int numbers[] = { SIGINT, SIGTERM, SIGHUP, SIGCHLD };

	sigemptyset(held);
	for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
		sigaddset(held, numbers[i]);
	sigprocmask(SIG_BLOCK, held, before);
}

/* Waits for the child, passes signals on to it, and returns its status. */
static int terminal_wait(pid_t child, const sigset_t *held)
{
	int status = -1, number;

	while (child > 0 && !waitpid(child, &status, WNOHANG))
		if (!sigwait(held, &number) && number != SIGCHLD)
			kill(child, number);
	return status;
}

/* Ends as the child did, unless all was well. */
static bool terminal_end_alike(int status, FILE *errors, struct fault *fault)
{
	char said[FAULT_BYTES] = "";

	rewind(errors);
	said[fread(said, 1, sizeof said - 1, errors)] = '\0';
	if (WIFEXITED(status) && WEXITSTATUS(status) == CHILD_DONE)
		return true;
	if (WIFEXITED(status) && WEXITSTATUS(status) == CHILD_FAULT)
		return fault_set(fault, "%s", said);
	fputs(said, stderr);
	if (WIFEXITED(status))
		_exit(WEXITSTATUS(status));
	signal(WTERMSIG(status), SIG_DFL);
	raise(WTERMSIG(status));
	return false;
}

bool terminal_guard(bool (*run)(void *context, struct fault *), void *context, struct fault *fault)
{
	FILE *errors = tmpfile();
	struct termios before = { 0 };
	sigset_t held, unheld;
	bool known, done;
	pid_t child;
	int status;

	if (!errors)
		return fault_set(fault, "no temporary file for messages: %s", strerror(errno));
	terminal_hold_signals(&held, &unheld);
	known = terminal_take(&before);
	child = fork();
	if (!child) {
		sigprocmask(SIG_SETMASK, &unheld, NULL);
		terminal_be_child(run, context, errors);
	}
	status = terminal_wait(child, &held);
	terminal_give_back(&before, known);
	sigprocmask(SIG_SETMASK, &unheld, NULL);
	done = child < 0 ? fault_set(fault, "no process for the pictures: %s", strerror(errno))
			 : terminal_end_alike(status, errors, fault);
	fclose(errors);
	return done;
}

/* SIGWINCH is unblocked only during the wait for a key: so no change of size is missed. */
static int terminal_byte(void)
{
	unsigned char byte;
	sigset_t mask;
	fd_set input;

	FD_ZERO(&input);
	FD_SET(STDIN_FILENO, &input);
	sigprocmask(SIG_SETMASK, NULL, &mask);
	sigdelset(&mask, SIGWINCH);
	if (pselect(STDIN_FILENO + 1, &input, NULL, NULL, NULL, &mask) < 0)
		return errno == EINTR ? KEY_RESIZED : KEY_END;
	return read(STDIN_FILENO, &byte, 1) == 1 ? byte : KEY_END;
}

int terminal_key(void)
{
	int byte = terminal_byte();

	if (byte == KEY_RESIZED)
		return byte;
	if (byte == 3 || byte == 4) /* ^C, ^D */
		return KEY_END;
	if (byte != 27)
		return byte;
	if (terminal_byte() != '[')
		return KEY_OTHER;
	byte = terminal_byte();
	return byte == 'C' ? KEY_RIGHT : byte == 'D' ? KEY_LEFT : KEY_OTHER;
}

bool terminal_number(const char *prompt, uint32_t row, uint64_t *number)
{
	bool any = false;
	int key;

	printf("\033[%u;1H\033[K%s", row, prompt);
	fflush(stdout);
	for (*number = 0; (key = terminal_key()) >= '0' && key <= '9' && *number < UINT32_MAX; any = true) {
		*number = *number * 10 + (uint64_t)(key - '0');
		putchar(key);
		fflush(stdout);
	}
	return any && (key == '\r' || key == '\n');
}
