/*
 * The commands of ./ssd, one function each.  A command gets argv from its own name on
 * (argv[0] = "trace"), reads its options, calls the rooms that do the work and prints.
 * Nothing below cli/ knows that there is a command line.
 */
#ifndef CLI_CLI_H
#define CLI_CLI_H

/* Exit status of the program. */
enum status {
	STATUS_DONE = 0,          /* done, every request served */
	STATUS_USER = 2,          /* the user's mistake: one line on stderr says which */
	STATUS_DRIVE_FAILED = 3,  /* the modelled drive failed; statistics are written */
	STATUS_INTERRUPTED = 130, /* ended by SIGINT; statistics so far are written */
};

int cli_run(int argc, char **argv);
int cli_trace(int argc, char **argv);
int cli_list(int argc, char **argv);
int cli_params(int argc, char **argv);
int cli_legacy(int argc, char **argv);

/* Prints "ssd: text" on stderr and returns STATUS_USER. */
int cli_mistake(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
