#include "watch/terminal.h"

#include "base/beside.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
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

/* ^C is a key like any other.  False: the settings are not known and stay. */
static bool take(struct termios *before)
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

static void give_back(const struct termios *before, bool known)
{
	fputs("\033[?25h\033[?1049l", stdout);
	fflush(stdout);
	if (known)
		tcsetattr(STDIN_FILENO, TCSAFLUSH, before);
}

enum { CHILD_DONE, CHILD_FAULT };

static _Noreturn void be_child(bool (*run)(void *context, struct fault *), void *context, const int *ends)
{
	struct fault fault = { "" };
	bool done;

	dup2(ends[1], STDERR_FILENO);
	close(ends[0]);
	close(ends[1]);
	done = run(context, &fault);
	fputs(fault.text, stderr);
	fflush(NULL);
	_exit(done ? CHILD_DONE : CHILD_FAULT);
}

struct listening {
	int end;
	char said[FAULT_BYTES];
};

/* What the child says until it ends, as far as it finds room. */
static void listen_to_child(void *context)
{
	struct listening *l = context;
	size_t length = 0, room = sizeof l->said - 1;
	ssize_t got;
	char rest[256];

	while ((got = read(l->end, length < room ? l->said + length : rest,
			length < room ? room - length : sizeof rest)) > 0)
		length += length < room ? (size_t)got : 0;
	l->said[length] = 0;
}

/* What would end this process is blocked, so that it ends the child, and this one once the terminal is given back. */
static void hold_signals(sigset_t *held, sigset_t *before)
{
	static const int numbers[] = { SIGINT, SIGTERM, SIGHUP, SIGCHLD };

	sigemptyset(held);
	for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
		sigaddset(held, numbers[i]);
	sigprocmask(SIG_BLOCK, held, before);
}

/* How the child ends, to which signals that are held are passed on. */
static int end_of(pid_t child, const sigset_t *held)
{
	int status = -1, number;

	while (child > 0 && !waitpid(child, &status, WNOHANG))
		if (!sigwait(held, &number) && number != SIGCHLD)
			kill(child, number);
	return status;
}

/* Ends as the child has ended, unless that was well. */
static bool end_alike(int status, const char *said, struct fault *fault)
{
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
	struct listening listening = { .said = "" };
	struct beside ear = { .work = NULL };
	struct termios before = { 0 };
	sigset_t held, unheld;
	int ends[2], status;
	bool known;
	pid_t child;

	if (pipe(ends))
		return fault_set(fault, "no pipe for the pictures: %s", strerror(errno));
	hold_signals(&held, &unheld);
	known = take(&before);
	child = fork();
	if (!child) {
		sigprocmask(SIG_SETMASK, &unheld, NULL);
		be_child(run, context, ends);
	}
	close(ends[1]);
	listening.end = ends[0];
	beside_start(&ear, listen_to_child, &listening);
	status = end_of(child, &held);
	beside_free(&ear);
	close(ends[0]);
	give_back(&before, known);
	sigprocmask(SIG_SETMASK, &unheld, NULL);
	if (child < 0)
		return fault_set(fault, "no process for the pictures: %s", strerror(errno));
	return end_alike(status, listening.said, fault);
}

static int next_byte(void)
{
	unsigned char byte;

	return read(STDIN_FILENO, &byte, 1) == 1 ? byte : KEY_END;
}

int terminal_key(void)
{
	int byte = next_byte();

	if (byte == 3 || byte == 4) /* ^C, ^D */
		return KEY_END;
	if (byte != 27)
		return byte;
	if (next_byte() != '[')
		return KEY_OTHER;
	byte = next_byte();
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
