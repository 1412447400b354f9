/* `ssd legacy`: what SSDsim 2.1 would have answered. */
#include "cli/cli.h"
#include "legacy/import.h"
#include "legacy/legacy.h"
#include "legacy/statistics.h"

#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#define STATUS_DIFFERENT 1 /* as diff(1) says it */

static void usage(void)
{
	printf("usage: ssd legacy [--fix LIST] [-o DIR] PARAMETERS TRACE\n"
	       "       ssd legacy import PARAMETERS > drive.cfg\n"
	       "       ssd legacy diff A.dat B.dat\n"
	       "       ssd legacy --list-quirks\n\n"
	       "Runs a trace as SSDsim 2.1 did and writes DIR/ex.out and DIR/statistic10.dat byte for byte "
	       "as it\n"
	       "did, defects included.  PARAMETERS is its page.parameters; TRACE is one of\n"
	       "SSDsim, read as SSDsim does, or in any format of `ssd list`, packed or not.\n\n"
	       "  --fix LIST           repair these quirks: Q2,Q6 or all or all,-Q32\n"
	       "  --list-quirks        one line for each quirk: kept and repairable, or survived\n"
	       "  -o DIR               where the results go (default: the current folder)\n\n"
	       "import                 prints the same drive as a parameter file of `ssd run`\n"
	       "diff                   compares two statistics files, ours or the original's (exit 1 if they "
	       "differ)\n\n"
	       "Exit: 0 done; 2 the input cannot be run; 3 the drive came to a state in which SSDsim crashes "
	       "or\n"
	       "hangs (the results so far are written and say so).\n\n"
	       "examples:\n"
	       "  ssd legacy -o old page.parameters trace.ascii\n"
	       "  ssd legacy --fix Q2 -o fixed page.parameters trace.ascii\n"
	       "  ssd legacy diff old/statistic10.dat fixed/statistic10.dat\n");
}

static int list_quirks(void)
{
	for (enum quirk q = 1; q < QUIRKS; q++) {
		const struct quirk_row *row = quirk_row(q);
		const char *what = row->class == QUIRK_KEPT ? "--fix"
				   : row->repairable        ? "here, --fix"
							    : "here";

		printf("%-3s  %s  %s; %s: %s\n", row->name,
			row->class == QUIRK_KEPT ? "kept    " : "survived", row->text, what, row->instead);
	}
	return STATUS_DONE;
}

static void say(const char *format, ...) __attribute__((format(printf, 1, 2)));

static void say(const char *format, ...)
{
	va_list args;

	fputs("ssd legacy: note: ", stderr);
	va_start(args, format);
	vfprintf(stderr, format, args);
	va_end(args);
	fputc('\n', stderr);
}

/* What the run passed over, each thing once. */
static void say_notes(const struct legacy_result *r)
{
	if (r->unknown_keys)
		say("%u unknown parameters ignored, the first is '%s'", r->unknown_keys, r->unknown_key);
	if (r->blank_lines)
		say("%" PRIu64 " blank lines of the trace skipped; SSDsim would repeat the line before",
			r->blank_lines);
	if (r->disordered_lines)
		say("%" PRIu64 " lines are earlier than the one before; SSDsim's clock follows them back",
			r->disordered_lines);
	if (r->trims)
		say("%" PRIu64 " trims of the trace passed over; SSDsim knows none", r->trims);
	for (enum quirk q = 1; q < QUIRKS; q++)
		if (r->noted[q])
			say("%s: %s; here: %s (%" PRIu64 " times)", quirk_row(q)->name, quirk_row(q)->text,
				quirk_row(q)->instead, r->noted[q]);
}

static int run(const struct legacy_options *o)
{
	struct legacy_result result;
	struct fault fault = { "" };
	enum legacy_end end;

	if (mkdir(o->directory, 0777) && errno != EEXIST)
		return cli_mistake("%s: cannot be created: %s", o->directory, strerror(errno));
	end = legacy_run(o, &result, &fault);
	if (end == LEGACY_REFUSED)
		return cli_mistake("%s", fault.text);
	say_notes(&result);
	if (end == LEGACY_DONE)
		return STATUS_DONE;
	fprintf(stderr, "ssd: %s; %" PRIu64 " requests were finished\n", fault.text, result.requests);
	return STATUS_DRIVE_FAILED;
}

