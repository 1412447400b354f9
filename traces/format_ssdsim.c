/* The ASCII traces of SSDsim and MQSim: whole nanoseconds and 512-byte sectors. */
#include "traces/format.h"

static bool parse_operation(struct scan *s, enum request_type *type)
{
	uint64_t operation;

	if (!scan_blanks(s) || !scan_number(s, "operation", &operation))
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

	if (!scan_blanks(s) || !scan_time(s, "time", &r->time) || !scan_blanks(s) ||
		!scan_number32(s, "device", &r->device) || !scan_blanks(s) ||
		!scan_number(s, "first sector", &sector) || !scan_blanks(s) ||
		!scan_number(s, "size", &sectors) || !parse_operation(s, &r->type) || !scan_end(s))
		return PARSED_BAD;
	return scan_place(s, r, sector, sectors, SECTOR_BYTES) ? PARSED_RECORD : PARSED_BAD;
}

#define SSDSIM_LINE_BYTES 199 /* SSDsim cuts longer lines in two */

static bool is_space(char c)
{
	return c == ' ' || (c >= '\t' && c <= '\r');
}

/* A number as scanf reads it: space, a sign, digits; what is too large becomes the largest. */
static bool scanf_number(struct scan *s, uint64_t *number)
{
	const char *digits;

	while (s->at < s->end && is_space(*s->at))
		s->at++;
	s->at += *s->at == '+';
	digits = s->at;
	for (*number = 0; scan_is_digit(*s->at); s->at++)
		if (__builtin_mul_overflow(*number, 10, number) ||
			__builtin_add_overflow(*number, (uint64_t)(*s->at - '0'), number))
			*number = UINT64_MAX;
	return s->at > digits;
}

/* SSDsim reads five numbers with scanf and looks at nothing that follows.  It ends at a negative one and at a place
 * beyond 31 bits. */
static enum parsed tolerate(struct scan *s, struct record *r)
{
	uint64_t number[5];
	const char *begin = s->at;
	int numbers = 0;

	while (numbers < 5 && scanf_number(s, &number[numbers]))
		numbers++;
	if (!numbers && s->at == s->end)
		return PARSED_HEADING;
	if (numbers < 5 || s->end - begin > SSDSIM_LINE_BYTES || number[2] > INT32_MAX ||
		number[3] > INT32_MAX || !number[3] || number[4] > 1)
		return PARSED_BAD;
	r->time = number[0];
	r->device = (uint32_t)number[1];
	r->offset = number[2] * SECTOR_BYTES;
	r->bytes = number[3] * SECTOR_BYTES;
	r->type = number[4] ? REQUEST_READ : REQUEST_WRITE;
	return PARSED_RECORD;
}

/* A number in decimal, up to `end`; returns where it begins.  printf would take most of the time of a conversion. */
static char *put_number(char *end, uint64_t number)
{
	do
		*--end = (char)('0' + number % 10);
	while (number /= 10);
	return end;
}

/* Time, device, first sector, sectors and operation, written from the last to the first. */
static void write(FILE *out, const struct request *r)
{
	const uint64_t numbers[] = { r->type == REQUEST_READ, r->sectors, r->start, r->device, r->arrival };
	char line[5 * 21], *end = line + sizeof line, *at = end;

	for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
		*--at = i ? ' ' : '\n';
		at = put_number(at, numbers[i]);
	}
	fwrite(at, 1, (size_t)(end - at), out);
}

const struct format format_ssdsim = {
	.name = "ssdsim",
	.brief = "SSDsim ASCII, also read by MQSim",
	.layout = "time[ns] device first-sector sectors 1=read|0=write",
	.time_unit_ns = 1,
	.parse = parse,
	.tolerate = tolerate,
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
