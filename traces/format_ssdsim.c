/* The ASCII traces of SSDsim and MQSim: reads lines as leniently as SSDsim does, and writes them.  Regular
 * lines are parsed by their columns (formats.c). */
#include "traces/format.h"

#define SSDSIM_LINE_BYTES 199 /* SSDsim cuts longer lines in two */

static bool ssdsim_is_space(char c)
{
	return c == ' ' || (c >= '\t' && c <= '\r');
}

/* Reads a number as scanf does: space, a plus sign, digits.  Too large a number becomes UINT64_MAX. */
static bool ssdsim_scan_number(struct scan *s, uint64_t *number)
{
	const char *digits;

	while (s->at < s->end && ssdsim_is_space(*s->at))
		s->at++;
	s->at += *s->at == '+';
	digits = s->at;
	for (*number = 0; scan_is_digit(*s->at); s->at++)
		if (__builtin_mul_overflow(*number, 10, number) ||
			__builtin_add_overflow(*number, (uint64_t)(*s->at - '0'), number))
			*number = UINT64_MAX;
	return s->at > digits;
}

/* SSDsim reads five numbers with scanf and ignores the rest of the line.  It stops at a negative number and
 * at an address or size of more than 31 bits. */
enum parsed ssdsim_tolerate(struct scan *s, struct record *r)
{
	uint64_t number[5];
	const char *begin = s->at;
	int numbers = 0;

	while (numbers < 5 && ssdsim_scan_number(s, &number[numbers]))
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

static unsigned ssdsim_operation(const struct request *r)
{
	if (r->type == REQUEST_WRITE)
		return r->flags & REQUEST_FUA ? 4 : 0;
	return r->type == REQUEST_FLUSH ? 2 : 1;
}

/* Prints time, device, first sector, sectors and operation.  Builds the line from its end to its start;
 * printf would take most of the time of a conversion. */
void ssdsim_write(FILE *out, const struct request *r)
{
	uint64_t numbers[] = { ssdsim_operation(r), r->sectors, r->start, r->device, r->arrival };
	char line[5 * 21], *end = line + sizeof line, *at = end;

	for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
		*--at = i ? ' ' : '\n';
		do
			*--at = (char)('0' + numbers[i] % 10);
		while (numbers[i] /= 10);
	}
	fwrite(at, 1, (size_t)(end - at), out);
}
