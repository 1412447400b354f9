#include "traces/scan.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

void scan_describe(struct scan *s, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(s->problem, sizeof s->problem, format, args);
	va_end(args);
}

const char *scan_quote(const struct scan *s, char quote[32])
{
	const char *p = s->at;
	size_t n = 0;

	/* At least one character, even if it is a separator. */
	while (p < s->end && (!n || !scan_ends_field(s, p)) && n < 24) {
		quote[n++] = *p >= ' ' && *p <= '~' ? *p : '?';
		p++;
	}
	strcpy(quote + n, p < s->end && !scan_ends_field(s, p) ? "..." : "");
	return quote;
}

static void scan_describe_digits(struct scan *s, const char *field, const char *wanted, bool fraction)
{
	char quote[32];
	const char *p = s->at;

	scan_quote(s, quote);
	while (scan_is_digit(*p) || (*p == '.' && fraction && p > s->at)) {
		fraction &= *p != '.';
		p++;
	}
	if (scan_ends_field(s, s->at))
		scan_describe(s, "%s is missing", field);
	else if (p > s->at && scan_ends_field(s, p))
		scan_describe(s, "%s %s is too large", field, quote);
	else if (*p == '-' && scan_is_digit(p[1]))
		scan_describe(s, "%s %s is negative", field, quote);
	else
		scan_describe(s, "%s \"%s\" is not a %s", field, quote, wanted);
}

void scan_describe_number(struct scan *s, const char *field)
{
	scan_describe_digits(s, field, "whole number", false);
}

void scan_describe_time(struct scan *s, const char *field, uint64_t unit_ns)
{
	bool fraction = unit_ns > 1;

	scan_describe_digits(s, field, fraction ? "number" : "whole number of ns", fraction);
}

void scan_describe_place(
	struct scan *s, uint64_t start, uint64_t start_unit, uint64_t length, uint64_t length_unit)
{
	if (!length)
		scan_describe(s, "size is 0, should be at least 1");
	else if (length > BYTES_MAX / length_unit)
		scan_describe(s, "size %" PRIu64 " is absurd, should be at most %llu", length,
			BYTES_MAX / length_unit);
	else
		scan_describe(s, "address %" PRIu64 " is absurd, should be below %llu", start,
			OFFSET_MAX / start_unit);
}

void scan_describe_comma(struct scan *s, const char *field)
{
	char quote[32];

	if (s->at == s->end)
		scan_describe(s, "%s is missing", field);
	else
		scan_describe(
			s, "\"%s\" stands where a comma belongs, before the %s", scan_quote(s, quote), field);
}

void scan_describe_type(struct scan *s, const char *read, const char *write)
{
	char quote[32];

	if (scan_ends_field(s, s->at))
		scan_describe(s, "type is missing");
	else
		scan_describe(s, "type \"%s\" should be %s or %s", scan_quote(s, quote), read, write);
}

bool scan_rounded(struct scan *s, const char *field, uint64_t *value)
{
	const char *p = s->at;
	char text[32], *end;
	double real;
	size_t n = 0;

	while (scan_is_digit(*p))
		p++;
	if (p == s->at || scan_ends_field(s, p))
		return scan_number(s, field, value);
	for (p = s->at; !scan_ends_field(s, p) && n < sizeof text - 1; p++)
		text[n++] = *p;
	text[n] = '\0';
	real = strtod(text, &end);
	if (*end || strspn(text, "0123456789.eE+") != n || !(real < (double)OFFSET_MAX))
		return scan_describe_number(s, field), false;
	s->at = p;
	s->rounded++;
	*value = (uint64_t)real;
	return true;
}

static unsigned scan_hex_digit(char c)
{
	unsigned digit = (unsigned char)c - (unsigned)'0',
		 letter = ((unsigned char)c | 0x20u) - (unsigned)'a';

	return digit <= 9 ? digit : letter < 6 ? letter + 10 : 16;
}

bool scan_hex(struct scan *s, const char *field, uint64_t *value)
{
	const char *begin = s->at + (s->at[0] == '0' && (s->at[1] | 0x20) == 'x' ? 2 : 0), *p = begin;
	char quote[32];

	for (*value = 0; scan_hex_digit(*p) < 16; p++)
		*value = *value << 4 | scan_hex_digit(*p);
	if (scan_ends_field(s, s->at))
		return scan_problem(s, "%s is missing", field);
	if (p == begin || !scan_ends_field(s, p))
		return scan_problem(s, "%s \"%s\" is not a hexadecimal number", field, scan_quote(s, quote));
	if (p - begin > 16)
		return scan_problem(s, "%s %s is too large", field, scan_quote(s, quote));
	s->at = p;
	return true;
}

bool scan_hex_or_number(struct scan *s, const char *field, uint64_t *value)
{
	bool hex = s->at[0] == '0' && (s->at[1] | 0x20) == 'x';

	return hex ? scan_hex(s, field, value) : scan_number(s, field, value);
}

bool scan_device_pair(struct scan *s)
{
	uint64_t number;

	return scan_number(s, "device", &number) && scan_comma(s, "minor device number") &&
	       scan_number(s, "minor device number", &number);
}

bool scan_rwbs(const char *letters, size_t n, enum request_type *type)
{
	if (memchr(letters, 'D', n))
		*type = REQUEST_TRIM;
	else if (memchr(letters, 'W', n))
		*type = REQUEST_WRITE;
	else if (memchr(letters, 'R', n))
		*type = REQUEST_READ;
	else
		return false;
	return true;
}

uint8_t scan_rwbs_flags(struct scan *s, const char *letters, size_t n)
{
	const char *write = memchr(letters, 'W', n);
	bool first = n && *letters == 'F', fua = write && memchr(write, 'F', n - (size_t)(write - letters));

	if (!s->flushes) {
		s->unflushed += first || fua;
		return 0;
	}
	return (uint8_t)((first ? RECORD_FLUSH_FIRST : 0) | (fua ? REQUEST_FUA : 0));
}

enum parsed scan_flush(struct scan *s, struct record *r)
{
	if (!s->flushes) {
		s->unflushed++;
		return PARSED_OTHER;
	}
	r->type = REQUEST_FLUSH;
	r->offset = r->bytes = 0;
	r->flags = 0;
	return s->commands ? PARSED_RECORD : PARSED_OTHER;
}
