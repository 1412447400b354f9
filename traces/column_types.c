#include "traces/column_types.h"

#include "traces/format.h"

#include <strings.h>

bool column_op(struct scan *s, struct record *r)
{
	static const struct {
		const char *word;
		enum request_type type;
	} words[] = { { "R", REQUEST_READ }, { "W", REQUEST_WRITE }, { "Read", REQUEST_READ },
		{ "Write", REQUEST_WRITE }, { "T", REQUEST_TRIM }, { "Trim", REQUEST_TRIM },
		{ "D", REQUEST_TRIM }, { "Discard", REQUEST_TRIM }, { "Unmap", REQUEST_TRIM },
		{ "F", REQUEST_FLUSH }, { "Flush", REQUEST_FLUSH }, { "N", REQUEST_TYPES },
		{ "None", REQUEST_TYPES }, { "Sync", REQUEST_TYPES }, { "U", REQUEST_UPDATE },
		{ "Update", REQUEST_UPDATE } };

	for (size_t i = 0; i < sizeof words / sizeof *words; i++)
		if (scan_takes(s, words[i].word)) {
			r->type = words[i].type;
			return r->type != REQUEST_TYPES;
		}
	if (scan_takes(s, "A") || scan_takes(s, "Append")) {
		r->type = REQUEST_WRITE;
		r->flags |= REQUEST_APPEND;
		return true;
	}
	return scan_describe_type(s, "R, Read, W, Write, T, Trim, D", "Discard"), false;
}

/* Letters of Linux's block layer. */
bool column_rwbs(struct scan *s, const struct column *c, struct record *r)
{
	static const char others[] = { 'F', 'N', 'S', 'M', 'A', 'E', '?' };
	const char *letters;
	size_t bytes;
	char quote[32];

	if (!scan_word(s, c->label, &letters, &bytes))
		return false;
	if (scan_rwbs(letters, bytes, &r->type))
		return true;
	r->type = REQUEST_TYPES;
	for (size_t i = 0; i < bytes; i++)
		if (!memchr(others, letters[i], sizeof others)) {
			r->type = REQUEST_READ;
			s->at = letters;
			return scan_problem(
				s, "%s \"%s\" should have an R, W or D", c->label, scan_quote(s, quote));
		}
	return false;
}

bool column_nvme(struct scan *s, const struct column *c, struct record *r)
{
	uint64_t opcode;

	if (!scan_hex_or_number(s, c->label, &opcode))
		return false;
	r->type = opcode == 1          ? REQUEST_WRITE
		  : opcode == 2        ? REQUEST_READ
		  : opcode == 9        ? REQUEST_TRIM
		  : !opcode && c->unit ? REQUEST_FLUSH
				       : REQUEST_TYPES;
	return r->type != REQUEST_TYPES;
}

bool column_scsi(struct scan *s, const struct column *c, struct record *r)
{
	uint64_t opcode;

	if (!scan_hex(s, c->label, &opcode))
		return false;
	if (opcode > 0xff)
		return scan_problem(s, "%s %" PRIx64 " is too large, should be at most ff", c->label, opcode);
	r->type = scsi_type((unsigned)opcode);
	return r->type != REQUEST_TYPES;
}

/* Other events have other columns.  A line that names an event's columns, "DiskRead, TimeStamp, ...", is no
 * request. */
bool column_event(struct scan *s, const struct column *c, struct record *r)
{
	const char *word, *at;
	size_t bytes;

	if (scan_is_digit(*s->at) || *s->at == '-')
		return scan_problem(s, "%s should be a word like DiskRead", c->label);
	if (!scan_word(s, c->label, &word, &bytes))
		return false;
	r->type = scan_word_is(word, bytes, "DiskRead")    ? REQUEST_READ
		  : scan_word_is(word, bytes, "DiskWrite") ? REQUEST_WRITE
							   : REQUEST_TYPES;
	for (at = s->at; at < s->end && (scan_is_blank(*at) || *at == ','); at++)
		;
	if (!strncmp(at, "TimeStamp", 9))
		r->type = REQUEST_TYPES;
	return r->type != REQUEST_TYPES;
}

/* "FUA", "flush+fua" */
bool column_flag_words(struct scan *s, const struct column *c, struct record *r)
{
	static const struct {
		const char *word;
		uint8_t flag;
	} words[] = { { "FLUSH", RECORD_FLUSH_FIRST }, { "FUA", REQUEST_FUA } };
	const char *word, *end;
	size_t bytes, i;
	char quote[32];

	if (!scan_word(s, c->label, &word, &bytes))
		return false;
	for (end = word + bytes; word < end; word += bytes + 1) {
		const char *plus = memchr(word, '+', (size_t)(end - word));

		bytes = (size_t)((plus ? plus : end) - word);
		for (i = 0; i < 2 &&
			    !(bytes == strlen(words[i].word) && !strncasecmp(word, words[i].word, bytes));
			i++)
			;
		if (i == 2) {
			s->at = word;
			return scan_problem(s, "%s \"%s\" should be FLUSH, FUA or FLUSH+FUA", c->label,
				scan_quote(s, quote));
		}
		r->flags |= words[i].flag;
	}
	return true;
}

/* Bit 14 of the control word of a write: FUA. */
bool column_control(struct scan *s, const struct column *c, struct record *r)
{
	uint64_t control;

	if (!scan_hex_or_number(s, c->label, &control))
		return false;
	r->flags |= control >> 14 & 1 ? REQUEST_FUA : 0;
	return true;
}

bool column_hint(struct scan *s, const struct column *c, struct record *r)
{
	uint64_t hint;

	if (!scan_number(s, c->label, &hint))
		return false;
	if (hint > UINT8_MAX)
		return scan_problem(
			s, "%s %" PRIu64 " is too large, should be at most %d", c->label, hint, UINT8_MAX);
	r->hint = (uint8_t)hint;
	return true;
}
