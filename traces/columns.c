#include "traces/columns.h"

#include "base/suggest.h"
#include "traces/column_types.h"
#include "traces/format.h"

/* ---- reading ---- */

SCAN bool column_flag(struct scan *s, const struct column *c, struct record *r)
{
	uint64_t flag;

	if (!scan_number(s, c->label, &flag))
		return false;
	if (flag > 1)
		return scan_problem(s, "%s is %" PRIu64 ", should be %s", c->label, flag,
			c->unit ? "0 (read) or 1 (write)" : "1 (read) or 0 (write)");
	r->type = flag == c->unit ? REQUEST_WRITE : REQUEST_READ;
	return true;
}

/* 0 is a write, 1 a read, 2 a FLUSH, 4 a write with FUA.  SSDsim itself has only 0 and 1. */
SCAN bool column_operation(struct scan *s, const struct column *c, struct record *r)
{
	uint64_t operation;

	if (!scan_number(s, c->label, &operation))
		return false;
	if (s->as_written && operation > 1)
		return scan_problem(
			s, "%s is %" PRIu64 ", should be 1 (read) or 0 (write)", c->label, operation);
	if (operation > 4 || operation == 3)
		return scan_problem(s,
			"%s is %" PRIu64 ", should be 1 (read), 0 (write), 4 (write with FUA) or 2 (FLUSH)",
			c->label, operation);
	if (operation == 2 && (r->offset || r->bytes))
		return scan_problem(
			s, "%s is 2 (FLUSH), whose first sector and sectors should be 0", c->label);
	r->type = operation == 1 ? REQUEST_READ : operation == 2 ? REQUEST_FLUSH : REQUEST_WRITE;
	r->flags = operation == 4 ? REQUEST_FUA : 0;
	return true;
}

/* Bit 0 is set for a read. */
SCAN bool column_flags(struct scan *s, const struct column *c, struct record *r)
{
	uint64_t flags;

	if (!scan_number(s, c->label, &flags))
		return false;
	r->type = flags & 1 ? REQUEST_READ : REQUEST_WRITE;
	return true;
}

SCAN bool column_any(struct scan *s, const struct column *c)
{
	const char *word;
	size_t bytes;

	return scan_word(s, c->label, &word, &bytes);
}

SCAN bool column_number(struct scan *s, const struct column *c)
{
	uint64_t number;

	return scan_number(s, c->label, &number);
}

/* Skips words up to the next number. */
static bool column_words(struct scan *s, const struct column *c)
{
	do {
		if (!column_any(s, c))
			return false;
		scan_blanks(s);
	} while (s->at < s->end && !scan_is_digit(*s->at) && *s->at != '-');
	return true;
}

/* The device's name extends from the start of its first column to the end of its last one. */
SCAN bool column_device(struct scan *s, const struct column *c)
{
	const char *begin = s->at;

	if (!(c->form == FORM_DEVICE_PART ? column_number(s, c) : column_any(s, c)))
		return false;
	s->name = s->name ? s->name : begin;
	s->name_end = s->at;
	return true;
}

/* "8,16" */
static bool column_device_pair(struct scan *s)
{
	const char *begin = s->at;

	if (!scan_device_pair(s))
		return false;
	s->name = begin;
	s->name_end = s->at;
	return true;
}

/* A column of kind COLUMN_TYPE. */
SCAN bool column_type(struct scan *s, const struct column *c, struct record *r)
{
	switch (c->form) {
	case FORM_LETTER:
		return scan_type(s, "R", "W", &r->type);
	case FORM_WORD:
		return scan_type(s, "Read", "Write", &r->type);
	case FORM_OP:
		return column_op(s, r);
	case FORM_RWBS:
		return column_rwbs(s, c, r);
	case FORM_NVME:
		return column_nvme(s, c, r);
	case FORM_SCSI:
		return column_scsi(s, c, r);
	case FORM_EVENT:
		return column_event(s, c, r);
	case FORM_FLAG:
		return column_flag(s, c, r);
	case FORM_OPERATION:
		return column_operation(s, c, r);
	case FORM_FLAGS:
		return column_flags(s, c, r);
	default:
		__builtin_unreachable();
	}
}

