/* SPC trace file format (UMass: Financial, WebSearch): CSV, 512-byte blocks, sizes in bytes, seconds
 * with decimals.  Optional fields may follow. */
#include "traces/format.h"

static enum parsed parse(struct scan *s, struct record *r)
{
	uint64_t block, bytes;

	if (!scan_number32(s, "ASU", &r->device) || !scan_comma(s, "LBA") || !scan_number(s, "LBA", &block) ||
		!scan_comma(s, "size") || !scan_number(s, "size", &bytes) || !scan_comma(s, "type") ||
		!scan_type(s, "R", "W", &r->type) || !scan_comma(s, "time") ||
		!scan_time(s, "time", &r->time))
		return PARSED_BAD;
	scan_blanks(s);
	if (*s->at != ',' && !scan_end(s))
		return PARSED_BAD;
	if (block >= OFFSET_MAX / SECTOR_BYTES) {
		scan_describe_place(s, block, 1, SECTOR_BYTES);
		return PARSED_BAD;
	}
	return scan_place(s, r, block * SECTOR_BYTES, bytes, 1) ? PARSED_RECORD : PARSED_BAD;
}

static void write(FILE *out, const struct request *r)
{
	fprintf(out, "%u,%llu,%llu,%c,%llu.%09llu\n", r->device, (unsigned long long)r->start,
		(unsigned long long)r->sectors * SECTOR_BYTES, r->type == REQUEST_READ ? 'R' : 'W',
		(unsigned long long)(r->arrival / 1000000000), (unsigned long long)(r->arrival % 1000000000));
}

const struct format format_spc = {
	.name = "spc",
	.brief = "SPC, as the UMass Financial and WebSearch traces (CSV)",
	.layout = "ASU,LBA[512 bytes],size[bytes],R|W,time[s]",
	.time_unit_ns = 1000000000,
	.parse = parse,
	.write = write,
	.write_step_ns = 1,
};
