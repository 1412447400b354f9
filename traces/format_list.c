/*
 * Requests by hand, one a line: what `-L w0+8,w3,=r0+2,gc` says with commas.  Places are pages of the drive; behind
 * a point sectors of a page, and then the length is in sectors, too.  Each arrives 100 ms after the one before, by when
 * a drive is long idle, or with = at the same moment.
 */
#include "traces/format.h"

#define APART_NS   100000000u
#define PAGE_BYTES 4096u /* where there is no drive */

static bool parse_digits(struct scan *s, const char *field, uint64_t most, uint64_t *value)
{
	const char *end = scan_digits(s->at, value);

	if (end == s->at || end - s->at > 18)
		return scan_describe_number(s, field), false;
	if (*value > most)
		return scan_problem(s, "%s %llu is too large, should be at most %llu", field,
			(unsigned long long)*value, (unsigned long long)most);
	s->at = end;
	return true;
}

static bool parse_type(struct scan *s, enum request_type *type)
{
	static const char letters[REQUEST_TYPES + 1] = {
		[REQUEST_READ] = 'r', [REQUEST_WRITE] = 'w', [REQUEST_TRIM] = 't'
	};
	const char *found = s->at < s->end ? strchr(letters, *s->at) : NULL;
	char quote[32];

	if (!found || !*found)
		return scan_problem(s, "\"%s\" should begin with r, w or t, or be gc", scan_quote(s, quote));
	*type = (enum request_type)(found - letters);
	s->at++;
	return true;
}

/* PAGE[.SECTOR][+LENGTH] */
static bool parse_place(struct scan *s, struct record *r)
{
	uint64_t unit = s->page_bytes ? s->page_bytes : PAGE_BYTES, start, sector, length = 1;

	if (!parse_digits(s, "page", OFFSET_MAX / unit, &start))
		return false;
	if (*s->at == '.') {
		s->at++;
		if (!parse_digits(s, "sector", unit / SECTOR_BYTES - 1, &sector))
			return false;
		start = start * (unit / SECTOR_BYTES) + sector;
		unit = SECTOR_BYTES;
	}
	if (*s->at == '+') {
		s->at++;
		if (!parse_digits(s, "length", BYTES_MAX / unit, &length))
			return false;
	}
	return scan_end(s) && scan_place(s, r, start, length, (uint32_t)unit);
}

static enum parsed parse(struct scan *s, struct record *r)
{
	scan_blanks(s);
	if (*s->at == '=')
		s->at++;
	else
		s->clock_ns += APART_NS;
	r->time = s->clock_ns;
	r->device = 0;
	if (scan_takes(s, "gc")) {
		*r = (struct record){ .time = r->time, .line = r->line, .type = REQUEST_COLLECT };
		return !scan_end(s) ? PARSED_BAD : s->collects ? PARSED_RECORD : PARSED_OTHER;
	}
	return parse_type(s, &r->type) && parse_place(s, r) ? PARSED_RECORD : PARSED_BAD;
}

const struct format format_list = {
	.name = "list",
	.brief = "requests by hand, like those of -L",
	.layout =
		"r|w|t page[.sector][+length], with = before it at the same moment as the one before; or gc",
	.time_unit_ns = 1,
	.parse = parse,
};
