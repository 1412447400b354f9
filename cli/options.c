/* The options of all commands: one table, and the parser that follows from it. */
#include "base/memory.h"
#include "base/suggest.h"
#include "cli/options.h"
#include "traces/writer.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define FIELD(name) offsetof(struct options, name)
#define READERS     (TAKES_STAT | TAKES_CONVERT)
#define WRITERS     (TAKES_CONVERT | TAKES_GENERATE)

/* In the order of --help.  A row without name and letter is a heading. */
static const struct option options_table[] = {
	{ TAKES_DRIVE, NULL, 's', "KEY=VALUE", WORDS, FIELD(setting),
		"set a parameter, e.g. -s ftl=direct -s gc.threshold=0.05; `ssd params` describes them" },
	{ TAKES_DRIVE, "plugin", 0, "FILE", TEXT, FIELD(plugin),
		"use the FTL in this shared object, which `make plugin` has made, as -s ftl=./FILE does; a "
		"parameter file cannot name one" },
	{ TAKES_GENERATE, NULL, 's', "KEY=VALUE", WORDS, FIELD(setting),
		"override a setting of the profile, e.g. -s requests=10000 -s seed=7" },
	{ TAKES_RUN | TAKES_WATCH | TAKES_LEGACY | READERS, NULL, 'L', "LIST", TEXT, FIELD(trace.list),
		"requests in place of TRACE, e.g. -L w0+8,w3.1,r0,t4,gc: write 8 pages from page 0, write "
		"sector 1 of page 3, read page 0, trim page 4, collect a block; one that begins with = "
		"arrives at the same time as the one before it" },
	{ TAKES_RUN, NULL, 'o', "DIR", TEXT, FIELD(folder),
		"also write DIR/statistics.txt, latency.txt and wear.txt (columns for gnuplot)" },
	{ TAKES_LEGACY, NULL, 'o', "DIR", TEXT, FIELD(folder),
		"folder for the results (default: the current one)" },
	{ TAKES_RUN | TAKES_MEASURE, "json", 0, "FILE", TEXT, FIELD(json),
		"also write the statistics as JSON" },
	{ TAKES_STAT, "json", 0, "FILE", TEXT, FIELD(json),
		"also write them as JSON; several traces make an array" },
	{ TAKES_STAT, "plot", 0, "FILE", TEXT, FIELD(plot),
		"draw one trace on a page (SVG, or PNG if FILE ends in .png; needs gnuplot)" },
	{ TAKES_STAT, "reuse-page", 0, "BYTES", NUMBER, FIELD(reuse_page),
		"page size for trace.page_reuse_8192_share: 512 ... 65536, default 2048", NULL, 512, 65536 },
	{ TAKES_WATCH, "plain", 0, NULL, FLAG, FIELD(plain),
		"print pictures as text, for documents and pipes (the default without a terminal)" },
	{ TAKES_WATCH, "at", 0, "FROM[..TO]", TEXT, FIELD(at),
		"begin after request FROM, 0 = before the first; as text, show only the pictures after "
		"these" },
	{ TAKES_QUIZ, "paper", 0, NULL, FLAG, FIELD(paper),
		"print a sheet of questions, with room for answers" },
	{ TAKES_QUIZ, "answers", 0, NULL, FLAG, FIELD(answers),
		"print the answers to that sheet, with reasons" },
	{ TAKES_QUIZ, "questions", 0, "N", NUMBER, FIELD(questions), "number of questions (default 5)", NULL,
		1, 1000 },
	{ TAKES_GRADE, "id", 0, "ID", TEXT, FIELD(grade.id),
		"whose sheet it is: each ID has its own drives and lists (default: practice)" },
	{ TAKES_GRADE, NULL, 'o', "DIR", TEXT, FIELD(folder),
		"write DIR/results.json; of a folder: a folder for each submission, points.csv and "
		"points.json" },
	{ TAKES_GRADE, "seed", 0, "N", NUMBER, FIELD(grade.seed), "seed of the runs of programs (default 1)",
		NULL, 0, UINT32_MAX },
	{ TAKES_GRADE, "seconds", 0, "N", NUMBER, FIELD(grade.seconds),
		"of processor time, that all runs of a submission may take together (default 60)", NULL, 1,
		86400 },
	{ TAKES_GRADE, "jobs", 0, "N", NUMBER, FIELD(grade.jobs),
		"submissions that are graded at a time (default: as many as the machine has processors)",
		NULL, 1, 1024 },
	{ TAKES_WATCH | TAKES_QUIZ, "columns", 0, "N", NUMBER, FIELD(columns),
		"width of pictures as text (default: $COLUMNS, or 80)", NULL, 40, 400 },
	{ TAKES_WATCH | TAKES_QUIZ, "rows", 0, "N", NUMBER, FIELD(rows),
		"blocks of each plane in pictures as text, those that changed first (default 16)", NULL, 1,
		4096 },
	{ TAKES_RUN | TAKES_WATCH, "verify", 0, NULL, FLAG, FIELD(verify),
		"compare every sector read with what was written, check the timing of every operation and "
		"all invariants" },
	{ TAKES_RUN, "save-drive", 0, "FILE", TEXT, FIELD(save_drive),
		"save the preconditioned drive, before the first request" },
	{ TAKES_RUN, "load-drive", 0, "FILE", TEXT, FIELD(load_drive),
		"start from a saved drive instead of preconditioning" },
	{ TAKES_RUN, "drives", 0, "DIR", TEXT, FIELD(drives),
		"start from the saved drive in DIR that fits; if there is none, precondition one and save it "
		"there" },
	{ TAKES_MEASURE, "sector", 0, "BYTES", NUMBER, FIELD(sector_bytes), "size of a write (default 4096)",
		NULL, 512, 1 << 20 },
	{ TAKES_MEASURE, "random", 0, NULL, FLAG, FIELD(random), "measure random writes only" },
	{ TAKES_PROBE, "json", 0, "FILE", TEXT, FIELD(json),
		"also write the results as fio's JSON, which --fit reads" },
	{ TAKES_PROBE, "only", 0, "SERIES...", TEXT, FIELD(only),
		"measure and print these series only, such as 'fill read-4k'; what changes the drive before "
		"them is done all the same; random places are others" },
	{ TAKES_PROBE, "fio", 0, "DIR", TEXT, FIELD(fio),
		"measure nothing; write the same jobs for fio to DIR, for TARGET, a drive of this machine or "
		"a file" },
	{ TAKES_PROBE, "fit", 0, NULL, FLAG, FIELD(fit),
		"print a parameter file that fits RESULTS, with what is uncertain and what cannot be known" },
	{ TAKES_RUN, "explain", 0, "N", NUMBER, FIELD(explain),
		"print what request N did: look-ups, operations, waits, times", NULL, 1, UINT64_MAX },
	{ TAKES_RUN, "timeline", 0, "FROM..TO FILE", PAIR, FIELD(timeline),
		"also write what buses and dies did for these requests: JSON for Perfetto or, if FILE ends "
		"in .html, a page that shows it" },
	{ TAKES_RUN, "warmup", 0, "SPAN", TEXT, FIELD(warm_up),
		"start the statistics after so many requests or so much simulated time (5000, 10s, 20ms, "
		"3us); 2%:SPAN: once the write amplification of two such windows in a row differs by at most "
		"2 %" },
	{ TAKES_RUN, "log", 0, "FILE", TEXT, FIELD(log),
		"also write a row for each request: where its latency went, what it caused (CSV; compressed "
		"if FILE ends in .zst)" },
	{ TAKES_RUN, "series", 0, "SPAN", TEXT, FIELD(series),
		"with -o: also write DIR/series.csv, the statistics of each span" },
	{ TAKES_RUN, "checkpoint", 0, "FILE", TEXT, FIELD(checkpoint),
		"save the run to FILE from time to time, and when a signal ends it; a run that is done "
		"removes FILE",
		.unrecorded = true },
	{ TAKES_RUN, "every", 0, "SPAN", TEXT, FIELD(every),
		"with --checkpoint or --resume: how often, in requests or by the clock (5000, 30s, 10min, "
		"2h; default 10min)",
		.unrecorded = true },
	{ TAKES_RUN, "resume", 0, "FILE", TEXT, FIELD(resume),
		"continue a run saved in FILE, given the same options as before; the results are those of a "
		"run without interruption, and the run goes on being saved",
		.unrecorded = true },
	{ TAKES_RUN, "check", 0, NULL, FLAG, FIELD(check),
		"run nothing: check everything, print all settings that have an effect, and those given that "
		"have none" },
	{ TAKES_RUN, "all", 0, NULL, FLAG, FIELD(all),
		"print all statistics, with units and meanings, in place of the summary",
		.unrecorded = true },
	{ TAKES_RUN, "show", 0, "NAMES", TEXT, FIELD(show),
		"print only these statistics, e.g. --show 'waf gc.* request.*.latency_p99_ns'",
		.unrecorded = true },
	{ TAKES_RUN, "quiet", 'q', NULL, FLAG, FIELD(quiet),
		"no summary and no statistics on standard output, no progress" },
	{ TAKES_CONVERT, "to", 0, "FORMAT", TEXT, FIELD(to), "", trace_writer_formats },
	{ TAKES_GENERATE, "flush-every", 0, "N", NUMBER, FIELD(flush_every),
		"add a FLUSH behind every N writes", NULL, 1, UINT64_MAX },
	{ TAKES_GENERATE, "to", 0, "FORMAT", TEXT, FIELD(to), "default ssdsim; or another of ",
		trace_writer_formats },
	{ WRITERS, "output", 'o', "FILE", TEXT, FIELD(out), "default: standard output" },
	{ TAKES_LEGACY, "fix", 0, "LIST", TEXT, FIELD(fix), "repair these quirks: Q2,Q6 or all or all,-Q32" },
	{ TAKES_LEGACY, "list-quirks", 0, NULL, FLAG, FIELD(list_quirks),
		"one line for each quirk: kept and repairable, or survived" },
	{ TAKES_MANUAL, "man", 0, "DIR", TEXT, FIELD(man),
		"write the manual to DIR, a page for each command: man -l DIR/ssd-run.1" },
	{ TAKES_MANUAL, "complete", 0, NULL, FLAG, FIELD(complete),
		"for shells (scripts/completion): print what the last WORD behind -- may become" },
	{ TAKES_HELP, "help", 'h', NULL, FLAG, FIELD(help), "this text" },
	{ READERS, .help = "Reading (TRACE may be plain, gz, xz, zst, bz2, lz4, or in a tar or zip; - is "
			   "standard input):" },
	{ READERS, "format", 0, "FORMAT", TEXT, FIELD(trace.format),
		"format of the trace; `ssd list formats` shows them (default: found from the content)" },
	{ READERS, "columns", 0, "NAMES", TEXT, FIELD(trace.columns),
		"columns of a trace in no known format, e.g. time_us,op,offset_bytes,size_bytes "
		"(traces/README.md)" },
	{ READERS, "member", 0, "NAME", TEXT, FIELD(trace.member),
		"the file to read in a tar or zip archive" },
	{ READERS, "devices", 0, "WHICH", TEXT, FIELD(trace.devices),
		"own: each keeps its addresses (default); all: one after another; NUMBER or NAME: that one "
		"only" },
	{ READERS, "time-unit", 0, "UNIT", TEXT, FIELD(trace.time_unit),
		"ns, 100ns, us, ms or s, if the time column is not in the format's own unit" },
	{ READERS, "flush", 0, NULL, FLAG, FIELD(trace.flush),
		"FLUSH and FUA in traces of blkparse and fio are read (default: left out)" },
	{ READERS, "limit", 0, "N", NUMBER, FIELD(limit), "stop after N requests", NULL, 1, UINT64_MAX },
	{ READERS, "sort", 0, NULL, FLAG, FIELD(trace.sort_fully),
		"sort by time in memory (default: within a window of up to a million requests)" },
};

