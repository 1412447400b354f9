/*
 * Fields of one trace line.  Each function reads the field at the cursor and moves behind it; on failure it
 * describes the problem ("size is 0, should be at least 1") and returns false.  It deals with digits and
 * separators, not with formats.
 *
 * The byte at `end` is readable and is neither a digit nor a separator, so that scanning loops need no bound.
 * Traces have a hundred million lines: the common case is inline, the descriptions of problems are not.
 */
#ifndef TRACES_SCAN_H
#define TRACES_SCAN_H

#include "traces/names.h"
#include "traces/record.h"

#include <inttypes.h>
#include <string.h>

#define PROBLEM_BYTES 200
#define BYTES_MAX     (1ull << 32) /* of one request: more than any block layer sends */
#define OFFSET_MAX    (1ull << 56) /* of a device, bytes */

struct columns;

/* The kind of a line. */
enum parsed {
	PARSED_RECORD,  /* a request */
	PARSED_HEADING, /* a line about the trace */
	PARSED_OTHER,   /* an event that is no request */
	PARSED_BAD,     /* the scan has the reason */
};

struct scan {
	const char *at, *end; /* the rest of the line */
	uint64_t line;        /* its number, from 1 */
	uint64_t unit_ns;     /* of a time column */
	uint64_t clock_ns;    /* for formats that give steps of time: the time so far */
	uint64_t rounded;     /* addresses without their last digits (1.2E+11) so far */
	uint32_t page_bytes;  /* of the drive, for formats that count in pages; 0: there is no drive */
	bool commands;        /* commands without sectors are requests */
	bool flushes;         /* FLUSH, and FUA of writes, are read in formats of Linux and fio */
	uint64_t unflushed;   /* if not, how many were left out so far */
	bool as_written;      /* takes only the types of request that the format's own program takes */
	struct names *names;  /* devices that have names, not numbers */
	const struct columns *columns; /* of the line; NULL: not known */
	const char *name,
		*name_end; /* the device's name in the line, if it is given by columns; NULL: none yet */
	char problem[PROBLEM_BYTES];
};

/* Describes the problem.  scan_problem() is the same as an expression that is false. */
void scan_describe(struct scan *, const char *format, ...) __attribute__((format(printf, 2, 3)));
#define scan_problem(...) (scan_describe(__VA_ARGS__), false)

/* Quotes the field at the cursor, printably and shortened, into a buffer of 32 bytes. */
const char *scan_quote(const struct scan *, char quote[32]);

/* Describe why the functions below failed at the cursor. */
void scan_describe_number(struct scan *, const char *field);
void scan_describe_time(struct scan *, const char *field, uint64_t unit_ns);
void scan_describe_comma(struct scan *, const char *field);
void scan_describe_type(struct scan *, const char *read, const char *write);
void scan_describe_place(
	struct scan *, uint64_t start, uint64_t start_unit, uint64_t length, uint64_t length_unit);

/* Compilers keep some of these out of line otherwise, which costs a tenth of the speed. */
#define SCAN static inline __attribute__((always_inline))

/* A number in a binary record. */
SCAN uint64_t little_endian(const char *at, unsigned bytes)
{
	uint64_t value = 0;

	while (bytes--)
		value = value << 8 | (unsigned char)at[bytes];
	return value;
}

SCAN bool scan_is_blank(char c)
{
	return c == ' ' || c == '\t';
}

SCAN bool scan_is_digit(char c)
{
	return (unsigned char)(c - '0') <= 9;
}

/* Skips blanks.  Always true, so that it can stand in a chain of fields. */
SCAN bool scan_blanks(struct scan *s)
{
	while (*s->at <= ' ' && scan_is_blank(*s->at)) /* a single comparison if there is no blank */
		s->at++;
	return true;
}

SCAN bool scan_ends_field(const struct scan *s, const char *at)
{
	/* digits and letters sort after the comma, so nearly all characters take one comparison */
	return *at <= ',' && (*at == ' ' || *at == ',' || *at == '\t' || at == s->end);
}

/* Moves to the next field of a comma-separated line. */
SCAN bool scan_comma(struct scan *s, const char *field)
{
	scan_blanks(s);
	if (*s->at != ',' || s->at == s->end)
		return scan_describe_comma(s, field), false;
	s->at++;
	scan_blanks(s);
	return true;
}

/* Returns the end of the digits at p; *value is their number modulo 2^64. */
SCAN const char *scan_digits(const char *p, uint64_t *value)
{
	uint64_t number = 0;

	for (unsigned digit; (digit = (unsigned char)*p - (unsigned)'0') <= 9; p++)
		number = number * 10 + digit;
	*value = number;
	return p;
}

/* A whole number of at most 19 digits. */
SCAN bool scan_number(struct scan *s, const char *field, uint64_t *value)
{
	const char *p = scan_digits(s->at, value);

	if (p == s->at || p - s->at > 19 || !scan_ends_field(s, p))
		return scan_describe_number(s, field), false;
	s->at = p;
	return true;
}

