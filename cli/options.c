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

/* In the order of --help.  A row without name and letter is a line of it. */
static const struct option table[] = {
	{ TAKES_RUN | TAKES_MEASURE | TAKES_WATCH | TAKES_QUIZ, NULL, 's', "KEY=VALUE", WORDS, FIELD(setting),
		"set a parameter, e.g. -s ftl=direct -s gc.threshold=0.05 (ssd params)" },
	{ TAKES_GENERATE, NULL, 's', "KEY=VALUE", WORDS, FIELD(setting),
		"override a setting of the profile, e.g. -s requests=10000 -s seed=7" },
	{ TAKES_RUN | TAKES_WATCH | TAKES_LEGACY | READERS, NULL, 'L', "LIST", TEXT, FIELD(trace.list),
		"requests in place of TRACE: -L w0+8,w3.1,r0,t4,gc writes 8 pages from page 0, sector 1 of page 3,\n"
		"                       reads a page, trims one, collects a block; = before one: at the same moment" },
	{ TAKES_RUN, NULL, 'o', "DIR", TEXT, FIELD(folder),
		"also write DIR/statistics.txt, latency.txt and wear.txt (columns for gnuplot)" },
	{ TAKES_LEGACY, NULL, 'o', "DIR", TEXT, FIELD(folder),
		"where the results go (default: the current folder)" },
	{ TAKES_RUN | TAKES_MEASURE, "json", 0, "FILE", TEXT, FIELD(json),
		"also write the statistics as JSON" },
	{ TAKES_STAT, "json", 0, "FILE", TEXT, FIELD(json),
		"also write them as JSON; several traces make an array" },
	{ TAKES_STAT, "plot", 0, "FILE", TEXT, FIELD(plot),
		"draw one trace on a page (SVG, or PNG if FILE ends in .png; needs gnuplot)" },
	{ TAKES_STAT, "reuse-page", 0, "BYTES", NUMBER, FIELD(reuse_page),
		"size of a page for trace.page_reuse_8192_share: 512 ... 65536, default 2048", NULL, 512,
		65536 },
	{ TAKES_WATCH, "plain", 0, NULL, FLAG, FIELD(plain),
		"pictures as text, for documents and pipes (the default where there is no terminal)" },
	{ TAKES_WATCH, "at", 0, "FROM[..TO]", TEXT, FIELD(at),
		"begin behind request FROM, 0 = before the first; as text, the pictures behind these alone" },
	{ TAKES_QUIZ, "paper", 0, NULL, FLAG, FIELD(paper),
		"a sheet of questions, with room for the answers" },
	{ TAKES_QUIZ, "answers", 0, NULL, FLAG, FIELD(answers), "the answers to that sheet, with reasons" },
	{ TAKES_QUIZ, "questions", 0, "N", NUMBER, FIELD(questions), "how many (default 5)", NULL, 1, 1000 },
	{ TAKES_WATCH | TAKES_QUIZ, "columns", 0, "N", NUMBER, FIELD(columns),
		"of pictures as text (default 80)", NULL, 40, 400 },
	{ TAKES_WATCH | TAKES_QUIZ, "rows", 0, "N", NUMBER, FIELD(rows),
		"blocks of each plane in pictures as text, those that changed first (default 16)", NULL, 1,
		4096 },
	{ TAKES_RUN | TAKES_WATCH, "verify", 0, NULL, FLAG, FIELD(verify),
		"compare every sector read, judge every operation in time, check all invariants" },
	{ TAKES_RUN, "save-drive", 0, "FILE", TEXT, FIELD(save_drive),
		"keep the preconditioned drive, before the first request" },
	{ TAKES_RUN, "load-drive", 0, "FILE", TEXT, FIELD(load_drive),
		"start from a kept drive instead of preconditioning" },
	{ TAKES_RUN, "drives", 0, "DIR", TEXT, FIELD(drives),
		"start from the kept drive in DIR that is the one wanted; made and kept there if it is missing" },
	{ TAKES_MEASURE, "sector", 0, "BYTES", NUMBER, FIELD(sector_bytes), "of a write (default 4096)", NULL,
		512, 1 << 20 },
	{ TAKES_MEASURE, "random", 0, NULL, FLAG, FIELD(random), "random writes alone" },
	{ TAKES_RUN, "explain", 0, "N", NUMBER, FIELD(explain),
		"print what request N did: look-ups, operations, waits, times", NULL, 1, UINT64_MAX },
	{ TAKES_RUN, "timeline", 0, "FROM..TO FILE", PAIR, FIELD(timeline),
		"also write what buses and dies did for these requests, for Perfetto (JSON) or, if FILE ends in\n"
		"                       .html, as a page that shows it" },
	{ TAKES_RUN, "warmup", 0, "SPAN", TEXT, FIELD(warm_up),
		"statistics begin after so many requests or so much simulated time (5000, 10s, 20ms, 3us); 2%:SPAN:\n"
		"                       once the write amplification of two such windows differs by 2 % at most" },
	{ TAKES_RUN, "log", 0, "FILE", TEXT, FIELD(log),
		"also write a row for each request: where its latency went, what it caused (CSV; FILE.zst: packed)" },
	{ TAKES_RUN, "series", 0, "SPAN", TEXT, FIELD(series),
		"with -o: also write DIR/series.csv, the statistics of each span" },
	{ TAKES_RUN, "checkpoint", 0, "FILE", TEXT, FIELD(checkpoint),
		"save the run into FILE now and then, and when a signal ends it; FILE goes when the run is done",
		.apart = true },
	{ TAKES_RUN, "every", 0, "SPAN", TEXT, FIELD(every),
		"of --checkpoint and --resume: so many requests, or by the clock (5000, 30s, 10min, 2h; default 10min)",
		.apart = true },
	{ TAKES_RUN, "resume", 0, "FILE", TEXT, FIELD(resume),
		"go on with a saved run, given all it was given, to the results it would have had; FILE goes on, too",
		.apart = true },
	{ TAKES_RUN, "check", 0, NULL, FLAG, FIELD(check),
		"run nothing: check everything, print every setting that matters, and those given that do not" },
	{ TAKES_RUN, "quiet", 'q', NULL, FLAG, FIELD(quiet),
		"no statistics on standard output, no progress" },
	{ TAKES_CONVERT, "to", 0, "FORMAT", TEXT, FIELD(to), "", trace_writer_formats },
	{ TAKES_GENERATE, "to", 0, "FORMAT", TEXT, FIELD(to), "default ssdsim; or another of ",
		trace_writer_formats },
	{ WRITERS, "output", 'o', "FILE", TEXT, FIELD(out), "default: standard output" },
	{ TAKES_LEGACY, "fix", 0, "LIST", TEXT, FIELD(fix), "repair these quirks: Q2,Q6 or all or all,-Q32" },
	{ TAKES_LEGACY, "list-quirks", 0, NULL, FLAG, FIELD(list_quirks),
		"one line for each quirk: kept and repairable, or survived" },
	{ TAKES_MANUAL, "man", 0, "DIR", TEXT, FIELD(man),
		"write the manual to DIR, a page for each command: man -l DIR/ssd-run.1" },
	{ TAKES_MANUAL, "complete", 0, NULL, FLAG, FIELD(complete),
		"print what the last WORD behind -- may become, for shells (scripts/completion)" },
	{ TAKES_HELP, "help", 'h', NULL, FLAG, FIELD(help), "this text" },
	{ READERS, .help = "\nReading (TRACE may be plain, gz, xz, zst, bz2, lz4, or in a tar or zip; - is "
			   "standard input):" },
	{ READERS, "format", 0, "FORMAT", TEXT, FIELD(trace.format),
		"of the trace; `ssd list formats` shows them (default: found from the content)" },
	{ READERS, "columns", 0, "NAMES", TEXT, FIELD(trace.columns),
		"of a trace in no known format, e.g. time_us,op,offset_bytes,size_bytes (traces/README.md)" },
	{ READERS, "member", 0, "NAME", TEXT, FIELD(trace.member),
		"the file to read inside a tar or zip archive" },
	{ READERS, "devices", 0, "WHICH", TEXT, FIELD(trace.devices),
		"own: each keeps its addresses (default); all: one after another; NUMBER or NAME: that one" },
	{ READERS, "time-unit", 0, "UNIT", TEXT, FIELD(trace.time_unit),
		"ns, 100ns, us, ms or s, if the time column is not in the format's own unit" },
	{ READERS, "limit", 0, "N", NUMBER, FIELD(limit), "stop after N requests", NULL, 1, UINT64_MAX },
	{ READERS, "sort", 0, NULL, FLAG, FIELD(trace.sort_fully),
		"sort by time in memory (default: in a window of up to a million requests)" },
};