/* ---- reading ---- */

struct options_parser {
	const struct command *command;
	struct options *options;
	char **word;     /* being read */
	bool unrecorded; /* by an option that changes no result */
	struct fault *fault;
};

const struct option *options_next(const struct command *c, const struct option *row)
{
	const struct option *end = options_table + sizeof options_table / sizeof *options_table;

	for (row = row ? row + 1 : options_table; row < end; row++)
		if ((c->takes | TAKES_HELP) & row->takers)
			return row;
	return NULL;
}

/* `shown` as it was typed, `name` for the nearest one that is known.  Returns NULL. */
static const struct option *options_unknown(
	const struct options_parser *p, const char *shown, const char *name)
{
	struct suggestion nearest = { .word = name };

	for (const struct option *row = NULL; (row = options_next(p->command, row));)
		if (row->name)
			suggestion_offer(&nearest, row->name);
	if (nearest.nearest)
		fault_set(p->fault, "%s: unknown option %s; did you mean --%s?", p->command->name, shown,
			nearest.nearest);
	else
		fault_set(p->fault, "%s: unknown option %s; `ssd %s --help` shows the options",
			p->command->name, shown, p->command->name);
	return NULL;
}

/* Finds an option by its name or an unambiguous prefix of the name.  NULL and a fault: there is none. */
static const struct option *options_find_name(const struct options_parser *p, char *name, size_t length)
{
	const struct option *found = NULL, *other = NULL;

	for (const struct option *row = NULL; (row = options_next(p->command, row));) {
		if (!row->name || strncmp(row->name, name, length))
			continue;
		if (!row->name[length])
			return row;
		other = found;
		found = row;
	}
	if (other) {
		fault_set(p->fault, "%s: option --%.*s is unclear: --%s or --%s?", p->command->name,
			(int)length, name, other->name, found->name);
		return NULL;
	}
	if (found)
		return found;
	name[length] = '\0';
	return options_unknown(p, *p->word, name);
}

