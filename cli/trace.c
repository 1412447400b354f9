/* ssd trace stat | convert | generate */
#include "cli/cli.h"

#include "base/memory.h"
#include "stats/output.h"
#include "stats/report.h"
#include "traces/generate.h"
#include "traces/stat.h"
#include "traces/stat_plot.h"
#include "traces/trace.h"
#include "traces/writer.h"

#include <getopt.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define PROGRESS_REQUESTS (1u << 18)

struct settings {
	struct trace_options trace;
	const char *to;
	const char *out;
	const char *json;
	const char *plot;
	char **overrides; /* of a generator's profile */
	size_t override_count;
};

static const char help_trace[] =
	"usage: ssd trace stat     [options] TRACE...          what is in a trace\n"
	"       ssd trace convert  --to FORMAT [options] TRACE rewrite it for another simulator\n"
	"       ssd trace generate [options] PROFILE           make one up\n"
	"Each has a --help of its own.\n";

static const char help_reading[] =
	"Reading (TRACE may be plain, gz, xz, zst, bz2, lz4, or in a tar or zip; - is standard input):\n"
	"  --format FORMAT     of the trace; `ssd list` shows them (default: found from the content)\n"
	"  --member NAME       the file to read inside a tar or zip archive\n"
	"  --devices WHICH     own: each device keeps its own addresses (default);\n"
	"                      all: one after another in one address space; NUMBER or NAME: that one alone\n"
	"  --time-unit UNIT    ns, 100ns, us, ms or s, if the time column is not in the format's own unit\n"
	"  --sort              sort by time in memory (default: in a window of up to a million requests)\n";

static const char help_stat[] =
	"usage: ssd trace stat [options] TRACE...\n"
	"Prints counts, sizes, footprint, alignment and across-page shares of each trace.\n"
	"Memory grows with the space a trace touches, not with its length: 23 to 46 bytes for each distinct\n"
	"page of 4 KiB and for each distinct address at which a request ends, half more while a table "
	"grows.\n"
	"  --json FILE         the same as JSON; several traces make an array\n"
	"  --plot FILE         draw one trace on a page (SVG, or PNG if FILE ends in .png; needs "
	"gnuplot)\n\n";

static const char help_convert[] = "usage: ssd trace convert --to FORMAT [options] TRACE\n"
				   "Writes the trace sorted by time, beginning at time 0, in whole 512-byte "
				   "sectors.  Response times of the\n"
				   "traced system are not kept.\n"
				   "  --to FORMAT         ";

static const char help_convert_more[] = "\n"
					"  -o, --output FILE   default: standard output\n\n";

static const char help_generate[] =
	"usage: ssd trace generate [options] PROFILE\n"
	"Writes a synthetic trace.  PROFILE is a name (`ssd list` shows them) or a file.\n"
	"The same profile and settings give the same trace, on every machine.\n"
	"  -s KEY=VALUE        override a setting of the profile, e.g. -s requests=10000 -s seed=7\n"
	"  --to FORMAT         default: ssdsim\n"
	"  -o, --output FILE   default: standard output\n";

/* --- options --- */

enum option_key {
	KEY_FORMAT = 256,
	KEY_MEMBER,
	KEY_DEVICES,
	KEY_TIME_UNIT,
	KEY_SORT,
	KEY_TO,
	KEY_JSON,
	KEY_PLOT
};

static const struct option options_stat[] = {
	{ "format", required_argument, NULL, KEY_FORMAT },
	{ "member", required_argument, NULL, KEY_MEMBER },
	{ "devices", required_argument, NULL, KEY_DEVICES },
	{ "time-unit", required_argument, NULL, KEY_TIME_UNIT },
	{ "sort", no_argument, NULL, KEY_SORT },
	{ "json", required_argument, NULL, KEY_JSON },
	{ "plot", required_argument, NULL, KEY_PLOT },
	{ "help", no_argument, NULL, 'h' },
	{ NULL, 0, NULL, 0 },
};