static int import(int argc, char **argv)
{
	struct legacy_parameters parameters;
	struct fault fault;
	bool ok;

	if (argc != 2)
		return cli_mistake("import needs one file: ssd legacy import PARAMETERS > drive.cfg");
	if (!legacy_parameters_read(&parameters, argv[1], &fault))
		return cli_mistake("%s", fault.text);
	ok = legacy_import(&parameters, argv[1], stdout, &fault);
	legacy_parameters_free(&parameters);
	if (ok && fflush(stdout))
		return cli_mistake("standard output cannot be written");
	return ok ? STATUS_DONE : cli_mistake("%s", fault.text);
}

/* One line per difference; values are compared as written. */
static bool print_difference(const struct statistics_row *a, const struct statistics_row *b)
{
	if (b && !strcmp(a->text, b->text))
		return false;
	printf("%-56.56s %16s %16s", a->label, a->text, b ? b->text : "-");
	if (b && a->value != 0)
		printf(" %+9.2f %%", 100 * (b->value - a->value) / fabs(a->value));
	putchar('\n');
	return true;
}

/* Returns how many differ, of *values in either file. */
static size_t print_differences(const struct statistics *a, const struct statistics *b, size_t *values)
{
	size_t differences = 0;

	*values = a->rows;
	for (size_t i = 0; i < a->rows; i++)
		differences += print_difference(&a->row[i], legacy_statistics_find(b, a->row[i].label));
	for (size_t i = 0; i < b->rows; i++)
		if (!legacy_statistics_find(a, b->row[i].label)) {
			printf("%-56.56s %16s %16s\n", b->row[i].label, "-", b->row[i].text);
			differences++;
			++*values;
		}
	return differences;
}

static int compare(int argc, char **argv)
{
	struct statistics a, b;
	struct fault fault;
	size_t differences, values;

	if (argc != 3)
		return cli_mistake("diff needs two files: ssd legacy diff A.dat B.dat");
	if (!legacy_statistics_read(&a, argv[1], &fault))
		return cli_mistake("%s", fault.text);
	if (!legacy_statistics_read(&b, argv[2], &fault)) {
		legacy_statistics_free(&a);
		return cli_mistake("%s", fault.text);
	}
	if (a.early_end || b.early_end)
		printf("(the run of %s ended early)\n", a.early_end ? argv[1] : argv[2]);
	differences = print_differences(&a, &b, &values);
	printf("%zu of %zu values differ\n", differences, values);
	legacy_statistics_free(&a);
	legacy_statistics_free(&b);
	return differences ? STATUS_DIFFERENT : STATUS_DONE;
}

enum { OPTION_FIX = 256, OPTION_LIST };

static const struct option long_options[] = {
	{ "fix", required_argument, NULL, OPTION_FIX },
	{ "list-quirks", no_argument, NULL, OPTION_LIST },
	{ "help", no_argument, NULL, 'h' },
	{ 0 },
};

int cli_legacy(int argc, char **argv)
{
	struct legacy_options o = { .directory = "." };
	struct fault fault;
	int c;

	if (argc > 1 && !strcmp(argv[1], "import"))
		return import(argc - 1, argv + 1);
	if (argc > 1 && !strcmp(argv[1], "diff"))
		return compare(argc - 1, argv + 1);
	while ((c = getopt_long(argc, argv, "o:h", long_options, NULL)) != -1)
		switch (c) {
		case OPTION_FIX:
			if (!quirk_set_parse(&o.repaired, optarg, &fault))
				return cli_mistake("%s", fault.text);
			break;
		case OPTION_LIST:
			return list_quirks();
		case 'o':
			o.directory = optarg;
			break;
		case 'h':
			usage();
			return STATUS_DONE;
		default:
			return cli_mistake("`ssd legacy --help` shows the options");
		}
	if (argc - optind != 2)
		return cli_mistake("legacy needs a parameter file and a trace: ssd legacy [--fix LIST] [-o "
				   "DIR] PARAMETERS "
				   "TRACE");
	o.parameters = argv[optind];
	o.trace = argv[optind + 1];
	return run(&o);
}
