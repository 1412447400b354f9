/* MSR Cambridge cut to four columns (time, type, offset, size), as passed on with some simulators;
 * large offsets have gone through a spreadsheet and lost their last digits. */
#include "traces/format.h"

static enum parsed parse(struct scan *s, struct record *r)
{
	uint64_t offset, bytes;

	if (!scan_blanks(s) || !scan_time(s, "time", &r->time) || !scan_blanks(s) ||
		!scan_type(s, "Read", "Write", &r->type) || !scan_blanks(s) ||
		!scan_rounded(s, "offset", &offset) || !scan_blanks(s) || !scan_number(s, "size", &bytes) ||
		!scan_end(s))
		return PARSED_BAD;
	r->device = 0;
	return scan_place(s, r, offset, bytes, 1) ? PARSED_RECORD : PARSED_BAD;
}

const struct format format_casotxt = {
	.name = "casotxt",
	.brief = "MSR Cambridge cut to four columns",
	.layout = "time[100ns] Read|Write offset[bytes] size[bytes]",
	.time_unit_ns = 100,
	.parse = parse,
};
