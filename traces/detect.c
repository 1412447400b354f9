#include "traces/detect.h"

#include "traces/heading.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

#define DETECT_LINES 64
#define LINE_BYTES   512

/* How well a format parses the first lines. */
struct detect_score {
	unsigned good, bad;
	bool typical;
};

/* The first bytes of the trace; the byte at `end` is readable. */
struct detect_head {
	const char *begin, *end;
	bool whole; /* the trace has no further bytes */
};

static const char *detect_line_end(const char *begin, const char *end)
{
	const char *stop = memchr(begin, '\n', (size_t)(end - begin));

	return stop ? stop : end;
}

/* ---- scores ---- */

/* Scores the line or record at s->at.  False if enough lines have been scored. */
static bool detect_score_piece(const struct format *f, struct scan *s, struct detect_score *score)
{
	struct record r = { .response = RESPONSE_UNKNOWN };
	const char *begin = s->at;
	enum parsed parsed = f->parse(s, &r);

	score->good += parsed == PARSED_RECORD;
	score->bad += parsed == PARSED_BAD;
	score->typical |= parsed == PARSED_RECORD && (!f->typical || f->typical(begin, s->end));
	return score->good + score->bad < DETECT_LINES;
}

static void detect_score_lines(
	const struct format *f, struct scan *s, const struct detect_head *head, struct detect_score *score)
{
	for (const char *begin = head->begin, *stop; begin < head->end; begin = stop + 1) {
		stop = detect_line_end(begin, head->end);
		if (stop == head->end && !head->whole)
			break;
		s->line++;
		s->at = begin;
		s->end = stop > begin && stop[-1] == '\r' ? stop - 1 : stop;
		if (s->end > begin && *begin != '#' && !detect_score_piece(f, s, score))
			break;
	}
}

static void detect_score_records(
	const struct format *f, struct scan *s, const struct detect_head *head, struct detect_score *score)
{
	const char *begin = head->begin;

	for (; (size_t)(head->end - begin) >= f->record_bytes; begin += f->record_bytes) {
		s->line++;
		s->at = begin;
		s->end = begin + f->record_bytes;
		if (!detect_score_piece(f, s, score))
			break;
	}
}

/* `commands`: lines of commands without sectors, such as FLUSH, count, too. */
static struct detect_score detect_score_of(
	const struct format *f, const struct detect_head *head, bool commands)
{
	struct scan s = { .names = names_create(), .commands = commands };
	struct detect_score score = { 0 };
	struct columns columns;

	format_begin(f, &columns, &s);
	if (f->record_bytes)
		detect_score_records(f, &s, head, &score);
	else
		detect_score_lines(f, &s, head, &score);
	names_free(s.names);
	if (!score.typical)
		score.good = 0;
	return score;
}

/* ---- a first line with one bad number ---- */

static bool detect_is_number(const char *begin, const char *end)
{
	const char *first = begin + (begin < end && (*begin == '-' || *begin == '+'));
	size_t bytes = (size_t)(end - first);

	return bytes && (scan_is_digit(*first) || (bytes == 3 && (!strncasecmp(first, "nan", 3) ||
									 !strncasecmp(first, "inf", 3))));
}

/* True if the format parses this text as the second line of a file. */
static bool detect_reads(const struct format *f, char *line, size_t bytes)
{
	struct scan s = { .line = 2, .names = names_create(), .at = line, .end = line + bytes };
	struct record r = { .response = RESPONSE_UNKNOWN };
	struct columns columns;
	bool reads;

	format_begin(f, &columns, &s);
	reads = f->parse(&s, &r) == PARSED_RECORD && (!f->typical || f->typical(line, s.end));
	names_free(s.names);
	return reads;
}

/* True if the format would parse the line with one of its numbers replaced by 1. */
static bool detect_misses_a_number(const struct format *f, const char *begin, const char *end)
{
	char line[LINE_BYTES];
	bool found = false;

	for (const char *field = begin, *stop; field < end && !found; field = stop + 1) {
		int length;

		for (stop = field; stop < end && !strchr(" \t,", *stop); stop++)
			;
		length = snprintf(line, sizeof line, "%.*s1%.*s\n", (int)(field - begin), begin,
			(int)(end - stop), stop);
		found = detect_is_number(field, stop) && length < LINE_BYTES &&
			detect_reads(f, line, (size_t)length - 1);
	}
	return found;
}

