/* MSR Cambridge: CSV, times and response times in 100 ns since 1601 (Windows FILETIME), bytes. */
#include "traces/format.h"

#define FILETIME_NS 100

/* The host's name and the disk's number together name the device. */
static bool parse_device(struct scan *s, struct record *r)
{
	const char *host, *disk;
	size_t bytes;

	if (!scan_word(s, "host", &host, &bytes) || !scan_comma(s, "disk") ||
		!scan_word(s, "disk", &disk, &bytes))
		return false;
	r->device = names_number(s->names, host, (size_t)(s->at - host));
	return true;
}

static bool parse_response(struct scan *s, struct record *r)
{
	if (!scan_number(s, "response time", &r->response))
		return false;
	if (__builtin_mul_overflow(r->response, FILETIME_NS, &r->response))
		return scan_problem(s, "response time is too large");
	return true;
}

static enum parsed parse(struct scan *s, struct record *r)
{
	uint64_t offset, bytes;

	if (s->line == 1 && *s->at == 'T')
		return PARSED_HEADING;
	if (!scan_time(s, "time", &r->time) || !scan_comma(s, "host") || !parse_device(s, r) ||
		!scan_comma(s, "type") || !scan_type(s, "Read", "Write", &r->type) ||
		!scan_comma(s, "offset") || !scan_number(s, "offset", &offset) || !scan_comma(s, "size") ||
		!scan_number(s, "size", &bytes) || !scan_comma(s, "response time") || !parse_response(s, r) ||
		!scan_end(s))
		return PARSED_BAD;
	return scan_place(s, r, offset, bytes, 1) ? PARSED_RECORD : PARSED_BAD;
}

/* Times are rounded down to 100 ns: the format cannot say more. */
static void write(FILE *out, const struct request *r)
{
	fprintf(out, "%llu,trace,%u,%s,%llu,%llu,0\n", (unsigned long long)(r->arrival / FILETIME_NS),
		r->device, r->type == REQUEST_READ ? "Read" : "Write",
		(unsigned long long)r->start * SECTOR_BYTES, (unsigned long long)r->sectors * SECTOR_BYTES);
}

const struct format format_msr = {
	.name = "msr",
	.brief = "MSR Cambridge (CSV)",
	.layout = "time[100ns],host,disk,Read|Write,offset[bytes],size[bytes],response[100ns]",
	.time_unit_ns = FILETIME_NS,
	.parse = parse,
	.write = write,
	.write_step_ns = FILETIME_NS,
};
