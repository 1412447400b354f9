/*
 * The commands of ./ssd and what they share.  main() finds the command, reads its options with the one parser
 * (options.c) and calls the command, which calls the rooms that do the work, and prints.  No other room
 * depends on the command line.
 */
#ifndef CLI_CLI_H
#define CLI_CLI_H

#include "traces/trace.h"

#include <stdio.h>

struct drive;
struct settings;

/* Exit status of the program. */
enum status {
	STATUS_DONE = 0,         /* done, every request served */
	STATUS_USER = 2,         /* the user's mistake: the fault says which, main() prints it as one line */
	STATUS_DRIVE_FAILED = 3, /* the modelled drive failed; statistics are written */
	STATUS_SIGNAL = 128, /* + number: ended by SIGINT, SIGTERM or SIGHUP; a run writes its statistics */
};

/* ---- options ---- */

struct words {
	char **text;
	size_t count;
};

/* Values of all options of all commands: 0, false or NULL unless given. */
struct options {
	char **typed; /* the whole command line from the command's name on, NULL-ended */
	struct words operand;
	struct words setting;  /* -s KEY=VALUE, in their order */
	struct words recorded; /* as typed behind the command's name, without options that change no result */
	const char *plugin, *folder, *out, *json, *plot, *save_drive, *load_drive, *drives, *to, *fix,
		*series, *warm_up, *log, *checkpoint, *every, *resume, *at, *man, *show, *fio, *only;
	const char *timeline[2]; /* FROM..TO, FILE */
	struct trace_options trace;
	uint64_t reuse_page;
	uint64_t flush_every;   /* writes; 0: no FLUSH is added */
	uint64_t explain;       /* number of a request from 1, 0 = none */
	uint64_t limit;         /* requests to be read, 0 = all */
	uint64_t sector_bytes;  /* of a measured write, 0 = as usual */
	uint64_t columns, rows; /* of a picture without a terminal, 0 = as usual */
	uint64_t questions;
	struct {
		const char *id;
		uint64_t seed, seconds, jobs;
	} grade; /* checked here, read from `typed` by the script */
	bool plain, paper, answers, random, verify, all, quiet, check, list_quirks, complete, fit, help;
};

/* Which rows of the table of options a command takes: a set of these. */
enum takes {
	TAKES_RUN = 1,
	TAKES_STAT = 2,
	TAKES_CONVERT = 4,
	TAKES_GENERATE = 8,
	TAKES_LEGACY = 16,
	TAKES_MEASURE = 32,
	TAKES_WATCH = 64,
	TAKES_MANUAL = 128,
	TAKES_QUIZ = 256,
	TAKES_HELP = 512, /* all do */
	TAKES_PROBE = 1024,
	TAKES_GRADE = 2048,

	TAKES_DRIVE = TAKES_RUN | TAKES_MEASURE | TAKES_PROBE | TAKES_WATCH | TAKES_QUIZ, /* its parameters */
};

/* A command returns an enum status; STATUS_USER with the fault set. */
typedef int command_main(const struct options *, struct fault *);

command_main cli_run, cli_measure, cli_probe, cli_watch, cli_quiz, cli_grade, cli_trace_stat,
	cli_trace_convert, cli_trace_generate, cli_legacy, cli_legacy_import, cli_legacy_diff, cli_list,
	cli_params;

struct command {
	const char *name;   /* as typed, after its group if it is in one: "trace stat"; "" for the program */
	command_main *run;  /* NULL: a group, which only has commands */
	unsigned takes;     /* rows of the table of options: a set of enum takes */
	size_t least, most; /* operands */
	const char *operands; /* as the usage shows them */
	const char *brief;    /* for the list of commands */
	const char *about;    /* paragraphs of --help */
	const char *examples; /* after the options; may be NULL */
};

/* Reads argv, NULL-ended, behind the command's name.  False and a fault that names command, option, mistake
 * and remedy.  options_free() must follow either way. */
