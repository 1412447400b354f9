/*
 * ssd: the one program.  main() finds the command and calls its function in cli/.  The path of a request
 * through the drive begins in drive/drive.c.
 */
#include "base/suggest.h"
#include "base/version.h"
#include "cli/options.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

static command_main ssd_help, ssd_version;

/* Columns: struct command.  The last is the program itself. */
static const struct command commands[] = {
	{ "run", cli_run, TAKES_RUN, 2, 65, "PARAMETERS TRACE...", "simulate a drive serving a trace",
		"Simulates a drive serving a workload.  PARAMETERS is a parameter file or the name of a "
		"drive (ssd list drives).  TRACE is a trace file in any known format, plain or compressed, "
		"\"-\" for standard input, or the name of a generator profile (ssd list profiles); "
		"several are of a tenant each (ssd params host).  Prints "
		"a summary on standard output; --all prints all statistics.\n",
		"  ssd run class lun1\n"
		"  ssd run --show 'waf request.*.latency_p99_ns' class my-trace.csv.xz\n"
		"  ssd run -s trace.fold=true -o results/mine icpp23 my-trace.csv.xz\n"
		"  ssd run -s gc.policy=fifo -s host.mode=closed -s host.queue_depth=8 icpp23 lun1\n"
		"  ssd run -s host.arbitration=round_robin -s host.modes=closed,open class uniform lun1\n" },
	{ "watch", cli_watch, TAKES_WATCH, 2, 65, "PARAMETERS TRACE...",
		"see a drive at work, request by request",
		"Shows the blocks of the drive described by PARAMETERS, page by page, as it serves "
		"TRACE: what each request does and why, what buses and dies do meanwhile, and where the "
		"map places the data.\n"
		"A cell is a page: its LPN, x if it is dead (invalid), . if it is free; # stands for an "
		"LPN where numbers do not fit.  Marks: + just programmed, - just died, ~ not yet written "
		"to flash, ! a block just erased.\n"
		"Keys: space, b, c, l, g, 0, v, ?, q.\n",
		"  ssd watch -L w0+4,w0+2,w2,gc,r3 parameters/tiny.cfg\n"
		"  ssd watch -s ftl=across -s flash.page_bytes=8K parameters/tiny.cfg docs/across.trace\n"
		"  ssd watch --plain --at 3 -s ftl=fast docs/log-block.cfg docs/log-block.trace\n" },
	{ "quiz", cli_quiz, TAKES_QUIZ, 1, 1, "PARAMETERS", "questions about what a drive does next",
		"Shows the drive described by PARAMETERS and the next request, and asks: which page is "
		"read, which operations follow, which block is collected, what the write amplification "
		"is, whether the buffer or the cached part of the map has it.  Then the drive serves the "
		"request and the answer is explained. The same seed (-s seed=7) asks the same "
		"questions.\n",
		"  ssd quiz parameters/tiny.cfg\n"
		"  ssd quiz --paper --questions 10 -s seed=7 -s ftl=dftl -s dftl.entries=8 "
		"parameters/tiny.cfg\n"
		"  ssd quiz --answers --questions 10 -s seed=7 -s ftl=dftl -s dftl.entries=8 "
		"parameters/tiny.cfg\n" },
	{ "grade", cli_grade, TAKES_GRADE, 0, SIZE_MAX, "[LAB [FILE...|FOLDER]]",
		"points for exercises of the course",
		"Gives points for an exercise of docs/course, and says what is wrong.  The number of a "
		"lab alone prints its sheet of questions; FILE is the filled-in sheet, or the program "
		"that the exercise asks for.  FOLDER has many submissions, files or folders named by "
		"their ID: docs/course/instructor.md.  Works at the top of the source tree, where the "
		"course is.\n",
		"  ssd grade 2 --id s1234567 > mine.txt\n"
		"  ssd grade 2 mine.txt\n"
		"  ssd grade 9.2 ftl/mine.c\n"
		"  ssd grade 9.2 -o marks submissions/\n" },
	{ "measure", cli_measure, TAKES_MEASURE, 1, 1, "PARAMETERS",
		"write rate of a drive, by the distance from one write to the next",
		"Writes single sectors to the drive described by PARAMETERS, each when the one before it "
		"is done, until the rate is steady: in order, at random, and at a fixed distance from "
		"one to the next, forwards and backwards.  Prints writes per second, and the distance at "
		"which writes become as slow as random ones.\n",
		"  ssd measure parameters/chardin-usb.cfg\n"
		"  ssd measure --random -s host.layer=indirect -s indirect.pool=0.5 "
		"parameters/chardin-usb.cfg\n" },
	{ "probe", cli_probe, TAKES_PROBE, 1, SIZE_MAX, "PARAMETERS | --fio DIR TARGET | --fit RESULTS...",
		"measure a drive, a modelled or a real one, and fit a model to it",
		"Measures the drive described by PARAMETERS as one would measure a real one: latency by "
		"size, rates by the number of requests in the drive, bursts, a fill in order, overwriting.  "
		"It begins with an empty drive, whatever precondition.mode says.\n"
		"The same measurements of a real drive are jobs for fio, which --fio writes and you start: "
		"they destroy what TARGET holds.  --fit makes a parameter file of fio's JSON, and says of "
		"each value how it was found and how far it is to be trusted (docs/drives.md).\n",
		"  ssd probe class\n"
		"  ssd probe --fio jobs /dev/nvme1n1\n"
		"  ssd probe --fit result-*.json > mine.cfg\n" },
	{ "trace", NULL, 0, 1, SIZE_MAX, "COMMAND ...", "measure, convert and generate traces",
		"Describes a trace, rewrites it for another simulator, or makes up a new one.\n" },
	{ "trace stat", cli_trace_stat, TAKES_STAT, 1, SIZE_MAX, "TRACE...", "what is in a trace",
		"Prints counts, sizes, footprint, alignment and across-page shares of each trace. Memory "
		"grows with the address space a trace touches, not with its length: 23 to 46 bytes for "
		"each distinct page of 4 KiB and each distinct address at which a request ends, and half "
		"more while a table grows.\n" },
	{ "trace convert", cli_trace_convert, TAKES_CONVERT, 1, 1, "--to FORMAT TRACE",
		"rewrite it for another simulator",
		"Writes the trace sorted by time, beginning at time 0, in whole 512-byte sectors.  "
		"Response times of the traced system are not kept.\n" },
	{ "trace generate", cli_trace_generate, TAKES_GENERATE, 1, 1, "PROFILE", "make one up",
		"Writes a synthetic trace.  PROFILE is a name (`ssd list profiles` shows them) or a "
		"file. The same profile and settings give the same trace, on every machine.\n" },
	{ "legacy", cli_legacy, TAKES_LEGACY, 2, 2, "PARAMETERS TRACE",
		"the results of SSDsim 2.1, and what its defects did to them",
		"Runs a trace as SSDsim 2.1 did and writes DIR/ex.out and DIR/statistic10.dat byte for "
		"byte as it did, defects included.  PARAMETERS is its page.parameters; TRACE is one of "
		"SSDsim, read as SSDsim reads it, or in any format of `ssd list formats`, compressed or "
		"not.\n"
		"\n"
		"Exit status: 0 done; 2 the input cannot be run; 3 the drive came to a state in which "
		"SSDsim crashes, hangs or reads behind a table (the results so far are written and "
		"say so).\n",
		"  ssd legacy -o old page.parameters trace.ascii\n"
		"  ssd legacy --fix Q2 -o fixed page.parameters trace.ascii\n"
		"  ssd legacy diff old/statistic10.dat fixed/statistic10.dat\n" },
	{ "legacy import", cli_legacy_import, 0, 1, 1, "PARAMETERS",
		"the same drive as a parameter file of `ssd run`",
		"Prints the drive of SSDsim's page.parameters as a parameter file of `ssd run`.\n",
		"  ssd legacy import page.parameters > drive.cfg\n" },
	{ "legacy diff", cli_legacy_diff, 0, 2, 2, "A.dat B.dat", "what differs between two statistics files",
		"Compares two statistics files, ours or the original's.  Exit status: 0 no difference, 1 "
		"values differ.\n" },
	{ "list", cli_list, 0, 0, 1, "[WHAT]",
		"drives, FTLs, buffers, collection policies, trace formats and profiles",
		"Everything that can be chosen by name, or one WHAT: the word before the colon of a "
		"heading.\n",
		"  ssd list gc\n" },
	{ "params", cli_params, 0, 0, 1, "[GROUP|KEY]",
		"every parameter: type, unit, range, default, meaning",
		"Describes every parameter, those of a group or one: type, unit, range, default, "
		"meaning.  Set them in the parameter file, as in\n"
		"    gc: { threshold = 0.05; };\n"
		"or on the command line: ssd run -s gc.threshold=0.05 ...\n",
		"  ssd params gc\n"
		"  ssd params gc.threshold\n" },
	{ "help", ssd_help, TAKES_MANUAL, 0, SIZE_MAX, "[COMMAND]",
		"this text, that of a command, the manual", "Explains the program or a command.\n" },
	{ "version", ssd_version, 0, 0, 0, "", "version of this program",
		"Prints the version of this program and, if it is known, the commit it was built from.\n" },
	{ "", NULL, 0, 0, 0, "COMMAND ...", NULL,
		"ssd - a simulator of flash drives.  `ssd COMMAND --help` explains a command.\n"
		"Exit status: 0 done; 2 a mistake in the command or its input (one line says which); 3 "
		"the modelled drive failed (statistics are written); 128 + N ended by signal N (a run "
		"writes its statistics so far; a second signal ends it at once).\n",
		"  ssd run class lun1                a drive of 32 MB, a generated workload\n"
		"  ssd run class FILE                your trace on the same drive (ssd list drives)\n"
		"  ssd run -s ftl=direct class FILE  the same trace on an ideal device\n"
		"  ssd params gc                     what can be set about garbage collection\n" },
};

