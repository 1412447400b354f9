/*
 * A page of text with a look for every character, of a given width and as long as needed.  Looks say what something is,
 * not which colour it has; without escapes the text alone must do, so whoever draws marks changes by characters, too.
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
	LOOKS
};

struct screen {
	uint32_t columns, rows, room;
	char *text; /* `columns` for each row */
	uint8_t *look;
};

/* Empty, `columns` wide. */
void screen_clear(struct screen *, uint32_t columns);
void screen_release(struct screen *);

/* Puts text there; what does not fit into the row is cut off. */
__attribute__((format(printf, 5, 6))) void screen_put(
	struct screen *, uint32_t row, uint32_t column, enum look, const char *format, ...);

/* The text in lines of at most `columns`, broken at blanks, from that row and column on.  Returns the row behind. */
uint32_t screen_flow(
	struct screen *, uint32_t row, uint32_t column, uint32_t columns, enum look, const char *text);

/* At most `rows` of them (0: all), with escapes of ANSI terminals or without. */
void screen_print(const struct screen *, uint32_t rows, bool escapes, FILE *);

#endif
