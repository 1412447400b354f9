/* The ASCII traces of DiskSim: milliseconds with decimals, 512-byte blocks, bit 0 of the flags set
 * for a read. */
#include "traces/format.h"

static enum parsed parse(struct scan *s, struct record *r)
{
	uint64_t block, blocks, flags;

	if (!scan_blanks(s) || !scan_time(s, "time", &r->time) || !scan_blanks(s) ||
		!scan_number32(s, "device", &r->device) || !scan_blanks(s) ||
		!scan_number(s, "first block", &block) || !scan_blanks(s) ||
		!scan_number(s, "size", &blocks) || !scan_blanks(s) || !scan_number(s, "flag", &flags) ||
		!scan_end(s) || !scan_place(s, r, block, blocks, SECTOR_BYTES))
		return PARSED_BAD;
	r->type = flags & 1 ? REQUEST_READ : REQUEST_WRITE;
	return PARSED_RECORD;
}

/* SSDsim's lines have the same five columns, but whole numbers for times. */
static bool typical(const char *begin, const char *end)
{
	while (begin < end && scan_is_blank(*begin))
		begin++;
	while (begin < end && scan_is_digit(*begin))
		begin++;
	return begin < end && *begin == '.';
}

static void write(FILE *out, const struct request *r)
{
	fprintf(out, "%llu.%06llu %u %llu %u %d\n", (unsigned long long)(r->arrival / 1000000),
		(unsigned long long)(r->arrival % 1000000), r->device, (unsigned long long)r->start,
		r->sectors, r->type == REQUEST_READ);
}

const struct format format_disksim = {
	.name = "disksim",
	.brief = "DiskSim ASCII",
	.layout = "time[ms] device first-block blocks flags(odd=read)",
	.time_unit_ns = 1000000,
	.parse = parse,
	.typical = typical,
	.write = write,
	.write_step_ns = 1,
};