static int ssd_version(const struct options *o, struct fault *fault)
{
	(void)o;
	(void)fault;
	cli_listing();
	printf("ssd %s%s%s%s\n", SSD_VERSION, *ssd_commit ? " (" : "", ssd_commit, *ssd_commit ? ")" : "");
	return STATUS_DONE;
}

/* The word is none of the group's commands. */
static int ssd_unknown(const struct command *group, const char *word, struct fault *fault)
{
	struct suggestion nearest = { .word = word };
	const char *name = group->name, *blank = *name ? " " : "";

	for (const struct command *c = NULL; (c = options_next_of_group(group, commands, c));)
		suggestion_offer(&nearest, options_word(group, c));
	if (nearest.nearest)
		fault_set(fault, "unknown command \"%s%s%s\"; did you mean \"%s%s%s\"?", name, blank, word,
			name, blank, nearest.nearest);
	else
		fault_set(fault, "unknown command \"%s%s%s\"; `ssd %s%s--help` lists them", name, blank, word,
			name, blank);
	return STATUS_USER;
}

static int ssd_help(const struct options *o, struct fault *fault)
{
	size_t words = o->operand.count;
	const struct command *command = options_command(o->operand.text, &words, commands);

	if (o->man)
		return cli_status(manual_write(o->man, commands, fault));
	if (o->complete)
		return completion_print(&o->operand, commands);
	if (o->operand.count && !words)
		return ssd_unknown(command, o->operand.text[0], fault);
	return options_usage(command, commands);
}

