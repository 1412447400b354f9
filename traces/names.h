/*
 * Numbers for devices that have names.  Grows with the number of names.
 */
#ifndef TRACES_NAMES_H
#define TRACES_NAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct names;

struct names *names_create(void);
void names_free(struct names *);

/* The number of a name: 0, 1, 2 ... in order of first appearance. */
uint32_t names_number(struct names *, const char *name, size_t bytes);

/* By number, the place of each name in alphabetical order, but "disk2" before "disk10".  To be released with
 * memory_free(); NULL: there are no names. */
uint32_t *names_ranks(const struct names *);

/* The name of a number, or NULL if it has none. */
const char *names_text(const struct names *, uint32_t number);

#endif
