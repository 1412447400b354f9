/* JSON lines: an object for each request, {"ts_us": 5, "op": "read", "lba": 8, "sectors": 8}.  Keys are names
 * of columns, found as those of a heading are (heading.h), in any order; inner objects and arrays are
 * skipped. */
#include "traces/format.h"
#include "traces/heading.h"

#define VALUE_BYTES 128

/* A piece of the line. */
struct json_text {
	const char *begin, *end;
};

static void json_blanks(struct scan *s)
{
	while (s->at < s->end && scan_is_blank(*s->at))
		s->at++;
}

static bool json_takes(struct scan *s, char wanted)
{
	json_blanks(s);
	if (s->at == s->end || *s->at != wanted)
		return false;
	s->at++;
	return true;
}

/* Reads a text from behind its opening quote, and moves behind the closing one. */
static bool json_string(struct scan *s, struct json_text *text)
{
	for (text->begin = s->at; s->at < s->end && *s->at != '"'; s->at++)
		s->at += *s->at == '\\' && s->at + 1 < s->end;
	text->end = s->at;
	if (s->at == s->end)
		return scan_problem(s, "a text has no closing quote");
	s->at++;
	return true;
}

/* Skips an object or array. */
static bool json_inner(struct scan *s)
{
	struct json_text text;
	unsigned depth = 0;

	while (s->at < s->end) {
		char c = *s->at++;

		if (c == '"' && !json_string(s, &text))
			return false;
		depth += c == '{' || c == '[';
		depth -= c == '}' || c == ']';
		if (!depth)
			return true;
	}
	return scan_problem(s, "an inner object or array has no end");
}

/* A value; an inner object or array is skipped, with an empty text. */
static bool json_value(struct scan *s, struct json_text *text)
{
	json_blanks(s);
	*text = (struct json_text){ s->at, s->at };
	if (s->at < s->end && (*s->at == '{' || *s->at == '['))
		return json_inner(s);
	if (json_takes(s, '"'))
		return json_string(s, text);
	for (text->begin = s->at; s->at < s->end && !scan_is_blank(*s->at) && *s->at != ',' && *s->at != '}';)
		s->at++;
	text->end = s->at;
	return s->at > text->begin || scan_problem(s, "a value is missing");
}

static bool json_member(struct scan *s, struct json_text *key, struct json_text *value)
{
	if (!json_takes(s, '"'))
		return scan_problem(s, "a key in quotes is missing");
	if (!json_string(s, key))
		return false;
	if (!json_takes(s, ':'))
		return scan_problem(s, "\":\" is missing behind the key \"%.*s\"",
			key->end - key->begin < 24 ? (int)(key->end - key->begin) : 24, key->begin);
	return json_value(s, value);
}

/* True if a further member follows. */
static bool json_continues(struct scan *s, bool *bad)
{
	char quote[32];

	if (json_takes(s, ','))
		return true;
	*bad = !json_takes(s, '}') && !scan_problem(s, "\",\" or \"}\" is missing behind a value");
	json_blanks(s);
	if (!*bad && s->at < s->end)
		*bad = !scan_problem(s, "\"%s\" follows the object", scan_quote(s, quote));
	return false;
}

/* ---- requests ---- */

/* The column of a key, searched first at its place in the first line; NULL: none. */
static const struct column *json_column(const struct columns *c, unsigned i, const struct json_text *key)
{
	size_t bytes = (size_t)(key->end - key->begin);

	for (unsigned tried = 0; tried < c->count; tried++, i++) {
		const struct columns_key *known = &c->key[i < c->count ? i : (i -= c->count)];

		if (known->bytes == bytes && !memcmp(known->text, key->begin, bytes))
			return &c->column[i];
	}
	return NULL;
}

/* Parses a value on its own, as if it were a field. */
static bool json_field(
	struct scan *s, const struct column *column, const struct json_text *value, struct record *r)
{
	char text[VALUE_BYTES];
	size_t bytes = (size_t)(value->end - value->begin);
	struct scan field = { .unit_ns = s->unit_ns, .names = s->names, .at = text, .end = text + bytes };
	bool read;

	if (column->kind == COLUMN_DEVICE)
		return r->device = names_number(s->names, value->begin, bytes), true;
	if (bytes >= sizeof text)
		return scan_problem(s, "%s is too long", column->label);
	memcpy(text, value->begin, bytes);
	text[bytes] = '\n';
	read = columns_read_field(&field, column, r) && scan_end(&field);
	s->rounded += field.rounded;
	return read || scan_problem(s, "%s", field.problem);
}

static enum parsed json_finish(struct scan *s, unsigned seen, struct record *r)
{
	static const char *const names[] = { "time", "type", "offset", "size" };

	for (enum column_kind kind = COLUMN_TIME; kind <= COLUMN_SIZE; kind++)
		if (!(seen & 1u << kind)) {
			scan_describe(s, "%s is missing", names[kind]);
			return PARSED_BAD;
		}
	return columns_check_place(s, s->columns, r) ? PARSED_RECORD : PARSED_BAD;
}

enum parsed json_parse(struct scan *s, struct record *r)
{
	struct json_text key, value;
	unsigned seen = 0, i = 0;
	bool bad = false;

	if (!s->columns) {
		scan_describe(s, "its keys have no meaning");
		return PARSED_BAD;
	}
	r->device = 0;
	r->type = REQUEST_READ;
	if (!json_takes(s, '{')) {
		scan_describe(s, "\"{\" is missing");
		return PARSED_BAD;
	}
	do {
		const struct column *column;

		if (!json_member(s, &key, &value))
			return PARSED_BAD;
		column = json_column(s->columns, i++, &key);
		if (!column || column->kind == COLUMN_IGNORED)
			continue;
		if (!json_field(s, column, &value, r))
			return r->type == REQUEST_TYPES ? PARSED_OTHER : PARSED_BAD;
		seen |= 1u << column->kind;
	} while (json_continues(s, &bad));
	return bad ? PARSED_BAD : json_finish(s, seen, r);
}

/* ---- the first line ---- */

/* Appends the text, its commas replaced by blanks.  False if there is no room. */
static bool json_append(char *line, size_t *n, const struct json_text *text)
{
	size_t bytes = (size_t)(text->end - text->begin);

	if (*n + bytes + 2 > JSON_LINE_BYTES)
		return false;
	if (*n)
		line[(*n)++] = ',';
	for (const char *p = text->begin; p < text->end; p++)
		line[(*n)++] = *p == ',' ? ' ' : *p;
	line[*n] = '\0';
	return true;
}

bool json_flatten(const char *begin, const char *end, struct json_lines *lines)
{
	struct scan s = { .at = begin, .end = end };
	struct json_text key, value;
	size_t names = 0, values = 0;
	bool bad = false;

	if (!json_takes(&s, '{'))
		return false;
	do {
		if (!json_member(&s, &key, &value) || key.end == key.begin ||
			!json_append(lines->names, &names, &key) ||
			!json_append(lines->values, &values, &value))
			return false;
	} while (json_continues(&s, &bad));
	return !bad;
}

void json_name_keys(struct columns *c, const struct json_lines *lines)
{
	const char *at, *end;

	strcpy(c->keys, lines->names);
	at = c->keys;
	end = at + strlen(at);
	for (unsigned i = 0; i < c->count && at < end; i++) {
		const char *name = at;

		c->key[i] = (struct columns_key){ name, (size_t)(heading_name(&at, end, true) - name) };
	}
}