static const struct option options_convert[] = {
	{ "format", required_argument, NULL, KEY_FORMAT },
	{ "member", required_argument, NULL, KEY_MEMBER },
	{ "devices", required_argument, NULL, KEY_DEVICES },
	{ "time-unit", required_argument, NULL, KEY_TIME_UNIT },
	{ "sort", no_argument, NULL, KEY_SORT },
	{ "to", required_argument, NULL, KEY_TO },
	{ "output", required_argument, NULL, 'o' },
	{ "help", no_argument, NULL, 'h' },
	{ NULL, 0, NULL, 0 },
};

static const struct option options_generate[] = {
	{ "to", required_argument, NULL, KEY_TO },
	{ "output", required_argument, NULL, 'o' },
	{ "help", no_argument, NULL, 'h' },
	{ NULL, 0, NULL, 0 },
};

static void set_option(struct settings *s, int key, char *value)
{
	switch (key) {
	case KEY_FORMAT:
		s->trace.format = value;
		break;
	case KEY_MEMBER:
		s->trace.member = value;
		break;
	case KEY_DEVICES:
		s->trace.devices = value;
		break;
	case KEY_TIME_UNIT:
		s->trace.time_unit = value;
		break;
	case KEY_SORT:
		s->trace.sort_fully = true;
		break;
	case KEY_TO:
		s->to = value;
		break;
	case KEY_JSON:
		s->json = value;
		break;
	case KEY_PLOT:
		s->plot = value;
		break;
	case 'o':
		s->out = value;
		break;
	case 's':
		s->overrides[s->override_count++] = value;
		break;
	}
}

enum parse_result { PARSE_DONE, PARSE_HELP, PARSE_MISTAKE };

/* Leaves optind at the first operand. */
static enum parse_result parse_options(
	struct settings *s, int argc, char **argv, const char *letters, const struct option *options)
{
	int key;

	optind = 1;
	opterr = 0;
	while ((key = getopt_long(argc, argv, letters, options, NULL)) != -1) {
		if (key == 'h')
			return PARSE_HELP;
		if (key == ':' || key == '?') {
			cli_mistake("trace %s: %s \"%s\"; see `ssd trace %s --help`", argv[0],
				key == ':' ? "a value is missing behind" : "unknown or unclear option",
				argv[optind - 1], argv[0]);
			return PARSE_MISTAKE;
		}
		set_option(s, key, optarg);
	}
	return PARSE_DONE;
}

static void warn(void *context, const char *text)
{
	(void)context;
	fprintf(stderr, "ssd: warning: %s\n", text);
}

static struct trace *open_trace(const struct settings *s, const char *path, struct fault *fault)
{
	struct trace_options options = s->trace;
	struct trace *trace;

	options.warn = warn;
	trace = trace_open(path, &options, fault);
	if (trace && !options.format)
		fprintf(stderr, "ssd: %s: format %s\n", path, trace_format(trace));
	return trace;
}

/* --- progress, on a terminal only --- */

static void show_progress(const struct trace *trace, uint64_t requests)
{
	uint64_t total = trace_bytes_total(trace);

	if (requests % PROGRESS_REQUESTS || !isatty(STDERR_FILENO))
		return;
	fprintf(stderr, "\r%.1f million requests", (double)requests / 1e6);
	if (total)
		fprintf(stderr, ", %.0f %%", 100.0 * (double)trace_bytes_read(trace) / (double)total);
}

static void end_progress(uint64_t requests)
{
	if (requests >= PROGRESS_REQUESTS && isatty(STDERR_FILENO))
		fputs("\r                                \r", stderr);
}

/* --- stat --- */

static bool measure(struct trace *trace, struct trace_stat *stat, struct fault *fault)
{
	struct record record, next;
	enum trace_status status = trace_next_record(trace, &next, fault);
	uint64_t n = 0;

	while (status == TRACE_OK) {
		record = next;
		status = trace_next_record(trace, &next, fault);
		if (status == TRACE_OK)
			trace_stat_expect(stat, &next);
		trace_stat_add(stat, &record);
		show_progress(trace, ++n);
	}
	end_progress(n);
	return status == TRACE_END;
}