bool options_parse(struct options *, const struct command *, char **argv, struct fault *);
void options_free(struct options *);

/* --help: the command's texts, its rows of the table of options, its commands out of `all`, which a row
 * without name ends.  Returns STATUS_DONE. */
int options_usage(const struct command *, const struct command *all);

/* --man: a page in roff's man macros for each command.  False and a fault: the folder cannot be written. */
bool manual_write(const char *folder, const struct command *all, struct fault *);

/* --complete: prints the completions of the last word behind "ssd", one per line; one that ends in "=" needs
 * a value.  Prints nothing if the word is a file name, or unknown.  Returns STATUS_DONE. */
int completion_print(const struct words *, const struct command *all);

/* Visits the operands of `ssd list`. */
void cli_visit_listings(void (*visit)(void *context, const char *name, const char *heading), void *context);

/* ---- what commands share ---- */

/* Settings from the parameter file, the first operand if there is one, and from -s; -L is part of them.
 * settings_release() must follow either way. */
bool cli_settings(struct settings *, const struct options *, struct fault *);

/* The operands after the first are traces; if there are several, each is that of a tenant. */
bool cli_have_traces(struct settings *, const struct options *, struct fault *);

/* For `return cli_status(fault_set(...))` and the like. */
static inline int cli_status(bool done)
{
	return done ? STATUS_DONE : STATUS_USER;
}

/* Prints "ssd: text" on stderr, one line: control characters of names are shown as \x1b. */
void cli_note(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Prints "ssd: warning: text"; a callback for other rooms. */
void cli_warn(void *context, const char *text);

/* Nothing but standard output is written from here on: if its reader closes the pipe early (`| head`), the
 * program ends at once, with STATUS_DONE.  A command that also writes files finishes them first. */
void cli_listing(void);

/*
 * SIGINT, SIGTERM and SIGHUP, unless they are ignored, end the program with STATUS_SIGNAL + number, and files
 * it has begun are removed.  Once a run has begun the first of them is only noted, and cli_signal() returns
 * its number (0 before), so that the run can end with its statistics so far; the second one ends the program.
 * SIGQUIT removes the files, too, and then ends the program as usual, with its core.
 */
void cli_catch_signals(void);
void cli_run_begins(void);
int cli_signal(void);

/* A line on a terminal that shows how far a long run or a long trace has come.  Silent elsewhere. */
struct progress {
	bool on;               /* stderr is a terminal, and not --quiet */
	double started, shown; /* seconds */
};

void progress_start(struct progress *, bool quiet);

/* The time of a monotonic clock. */
double cli_seconds(void);

/* Is it time to show the line again? */
bool progress_due(struct progress *);

/* `done` is the share from 0 to 1, 0 if unknown; with a drive (may be NULL) its WAF is shown, too. */
void progress_show(const struct progress *, uint64_t requests, double done, const struct drive *);

/* Clears the line.  Returns the seconds since the start. */
double progress_end(const struct progress *);

/* Becomes a script of the source tree that the program was built in, never one of the current folder.  The
 * first of the words, which NULL ends, is the command.  Returns only if that fails, with a fault. */
void cli_become(const char *script, char **words, struct fault *);

/* A file that a command reads or writes: the option or word that names it, and its path. */
struct named {
	const char *what, *path; /* NULL: there is none */
	bool written;
};

/* False and a fault: two of them are the same file, and one is written.  Devices and pipes may be shared.
 * Folders must exist. */
bool cli_distinct(const struct named *, size_t n, struct fault *);

/* "5" or "5..8".  False: it is neither. */
bool cli_range(const char *text, uint64_t *from, uint64_t *to);

/* Two parts of a name with "/", " " or "" between them, to be freed. */
char *cli_joined(const char *, const char *between, const char *);

/* Makes the folder and those above it, as far as they are missing. */
bool cli_make_folder(const char *path, struct fault *);

#endif
