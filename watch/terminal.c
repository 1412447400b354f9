#include "watch/terminal.h"

#include <stdio.h>
#include <sys/ioctl.h>
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

/* ^C is a key like any other, so that the terminal is given back. */
void terminal_take(struct terminal *t)
{
	struct termios raw;

	t->taken = !tcgetattr(STDIN_FILENO, &t->before);
	raw = t->before;
	raw.c_lflag &= ~(tcflag_t)(ICANON | ECHO | ISIG);
	raw.c_cc[VMIN] = 1;
	raw.c_cc[VTIME] = 0;
	if (t->taken)
		tcsetattr(STDIN_FILENO, TCSAFLUSH, &raw);
	fputs("\033[?1049h\033[?25l", stdout);
	fflush(stdout);
}

void terminal_give_back(struct terminal *t)
{
	fputs("\033[?25h\033[?1049l", stdout);
	fflush(stdout);
	if (t->taken)
		tcsetattr(STDIN_FILENO, TCSAFLUSH, &t->before);
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