static struct report *describe(const char *path, const struct trace *trace, const struct trace_stat *stat)
{
	struct report *report = report_create();

	report_section(report, "trace");
	report_text(report, "trace.file", path, "as given");
	report_text(report, "trace.format", trace_format(trace), "of the file");
	report_count(report, "trace.skipped_lines", trace_skipped(trace), "lines", "headings and comments");
	report_count(report, "trace.dropped_events", trace_dropped(trace), "events",
		"that are no requests, or of devices not chosen");
	report_count(report, "trace.reordered", trace_reordered(trace), "requests",
		"that stood behind a later one; they were sorted");
	report_count(report, "trace.partial_sectors", trace_unaligned(trace), "requests",
		"that do not cover whole sectors");
	report_count(report, "trace.rounded_addresses", trace_rounded(trace), "requests",
		"whose address lost its last digits (1.2E+11)");
	trace_stat_report(stat, report);
	return report;
}

/* NULL and a fault if the trace cannot be read to its end. */
static struct report *stat_trace(const struct settings *s, const char *path, struct fault *fault)
{
	struct trace *trace = open_trace(s, path, fault);
	struct trace_stat *stat;
	struct report *report = NULL;

	if (!trace)
		return NULL;
	stat = trace_stat_create();
	if (measure(trace, stat, fault) && (!s->plot || trace_stat_plot(stat, path, s->plot, fault)))
		report = describe(path, trace, stat);
	trace_stat_free(stat);
	trace_close(trace);
	return report;
}

static bool stat_traces(const struct settings *s, char **paths, int n, FILE *json, struct fault *fault)
{
	if (json && n > 1)
		fputs("[\n", json);
	for (int i = 0; i < n; i++) {
		struct report *report = stat_trace(s, paths[i], fault);

		if (!report)
			return false;
		if (i)
			putchar('\n');
		report_write_text(report, stdout);
		if (json && i)
			fputs(",\n", json);
		if (json)
			report_write_json(report, json);
		report_free(report);
	}
	if (json && n > 1)
		fputs("]\n", json);
	return true;
}

static int stat_command(int argc, char **argv)
{
	struct settings s = { .to = NULL };
	struct output json = { .stream = NULL };
	struct fault fault = { "" };
	bool done;

	switch (parse_options(&s, argc, argv, ":h", options_stat)) {
	case PARSE_HELP:
		printf("%s%s", help_stat, help_reading);
		return STATUS_DONE;
	case PARSE_MISTAKE:
		return STATUS_USER;
	case PARSE_DONE:
		break;
	}
	if (optind == argc)
		return cli_mistake("trace stat: which trace? see `ssd trace stat --help`");
	if (s.plot && optind != argc - 1)
		return cli_mistake("trace stat: --plot draws one trace, %d are given", argc - optind);
	if (s.json && !output_open(&json, s.json, &fault))
		return cli_mistake("%s", fault.text);
	done = stat_traces(&s, argv + optind, argc - optind, json.stream, &fault);
	if (s.json && !done)
		output_abandon(&json);
	if (!done || (s.json && !output_commit(&json, &fault)))
		return cli_mistake("%s", fault.text);
	return STATUS_DONE;
}

/* --- convert and generate --- */

/* `one_space`: the devices were laid out one after another and are one from now on. */
static bool convert(struct trace *trace, bool one_space, struct trace_writer *writer, struct fault *fault)
{
	struct record record;
	enum trace_status status;
	uint64_t n = 0;

	while ((status = trace_next_record(trace, &record, fault)) == TRACE_OK) {
		struct request request = record_request(&record);

		if (one_space)
			request.device = 0;
		if (!trace_writer_put(writer, &request, fault))
			return false;
		show_progress(trace, ++n);
	}
	end_progress(n);
	return status == TRACE_END;
}

static bool generate(struct generator *generator, struct trace_writer *writer, struct fault *fault)
{
	struct request request;

	while (generator_next(generator, &request))
		if (!trace_writer_put(writer, &request, fault))
			return false;
	return true;
}

