/*
 * A terminal with ANSI escapes: its size, single keys, and the alternate screen.
 */
#ifndef WATCH_TERMINAL_H
#define WATCH_TERMINAL_H

#include "base/fault.h"

#include <stdint.h>

/* Standard input and output are a terminal. */
bool terminal_there(void);

/* Columns and rows of standard output, 80 and 24 if unknown. */
void terminal_size(uint32_t *columns, uint32_t *rows);

/* Columns of text that goes elsewhere: COLUMNS, from 40 to 400, or 80. */
uint32_t terminal_text_columns(void);

/* Runs a function with single keys on the alternate screen, in a process of its own: however that ends,
 * the terminal is restored, and the messages that the process wrote to standard error are shown.  False and
 * a fault: that of the function, or the process cannot be created. */
bool terminal_guard(bool (*run)(void *context, struct fault *), void *context, struct fault *);

enum key { KEY_END = -1, KEY_LEFT = 256, KEY_RIGHT, KEY_OTHER, KEY_RESIZED };

/* The next key: a character, an arrow, KEY_RESIZED when the terminal has another size, or KEY_END if there
 * are no more. */
int terminal_key(void);

/* A number typed after a prompt in that row, ended by return.  False: something else was typed. */
bool terminal_number(const char *prompt, uint32_t row, uint64_t *number);

#endif