static const struct option *options_find_letter(const struct options_parser *p, char letter)
{
	const struct option *row = NULL;

	while ((row = options_next(p->command, row)) && row->letter != letter)
		;
	return row;
}

static bool options_set_number(
	const struct options_parser *p, const struct option *row, const char *value, uint64_t *number)
{
	char *end, most[32] = "";

	errno = 0;
	*number = strtoull(value, &end, 10);
	if (*value >= '0' && *value <= '9' && !*end && !errno && *number >= row->least &&
		*number <= row->most)
		return true;
	if (row->most < UINT64_MAX)
		snprintf(most, sizeof most, " to %" PRIu64, row->most);
	return fault_set(p->fault, "%s: --%s %s: should be a whole number from %" PRIu64 "%s",
		p->command->name, row->name, value, row->least, most);
}

static bool options_need_value(const struct options_parser *p, const struct option *row, const char *typed)
{
	return fault_set(
		p->fault, "%s: option %s needs a value: %s %s", p->command->name, typed, typed, row->value);
}

/* `value` stood in the same word; NULL: it is the next word. */
static bool options_set(struct options_parser *p, const struct option *row, char *value)
{
	char *field = (char *)p->options + row->field;
	const char *typed = *p->word;

	p->unrecorded = row->unrecorded;
	if (row->kind != FLAG && !value && !(value = *++p->word))
		return options_need_value(p, row, typed);
	switch (row->kind) {
	case FLAG:
		*(bool *)field = true;
		break;
	case TEXT:
		*(const char **)field = value;
		break;
	case NUMBER:
		return options_set_number(p, row, value, (uint64_t *)field);
	case PAIR:
		((const char **)field)[0] = value;
		((const char **)field)[1] = p->word[1];
		return *++p->word || options_need_value(p, row, typed);
	case WORDS:
		((struct words *)field)->text[((struct words *)field)->count++] = value;
		break;
	}
	return true;
}

