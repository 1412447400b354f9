/*
 * ssd: the simulator's one binary.  Finds the command and hands over; each command is
 * a file of cli/.  The path of a request through the drive begins in drive/drive.c.
 */
#include "base/version.h"
#include "cli/cli.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>

struct command {
	const char *name;
	int (*main)(int argc, char **argv);
	const char *brief;
};

static int help(int argc, char **argv);
static int version(int argc, char **argv);

static const struct command commands[] = {
	{ "run", cli_run, "simulate a drive serving a trace" },
	{ "trace", cli_trace, "measure, convert and generate traces" },
	{ "legacy", cli_legacy, "what SSDsim 2.1 would have answered, and what its defects did to it" },
	{ "list", cli_list, "FTLs, buffers, collection policies, trace formats and profiles" },
	{ "params", cli_params, "every parameter: type, unit, range, default, meaning" },
	{ "help", help, "this text; `ssd COMMAND --help` explains a command" },
	{ "version", version, "version of this program" },
};

#define COMMANDS (sizeof commands / sizeof *commands)

static int help(int argc, char **argv)
{
	(void)argc;
	(void)argv;
	printf("ssd - a simulator of flash drives\n\nusage: ssd COMMAND ...\n\n");
	for (size_t i = 0; i < COMMANDS; i++)
		printf("  %-10s%s\n", commands[i].name, commands[i].brief);
	printf("\nfirst steps:\n"
	       "  ssd run parameters/tiny.cfg uniform              a drive that fits on paper, a generated "
	       "workload\n"
	       "  ssd run -s ftl=direct parameters/icpp23.cfg FILE the same trace on an ideal device\n"
	       "  ssd params gc                                    what can be set about garbage collection\n"
	       "\nexit status: 0 done, 2 a mistake in what was asked (one line says which), 3 the modelled "
	       "drive\n"
	       "failed (statistics are written), 130 interrupted (statistics so far are written)\n");
	return STATUS_DONE;
}

static int version(int argc, char **argv)
{
	(void)argc;
	(void)argv;
	printf("ssd %s\n", SSD_VERSION);
	return STATUS_DONE;
}

int main(int argc, char **argv)
{
	const char *name = argc > 1 ? argv[1] : "help";

	/* A reader of our output that goes away is a write error like any other, with a message. */
	signal(SIGPIPE, SIG_IGN);
	if (!strcmp(name, "--help") || !strcmp(name, "-h"))
		name = "help";
	if (!strcmp(name, "--version"))
		name = "version";
	for (size_t i = 0; i < COMMANDS; i++)
		if (!strcmp(name, commands[i].name)) {
			int status = commands[i].main(argc - 1, argv + 1);

			if (status != STATUS_USER && (fflush(stdout) || ferror(stdout)))
				return cli_mistake("standard output: cannot be written");
			return status;
		}
	return cli_mistake("unknown command \"%s\"; `ssd help` lists them", name);
}
