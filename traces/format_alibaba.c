/* Alibaba block traces (Li et al., "An in-depth analysis of cloud block storage workloads"): CSV,
 * bytes, microseconds. */
#include "traces/format.h"

static enum parsed parse(struct scan *s, struct record *r)
{
	uint64_t offset, bytes;

	if (s->line == 1 && *s->at == 'd')
		return PARSED_HEADING;
	if (!scan_number32(s, "device", &r->device) || !scan_comma(s, "type") ||
		!scan_type(s, "R", "W", &r->type) || !scan_comma(s, "offset") ||
		!scan_number(s, "offset", &offset) || !scan_comma(s, "size") ||
		!scan_number(s, "size", &bytes) || !scan_comma(s, "time") ||
		!scan_time(s, "time", &r->time) || !scan_end(s))
		return PARSED_BAD;
	return scan_place(s, r, offset, bytes, 1) ? PARSED_RECORD : PARSED_BAD;
}

const struct format format_alibaba = {
	.name = "alibaba",
	.brief = "Alibaba cloud block storage (CSV)",
	.layout = "device,R|W,offset[bytes],size[bytes],time[us]",
	.time_unit_ns = 1000,
	.parse = parse,
};
