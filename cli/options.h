/* The rows of the table of options, for those who make something of it: --help, the manual, completion. */
#ifndef CLI_OPTIONS_H
#define CLI_OPTIONS_H

#include "cli/cli.h"

#include <stddef.h>

/* In struct options: bool, const char *, uint64_t, struct words, const char *[2]. */
enum option_kind { FLAG, TEXT, NUMBER, WORDS, PAIR };

struct option {
	unsigned takers;   /* commands that have it */
	const char *name;  /* behind "--"; NULL: it has only the letter */
	char letter;       /* 0: it has only the name */
	const char *value; /* as --help calls it; NULL for a FLAG */
	enum option_kind kind;
	size_t field; /* of struct options */
	const char *help;
	void (*values)(char *text, size_t bytes); /* lists what it may be, behind the help; may be NULL */
	uint64_t least, most;                     /* of a NUMBER */
	bool apart;                               /* changes no result */
};

/* The command's row behind this one, in the order of --help; NULL: the first, and behind the last.  A row without name
 * and letter is a line of text. */
const struct option *options_next(const struct command *, const struct option *);

/* "ssd run [OPTION]... PARAMETERS TRACE" */
const char *options_synopsis(const struct command *, char *text, size_t bytes);

/* The command behind this one that is in the group, for which `all` stands at first; NULL: no more. */
const struct command *options_next_of_group(
	const struct command *group, const struct command *all, const struct command *);

#endif
