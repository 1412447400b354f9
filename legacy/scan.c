#include "legacy/scan.h"

#include "base/memory.h"

#include <errno.h>
#include <limits.h>
#include <string.h>

#define BUFFER_BYTES (1 << 18)
#define SAFE_DIGITS  18  /* numbers of so many digits fit 64 bits */
#define LINE_BYTES   199 /* SSDsim cuts longer lines in two */

bool legacy_scan_open(struct legacy_scan *scan, const char *path, struct fault *fault)
{
	*scan = (struct legacy_scan){ .path = path, .file = fopen(path, "rb") };
	if (!scan->file)
		return fault_set(fault,
			"%s: %s; wanted: a trace of SSDsim, `time device sector sectors operation`", path,
			strerror(errno));
	if (fseek(scan->file, 0, SEEK_SET)) {
		fclose(scan->file);
		return fault_set(
			fault, "%s: cannot be read twice, as the legacy engine must; use a plain file", path);
	}
	setvbuf(scan->file, NULL, _IONBF, 0);
	scan->buffer = memory_array(BUFFER_BYTES, 1, "buffer of the trace");
	return true;
}

void legacy_scan_close(struct legacy_scan *scan)
{
	memory_free(scan->buffer);
	fclose(scan->file);
}

void legacy_scan_rewind(struct legacy_scan *scan)
{
	rewind(scan->file);
	scan->start = scan->end = 0;
	scan->exhausted = false;
	scan->line = scan->blank = scan->disordered = 0;
	scan->last_time = 0;
}

static bool is_blank(char c)
{
	return c == ' ' || (c >= '\t' && c <= '\r');
}

static bool is_digit(char c)
{
	return (unsigned char)(c - '0') < 10;
}

/* A decimal number as scanf reads it: blanks, sign, digits.  False without a digit; beyond 64 bits it
 * stays at the limit. */
static bool scan_number(const char **text, const char *end, int64_t *number)
{
	const char *p = *text, *safe;
	bool negative;
	int64_t value = 0;

	while (p < end && is_blank(*p))
		p++;
	negative = p < end && *p == '-';
	p += p < end && (*p == '-' || *p == '+');
	*text = p;
	safe = end - p > SAFE_DIGITS ? p + SAFE_DIGITS : end;
	while (p < safe && is_digit(*p))
		value = 10 * value + (*p++ - '0');
	for (; p < end && is_digit(*p); p++)
		if (__builtin_mul_overflow(value, 10, &value) ||
			__builtin_add_overflow(value, *p - '0', &value))
			value = INT64_MAX;
	*number = negative ? -value : value;
	if (p == *text)
		return false;
	*text = p;
	return true;
}

/* SSDsim stores all but the time in 32 bits and gives up when one is negative. */
static const char *complaint(const int64_t field[5])
{
	if (field[0] < 0 || field[1] < 0 || field[2] < 0 || field[3] < 0 || field[4] < 0)
		return "negative number; SSDsim gives up here, too";
	if (field[2] > INT_MAX || field[3] > INT_MAX)
		return "sector and size must be below 2^31; SSDsim gives up here, too";
	if (field[3] == 0)
		return "size 0, with which SSDsim loops or fills its buffer with nothing (Q26)";
	if (field[4] > 1)
		return "the operation must be 0 (write) or 1 (read)";
	return NULL;
}

bool legacy_scan_line(const char *text, size_t bytes, struct legacy_line *line, const char **what)
{
	const char *end = text + bytes;
	int64_t field[5];
	int fields = 0;

	*what = "";
	while (fields < 5 && scan_number(&text, end, &field[fields]))
		fields++;
	if (fields < 5) {
		while (text < end && is_blank(*text))
			text++;
		if (fields || text < end)
			*what = "five numbers wanted: time device sector sectors operation";
		return false;
	}
	*what = complaint(field);
	line->time = field[0];
	line->sector = (uint32_t)field[2];
	line->sectors = (uint32_t)field[3];
	line->read = field[4] == 1;
	return !*what;
}

/* Moves the unread rest to the front and fills up. */
static void refill(struct legacy_scan *scan)
{
	size_t rest = scan->end - scan->start;
	size_t more;

	memmove(scan->buffer, scan->buffer + scan->start, rest);
	more = fread(scan->buffer + rest, 1, BUFFER_BYTES - rest, scan->file);
	scan->start = 0;
	scan->end = rest + more;
	scan->exhausted = !more;
}

/* Finds the next line in the buffer; false at the end of the file. */
static bool next_line(struct legacy_scan *scan, const char **text, size_t *bytes, bool *terminated)
{
	const char *newline;
	size_t left;

	for (;;) {
		*text = scan->buffer + scan->start;
		left = scan->end - scan->start;
		newline = left ? memchr(*text, '\n', left) : NULL;
		if (newline || left > LINE_BYTES || scan->exhausted)
			break;
		refill(scan);
	}
	if (!left)
		return false;
	*terminated = newline;
	*bytes = newline ? (size_t)(newline - *text) : left;
	scan->start += *bytes + *terminated;
	scan->line++;
	return true;
}

enum scan_status legacy_scan_next(struct legacy_scan *scan, struct legacy_line *line, struct fault *fault)
{
	const char *text, *what = NULL;
	size_t bytes;

	while (next_line(scan, &text, &bytes, &line->terminated)) {
		if (bytes > LINE_BYTES)
			what = "a line of 200 bytes or more, which SSDsim would cut in two";
		else if (legacy_scan_line(text, bytes, line, &what)) {
			scan->disordered += line->time < scan->last_time;
			scan->last_time = line->time;
			return SCAN_LINE;
		} else if (!*what) {
			scan->blank++;
			continue;
		}
		fault_set(fault, "%s:%llu: %s", scan->path, (unsigned long long)scan->line, what);
		return SCAN_BAD;
	}
	if (ferror(scan->file)) {
		fault_set(fault, "%s: %s", scan->path, strerror(errno));
		return SCAN_BAD;
	}
	return SCAN_END;
}
