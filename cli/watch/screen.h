/*
 * A page of text of a given width and any length, with a look for every character.  A look is a meaning, not
 * a colour.  Without escapes only the text is printed, so the text must show everything that looks show.
 */
#ifndef WATCH_SCREEN_H
#define WATCH_SCREEN_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

enum look {
	LOOK_PLAIN,
	LOOK_TITLE,
	LOOK_FAINT,
	LOOK_LIVE,
	LOOK_DEAD,
	LOOK_NEW,
	LOOK_DIED,
	LOOK_PENDING,
	LOOK_COLDEST, /* the first of LOOK_LEVELS */
	LOOK_HOTTEST = LOOK_COLDEST + 4,
	LOOKS
};

#define LOOK_LEVELS (LOOK_HOTTEST - LOOK_COLDEST + 1)

struct screen {
	uint32_t columns, rows, room;
	char *text; /* `columns` for each row */
	uint8_t *look;

	FILE *stream; /* of a text that is being written, else NULL */
	char *written;
	size_t bytes;
};

/* Empty, `columns` wide. */
void screen_clear(struct screen *, uint32_t columns);
void screen_release(struct screen *);

/* Puts text there, cut off at the end of the row. */
__attribute__((format(printf, 5, 6))) void screen_put(
	struct screen *, uint32_t row, uint32_t column, enum look, const char *format, ...);

/* The text in lines of at most `columns`, broken at blanks, from that row and column on.  Returns the row
 * after it. */
uint32_t screen_flow(
	struct screen *, uint32_t row, uint32_t column, uint32_t columns, enum look, const char *text);

/* The same with a text that is written to a stream first, which screen_write() returns. */
FILE *screen_write(struct screen *);
uint32_t screen_flow_written(struct screen *, uint32_t row, uint32_t column, uint32_t columns, enum look);

/* The codes of the look for ANSI terminals, to stand between "\033[0;" and "m". */
const char *screen_code(enum look);

/* At most `rows` rows (0: all), with the escapes of ANSI terminals or without. */
void screen_print(const struct screen *, uint32_t rows, bool escapes, FILE *);

#endif
