/* DiskMon of Sysinternals, saved as text: columns between tabs, times and durations in seconds. */
#include "traces/format.h"

static enum parsed parse(struct scan *s, struct record *r)
{
	uint64_t number, sector, sectors;

	if (!scan_blanks(s) || !scan_number(s, "number", &number) || !scan_blanks(s) ||
		!scan_time(s, "time", &r->time) || !scan_blanks(s) ||
		!scan_time(s, "duration", &r->response) || !scan_blanks(s) ||
		!scan_number32(s, "disk", &r->device) || !scan_blanks(s) ||
		!scan_type(s, "Read", "Write", &r->type) || !scan_blanks(s) ||
		!scan_number(s, "first sector", &sector) || !scan_blanks(s) ||
		!scan_number(s, "size", &sectors) || !scan_end(s))
		return PARSED_BAD;
	return scan_place(s, r, sector, sectors, SECTOR_BYTES) ? PARSED_RECORD : PARSED_BAD;
}

const struct format format_diskmon = {
	.name = "diskmon",
	.brief = "DiskMon (Sysinternals)",
	.layout = "number time[s] duration[s] disk Read|Write first-sector sectors",
	.time_unit_ns = 1000000000,
	.parse = parse,
};
