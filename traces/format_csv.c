/* Columns named by who reads the trace (traces/columns.h), between commas or blanks.  More may follow; the first line
 * may be a heading. */
#include "traces/columns.h"
#include "traces/format.h"

/* What a line says, before it is put together. */
struct line {
	uint64_t offset, size;
	uint32_t offset_unit, size_unit;
};

static bool parse_word(struct scan *s, struct record *r)
{
	static const struct {
		const char *word;
		enum request_type type;
	} words[] = { { "R", REQUEST_READ }, { "W", REQUEST_WRITE }, { "Read", REQUEST_READ },
		{ "Write", REQUEST_WRITE }, { "T", REQUEST_TRIM }, { "Trim", REQUEST_TRIM },
		{ "D", REQUEST_TRIM }, { "Discard", REQUEST_TRIM } };

	for (size_t i = 0; i < sizeof words / sizeof *words; i++)
		if (scan_takes(s, words[i].word)) {
			r->type = words[i].type;
			return true;
		}
	return scan_describe_type(s, "R, Read, W, Write, T, Trim, D", "Discard"), false;
}

/* `write` is the number of a write, 0 or 1. */
static bool parse_number(struct scan *s, struct record *r, uint32_t write)
{
	uint64_t type;

	if (!scan_number(s, "type", &type))
		return false;
	if (type > 1)
		return scan_problem(s, "type is %llu, should be 0 or 1", (unsigned long long)type);
	r->type = type == write ? REQUEST_WRITE : REQUEST_READ;
	return true;
}

static bool parse_time(struct scan *s, const char *field, uint64_t unit, tick_t *time)
{
	uint64_t own = s->unit_ns;
	bool done;

	s->unit_ns = unit;
	done = scan_time(s, field, time);
	s->unit_ns = own;
	return done;
}

static bool parse_column(struct scan *s, const struct column *c, struct record *r, struct line *line)
{
	const char *word;
	size_t bytes;

	switch (c->kind) {
	case COLUMN_TIME:
		return scan_time(s, c->name, &r->time);
	case COLUMN_RESPONSE:
		return parse_time(s, c->name, c->unit, &r->response);
	case COLUMN_TYPE:
		return c->unit ? parse_number(s, r, c->unit - 1) : parse_word(s, r);
	case COLUMN_OFFSET:
		line->offset_unit = c->unit;
		return scan_rounded(s, c->name, &line->offset);
	case COLUMN_SIZE:
		line->size_unit = c->unit;
		return scan_number(s, c->name, &line->size);
	case COLUMN_DEVICE:
		if (!scan_word(s, c->name, &word, &bytes))
			return false;
		r->device = names_number(s->names, word, bytes);
		return true;
	case COLUMN_IGNORED:
		return *s->at == ',' || scan_word(s, c->name, &word, &bytes);
	}
	return false;
}

/* A comma, blanks, or both. */
static void skip_separator(struct scan *s)
{
	scan_blanks(s);
	if (*s->at == ',' && s->at < s->end)
		s->at++;
	scan_blanks(s);
}

/* A heading has words only. */
static bool is_heading(const struct scan *s, const char *begin)
{
	if (s->line != 1)
		return false;
	for (const char *at = begin; at < s->end; at++)
		if ((at == begin || scan_is_blank(at[-1]) || at[-1] == ',') &&
			(scan_is_digit(*at) || *at == '-'))
			return false;
	return true;
}

static bool place(struct scan *s, struct record *r, const struct line *line)
{
	if (line->size > BYTES_MAX / line->size_unit)
		return scan_describe_place(s, 0, line->size, line->size_unit), false;
	if (line->offset >= OFFSET_MAX / line->offset_unit)
		return scan_describe_place(s, line->offset, 1, line->offset_unit), false;
	return scan_place(s, r, line->offset * line->offset_unit, line->size * line->size_unit, 1);
}

static enum parsed parse(struct scan *s, struct record *r)
{
	struct line line = { 0 };
	const char *begin = s->at;
	bool good = true;

	if (!s->columns)
		return scan_describe(s, "its columns have no names"), PARSED_BAD;
	r->device = 0;
	scan_blanks(s);
	for (unsigned i = 0; good && i < s->columns->count; i++) {
		good = parse_column(s, s->columns->column[i], r, &line);
		skip_separator(s);
	}
	if (good && place(s, r, &line))
		return PARSED_RECORD;
	return is_heading(s, begin) ? PARSED_HEADING : PARSED_BAD;
}

const struct format format_csv = {
	.name = "csv",
	.brief = "columns that you name with --columns (trace.columns)",
	.layout = "the columns named, between commas or blanks; more may follow",
	.time_unit_ns = 1,
	.parse = parse,
};