/* Offset and length stay in the unit of their column; columns_place() converts them. */
SCAN bool column_read(struct scan *s, const struct column *c, struct record *r)
{
	switch (c->form) {
	case FORM_TIME:
		return scan_time(s, c->label, s->unit_ns, &r->time);
	case FORM_RESPONSE:
		return scan_time(s, c->label, c->unit ? c->unit : s->unit_ns, &r->response);
	case FORM_LETTER:
	case FORM_WORD:
	case FORM_OP:
	case FORM_RWBS:
	case FORM_NVME:
	case FORM_SCSI:
	case FORM_EVENT:
	case FORM_FLAG:
	case FORM_OPERATION:
	case FORM_FLAGS:
		return column_type(s, c, r);
	case FORM_OFFSET:
		return scan_number(s, c->label, &r->offset);
	case FORM_ROUNDED_OFFSET:
		return scan_rounded(s, c->label, &r->offset);
	case FORM_HEX_OFFSET:
		return scan_hex(s, c->label, &r->offset);
	case FORM_HEX_SIZE:
		return scan_hex(s, c->label, &r->bytes);
	case FORM_SIZE:
		return scan_number(s, c->label, &r->bytes);
	case FORM_DEVICE_NUMBER:
		return scan_number32(s, c->label, &r->device);
	case FORM_DEVICE:
	case FORM_DEVICE_PART:
		return column_device(s, c);
	case FORM_DEVICE_PAIR:
		return column_device_pair(s);
	case FORM_HINT:
		return column_hint(s, c, r);
	case FORM_FLAG_WORDS:
		return column_flag_words(s, c, r);
	case FORM_CONTROL:
		return column_control(s, c, r);
	case FORM_NUMBER:
		return column_number(s, c);
	case FORM_ANY:
		return column_any(s, c);
	case FORM_WORDS:
		return column_words(s, c);
	}
	__builtin_unreachable();
}

SCAN bool columns_separator(struct scan *s, enum separators separators, const char *next)
{
	if (separators == SEPARATED_BY_COMMAS)
		return scan_comma(s, next);
	scan_blanks(s);
	if (separators == SEPARATED_BY_EITHER && *s->at == ',' && s->at < s->end) {
		s->at++;
		scan_blanks(s);
	}
	return true;
}

/* Checks the end of the line: nothing may follow, or only further columns if the format allows them. */
SCAN bool columns_end(struct scan *s, const struct columns *c)
{
	if (!c->more)
		return scan_end(s);
	if (c->separators != SEPARATED_BY_COMMAS)
		return true;
	scan_blanks(s);
	return *s->at == ',' || scan_end(s);
}

SCAN bool columns_place(struct scan *s, const struct columns *c, struct record *r)
{
	if (__builtin_expect(r->offset >= c->offset_limit || r->bytes > c->size_limit || !r->bytes, 0))
		return scan_describe_place(s, r->offset, c->offset_unit, r->bytes, c->size_unit), false;
	r->offset *= c->offset_unit;
	r->bytes *= c->size_unit;
	return true;
}

bool columns_read_field(struct scan *s, const struct column *c, struct record *r)
{
	return column_read(s, c, r);
}

bool columns_check_place(struct scan *s, const struct columns *c, struct record *r)
{
	return columns_place(s, c, r);
}

/* Skips to the next comma; the skipped text may contain blanks. */
SCAN void columns_pass(struct scan *s)
{
	while (s->at < s->end && *s->at != ',')
		s->at++;
}

/* The kind of a line whose offset or size is invalid. */
static enum parsed columns_misplaced(const struct columns *c, const struct record *r)
{
	return c->may_be_empty && !r->bytes ? PARSED_OTHER : PARSED_BAD;
}

/* A heading above named columns: no field begins with a digit or '-'. */
static bool columns_are_words(const char *begin, const char *end)
{
	for (const char *at = begin; at < end; at++)
		if ((at == begin || scan_is_blank(at[-1]) || at[-1] == ',') &&
			(scan_is_digit(*at) || *at == '-'))
			return false;
	return true;
}

/* True if the field may be empty, as offset and size may behind the type of a command without sectors. */
SCAN bool columns_may_lack(const struct column *column, const struct record *r)
{
	return column->may_be_empty || (!request_has_sectors(r->type) && column->kind == COLUMN_OFFSET) ||
	       (!request_has_sectors(r->type) && column->kind == COLUMN_SIZE);
}

