/*
 * Requests typed by hand, one per line; `-L w0+8,w3,=r0+2,gc` gives the same with commas.  An address is a
 * page of the drive, or PAGE.SECTOR; with a sector, the length is in sectors, too.  Each request arrives 100
 * ms after the previous one, when the drive has long been idle; with "=" it arrives at the same time.  "@3"
 * behind it is its device and its hint; "u3" is a command: data with hint 3 continues in a new block.  "f"
 * is a FLUSH; "!" at the end of a write sets FUA.
 *
 * For drives that are written in zones: "a" is a write that is appended to the zone of its address; "zo3",
 * "zc3" and "zf3" open, close and finish zone 3.
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
		return scan_problem(
			s, "\"%s\" should begin with r, w, t, f, a, u or z, or be gc", scan_quote(s, quote));
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
	return scan_place(s, r, start, unit, length, unit);
}

/* Sets device and hint to the same number; the settings choose which of them counts. */
static bool list_parse_hint(struct scan *s, struct record *r)
{
	uint64_t hint;

	if (!list_parse_digits(s, "hint", UINT8_MAX, &hint))
		return false;
	r->hint = (uint8_t)hint;
	r->device = r->hint;
	return true;
}

/* [@HINT][!] */
static bool list_parse_rest(struct scan *s, struct record *r)
{
	if (*s->at == '@') {
		s->at++;
		if (!list_parse_hint(s, r))
			return false;
	}
	if (*s->at == '!' && r->type != REQUEST_WRITE)
		return scan_problem(s, "\"!\" (FUA) stands behind writes only");
	if (*s->at == '!') {
		s->at++;
		r->flags |= REQUEST_FUA;
		if (*s->at == '@')
			return scan_problem(s, "\"!\" stands last");
	}
	return scan_end(s);
}

static enum parsed list_command(const struct scan *s, struct record *r, enum request_type type)
{
	r->type = type;
	r->offset = r->bytes = 0;
	return s->commands ? PARSED_RECORD : PARSED_OTHER;
}

/* o, c or f, and a zone. */
static enum parsed list_parse_zone(struct scan *s, struct record *r)
{
	static const char letters[] = {
		[ZONE_COMMAND_OPEN] = 'o', [ZONE_COMMAND_CLOSE] = 'c', [ZONE_COMMAND_FINISH] = 'f', 0
	};
	const char *found = s->at < s->end ? strchr(letters, *s->at) : NULL;
	enum parsed parsed;
	uint64_t zone;
	char quote[32];

	if (!found || !*found)
		return scan_describe(s, "\"%s\" should be o, c or f and a zone", scan_quote(s, quote)),
		       PARSED_BAD;
	s->at++;
	if (!list_parse_digits(s, "zone", UINT32_MAX, &zone) || !scan_end(s))
		return PARSED_BAD;
	parsed = list_command(s, r, REQUEST_ZONE);
	r->offset = zone * SECTOR_BYTES;
	r->hint = (uint8_t)(found - letters);
	return parsed;
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
	r->type = REQUEST_READ;
	if (scan_takes(s, "gc"))
		return scan_end(s) ? list_command(s, r, REQUEST_COLLECT) : PARSED_BAD;
	if (*s->at == 'f') {
		s->at++;
		return list_parse_rest(s, r) ? list_command(s, r, REQUEST_FLUSH) : PARSED_BAD;
	}
	if (*s->at == 'u') {
		s->at++;
		return list_parse_hint(s, r) && scan_end(s) ? list_command(s, r, REQUEST_UPDATE) : PARSED_BAD;
	}
	if (*s->at == 'z') {
		s->at++;
		return list_parse_zone(s, r);
	}
	if (*s->at == 'a') {
		s->at++;
		r->type = REQUEST_WRITE;
		r->flags = REQUEST_APPEND;
		return list_parse_place(s, r) && list_parse_rest(s, r) ? PARSED_RECORD : PARSED_BAD;
	}
	return list_parse_type(s, &r->type) && list_parse_place(s, r) && list_parse_rest(s, r) ? PARSED_RECORD
											       : PARSED_BAD;
}
