/* Texts that users give: names of files, strings of parameter files. */
#ifndef BASE_UTF8_H
#define BASE_UTF8_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* Length of the well-formed UTF-8 sequence at the beginning, 0 if there is none. */
size_t utf8_length(const char *text);

/* Does a terminal obey the character at `s`, not show it?  Single bytes 0x80 to 0x9f are such characters. */
bool utf8_is_control(const char *s);

/* Is there such a character in the text? */
bool utf8_has_control(const char *text);

/* Prints the text for a terminal: bytes of such characters as \x1b. */
void utf8_print(FILE *, const char *text);

#endif
