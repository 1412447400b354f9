#include "traces/detect.h"

#include <string.h>
#include <strings.h>

#define JUDGED_LINES 64
#define LINE_BYTES   512

/* How a format reads the first lines. */
struct judgement {
	unsigned good, bad;
	bool typical;
};

/* The first bytes of the trace; *end is readable. */
struct head {
	const char *begin, *end;
	bool whole;
};

static const char *line_end(const char *begin, const char *end)
{
	const char *stop = memchr(begin, '\n', (size_t)(end - begin));

	return stop ? stop : end;
}

static bool judge_piece(const struct format *f, struct scan *s, const char *begin, struct judgement *j)
{
	struct record r = { .response = RESPONSE_UNKNOWN };
	enum parsed parsed;

	s->at = begin;
	parsed = f->parse(s, &r);
	j->good += parsed == PARSED_RECORD;
	j->bad += parsed == PARSED_BAD;
	j->typical |= parsed == PARSED_RECORD && (!f->typical || f->typical(begin, s->end));
	return j->good + j->bad < JUDGED_LINES;
}

static void judge_lines(const struct format *f, struct scan *s, const struct head *head, struct judgement *j)
{
	const char *begin = head->begin, *stop;

	for (; begin < head->end; begin = stop + 1) {
		stop = line_end(begin, head->end);
		if (stop == head->end && !head->whole)
			break;
		s->line++;
		s->end = stop > begin && stop[-1] == '\r' ? stop - 1 : stop;
		if (s->end > begin && *begin != '#' && !judge_piece(f, s, begin, j))
			break;
	}
}

static void judge_records(
	const struct format *f, struct scan *s, const struct head *head, struct judgement *j)
{
	const char *begin = head->begin;

	for (; (size_t)(head->end - begin) >= f->record_bytes; begin += f->record_bytes) {
		s->line++;
		s->end = begin + f->record_bytes;
		if (!judge_piece(f, s, begin, j))
			break;
	}
}

static struct judgement judge(const struct format *f, const struct head *head)
{
	struct scan s = { .unit_ns = f->time_unit_ns, .names = names_create() };
	struct judgement j = { 0 };

	if (f->record_bytes)
		judge_records(f, &s, head, &j);
	else
		judge_lines(f, &s, head, &j);
	names_free(s.names);
	if (!j.typical)
		j.good = 0;
	return j;
}

/* The chosen ones, as "a, b, c". */
static void join(char *text, size_t bytes, const struct format *const *formats, size_t n)
{
	size_t used = 0;

	text[0] = '\0';
	for (size_t i = 0; i < n && used < bytes; i++)
		used += (size_t)snprintf(text + used, bytes - used, "%s%s", i ? ", " : "", formats[i]->name);
}

static bool is_among(const char *name, const struct format *const *formats, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (!strcmp(formats[i]->name, name))
			return true;
	return false;
}

/* To one that fits, directly or by way of others. */
static bool gives_way(const struct format *f, const struct format *const *fit, size_t n)
{
	for (; f->yields_to; f = trace_format_named(f->yields_to))
		if (is_among(f->yields_to, fit, n))
			return true;
	return false;
}

/* Drops formats that give way to another one that fits. */
static size_t drop_yielding(const struct format **fit, size_t n)
{
	const struct format *all[TRACE_FORMATS_MAX];
	size_t kept = 0;

	memcpy(all, fit, n * sizeof *fit);
	for (size_t i = 0; i < n; i++)
		if (!gives_way(all[i], all, n))
			fit[kept++] = all[i];
	return kept;
}

static bool refuse_unknown(struct source *source, const struct head *head, struct fault *fault)
{
	const char *end = line_end(head->begin, head->end);
	char quote[48], names[256];
	size_t n = 0, formats = 0;

	if (!source_sound(source, fault))
		return false;
	for (const char *p = head->begin; p < end && n < sizeof quote - 1; p++)
		quote[n++] = *p >= ' ' && *p <= '~' ? *p : '?';
	quote[n] = '\0';
	while (trace_formats[formats])
		formats++;
	join(names, sizeof names, trace_formats, formats);
	return fault_set(fault,
		"%s:1: \"%s\" is in no known trace format; choose with --format (in a run: "
		"trace.format) one of %s",
		source_name(source), quote, names);
}