/* True if the line ends before a hint, flags or control, which may be missing there. */
SCAN bool columns_lacks_last(const struct scan *s, const struct column *column)
{
	return s->at == s->end && column->kind >= COLUMN_HINT && column->kind < COLUMN_IGNORED;
}

/* A line of a command without sectors. */
static enum parsed columns_command(const struct scan *s, struct record *r)
{
	r->offset = r->bytes = 0;
	r->flags = 0;
	return s->commands ? PARSED_RECORD : PARSED_OTHER;
}

/* Inlined once for each kind of separators. */
SCAN enum parsed columns_read_line(
	struct scan *s, const struct columns *c, enum separators separators, struct record *r)
{
	const struct column *column = c->column, *end = column + c->count;
	enum parsed parsed = PARSED_RECORD;

	s->name = NULL;
	r->device = 0;
	r->type = REQUEST_READ;
	scan_blanks(s);
	for (;;) {
		if (columns_may_lack(column, r) && (*s->at == ',' || columns_lacks_last(s, column)))
			parsed = column->kind == COLUMN_TYPE ? PARSED_OTHER : parsed;
		else if (separators == SEPARATED_BY_COMMAS && column->form == FORM_ANY &&
			 column->kind == COLUMN_IGNORED)
			columns_pass(s);
		else if (!column_read(s, column, r))
			return r->type == REQUEST_TYPES ? PARSED_OTHER : PARSED_BAD;
		if (++column == end)
			break;
		if (!columns_separator(s, separators, column->label))
			return PARSED_BAD;
	}
	if (!columns_end(s, c))
		return PARSED_BAD;
	if (s->name)
		r->device = names_number(s->names, s->name, (size_t)(s->name_end - s->name));
	if (__builtin_expect(r->flags & RECORD_FLUSH_FIRST && !r->bytes, 0))
		r->type = REQUEST_FLUSH;
	if (!request_has_sectors(r->type))
		return columns_command(s, r);
	if (parsed != PARSED_RECORD || columns_place(s, c, r))
		return parsed;
	return columns_misplaced(c, r);
}

/* The heading of a format, or the line above it. */
static bool columns_is_heading(const struct scan *s, const struct columns *c)
{
	if (s->line == 1)
		return *s->at == c->heading || (c->above && *s->at == c->above);
	return s->line == 2 && c->above && *s->at == c->heading;
}

enum parsed columns_read(struct scan *s, struct record *r)
{
	const struct columns *c = s->columns;
	const char *begin = s->at;
	enum parsed parsed;

	if (!c)
		return scan_describe(s, "its columns have no names"), PARSED_BAD;
	if (c->heading && columns_is_heading(s, c))
		return PARSED_HEADING;
	if (c->separators == SEPARATED_BY_COMMAS)
		parsed = columns_read_line(s, c, SEPARATED_BY_COMMAS, r);
	else if (c->separators == SEPARATED_BY_BLANKS)
		parsed = columns_read_line(s, c, SEPARATED_BY_BLANKS, r);
	else
		parsed = columns_read_line(s, c, SEPARATED_BY_EITHER, r);
	if (parsed == PARSED_BAD && c->named && s->line == 1 && columns_are_words(begin, s->end))
		return PARSED_HEADING;
	return parsed;
}

/* ---- names ---- */

