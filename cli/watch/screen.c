#include "cli/watch/screen.h"

#include "base/fault.h"
#include "base/memory.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

void screen_clear(struct screen *s, uint32_t columns)
{
	screen_release(s);
	s->columns = columns;
}

void screen_release(struct screen *s)
{
	memory_free(s->text);
	memory_free(s->look);
	*s = (struct screen){ 0 };
}

static void screen_make_row(struct screen *s, uint32_t row)
{
	uint32_t rows = row + 1, room = s->room;

	if (rows <= s->rows)
		return;
	s->text = memory_grown(s->text, &room, rows, s->columns, "screen");
	if (room != s->room)
		s->look = memory_resize(s->look, room, s->columns, "screen");
	s->room = room;
	memset(s->text + (size_t)s->rows * s->columns, ' ', (size_t)(rows - s->rows) * s->columns);
	memset(s->look + (size_t)s->rows * s->columns, LOOK_PLAIN, (size_t)(rows - s->rows) * s->columns);
	s->rows = rows;
}

void screen_put(struct screen *s, uint32_t row, uint32_t column, enum look look, const char *format, ...)
{
	char text[512];
	size_t at = (size_t)row * s->columns + column, length;
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof text, format, args);
	va_end(args);
	screen_make_row(s, row);
	if (column >= s->columns)
		return;
	length = strlen(text) < s->columns - column ? strlen(text) : s->columns - column;
	memcpy(s->text + at, text, length);
	memset(s->look + at, look, length);
}

uint32_t screen_flow(
	struct screen *s, uint32_t row, uint32_t column, uint32_t columns, enum look look, const char *text)
{
	while (*text) {
		size_t length = strcspn(text, "\n"), cut = length < columns ? length : columns;

		while (cut < length && cut && text[cut] != ' ')
			cut--;
		if (!cut)
			cut = length < columns ? length : columns;
		screen_put(s, row++, column, look, "%.*s", (int)cut, text);
		text += cut + (text[cut] == ' ' || text[cut] == '\n');
	}
	return row;
}

FILE *screen_write(struct screen *s)
{
	BUG_ON(s->stream, "a text is being written");
	s->stream = open_memstream(&s->written, &s->bytes);
	BUG_ON(!s->stream, "no stream in memory");
	return s->stream;
}

uint32_t screen_flow_written(
	struct screen *s, uint32_t row, uint32_t column, uint32_t columns, enum look look)
{
	fclose(s->stream);
	row = screen_flow(s, row, column, columns, look, s->written);
	free(s->written);
	s->stream = NULL;
	return row;
}

static uint32_t screen_length(const struct screen *s, const char *text)
{
	uint32_t length = s->columns;

	while (length && text[length - 1] == ' ')
		length--;
	return length;
}

const char *screen_code(enum look look)
{
	static const char *const codes[LOOKS] = { "0", "1", "2", "32", "2;31", "1;30;42", "1;37;41", "1;33",
		"38;5;27", "38;5;37", "38;5;34", "38;5;178", "1;38;5;196" };

	return codes[look];
}

void screen_print(const struct screen *s, uint32_t rows, bool escapes, FILE *out)
{
	for (uint32_t row = 0; row < s->rows && (!rows || row < rows); row++) {
		const char *text = s->text + (size_t)row * s->columns;
		const uint8_t *look = s->look + (size_t)row * s->columns;
		uint32_t length = screen_length(s, text);

		for (uint32_t i = 0; i < length; i++) {
			if (escapes && (i ? look[i] != look[i - 1] : look[i] != LOOK_PLAIN))
				fprintf(out, "\033[0;%sm", screen_code(look[i]));
			fputc(text[i], out);
		}
		fputs(escapes ? "\033[0m\033[K\r\n" : "\n", out);
	}
}