static void tell_losses(const struct trace *trace, const struct trace_writer *writer)
{
	if (writer->rounded)
		fprintf(stderr,
			"ssd: %llu arrival times were rounded down: the format cannot say them exactly\n",
			(unsigned long long)writer->rounded);
	if (trace && trace_unaligned(trace))
		fprintf(stderr, "ssd: %llu requests were widened to whole sectors\n",
			(unsigned long long)trace_unaligned(trace));
}

/* Exactly one of the two sources is given. */
static int write_trace(const struct settings *s, struct trace *trace, struct generator *generator)
{
	bool one_space = s->trace.devices && !strcmp(s->trace.devices, "all");
	struct trace_writer writer;
	struct output out;
	struct fault fault = { "" };
	bool done;

	if (!output_open(&out, s->out && strcmp(s->out, "-") ? s->out : "/dev/stdout", &fault))
		return cli_mistake("%s", fault.text);
	done = trace_writer_begin(&writer, s->to, out.stream, &fault) &&
	       (trace ? convert(trace, one_space, &writer, &fault) : generate(generator, &writer, &fault));
	trace_writer_end(&writer);
	if (!done)
		output_abandon(&out);
	if (!done || !output_commit(&out, &fault))
		return cli_mistake("%s", fault.text);
	tell_losses(trace, &writer);
	return STATUS_DONE;
}

static int convert_command(int argc, char **argv)
{
	struct settings s = { .to = NULL };
	struct fault fault = { "" };
	struct trace *trace;
	char formats[256];
	int status;

	switch (parse_options(&s, argc, argv, ":ho:", options_convert)) {
	case PARSE_HELP:
		trace_writer_formats(formats, sizeof formats);
		printf("%s%s%s%s", help_convert, formats, help_convert_more, help_reading);
		return STATUS_DONE;
	case PARSE_MISTAKE:
		return STATUS_USER;
	case PARSE_DONE:
		break;
	}
	if (!s.to || optind != argc - 1)
		return cli_mistake(
			"trace convert needs --to FORMAT and one trace; see `ssd trace convert --help`");
	trace = open_trace(&s, argv[optind], &fault);
	if (!trace)
		return cli_mistake("%s", fault.text);
	status = write_trace(&s, trace, NULL);
	trace_close(trace);
	return status;
}

static int generate_profile(const struct settings *s, const char *profile)
{
	struct fault fault = { "" };
	struct generator *generator = generator_open(profile, s->overrides, s->override_count, &fault);
	int status;

	if (!generator)
		return cli_mistake("%s", fault.text);
	status = write_trace(s, NULL, generator);
	generator_close(generator);
	return status;
}

static int generate_command(int argc, char **argv)
{
	struct settings s = { .to = "ssdsim" };
	int status = STATUS_USER;

	s.overrides = memory_array((size_t)argc, sizeof *s.overrides, "command line");
	switch (parse_options(&s, argc, argv, ":ho:s:", options_generate)) {
	case PARSE_HELP:
		fputs(help_generate, stdout);
		status = STATUS_DONE;
		break;
	case PARSE_MISTAKE:
		break;
	case PARSE_DONE:
		if (optind == argc - 1)
			status = generate_profile(&s, argv[optind]);
		else
			cli_mistake("trace generate needs one profile; see `ssd trace generate --help`");
		break;
	}
	memory_free(s.overrides);
	return status;
}

int cli_trace(int argc, char **argv)
{
	static const struct {
		const char *name;
		int (*run)(int argc, char **argv);
	} commands[] = { { "stat", stat_command }, { "convert", convert_command },
		{ "generate", generate_command } };

	if (argc < 2)
		return cli_mistake("trace: stat, convert or generate? see `ssd trace --help`");
	if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h")) {
		fputs(help_trace, stdout);
		return STATUS_DONE;
	}
	for (size_t i = 0; i < sizeof commands / sizeof commands[0]; i++)
		if (!strcmp(argv[1], commands[i].name))
			return commands[i].run(argc - 1, argv + 1);
	return cli_mistake("trace: unknown command \"%s\"; should be stat, convert or generate", argv[1]);
}
