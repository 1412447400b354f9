/* The ASCII traces of SSDsim and MQSim: whole nanoseconds and 512-byte sectors. */
#include "traces/format.h"

static bool parse_operation(struct scan *s, enum request_type *type)
{
	uint64_t operation;

	scan_blanks(s);
	if (!scan_number(s, "operation", &operation))
		return false;
	if (operation > 1)
		return scan_problem(s, "operation is %llu, should be 1 (read) or 0 (write)",
			(unsigned long long)operation);
	*type = operation ? REQUEST_READ : REQUEST_WRITE;
	return true;
}

static enum parsed parse(struct scan *s, struct record *r)
{
	uint64_t sector, sectors;

	scan_blanks(s);
	if (!scan_time(s, "time", &r->time))
		return PARSED_BAD;
	scan_blanks(s);
	if (!scan_number32(s, "device", &r->device))
		return PARSED_BAD;
	scan_blanks(s);
	if (!scan_number(s, "first sector", &sector))
		return PARSED_BAD;
	scan_blanks(s);
	if (!scan_number(s, "size", &sectors))
		return PARSED_BAD;
	if (!parse_operation(s, &r->type) || !scan_end(s) || !scan_place(s, r, sector, sectors, SECTOR_BYTES))
		return PARSED_BAD;
	return PARSED_RECORD;
}

static bool write(FILE *out, const struct request *r)
{
	if (r->type == REQUEST_TRIM)
		return false;
	fprintf(out, "%llu %u %llu %u %d\n", (unsigned long long)r->arrival, r->device,
		(unsigned long long)r->start, r->sectors, r->type == REQUEST_READ);
	return true;
}

const struct format format_ssdsim = {
	.name = "ssdsim",
	.brief = "SSDsim ASCII, also read by MQSim",
	.layout = "time[ns] device first-sector sectors 1=read|0=write",
	.time_unit_ns = 1,
	.parse = parse,
	.write = write,
	.write_step_ns = 1,
};

const struct format format_mqsim = {
	.name = "mqsim",
	.brief = "the same, under MQSim's name",
	.layout = "time[ns] device first-sector sectors 1=read|0=write",
	.time_unit_ns = 1,
	.parse = parse,
	.yields_to = "ssdsim",
	.write = write,
	.write_step_ns = 1,
};
