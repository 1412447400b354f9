/* Text broken into lines at blanks. */
#ifndef BASE_WRAP_H
#define BASE_WRAP_H

#include <stddef.h>
#include <stdio.h>

/* The words of the text, on lines of at most `width` characters, or of one longer word.  The first line
 * begins where the stream is, the others with the indent, which does not count; a newline follows the
 * last. */
void wrap_print(FILE *, const char *text, const char *indent, size_t width);

#endif