static bool is_number(const char *begin, const char *end)
{
	size_t sign = begin < end && (*begin == '-' || *begin == '+');
	const char *first = begin + sign;

	return first < end && (scan_is_digit(*first) || (end - first == 3 && !strncasecmp(first, "nan", 3)) ||
				      (end - first == 3 && !strncasecmp(first, "inf", 3)));
}

/* Could the format read the line if one of its numbers were 1? */
static bool misses_a_number(const struct format *f, const char *begin, const char *end)
{
	static const char separators[] = " \t,";
	char line[LINE_BYTES];
	bool found = false;

	for (const char *field = begin, *stop; field < end && !found; field = stop + 1) {
		struct scan s = {
			.unit_ns = f->time_unit_ns, .line = 2, .names = names_create(), .at = line
		};
		struct record r = { .response = RESPONSE_UNKNOWN };
		int length;

		for (stop = field; stop < end && !strchr(separators, *stop); stop++)
			;
		length = snprintf(line, sizeof line, "%.*s1%.*s\n", (int)(field - begin), begin,
			(int)(end - stop), stop);
		s.end = line + (length < LINE_BYTES ? length - 1 : 0);
		found = is_number(field, stop) && length < LINE_BYTES && f->parse(&s, &r) == PARSED_RECORD &&
			(!f->typical || f->typical(line, s.end));
		names_free(s.names);
	}
	return found;
}

/* What no format reads may have an absurd number in its first line: then the format that it would be in without is
 * the one to say so.  NULL: there is none. */
static const struct format *nearest(const struct head *head)
{
	const char *begin = head->begin, *end = line_end(begin, head->end);

	while (begin < head->end && (*begin == '#' || end == begin || (end == begin + 1 && *begin == '\r'))) {
		begin = end + 1;
		end = begin < head->end ? line_end(begin, head->end) : head->end;
	}
	end -= end > begin && end[-1] == '\r';
	for (size_t i = 0; begin < end && trace_formats[i]; i++)
		if (!trace_formats[i]->record_bytes && misses_a_number(trace_formats[i], begin, end))
			return trace_formats[i];
	return NULL;
}

/* The formats that read every line, or (loosely) at least half of them. */
static size_t candidates(const struct judgement *j, bool loosely, const struct format **fit)
{
	size_t n = 0;

	for (size_t i = 0; trace_formats[i]; i++)
		if (j[i].good && (loosely ? j[i].good >= j[i].bad : !j[i].bad))
			fit[n++] = trace_formats[i];
	return drop_yielding(fit, n);
}

static const struct format *choose(struct source *source, const struct head *head, struct fault *fault)
{
	struct judgement j[TRACE_FORMATS_MAX];
	const struct format *fit[TRACE_FORMATS_MAX];
	char names[256];
	size_t n;

	for (size_t i = 0; trace_formats[i]; i++)
		j[i] = judge(trace_formats[i], head);
	n = candidates(j, false, fit);
	if (!n)
		n = candidates(j, true, fit);
	if (n == 1)
		return fit[0];
	if (!n && (fit[0] = nearest(head)))
		return fit[0];
	if (!n) {
		refuse_unknown(source, head, fault);
		return NULL;
	}
	join(names, sizeof names, fit, n);
	fault_set(fault, "%s: can be read as %s; choose with --format (in a run: trace.format)",
		source_name(source), names);
	return NULL;
}

const struct format *trace_detect(struct source *source, struct fault *fault)
{
	struct head head;
	size_t bytes;

	head.begin = source_head(source, &bytes, &head.whole, fault);
	if (!head.begin)
		return NULL;
	if (!bytes) {
		fault_set(fault, "%s: is empty; a trace has at least one request", source_name(source));
		return NULL;
	}
	head.end = head.begin + bytes;
	return choose(source, &head, fault);
}