/* If the first line has an absurd number that no format accepts, the error message should come from the
 * format that parses the rest of the line.  Returns that format, or NULL if there is none. */
static const struct format *detect_nearest(const struct detect_head *head)
{
	const char *begin = head->begin, *end = detect_line_end(begin, head->end);

	while (begin < head->end && (*begin == '#' || end == begin || (end == begin + 1 && *begin == '\r'))) {
		begin = end + 1;
		end = begin < head->end ? detect_line_end(begin, head->end) : head->end;
	}
	end -= end > begin && end[-1] == '\r';
	for (const struct format *f = trace_formats; begin < end && f->name; f++)
		if (!f->record_bytes && detect_misses_a_number(f, begin, end))
			return f;
	return NULL;
}

/* ---- a first line that names columns ---- */

/* True if the line begins as the heading does; case and the number of blanks do not count. */
static bool detect_begins(const char *at, const char *end, const char *heading)
{
	for (; *heading; heading++) {
		if (at == end || tolower((unsigned char)*at) != tolower((unsigned char)*heading))
			return false;
		for (at++; *heading == ' ' && at < end && scan_is_blank(*at); at++)
			;
	}
	return true;
}

static bool detect_knows_heading(const char *begin, const char *end)
{
	for (const struct format *f = trace_formats; f->name; f++)
		if (f->columns.names && f->columns.heading &&
			(detect_begins(begin, end, f->columns.heading) ||
				(f->columns.above && detect_begins(begin, end, f->columns.above))))
			return true;
	return false;
}

/* The first line, or the last of the comments before the second. */
static const char *detect_heading_line(const struct detect_head *head, const char **end)
{
	const char *begin = head->begin, *next;

	for (;; begin = next) {
		*end = detect_line_end(begin, head->end);
		next = *end + 1;
		if (*begin != '#' || next >= head->end || *next != '#')
			break;
	}
	while (begin < *end && (*begin == '#' || scan_is_blank(*begin)))
		begin++;
	return begin;
}

/* Reads the first line as a heading.  A comment is one only if it leaves nothing open. */
static enum heading_kind detect_heading(
	const struct detect_head *head, struct heading *h, struct detected *found)
{
	const char *end, *begin = detect_heading_line(head, &end), *next = end + 1, *next_end = next;
	struct json_lines lines;
	enum heading_kind kind;

	if (next < head->end)
		next_end = detect_line_end(next, head->end);
	next_end -= next_end > next && next_end[-1] == '\r';
	end -= end > begin && end[-1] == '\r';
	found->json = json_flatten(begin, end, &lines);
	found->commas = memchr(begin, ',', (size_t)(end - begin));
	if (found->json)
		return heading_read(h, lines.names, lines.names + strlen(lines.names), lines.values,
			lines.values + strlen(lines.values));
	if (detect_knows_heading(begin, end))
		return HEADING_NONE;
	kind = heading_read(h, begin, end, next, next_end);
	return kind == HEADING_UNSURE && *head->begin == '#' ? HEADING_NONE : kind;
}

/* ---- the choice ---- */

/* Formats, in the order of the table. */
struct detect_list {
	const struct format *format[TRACE_FORMATS_MAX];
	size_t count;
};

/* Writes the names as "a, b, c". */
static void detect_join(char *text, size_t bytes, const struct detect_list *list)
{
	size_t used = 0;

	text[0] = '\0';
	for (size_t i = 0; i < list->count && used < bytes; i++)
		used += (size_t)snprintf(
			text + used, bytes - used, "%s%s", i ? ", " : "", list->format[i]->name);
}

static bool detect_is_listed(const struct detect_list *list, const struct format *f)
{
	for (size_t i = 0; i < list->count; i++)
		if (list->format[i] == f)
			return true;
	return false;
}

