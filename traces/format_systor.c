/* SYSTOR '17 (Lee et al., "Understanding storage traffic characteristics on enterprise virtual
 * desktop infrastructure"): CSV, seconds since 1970 with nine decimals, bytes.  Lines stand in
 * order of completion.  A blank type means that the response was not seen: no request. */
#include "traces/format.h"

/* Requests without a response have no time for it either. */
static bool parse_response(struct scan *s, struct record *r)
{
	return *s->at == ',' || scan_time(s, "response time", &r->response);
}

static bool parse_type(struct scan *s, struct record *r, bool *blank)
{
	*blank = *s->at == ',';
	return *blank || scan_type(s, "R", "W", &r->type);
}

static enum parsed parse(struct scan *s, struct record *r)
{
	uint64_t offset, bytes;
	bool blank = false;

	if (s->line == 1 && *s->at == 'T')
		return PARSED_HEADING;
	if (!scan_time(s, "time", &r->time) || !scan_comma(s, "response time") || !parse_response(s, r) ||
		!scan_comma(s, "type") || !parse_type(s, r, &blank) || !scan_comma(s, "LUN") ||
		!scan_number32(s, "LUN", &r->device) || !scan_comma(s, "offset") ||
		!scan_number(s, "offset", &offset) || !scan_comma(s, "size") ||
		!scan_number(s, "size", &bytes) || !scan_end(s))
		return PARSED_BAD;
	if (blank)
		return PARSED_OTHER;
	return scan_place(s, r, offset, bytes, 1) ? PARSED_RECORD : PARSED_BAD;
}

static void write(FILE *out, const struct request *r)
{
	fprintf(out, "%llu.%09llu,0.000000000,%c,%u,%llu,%llu\n",
		(unsigned long long)(r->arrival / 1000000000), (unsigned long long)(r->arrival % 1000000000),
		r->type == REQUEST_READ ? 'R' : 'W', r->device, (unsigned long long)r->start * SECTOR_BYTES,
		(unsigned long long)r->sectors * SECTOR_BYTES);
}

const struct format format_systor = {
	.name = "systor",
	.brief = "SYSTOR '17 enterprise VDI traces (CSV)",
	.layout = "time[s],response[s],R|W,LUN,offset[bytes],size[bytes]",
	.time_unit_ns = 1000000000,
	.parse = parse,
	.heading = "Timestamp,Response,IOType,LUN,Offset,Size\n",
	.write = write,
	.write_step_ns = 1,
};
