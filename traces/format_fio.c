/* fio I/O logs.  Version 3: "time[us] file action [offset length]".  Version 2 has no times but lines
 * "file wait time[us]", relative to the previous wait. */
#include "traces/format.h"

struct fio_action {
	const char *name;
	enum parsed kind;
	enum request_type type;
};

static const struct fio_action *fio_find_action(const char *word, size_t bytes)
{
	static const struct fio_action actions[] = {
		{ "read", PARSED_RECORD, REQUEST_READ },
		{ "write", PARSED_RECORD, REQUEST_WRITE },
		{ "trim", PARSED_RECORD, REQUEST_TRIM },
		{ "add", PARSED_HEADING, REQUEST_READ },
		{ "open", PARSED_HEADING, REQUEST_READ },
		{ "close", PARSED_HEADING, REQUEST_READ },
		{ "sync", PARSED_OTHER, REQUEST_FLUSH },
		{ "datasync", PARSED_OTHER, REQUEST_FLUSH },
	};

	for (size_t i = 0; i < sizeof actions / sizeof actions[0]; i++)
		if (scan_word_is(word, bytes, actions[i].name))
			return &actions[i];
	return NULL;
}

static enum parsed fio_parse_heading(struct scan *s, const char *heading)
{
	if (scan_word_is(s->at, (size_t)(s->end - s->at), heading))
		return PARSED_HEADING;
	scan_describe(s, "first line should be \"%s\"", heading);
	return PARSED_BAD;
}

static enum parsed fio_parse_place(struct scan *s, struct record *r)
{
	uint64_t offset, bytes;

	if (!scan_blanks(s) || !scan_number(s, "offset", &offset) || !scan_blanks(s) ||
		!scan_number(s, "length", &bytes) || !scan_end(s))
		return PARSED_BAD;
	return scan_place(s, r, offset, 1, bytes, 1) ? PARSED_RECORD : PARSED_BAD;
}

static bool fio_parse_file(struct scan *s, struct record *r)
{
	const char *file;
	size_t bytes;

	if (!scan_blanks(s) || !scan_word(s, "file", &file, &bytes))
		return false;
	r->device = names_number(s->names, file, bytes);
	return scan_blanks(s);
}

static enum parsed fio_parse_action(struct scan *s, struct record *r, const char *word, size_t bytes)
{
	const struct fio_action *action = fio_find_action(word, bytes);
	char quote[32];

	if (!action) {
		s->at = word;
		scan_describe(s,
			"action \"%s\" is unknown, should be read, write, trim, add, open, close, sync "
			"or datasync",
			scan_quote(s, quote));
		return PARSED_BAD;
	}
	r->type = action->type;
	if (r->type == REQUEST_FLUSH)
		return scan_flush(s, r);
	return action->kind == PARSED_RECORD ? fio_parse_place(s, r) : action->kind;
}

enum parsed fio_parse(struct scan *s, struct record *r)
{
	const char *word;
	size_t bytes;

	if (s->line == 1)
		return fio_parse_heading(s, FIO_HEADING_V3);
	if (!scan_blanks(s) || !scan_time(s, "time", s->unit_ns, &r->time) || !fio_parse_file(s, r) ||
		!scan_word(s, "action", &word, &bytes))
		return PARSED_BAD;
	return fio_parse_action(s, r, word, bytes);
}

static enum parsed fio_parse_wait(struct scan *s)
{
	tick_t wait;

	if (!scan_blanks(s) || !scan_time(s, "wait", s->unit_ns, &wait))
		return PARSED_BAD;
	if (__builtin_add_overflow(s->clock_ns, wait, &s->clock_ns)) {
		scan_describe(s, "the waits add up to too large a time");
		return PARSED_BAD;
	}
	return PARSED_HEADING;
}

enum parsed fio2_parse(struct scan *s, struct record *r)
{
	const char *word;
	size_t bytes;

	if (s->line == 1)
		return fio_parse_heading(s, FIO_HEADING_V2);
	if (!fio_parse_file(s, r) || !scan_word(s, "action", &word, &bytes))
		return PARSED_BAD;
	if (scan_word_is(word, bytes, "wait"))
		return fio_parse_wait(s);
	r->time = s->clock_ns;
	return fio_parse_action(s, r, word, bytes);
}

/* Each device is a file "deviceN" in the log; users rename it to the file that fio shall access. */
void fio_introduce(FILE *out, const struct request *r)
{
	uint64_t us = r->arrival / 1000;

	fprintf(out, "%" PRIu64 " device%u add\n%" PRIu64 " device%u open\n", us, r->device, us, r->device);
}

void fio_write(FILE *out, const struct request *r)
{
	static const char *const names[REQUEST_TYPES] = {
		[REQUEST_READ] = "read", [REQUEST_WRITE] = "write", [REQUEST_TRIM] = "trim"
	};

	if (r->type == REQUEST_FLUSH) {
		fprintf(out, "%" PRIu64 " device%u sync\n", r->arrival / 1000, r->device);
		return;
	}
	fprintf(out, "%" PRIu64 " device%u %s %" PRIu64 " %" PRIu64 "\n", r->arrival / 1000, r->device,
		names[r->type], r->start * SECTOR_BYTES, (uint64_t)r->sectors * SECTOR_BYTES);
}
