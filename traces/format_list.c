/*
 * Requests typed by hand, one per line; `-L w0+8,w3,=r0+2,gc` gives the same with commas.  An address is a
 * page of the drive, or PAGE.SECTOR; with a sector, the length is in sectors, too.  Each request arrives 100
 * ms after the previous one, when the drive has long been idle; with "=" it arrives at the same time.
 */
#include "traces/format.h"

#define LIST_GAP_NS     100000000u
#define LIST_PAGE_BYTES 4096u /* without a drive */

static bool list_parse_digits(struct scan *s, const char *field, uint64_t most, uint64_t *value)
{
	const char *end = scan_digits(s->at, value);

	if (end == s->at || end - s->at > 18)
		return scan_describe_number(s, field), false;
	if (*value > most)
		return scan_problem(
			s, "%s %" PRIu64 " is too large, should be at most %" PRIu64, field, *value, most);
	s->at = end;
	return true;
}

static bool list_parse_type(struct scan *s, enum request_type *type)
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
static bool list_parse_place(struct scan *s, struct record *r)
{
	uint64_t unit = s->page_bytes ? s->page_bytes : LIST_PAGE_BYTES, start, sector, length = 1;

	if (!list_parse_digits(s, "page", OFFSET_MAX / unit, &start))
		return false;
	if (*s->at == '.') {
		s->at++;
		if (!list_parse_digits(s, "sector", unit / SECTOR_BYTES - 1, &sector))
			return false;
		start = start * (unit / SECTOR_BYTES) + sector;
		unit = SECTOR_BYTES;
	}
	if (*s->at == '+') {
		s->at++;
		if (!list_parse_digits(s, "length", BYTES_MAX / unit, &length))
			return false;
	}
	return scan_end(s) && scan_place(s, r, start, unit, length, unit);
}

enum parsed list_parse(struct scan *s, struct record *r)
{
	scan_blanks(s);
	if (*s->at == '=')
		s->at++;
	else
		s->clock_ns += LIST_GAP_NS;
	r->time = s->clock_ns;
	r->device = 0;
	if (scan_takes(s, "gc")) {
		*r = (struct record){ .time = r->time, .line = r->line, .type = REQUEST_COLLECT };
		return !scan_end(s) ? PARSED_BAD : s->collects ? PARSED_RECORD : PARSED_OTHER;
	}
	return list_parse_type(s, &r->type) && list_parse_place(s, r) ? PARSED_RECORD : PARSED_BAD;
}
