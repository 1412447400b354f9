/* Tencent cloud block storage (Zhang et al., "OSCA"): CSV, whole seconds, 512-byte sectors, 0 for a
 * read and 1 for a write. */
#include "traces/format.h"

static bool parse_type(struct scan *s, struct record *r)
{
	uint64_t type;

	if (!scan_number(s, "type", &type))
		return false;
	if (type > 1)
		return scan_problem(
			s, "type is %llu, should be 0 (read) or 1 (write)", (unsigned long long)type);
	r->type = type ? REQUEST_WRITE : REQUEST_READ;
	return true;
}

static enum parsed parse(struct scan *s, struct record *r)
{
	uint64_t sector, sectors;

	if (s->line == 1 && *s->at == 'T')
		return PARSED_HEADING;
	if (!scan_time(s, "time", &r->time) || !scan_comma(s, "offset") ||
		!scan_number(s, "offset", &sector) || !scan_comma(s, "size") ||
		!scan_number(s, "size", &sectors) || !scan_comma(s, "type") || !parse_type(s, r) ||
		!scan_comma(s, "volume") || !scan_number32(s, "volume", &r->device) || !scan_end(s))
		return PARSED_BAD;
	return scan_place(s, r, sector, sectors, SECTOR_BYTES) ? PARSED_RECORD : PARSED_BAD;
}

const struct format format_tencent = {
	.name = "tencent",
	.brief = "Tencent cloud block storage (CSV)",
	.layout = "time[s],offset[sectors],size[sectors],0=read|1=write,volume",
	.time_unit_ns = 1000000000,
	.parse = parse,
};