/* `typed` begins with the name of the command, one word or two. */
static int ssd_run(char **typed, struct fault *fault)
{
	struct options o = { .typed = typed };
	size_t words = 2;
	const struct command *command = options_command(typed, &words, commands);
	int status = STATUS_USER;

	if (!words)
		return ssd_unknown(command, typed[0], fault);
	if (options_parse(&o, command, typed + words, fault)) {
		if (o.help)
			status = options_usage(command, commands);
		else if (command->run)
			status = command->run(&o, fault);
		else
			ssd_unknown(command, o.operand.text[0], fault);
	}
	options_free(&o);
	return status;
}

/* Keeps the descriptor of a closed stream in use: otherwise a result file could get it, and the printed text
 * with it. */
static void ssd_keep_closed_streams(void)
{
	for (int stream = 0; stream < 3; stream++)
		if (fcntl(stream, F_GETFD) < 0)
			open("/dev/null", stream ? O_RDONLY : O_WRONLY);
}

/* A reader that leaves early, as `head` does, is no mistake. */
static bool ssd_output_failed(void)
{
	struct pollfd output = { .fd = STDOUT_FILENO };

	return (fflush(stdout) || ferror(stdout)) &&
	       !(poll(&output, 1, 0) == 1 && output.revents & (POLLERR | POLLHUP));
}

int main(int argc, char **argv)
{
	char *only_help[] = { "help", NULL }, **typed = argc > 1 ? argv + 1 : only_help;
	struct fault fault = { "" };
	int status;

	ssd_keep_closed_streams();
	/* A closed pipe is a write error like any other, with a message. */
	signal(SIGPIPE, SIG_IGN);
	/* So is a file that may not grow further. */
	signal(SIGXFSZ, SIG_IGN);
	/* If our parent ignored it, we could not wait for our own processes. */
	signal(SIGCHLD, SIG_DFL);
	cli_catch_signals();
	if (!strcmp(*typed, "--version"))
		*typed = "version";
	if (!strcmp(*typed, "--help") || !strcmp(*typed, "-h"))
		*typed = "help";
	status = ssd_run(typed, &fault);
	if (status != STATUS_USER && ssd_output_failed())
		status = cli_status(fault_set(&fault, "standard output: cannot be written"));
	if (status == STATUS_USER)
		cli_note("%s", fault.text);
	return status;
}