/* All columns.  Users may name those up to "-"; the ones after it are for formats only. */
static const struct column columns_known[] = {
	{ "time_ns", COLUMN_TIME, FORM_TIME, 1, "time" },
	{ "time_100ns", COLUMN_TIME, FORM_TIME, 100, "time" },
	{ "time_us", COLUMN_TIME, FORM_TIME, 1000, "time" },
	{ "time_ms", COLUMN_TIME, FORM_TIME, 1000000, "time" },
	{ "time_s", COLUMN_TIME, FORM_TIME, 1000000000, "time" },
	{ "op", COLUMN_TYPE, FORM_OP, 0, "type" },
	{ "read", COLUMN_TYPE, FORM_FLAG, 0, "type" },
	{ "write", COLUMN_TYPE, FORM_FLAG, 1, "type" },
	{ "nvme_opcode", COLUMN_TYPE, FORM_NVME, 0, "opcode" },
	{ "scsi_opcode", COLUMN_TYPE, FORM_SCSI, 0, "opcode" },
	{ "offset_bytes", COLUMN_OFFSET, FORM_OFFSET, 1, "offset" },
	{ "offset_sectors", COLUMN_OFFSET, FORM_OFFSET, SECTOR_BYTES, "offset" },
	{ "size_bytes", COLUMN_SIZE, FORM_SIZE, 1, "size" },
	{ "size_sectors", COLUMN_SIZE, FORM_SIZE, SECTOR_BYTES, "size" },
	{ "device", COLUMN_DEVICE, FORM_DEVICE, 0, "device" },
	{ "opcode", COLUMN_TYPE, FORM_NVME, 1, "opcode" },
	{ "flags", COLUMN_FLAGS, FORM_FLAG_WORDS, 0, "flags", .may_be_empty = true },
	{ "ctrl", COLUMN_CONTROL, FORM_CONTROL, 0, "ctrl", .may_be_empty = true },
	{ "hint", COLUMN_HINT, FORM_HINT, 0, "hint", .may_be_empty = true },
	{ "response_ns", COLUMN_RESPONSE, FORM_RESPONSE, 1, "response time" },
	{ "response_us", COLUMN_RESPONSE, FORM_RESPONSE, 1000, "response time" },
	{ "response_ms", COLUMN_RESPONSE, FORM_RESPONSE, 1000000, "response time" },
	{ "response_s", COLUMN_RESPONSE, FORM_RESPONSE, 1000000000, "response time" },
	{ "-", COLUMN_IGNORED, FORM_ANY, 0, "-", .may_be_empty = true },
	{ "response_100ns", COLUMN_RESPONSE, FORM_RESPONSE, 100, "response time" },
	{ "response", COLUMN_RESPONSE, FORM_RESPONSE, 0,
		"response time" }, /* in the unit of the time column */
	{ "R|W", COLUMN_TYPE, FORM_LETTER, 0, "type" },
	{ "Read|Write", COLUMN_TYPE, FORM_WORD, 0, "type" },
	{ "rwbs", COLUMN_TYPE, FORM_RWBS, 0, "type" },
	{ "event", COLUMN_TYPE, FORM_EVENT, 0, "event" },
	{ "hex_offset", COLUMN_OFFSET, FORM_HEX_OFFSET, 1, "offset" },
	{ "hex_size", COLUMN_SIZE, FORM_HEX_SIZE, 1, "size" },
	{ "operation", COLUMN_TYPE, FORM_OPERATION, 0, "operation" },
	{ "disksim_flags", COLUMN_TYPE, FORM_FLAGS, 0, "flag" },
	{ "device_number", COLUMN_DEVICE, FORM_DEVICE_NUMBER, 0, "device" },
	{ "device_part", COLUMN_DEVICE, FORM_DEVICE_PART, 0,
		"device" }, /* a number that is part of the device's name */
	{ "device_pair", COLUMN_DEVICE, FORM_DEVICE_PAIR, 0, "device" }, /* major,minor */
	{ "number", COLUMN_IGNORED, FORM_NUMBER, 0, "number" },
	{ "words", COLUMN_IGNORED, FORM_WORDS, 0, "word" },
};

#define COLUMNS_KNOWN (sizeof columns_known / sizeof *columns_known)

/* Number of columns that users may name: those up to "-". */
static size_t columns_public(void)
{
	size_t i = 0;

	while (strcmp(columns_known[i++].name, "-") != 0)
		;
	return i;
}

/* NULL if the name is none of the first n. */
static const struct column *columns_find(const char *name, size_t bytes, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (scan_word_is(name, bytes, columns_known[i].name))
			return &columns_known[i];
	return NULL;
}

static struct column *columns_add(struct columns *c, const struct column *column)
{
	if (column->kind == COLUMN_TIME)
		c->time_unit_ns = column->unit;
	if (column->kind == COLUMN_OFFSET)
		c->offset_unit = column->unit;
	if (column->kind == COLUMN_SIZE)
		c->size_unit = column->unit;
	c->may_be_empty |= column->form == FORM_RWBS;
	c->column[c->count] = *column;
	return &c->column[c->count++];
}