/* The same, at most 2^32 - 1. */
SCAN bool scan_number32(struct scan *s, const char *field, uint32_t *value)
{
	const char *begin = s->at;
	uint64_t wide;

	if (!scan_number(s, field, &wide))
		return false;
	if (wide > UINT32_MAX) {
		s->at = begin;
		return scan_problem(
			s, "%s %" PRIu64 " is too large, should be at most 4294967295", field, wide);
	}
	*value = (uint32_t)wide;
	return true;
}

/* Returns the end of the decimals at p: a fraction of `unit`, rounded down.  Only nine count. */
SCAN const char *scan_fraction(const char *p, uint64_t unit, uint64_t *fraction)
{
	static const uint32_t power[] = { 1, 10, 100, 1000, 10000, 100000, 1000000, 10000000, 100000000,
		1000000000 };
	uint64_t number;
	const char *end = scan_digits(p, &number);
	size_t digits = (size_t)(end - p);

	if (digits > 9)
		for (number = digits = 0; digits < 9; digits++)
			number = number * 10 + (unsigned char)(p[digits] - '0');
	*fraction = number * unit / power[digits];
	return end;
}

/* A time in units of `unit_ns`, with a decimal fraction where the unit is coarser than 1 ns.
 * Exact to the ns; digits beyond the ninth decimal are dropped. */
SCAN bool scan_time(struct scan *s, const char *field, uint64_t unit_ns, tick_t *ns)
{
	uint64_t whole, fraction = 0;
	const char *p = scan_digits(s->at, &whole);

	if (p == s->at || p - s->at > 19 || __builtin_mul_overflow(whole, unit_ns, &whole))
		return scan_describe_time(s, field, unit_ns), false;
	if (*p == '.' && unit_ns > 1)
		p = scan_fraction(p + 1, unit_ns, &fraction);
	if (!scan_ends_field(s, p) || __builtin_add_overflow(whole, fraction, ns))
		return scan_describe_time(s, field, unit_ns), false;
	s->at = p;
	return true;
}

/* The field up to the next separator; not empty. */
SCAN bool scan_word(struct scan *s, const char *field, const char **word, size_t *bytes)
{
	const char *p = s->at;

	while (!scan_ends_field(s, p))
		p++;
	if (p == s->at)
		return scan_problem(s, "%s is missing", field);
	*word = s->at;
	*bytes = (size_t)(p - s->at);
	s->at = p;
	return true;
}

SCAN bool scan_word_is(const char *word, size_t bytes, const char *text)
{
	return strlen(text) == bytes && !memcmp(word, text, bytes);
}

/* Takes the field at the cursor if it is this word of letters; case does not count. */
SCAN bool scan_takes(struct scan *s, const char *letters)
{
	size_t bytes = strlen(letters);

	for (size_t i = 0; i < bytes; i++)
		if ((s->at[i] | 0x20) != (letters[i] | 0x20))
			return false;
	if (!scan_ends_field(s, s->at + bytes))
		return false;
	s->at += bytes;
	return true;
}

/* One of two words for the type. */
SCAN bool scan_type(struct scan *s, const char *read, const char *write, enum request_type *type)
{
	if (scan_takes(s, read))
		*type = REQUEST_READ;
	else if (scan_takes(s, write))
		*type = REQUEST_WRITE;
	else
		return scan_describe_type(s, read, write), false;
	return true;
}

/* A number that a spreadsheet may have shortened ("1.82083E+11"), which is counted in `rounded`. */
bool scan_rounded(struct scan *, const char *field, uint64_t *value);

/* A hexadecimal number of at most 16 digits, with or without "0x". */
bool scan_hex(struct scan *, const char *field, uint64_t *value);

/* Hexadecimal if it begins with "0x". */
bool scan_hex_or_number(struct scan *, const char *field, uint64_t *value);

/* "8,16": a device's major and minor number. */
bool scan_device_pair(struct scan *);

/* The type in the letters of Linux's block layer.  False if there is none: a flush or a message. */
bool scan_rwbs(const char *letters, size_t n, enum request_type *type);

/* The flags in letters like "FWFS": a FLUSH before the request, FUA.  If left out: 0, and counted. */
uint8_t scan_rwbs_flags(struct scan *, const char *letters, size_t n);

/* Turns the record into a FLUSH, with its time and device; PARSED_OTHER if FLUSHes are left out. */
enum parsed scan_flush(struct scan *, struct record *);

/* Nothing may follow. */
SCAN bool scan_end(struct scan *s)
{
	char quote[32];

	scan_blanks(s);
	return s->at == s->end || scan_problem(s, "\"%s\" follows the last field", scan_quote(s, quote));
}

/* Sets the record's offset and length, counted in their units. */
SCAN bool scan_place(struct scan *s, struct record *r, uint64_t start, uint64_t start_unit, uint64_t length,
	uint64_t length_unit)
{
	if (__builtin_expect(
		    start >= OFFSET_MAX / start_unit || length > BYTES_MAX / length_unit || !length, 0))
		return scan_describe_place(s, start, start_unit, length, length_unit), false;
	r->offset = start * start_unit;
	r->bytes = length * length_unit;
	return true;
}

#endif