#define ROWS (sizeof table / sizeof *table)

/* ---- reading ---- */

struct parser {
	const struct command *command;
	struct options *options;
	char **word; /* being read */
	struct fault *fault;
};

static bool takes(const struct command *c, const struct option *row)
{
	return (c->takes | TAKES_HELP) & row->takers;
}

const struct option *options_next(const struct command *c, const struct option *row)
{
	row = row ? row + 1 : table;
	while (row < table + ROWS && !takes(c, row))
		row++;
	return row < table + ROWS ? row : NULL;
}

/* `shown` as it was typed, `name` what it may have been meant to be. */
static const struct option *unknown(const struct parser *p, const char *shown, const char *name)
{
	struct suggestion nearest = { .word = name };

	for (size_t i = 0; i < ROWS; i++)
		if (table[i].name && takes(p->command, &table[i]))
			suggestion_offer(&nearest, table[i].name);
	if (nearest.nearest)
		fault_set(p->fault, "%s: unknown option %s; did you mean --%s?", p->command->name, shown,
			nearest.nearest);
	else
		fault_set(p->fault, "%s: unknown option %s; `ssd %s --help` shows the options",
			p->command->name, shown, p->command->name);
	return NULL;
}

/* By its name or a beginning of it that no other option has.  NULL and a fault if there is none. */
static const struct option *find_name(const struct parser *p, char *name, size_t length)
{
	const struct option *found = NULL, *other = NULL;

	for (const struct option *row = table; row < table + ROWS; row++) {
		if (!row->name || !takes(p->command, row) || strncmp(row->name, name, length) != 0)
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
	return unknown(p, *p->word, name);
}

static const struct option *find_letter(const struct parser *p, char letter)
{
	for (const struct option *row = table; row < table + ROWS; row++)
		if (row->letter == letter && takes(p->command, row))
			return row;
	return NULL;
}

static bool set_number(const struct parser *p, const struct option *row, const char *value, uint64_t *number)
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

static bool lacks_value(const struct parser *p, const struct option *row, const char *typed)
{
	return fault_set(
		p->fault, "%s: option %s needs a value: %s %s", p->command->name, typed, typed, row->value);
}

/* `value` is what stood in the same word; NULL: the next word is it. */
static bool set(struct parser *p, const struct option *row, char *value)
{
	char *field = (char *)p->options + row->field, **first = p->word;

	if (row->kind != FLAG && !value && !(value = *++p->word))
		return lacks_value(p, row, p->word[-1]);
	for (char **word = first; row->apart && word <= p->word; word++)
		p->options->apart.text[p->options->apart.count++] = *word;
	switch (row->kind) {
	case FLAG:
		*(bool *)field = true;
		break;
	case TEXT:
		*(const char **)field = value;
		break;
	case NUMBER:
		return set_number(p, row, value, (uint64_t *)field);
	case PAIR:
		((const char **)field)[0] = value;
		((const char **)field)[1] = p->word[1];
		return p->word[1] ? (p->word++, true)
				  : lacks_value(p, row, value == p->word[0] ? p->word[-1] : p->word[0]);
	case WORDS:
		((struct words *)field)->text[((struct words *)field)->count++] = value;
		break;
	}
	return true;
}

/* "--name", "--name=VALUE" or a beginning of it. */
static bool read_name(struct parser *p)
{
	char *name = *p->word + 2;
	size_t length = strcspn(name, "=");
	char *value = name[length] ? name + length + 1 : NULL;
	const struct option *row = find_name(p, name, length);

	if (row && row->kind == FLAG && value)
		return fault_set(p->fault, "%s: option --%s takes no value (\"%s\")", p->command->name,
			row->name, value);
	return row && set(p, row, value);
}

/* "-q", "-sVALUE" or "-s VALUE"; letters without a value may stand together. */
static bool read_letters(struct parser *p)
{
	char *word = *p->word;

	for (char *letter = word + 1; *letter; letter++) {
		const struct option *row = find_letter(p, *letter);
		char shown[] = { '-', *letter, '\0' };

		if (!row)
			return unknown(p, shown, word + 1);
		if (row->kind != FLAG)
			return set(p, row, letter[1] ? letter + 1 : NULL);
		set(p, row, NULL);
	}
	return true;
}

/* Requests by hand stand in the place of the trace, the last operand. */
static void take_list(struct options *o)
{
	if (o->trace.list)
		o->operand.text[o->operand.count++] = (char *)o->trace.list;
}

static bool check_operands(const struct parser *p)
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
	struct parser p = { command, o, argv, fault };
	size_t words = 0;
	bool only_operands = false;

	while (argv[words])
		words++;
	o->operand.text = memory_array(3 * words + 1, sizeof *argv, "command line");
	o->setting.text = o->operand.text + words;
	o->apart.text = o->setting.text + words;
	for (; *p.word && !o->help && !o->list_quirks; p.word++) {
		char *word = *p.word;

		if (only_operands || word[0] != '-' || !word[1])
			o->operand.text[o->operand.count++] = word;
		else if (!strcmp(word, "--"))
			only_operands = true;
		else if (!(word[1] == '-' ? read_name(&p) : read_letters(&p)))
			return false;
	}
	take_list(o);
	/* These show a text, whatever stands beside them. */
	return o->help || o->list_quirks || check_operands(&p);
}

void options_free(struct options *o)
{
	memory_free(o->operand.text);
}