static void columns_set_limits(struct columns *c)
{
	c->offset_limit = OFFSET_MAX / c->offset_unit;
	c->size_limit = BYTES_MAX / c->size_unit;
}

/* Adds the column "NAME[~][?][=LABEL]". */
static void columns_add_text(struct columns *c, char *text)
{
	size_t bytes = strcspn(text, "~?=");
	const struct column *known = columns_find(text, bytes, COLUMNS_KNOWN);
	struct column *column;

	BUG_ON(!known, "\"%s\" begins with no column", text);
	column = columns_add(c, known);
	for (text += bytes; *text && *text != '='; text++) {
		if (*text == '~')
			column->form = FORM_ROUNDED_OFFSET;
		column->may_be_empty |= *text == '?';
	}
	if (*text)
		column->label = text + 1;
}

void columns_of_format(struct columns *c, const struct columns_text *text)
{
	char *rest = NULL;

	*c = (struct columns){ .separators = text->separators, .more = text->more };
	c->heading = text->heading ? *text->heading : '\0';
	c->above = text->above ? *text->above : '\0';
	BUG_ON(strlen(text->names) >= sizeof c->labels, "the columns \"%s\" are too long", text->names);
	strcpy(c->labels, text->names);
	for (char *name = strtok_r(c->labels, ",", &rest); name; name = strtok_r(NULL, ",", &rest))
		columns_add_text(c, name);
	columns_set_limits(c);
}

static bool columns_refuse(const char *name, size_t bytes, struct fault *fault)
{
	char word[32], all[384] = "";
	struct suggestion near = { .word = word };

	snprintf(word, sizeof word, "%.*s", (int)bytes, name);
	for (size_t i = 0; i < columns_public(); i++) {
		suggestion_offer(&near, columns_known[i].name);
		strcat(strcat(all, i ? " " : ""), columns_known[i].name);
	}
	if (near.nearest)
		return fault_set(
			fault, "--columns: \"%s\" is none; did you mean \"%s\"?", word, near.nearest);
	return fault_set(fault, "--columns: \"%s\" is none; there are %s (ignored)", word, all);
}

/* Each of the first four kinds is required, and only ignored columns may occur twice. */
static bool columns_check(const struct columns *c, struct fault *fault)
{
	static const char *const kinds[] = { "time_us", "op", "offset_bytes", "size_bytes", "device",
		"response_us", "hint", "flags", "ctrl" };

	for (enum column_kind kind = COLUMN_TIME; kind < COLUMN_IGNORED; kind++) {
		unsigned there = 0;

		for (unsigned i = 0; i < c->count; i++)
			there += c->column[i].kind == kind;
		if (there > 1)
			return fault_set(
				fault, "--columns: %u columns say the same as %s", there, kinds[kind]);
		if (!there && kind <= COLUMN_SIZE)
			return fault_set(fault, "--columns: a column like %s is missing", kinds[kind]);
	}
	return true;
}

bool columns_parse(struct columns *c, const char *names, struct fault *fault)
{
	*c = (struct columns){ .separators = SEPARATED_BY_EITHER, .more = true, .named = true };
	for (const char *name = names;; name++) {
		size_t bytes = strcspn(name, ",");
		const struct column *known = columns_find(name, bytes, columns_public());
		struct column *column;

		if (!known)
			return columns_refuse(name, bytes, fault);
		if (c->count == COLUMNS_MAX)
			return fault_set(fault, "--columns: there are more than %d", COLUMNS_MAX);
		column = columns_add(c, known);
		if (column->form == FORM_OFFSET)
			column->form = FORM_ROUNDED_OFFSET;
		if (column->kind != COLUMN_TYPE)
			column->label = column->name;
		name += bytes;
		if (!*name)
			break;
	}
	if (!columns_check(c, fault))
		return false;
	columns_set_limits(c);
	return true;
}

void columns_separate(struct columns *c, const char *begin, const char *end)
{
	if (memchr(begin, ',', (size_t)(end - begin)))
		c->separators = SEPARATED_BY_COMMAS;
}
