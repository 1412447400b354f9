/* Events of the Linux kernel as ftrace, trace-cmd and perf script print them:
 *
 *	dd-1234 [000] d..3. 5678.123456: block_rq_issue: 8,0 W 4096 () 223490 + 8 [dd]
 *	dd 1234 [000] 5678.123456: block:block_bio_queue: 8,0 W 223490 + 8 [dd]
 *	dd-1234 [000] ..... 5678.123456: nvme_setup_cmd: nvme0: disk=nvme0n1, qid=1, cmdid=4, nsid=1,
 *		flags=0x0, meta=0x0, cmd=(nvme_cmd_read slba=2048, len=7, ctrl=0x0, dsmgmt=0, reftag=0)
 *
 * and as perf trace does, with times in ms:
 *
 *	0.125 dd/1234 block:block_rq_issue:8,0 W 4096 () 223490 + 8 [dd]
 *
 * The fields before the time differ, and a process may have any name: the time is the first number with
 * decimals and a colon behind it.  As with blkparse, a format takes one event of a request. */
#include "traces/format.h"

#include <stdlib.h>

/* A line about the trace: "cpus=4", "version = 6", "CPU 0 is empty". */
static bool ftrace_is_heading(const struct scan *s)
{
	static const char *const words[] = { "cpus=", "version = ", "CPU " };

	for (size_t i = 0; i < sizeof words / sizeof *words; i++)
		if ((size_t)(s->end - s->at) >= strlen(words[i]) &&
			!memcmp(s->at, words[i], strlen(words[i])))
			return true;
	return false;
}

/* Returns the start of "5678.123456" if it ends at `colon`, else NULL. */
static const char *ftrace_time_before(const char *begin, const char *colon)
{
	const char *p = colon;

	while (p > begin && scan_is_digit(p[-1]))
		p--;
	if (p == colon || p == begin || p[-1] != '.')
		return NULL;
	for (colon = --p; p > begin && scan_is_digit(p[-1]); p--)
		;
	return p < colon && (p == begin || scan_is_blank(p[-1])) ? p : NULL;
}

/* Moves behind the time and its colon. */
static bool ftrace_take_time(struct scan *s, tick_t *ns)
{
	uint64_t whole, fraction;

	for (const char *at = s->at, *colon; (colon = memchr(at, ':', (size_t)(s->end - at)));
		at = colon + 1) {
		const char *time = ftrace_time_before(s->at, colon);

		if (!time)
			continue;
		if (colon - time > 28 || __builtin_mul_overflow(strtoull(time, NULL, 10), s->unit_ns, &whole))
			return scan_problem(s, "time %.*s is too large",
				(int)(colon - time < 30 ? colon - time : 30), time);
		scan_fraction(
			(const char *)memchr(time, '.', (size_t)(colon - time)) + 1, s->unit_ns, &fraction);
		if (__builtin_add_overflow(whole, fraction, ns))
			return scan_problem(s, "time %.*s is too large", (int)(colon - time), time);
		s->at = colon + 1;
		return scan_blanks(s);
	}
	return scan_problem(s, "a time in seconds with a colon behind it is missing");
}

/* Takes the text if it stands at the cursor. */
static bool ftrace_takes(struct scan *s, const char *text)
{
	size_t bytes = strlen(text);

	if ((size_t)(s->end - s->at) < bytes || memcmp(s->at, text, bytes) != 0)
		return false;
	s->at += bytes;
	return true;
}

/* "(...)", which holds the command of requests that have one. */
static bool ftrace_skip_command(struct scan *s)
{
	const char *close;

	if (s->at == s->end || *s->at != '(')
		return scan_problem(s, "\"(\" is missing before the sector");
	close = memchr(s->at, ')', (size_t)(s->end - s->at));
	if (!close)
		return scan_problem(s, "\")\" is missing before the sector");
	s->at = close + 1;
	return scan_blanks(s);
}

/* "8,0 W 4096 () 223490 + 8 [dd]"; without "4096 ()" if the event is that of a bio. */
static enum parsed ftrace_parse_request(struct scan *s, struct record *r, bool bio)
{
	const char *type, *device;
	size_t bytes;
	uint64_t number;

	scan_blanks(s);
	device = s->at;
	if (!scan_device_pair(s))
		return PARSED_BAD;
	r->device = names_number(s->names, device, (size_t)(s->at - device));
	if (!scan_blanks(s) || !scan_word(s, "type", &type, &bytes))
		return PARSED_BAD;
	if (!scan_rwbs(type, bytes, &r->type))
		return PARSED_OTHER;
	scan_blanks(s);
	if (!bio && scan_is_digit(*s->at) && !scan_number(s, "bytes", &number))
		return PARSED_BAD;
	scan_blanks(s);
	if (!bio && !ftrace_skip_command(s))
		return PARSED_BAD;
	return ftrace_takes(s, "18446744073709551615 ") ? PARSED_OTHER : blkparse_parse_place(s, r);
}

static enum parsed ftrace_parse_event(struct scan *s, struct record *r, const char *event, bool bio)
{
	if (ftrace_is_heading(s))
		return PARSED_HEADING;
	if (!ftrace_take_time(s, &r->time))
		return PARSED_BAD;
	ftrace_takes(s, "block:");
	return ftrace_takes(s, event) ? ftrace_parse_request(s, r, bio) : PARSED_OTHER;
}

