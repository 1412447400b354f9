/*
 * One value of one parameter: from text into the owner's settings and back, the range check, and the words
 * for "what it should be".  It handles a row of an option table and the settings it describes, not files,
 * groups or keys.
 */
#ifndef PARAMETERS_VALUE_H
#define PARAMETERS_VALUE_H

#include "base/fault.h"
#include "base/param.h"

/* Checks the text and stores it; settings NULL: only checks.  On failure `should` says what the value
 * should be ("1 to 65536 pages") and the settings keep the old value. */
bool value_store(const struct param *, void *settings, const char *text, struct fault *should);

/* The stored value as a parameter file would have it.  The caller frees it. */
char *value_text(const struct param *, const void *settings);

/* Is it the row's default? */
bool value_is_preset(const struct param *, const void *settings);

/* Is the feature that these rows describe switched on?  True if none of them switches it. */
bool value_is_on(const struct param *rows, const void *settings);

/* The shorter of two forms that read back as the same number. */
void value_write_real(double, char *text, size_t room);

/* "a whole number of bytes", "\"greedy\", \"fifo\" or \"random\"", ... */
void value_kind(const struct param *, struct fault *kind);

/* The same with the range, if there is one: "a whole number of bytes, 2048 to 32768". */
void value_describe(const struct param *, struct fault *kind);

/* Aborts when the row itself is not well-formed. */
void value_check_row(const struct param *);

/* Frees the text that value_store() stored, if the row is one. */
void value_release(const struct param *, void *settings);

#endif