/* True if the format yields to one in the list, directly or through others. */
static bool detect_yields(const struct format *f, const struct detect_list *list)
{
	if (f->yields_to && !strcmp(f->yields_to, "any"))
		return list->count > 1;
	while (f->yields_to) {
		f = trace_format_named(f->yields_to);
		if (detect_is_listed(list, f))
			return true;
	}
	return false;
}

/* The formats that parse every line, or (loosely) at least half of them, except those that yield to another
 * one that fits. */
static struct detect_list detect_candidates(const struct detect_score *score, bool loosely)
{
	struct detect_list fit = { .count = 0 }, chosen = { .count = 0 };

	for (size_t i = 0; trace_formats[i].name; i++)
		if (score[i].good && (loosely ? score[i].good >= score[i].bad : !score[i].bad))
			fit.format[fit.count++] = &trace_formats[i];
	for (size_t i = 0; i < fit.count; i++)
		if (!detect_yields(fit.format[i], &fit))
			chosen.format[chosen.count++] = fit.format[i];
	return chosen;
}

static struct detect_list detect_fitting(const struct detect_head *head, bool commands)
{
	struct detect_score score[TRACE_FORMATS_MAX];
	struct detect_list fit;

	for (size_t i = 0; trace_formats[i].name; i++)
		score[i] = detect_score_of(&trace_formats[i], head, commands);
	fit = detect_candidates(score, false);
	return fit.count ? fit : detect_candidates(score, true);
}

static void detect_refuse_unknown(struct source *source, const struct detect_head *head, struct fault *fault)
{
	const char *end = detect_line_end(head->begin, head->end);
	char quote[48];
	size_t n = 0;

	if (!source_sound(source, fault))
		return;
	for (const char *p = head->begin; p < end && n < sizeof quote - 1; p++)
		quote[n++] = *p >= ' ' && *p <= '~' ? *p : '?';
	quote[n] = '\0';
	fault_set(fault,
		"%s:1: \"%s\" is in no known trace format; name it with --format (in a run: trace.format), "
		"`ssd list formats` shows all, or its columns with --columns (trace.columns)",
		source_name(source), quote);
}

static const struct format *detect_choose(
	struct source *source, const struct detect_head *head, struct fault *fault)
{
	const struct format *nearest;
	struct detect_list fit;
	char names[256];

	fit = detect_fitting(head, false);
	if (!fit.count) /* a trace of FLUSHes alone */
		fit = detect_fitting(head, true);
	if (fit.count == 1)
		return fit.format[0];
	if (fit.count) {
		detect_join(names, sizeof names, &fit);
		fault_set(fault, "%s: can be read as %s; choose with --format (in a run: trace.format)",
			source_name(source), names);
		return NULL;
	}
	nearest = detect_nearest(head);
	if (!nearest)
		detect_refuse_unknown(source, head, fault);
	return nearest;
}

bool trace_detect_json(struct source *source, struct json_lines *lines, struct fault *fault)
{
	struct detect_head head;
	size_t bytes;

	head.begin = source_head(source, &bytes, &head.whole, fault);
	return head.begin && json_flatten(head.begin, detect_line_end(head.begin, head.begin + bytes), lines);
}

const struct format *trace_detect(struct source *source, struct detected *detected, struct fault *fault)
{
	struct heading heading;
	struct detect_head head;
	enum heading_kind kind;
	size_t bytes;

	*detected = (struct detected){ .columns = "" };

	head.begin = source_head(source, &bytes, &head.whole, fault);
	if (!head.begin)
		return NULL;
	if (!bytes) {
		fault_set(fault, "%s: is empty; a trace has at least one request", source_name(source));
		return NULL;
	}
	head.end = head.begin + bytes;
	kind = detect_heading(&head, &heading, detected);
	detected->asked = kind == HEADING_UNSURE;
	if (detected->asked) {
		fault_set(fault,
			"%s: %s; name the columns, for example --columns %s (in a run: trace.columns)",
			source_name(source), heading.question, heading.columns);
		return NULL;
	}
	if (kind == HEADING_SURE) {
		strcpy(detected->columns, heading.columns);
		return trace_format_named(detected->json ? "json" : "csv");
	}
	return detect_choose(source, &head, fault);
}