enum parsed ftrace_parse_queued(struct scan *s, struct record *r)
{
	return ftrace_parse_event(s, r, "block_bio_queue:", true);
}

enum parsed ftrace_parse_issued(struct scan *s, struct record *r)
{
	return ftrace_parse_event(s, r, "block_rq_issue:", false);
}

enum parsed ftrace_parse_completed(struct scan *s, struct record *r)
{
	return ftrace_parse_event(s, r, "block_rq_complete:", false);
}

/* Moves behind "NAME: " in the rest of the line. */
static bool ftrace_find_field(struct scan *s, const char *name)
{
	for (; s->at < s->end; s->at++)
		if ((s->at[-1] == ' ' || s->at[-1] == '(') && ftrace_takes(s, name) && ftrace_takes(s, ": "))
			return true;
	return scan_problem(s, "%s is missing", name);
}

/* "dev: 8388608, sector: 8, nr_sector: 8, bytes: 4096, rwbs: "W", ...". */
static enum parsed ftrace_parse_fields(struct scan *s, struct record *r)
{
	uint64_t device, sector, sectors;
	const char *number, *type;
	size_t bytes;

	if (!ftrace_find_field(s, "dev"))
		return PARSED_BAD;
	number = s->at;
	if (!scan_number(s, "dev", &device))
		return PARSED_BAD;
	r->device = names_number(s->names, number, (size_t)(s->at - number));
	if (!ftrace_find_field(s, "sector") || !scan_number(s, "sector", &sector) ||
		!ftrace_find_field(s, "nr_sector") || !scan_number(s, "nr_sector", &sectors) ||
		!ftrace_find_field(s, "rwbs") || !ftrace_takes(s, "\""))
		return PARSED_BAD;
	type = s->at;
	for (bytes = 0; type + bytes < s->end && type[bytes] != '"'; bytes++)
		;
	if (!scan_rwbs(type, bytes, &r->type) || !sectors)
		return PARSED_OTHER;
	return scan_place(s, r, sector, SECTOR_BYTES, sectors, SECTOR_BYTES) ? PARSED_RECORD : PARSED_BAD;
}

enum parsed perf_trace_parse(struct scan *s, struct record *r)
{
	static const char event[] = "block:block_rq_issue";

	if (!scan_blanks(s) || !scan_time(s, "time", s->unit_ns, &r->time))
		return PARSED_BAD;
	for (; s->at < s->end; s->at++)
		if (*s->at == 'b' && s->at[-1] == ' ' && ftrace_takes(s, event)) {
			if (*s->at == '(')
				return ftrace_parse_fields(s, r);
			if (ftrace_takes(s, ":"))
				return ftrace_parse_request(s, r, false);
		}
	return PARSED_OTHER;
}

/* ---- NVMe ---- */

/* The number behind "NAME=" in the rest of the line. */
static bool ftrace_find_number(struct scan *s, const char *name, uint64_t *number)
{
	for (; s->at < s->end; s->at++)
		if ((*s->at == ' ') && s->at++ && ftrace_takes(s, name))
			return *s->at++ == '=' && scan_number(s, name, number);
	return scan_problem(s, "%s is missing", name);
}

/* "nvme0: disk=nvme0n1, ..."; commands for the controller have no disk. */
static enum parsed ftrace_parse_command(struct scan *s, struct record *r)
{
	uint64_t start, length;
	const char *disk, *command;
	size_t bytes;

	while (s->at < s->end && *s->at != '=')
		s->at++;
	if (s->at == s->end)
		return scan_describe(s, "disk is missing"), PARSED_BAD;
	if (memcmp(s->at - 4, "disk", 4) != 0)
		return PARSED_OTHER;
	s->at++;
	if (!scan_word(s, "disk", &disk, &bytes))
		return PARSED_BAD;
	r->device = names_number(s->names, disk, bytes);
	while (s->at < s->end && *s->at != '(')
		s->at++;
	if (s->at == s->end)
		return scan_describe(s, "cmd is missing"), PARSED_BAD;
	s->at++;
	if (!scan_word(s, "command", &command, &bytes))
		return PARSED_BAD;
	if (!scan_word_is(command, bytes, "nvme_cmd_read") && !scan_word_is(command, bytes, "nvme_cmd_write"))
		return PARSED_OTHER;
	r->type = bytes == strlen("nvme_cmd_read") ? REQUEST_READ : REQUEST_WRITE;
	if (!ftrace_find_number(s, "slba", &start) || !ftrace_find_number(s, "len", &length))
		return PARSED_BAD;
	length += length < UINT64_MAX;
	return scan_place(s, r, start, SECTOR_BYTES, length, SECTOR_BYTES) ? PARSED_RECORD : PARSED_BAD;
}

enum parsed nvme_parse(struct scan *s, struct record *r)
{
	if (ftrace_is_heading(s))
		return PARSED_HEADING;
	if (!ftrace_take_time(s, &r->time))
		return PARSED_BAD;
	ftrace_takes(s, "nvme:");
	return ftrace_takes(s, "nvme_setup_cmd:") ? ftrace_parse_command(s, r) : PARSED_OTHER;
}
