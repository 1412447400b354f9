/* What blkparse prints of a Linux block trace:
 *
 *	8,0    3        1     0.000000000   697  Q   W 223490 + 8 [kjournald]
 *	device CPU  sequence  time[s]       pid  action type sector + sectors [process]
 *
 * A request shows up several times in its life.  The format takes one action: Q (queued: what the
 * application sent), D (issued to the driver: after merging), or C (completed). */
#include "traces/format.h"

/* The summary that blkparse adds. */
static bool is_summary(const struct scan *s)
{
	static const char *const words[] = { "CPU", "Total", "Read", "PC", "IO", "Throughput", "Events",
		"Skips", "Input" };
	size_t left = (size_t)(s->end - s->at);

	if (scan_is_digit(*s->at))
		return false;
	for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
		if (left >= strlen(words[i]) && !memcmp(s->at, words[i], strlen(words[i])))
			return true;
	return false;
}

/* "8,0" */
static bool parse_device(struct scan *s, struct record *r)
{
	const char *begin = s->at;
	uint64_t number;

	if (!scan_number(s, "device", &number) || !scan_comma(s, "minor device number") ||
		!scan_number(s, "minor device number", &number))
		return false;
	r->device = names_number(s->names, begin, (size_t)(s->at - begin));
	return true;
}

static bool parse_time(struct scan *s, struct record *r)
{
	uint64_t number;

	return scan_blanks(s) && scan_number(s, "CPU", &number) && scan_blanks(s) &&
	       scan_number(s, "sequence number", &number) && scan_blanks(s) &&
	       scan_time(s, "time", &r->time) && scan_blanks(s) && scan_number(s, "process number", &number);
}

/* Letters for read, write, discard, and how; false if it moves no data (a flush, a message). */
static bool parse_type(const char *letters, size_t n, struct record *r)
{
	if (memchr(letters, 'D', n))
		r->type = REQUEST_TRIM;
	else if (memchr(letters, 'W', n))
		r->type = REQUEST_WRITE;
	else if (memchr(letters, 'R', n))
		r->type = REQUEST_READ;
	else
		return false;
	return true;
}

/* "223490 + 8"; nothing of that where a request carries no data. */
static enum parsed parse_place(struct scan *s, struct record *r)
{
	uint64_t sector, sectors;

	scan_blanks(s);
	if (*s->at == '[' || s->at == s->end)
		return PARSED_OTHER;
	if (!scan_number(s, "sector", &sector))
		return PARSED_BAD;
	scan_blanks(s);
	if (*s->at != '+') {
		scan_describe(s, "\"+\" and the size are missing behind the sector");
		return PARSED_BAD;
	}
	s->at++;
	if (!scan_blanks(s) || !scan_number(s, "size", &sectors))
		return PARSED_BAD;
	if (!sectors)
		return PARSED_OTHER;
	return scan_place(s, r, sector, sectors, SECTOR_BYTES) ? PARSED_RECORD : PARSED_BAD;
}

static enum parsed parse_action(struct scan *s, struct record *r, char wanted)
{
	const char *action, *type;
	size_t action_bytes, type_bytes;

	scan_blanks(s);
	if (s->at == s->end || is_summary(s))
		return PARSED_HEADING;
	if (!parse_device(s, r) || !parse_time(s, r) || !scan_blanks(s) ||
		!scan_word(s, "action", &action, &action_bytes))
		return PARSED_BAD;
	if (action_bytes != 1 || *action != wanted)
		return PARSED_OTHER;
	if (!scan_blanks(s) || !scan_word(s, "type", &type, &type_bytes))
		return PARSED_BAD;
	return parse_type(type, type_bytes, r) ? parse_place(s, r) : PARSED_OTHER;
}

static enum parsed parse_queued(struct scan *s, struct record *r)
{
	return parse_action(s, r, 'Q');
}

static enum parsed parse_issued(struct scan *s, struct record *r)
{
	return parse_action(s, r, 'D');
}

static enum parsed parse_completed(struct scan *s, struct record *r)
{
	return parse_action(s, r, 'C');
}

#define LAYOUT "device CPU sequence time[s] pid action type sector + sectors [process]"

const struct format format_blkparse = {
	.name = "blkparse",
	.brief = "blkparse text, requests as they are queued (Q)",
	.layout = LAYOUT,
	.time_unit_ns = 1000000000,
	.parse = parse_queued,
};

const struct format format_blkparse_d = {
	.name = "blkparse-d",
	.brief = "blkparse text, requests as they are issued (D)",
	.layout = LAYOUT,
	.time_unit_ns = 1000000000,
	.parse = parse_issued,
	.yields_to = "blkparse",
};

const struct format format_blkparse_c = {
	.name = "blkparse-c",
	.brief = "blkparse text, requests as they complete (C)",
	.layout = LAYOUT,
	.time_unit_ns = 1000000000,
	.parse = parse_completed,
	.yields_to = "blkparse-d",
};