/* "--name" or "--name=VALUE"; a prefix of the name will do. */
static bool options_read_name(struct options_parser *p)
{
	char *name = *p->word + 2;
	size_t length = strcspn(name, "=");
	char *value = name[length] ? name + length + 1 : NULL;
	const struct option *row = options_find_name(p, name, length);

	if (row && row->kind == FLAG && value)
		return fault_set(p->fault, "%s: option --%s takes no value (\"%s\")", p->command->name,
			row->name, value);
	return row && options_set(p, row, value);
}

/* "-q", "-sVALUE" or "-s VALUE"; letters without a value may stand together. */
static bool options_read_letters(struct options_parser *p)
{
	char *word = *p->word;

	for (char *letter = word + 1; *letter; letter++) {
		const struct option *row = options_find_letter(p, *letter);
		char shown[] = { '-', *letter, '\0' };

		if (!row)
			return options_unknown(p, shown, word + 1);
		if (row->kind != FLAG)
			return options_set(p, row, letter[1] ? letter + 1 : NULL);
		options_set(p, row, NULL);
	}
	return true;
}

static bool options_check_operands(const struct options_parser *p)
{
	size_t given = p->options->operand.count;
	char right[128];

	if (given >= p->command->least && given <= p->command->most)
		return true;
	return fault_set(p->fault, "%s: %zu operand%s given; should be: %s", p->command->name, given,
		given == 1 ? " is" : "s are", options_synopsis(p->command, right, sizeof right));
}

bool options_parse(struct options *o, const struct command *command, char **argv, struct fault *fault)
{
	struct options_parser p = { .command = command, .options = o, .word = argv, .fault = fault };
	size_t words = 0;
	bool only_operands = false;

	while (argv[words])
		words++;
	o->operand.text = memory_array(3 * words + 1, sizeof *argv, "command line");
	o->setting.text = o->operand.text + words;
	o->recorded.text = o->setting.text + words;
	for (; *p.word && !o->help && !o->list_quirks; p.word++) {
		char **first = p.word, *word = *first;

		p.unrecorded = false;
		if (only_operands || word[0] != '-' || !word[1])
			o->operand.text[o->operand.count++] = word;
		else if (!strcmp(word, "--"))
			only_operands = true;
		else if (!(word[1] == '-' ? options_read_name(&p) : options_read_letters(&p)))
			return false;
		for (; !p.unrecorded && first <= p.word; first++)
			o->recorded.text[o->recorded.count++] = *first;
	}
	/* -L takes the place of the trace, the last operand. */
	if (o->trace.list)
		o->operand.text[o->operand.count++] = (char *)o->trace.list;
	/* --help and --list-quirks print a text, whatever else is given. */
	return o->help || o->list_quirks || options_check_operands(&p);
}

void options_free(struct options *o)
{
	memory_free(o->operand.text);
}
