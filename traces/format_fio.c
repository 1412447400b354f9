/* fio I/O logs.  Version 3: "time[us] file action [offset length]".  Version 2 has no times but
 * "file wait time[us]", which is relative to the previous wait, as fio's manual says. */
#include "traces/format.h"

#define HEADING_V2 "fio version 2 iolog"
#define HEADING_V3 "fio version 3 iolog"

struct action {
	const char *name;
	enum parsed kind;
	enum request_type type;
};

static const struct action *find_action(const char *word, size_t bytes)
{
	static const struct action actions[] = {
		{ "read", PARSED_RECORD, REQUEST_READ },
		{ "write", PARSED_RECORD, REQUEST_WRITE },
		{ "trim", PARSED_RECORD, REQUEST_TRIM },
		{ "add", PARSED_HEADING, REQUEST_READ },
		{ "open", PARSED_HEADING, REQUEST_READ },
		{ "close", PARSED_HEADING, REQUEST_READ },
		{ "sync", PARSED_OTHER, REQUEST_READ },
		{ "datasync", PARSED_OTHER, REQUEST_READ },
	};

	for (size_t i = 0; i < sizeof actions / sizeof actions[0]; i++)
		if (scan_word_is(word, bytes, actions[i].name))
			return &actions[i];
	return NULL;
}

static enum parsed parse_heading(struct scan *s, const char *heading)
{
	if (scan_word_is(s->at, (size_t)(s->end - s->at), heading))
		return PARSED_HEADING;
	scan_describe(s, "first line should be \"%s\"", heading);
	return PARSED_BAD;
}

static enum parsed parse_place(struct scan *s, struct record *r)
{
	uint64_t offset, bytes;

	if (!scan_blanks(s) || !scan_number(s, "offset", &offset) || !scan_blanks(s) ||
		!scan_number(s, "length", &bytes) || !scan_end(s))
		return PARSED_BAD;
	return scan_place(s, r, offset, bytes, 1) ? PARSED_RECORD : PARSED_BAD;
}

static bool parse_file(struct scan *s, struct record *r)
{
	const char *file;
	size_t bytes;

	if (!scan_blanks(s) || !scan_word(s, "file", &file, &bytes))
		return false;
	r->device = names_number(s->names, file, bytes);
	return scan_blanks(s);
}

static enum parsed parse_action(struct scan *s, struct record *r, const char *word, size_t bytes)
{
	const struct action *action = find_action(word, bytes);
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
	return action->kind == PARSED_RECORD ? parse_place(s, r) : action->kind;
}

static enum parsed parse_v3(struct scan *s, struct record *r)
{
	const char *word;
	size_t bytes;

	if (s->line == 1)
		return parse_heading(s, HEADING_V3);
	if (!scan_blanks(s) || !scan_time(s, "time", &r->time) || !parse_file(s, r) ||
		!scan_word(s, "action", &word, &bytes))
		return PARSED_BAD;
	return parse_action(s, r, word, bytes);
}

static enum parsed parse_wait(struct scan *s)
{
	tick_t wait;

	if (!scan_blanks(s) || !scan_time(s, "wait", &wait))
		return PARSED_BAD;
	if (__builtin_add_overflow(s->clock_ns, wait, &s->clock_ns)) {
		scan_describe(s, "the waits add up to too large a time");
		return PARSED_BAD;
	}
	return PARSED_HEADING;
}

static enum parsed parse_v2(struct scan *s, struct record *r)
{
	const char *word;
	size_t bytes;

	if (s->line == 1)
		return parse_heading(s, HEADING_V2);
	if (!parse_file(s, r) || !scan_word(s, "action", &word, &bytes))
		return PARSED_BAD;
	if (scan_word_is(word, bytes, "wait"))
		return parse_wait(s);
	r->time = s->clock_ns;
	return parse_action(s, r, word, bytes);
}

/* Every device is a file of that name, which a user renames to what shall be written to. */
static void introduce(FILE *out, const struct request *r)
{
	unsigned long long us = r->arrival / 1000;

	fprintf(out, "%llu device%u add\n%llu device%u open\n", us, r->device, us, r->device);
}

static void write(FILE *out, const struct request *r)
{
	static const char *const names[REQUEST_TYPES] = {
		[REQUEST_READ] = "read", [REQUEST_WRITE] = "write", [REQUEST_TRIM] = "trim"
	};

	fprintf(out, "%llu device%u %s %llu %llu\n", (unsigned long long)(r->arrival / 1000), r->device,
		names[r->type], (unsigned long long)r->start * SECTOR_BYTES,
		(unsigned long long)r->sectors * SECTOR_BYTES);
}

const struct format format_fio = {
	.name = "fio",
	.brief = "fio I/O log, version 3",
	.layout = "time[us] file action [offset[bytes] length[bytes]]",
	.time_unit_ns = 1000,
	.parse = parse_v3,
	.heading = HEADING_V3 "\n",
	.introduce = introduce,
	.write = write,
	.writes_trims = true,
	.write_step_ns = 1000,
};

const struct format format_fio2 = {
	.name = "fio2",
	.brief = "fio I/O log, version 2",
	.layout = "file action [offset[bytes] length[bytes]]",
	.time_unit_ns = 1000,
	.parse = parse_v2,
};
