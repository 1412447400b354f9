/*
 * A terminal that understands the escapes of ANSI: its size, single keys, a page of its own that is gone afterwards.
 */
#ifndef WATCH_TERMINAL_H
#define WATCH_TERMINAL_H

#include "base/fault.h"

#include <stdint.h>

/* Standard input and output are a terminal. */
bool terminal_there(void);

/* Columns and rows of standard output, 80 and 24 if it does not say. */
void terminal_size(uint32_t *columns, uint32_t *rows);

/* Runs this with single keys on a page of its own, in a process of its own: the terminal is given back however that
 * ends, and what it said on standard error is then told.  False and the fault of what was run, or there can be no
 * process. */
bool terminal_guard(bool (*run)(void *context, struct fault *), void *context, struct fault *);

enum key { KEY_END = -1, KEY_LEFT = 256, KEY_RIGHT, KEY_OTHER };

/* The next key: a character, an arrow, KEY_END where there are no more. */
int terminal_key(void);

/* A number typed behind a prompt in the last row, ended by return.  False: something else was typed. */
bool terminal_number(const char *prompt, uint32_t row, uint64_t *number);

#endif
