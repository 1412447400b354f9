/* Linux block traces as blkparse prints them:
 *
 *	8,0    3        1     0.000000000   697  Q   W 223490 + 8 [kjournald]
 *	device CPU  sequence  time[s]       pid  action type sector + sectors [process]
 *
 * A request has a line for each of its events.  A format takes one of them: Q (queued: what the application
 * sent), D (issued to the driver: after merging), or C (completed). */
#include "traces/format.h"

/* A line of the summary that blkparse adds. */
static bool blkparse_is_summary(const struct scan *s)
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
static bool blkparse_parse_device(struct scan *s, struct record *r)
{
	const char *begin = s->at;

	if (!scan_device_pair(s))
		return false;
	r->device = names_number(s->names, begin, (size_t)(s->at - begin));
	return true;
}

static bool blkparse_parse_time(struct scan *s, struct record *r)
{
	uint64_t number;

	return scan_blanks(s) && scan_number(s, "CPU", &number) && scan_blanks(s) &&
	       scan_number(s, "sequence number", &number) && scan_blanks(s) &&
	       scan_time(s, "time", s->unit_ns, &r->time) && scan_blanks(s) &&
	       scan_number(s, "process number", &number);
}

enum parsed blkparse_parse_place(struct scan *s, struct record *r)
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
	return scan_place(s, r, sector, SECTOR_BYTES, sectors, SECTOR_BYTES) ? PARSED_RECORD : PARSED_BAD;
}

/* "F" in front is a FLUSH before the request, or a FLUSH alone if no sector follows. */
static enum parsed blkparse_parse_request(struct scan *s, struct record *r, const char *type, size_t bytes)
{
	bool flush = bytes && *type == 'F';
	enum parsed parsed = scan_rwbs(type, bytes, &r->type) ? blkparse_parse_place(s, r) : PARSED_OTHER;

	if (parsed == PARSED_RECORD)
		r->flags = scan_rwbs_flags(s, type, bytes);
	return parsed == PARSED_OTHER && flush ? scan_flush(s, r) : parsed;
}

static enum parsed blkparse_parse_action(struct scan *s, struct record *r, char wanted)
{
	const char *action, *type;
	size_t action_bytes, type_bytes;

	scan_blanks(s);
	if (s->at == s->end || blkparse_is_summary(s))
		return PARSED_HEADING;
	if (!blkparse_parse_device(s, r) || !blkparse_parse_time(s, r) || !scan_blanks(s) ||
		!scan_word(s, "action", &action, &action_bytes))
		return PARSED_BAD;
	if (action_bytes != 1 || *action != wanted)
		return PARSED_OTHER;
	if (!scan_blanks(s) || !scan_word(s, "type", &type, &type_bytes))
		return PARSED_BAD;
	return blkparse_parse_request(s, r, type, type_bytes);
}

enum parsed blkparse_parse_queued(struct scan *s, struct record *r)
{
	return blkparse_parse_action(s, r, 'Q');
}

enum parsed blkparse_parse_issued(struct scan *s, struct record *r)
{
	return blkparse_parse_action(s, r, 'D');
}

enum parsed blkparse_parse_completed(struct scan *s, struct record *r)
{
	return blkparse_parse_action(s, r, 'C');
}

void blkparse_write(FILE *out, const struct request *r)
{
	static const char letters[REQUEST_TYPES] = {
		[REQUEST_READ] = 'R', [REQUEST_WRITE] = 'W', [REQUEST_TRIM] = 'D'
	};

	fprintf(out, "8,%u 0 %" PRIu64 " %" PRIu64 ".%09" PRIu64 " 0 Q ", r->device, r->line,
		r->arrival / 1000000000, r->arrival % 1000000000);
	if (r->type == REQUEST_FLUSH)
		fputs("FN [ssd]\n", out);
	else
		fprintf(out, "%c%s %" PRIu64 " + %u [ssd]\n", letters[r->type],
			r->flags & REQUEST_FUA ? "F" : "", r->start, r->sectors);
}
