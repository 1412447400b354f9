/* The table of options, from which --help, the manual and completion are made. */
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
	void (*values)(char *text, size_t bytes); /* lists the values it may have; NULL: any */
	uint64_t least, most;                     /* of a NUMBER */
	bool unrecorded;                          /* changes no result: left out of run.command */
};

/* The command's row after this one, in the order of --help; NULL: the first one, and after the last.  A
 * row without name and letter is a heading. */
const struct option *options_next(const struct command *, const struct option *);

/* What --help says about it: its text and the values it may have. */
#define ABOUT_BYTES 512
const char *options_about(const struct option *, char *text, size_t bytes);

/* "ssd run [OPTION]... PARAMETERS TRACE" */
const char *options_synopsis(const struct command *, char *text, size_t bytes);

/* The next command of the group after this one; NULL: the first one, and after the last. */
const struct command *options_next_of_group(
	const struct command *group, const struct command *all, const struct command *);

/* A command's name within its group. */
const char *options_word(const struct command *group, const struct command *);

/* The command named by the first words, at most *words of them; *words becomes how many its name has, 0 for
 * the program. */
const struct command *options_command(char *const *word, size_t *words, const struct command *all);

#endif
