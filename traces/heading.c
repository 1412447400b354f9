#include "traces/heading.h"

#include <ctype.h>
#include <stdio.h>

#define NAME_BYTES 48

/* How surely a name identifies its column. */
enum heading_sureness { SURE, UNSURE, AS_OFFSET /* sure if offsets are in bytes */ };

/* Names without their unit, in lower-case letters and digits only.  A unit at the end of a name ("time_us",
 * "Size (bytes)") replaces the one here. */
static const struct heading_name {
	const char *names; /* with blanks between them */
	enum column_kind kind;
	const char *column;
	enum heading_sureness sureness;
} heading_names[] = {
	{ "time timestamp ts t arrival arrivaltime issuetime starttime requesttime clock elapsed",
		COLUMN_TIME, "time_us", UNSURE },
	{ "filetime", COLUMN_TIME, "time_100ns", SURE },
	{ "op type rw iotype optype operation opcode opname command cmd action direction dir reqtype "
	  "requesttype rwbs kind readwrite",
		COLUMN_TYPE, "op", SURE },
	{ "write iswrite", COLUMN_TYPE, "write", SURE },
	{ "read isread", COLUMN_TYPE, "read", SURE },
	{ "offset off byteoffset diskoffset fileoffset startoffset pos position", COLUMN_OFFSET,
		"offset_bytes", SURE },
	{ "lba lbn slba startlba startinglba sector sectornumber startsector startingsector firstsector",
		COLUMN_OFFSET, "offset_sectors", SURE },
	{ "addr address start begin", COLUMN_OFFSET, "offset_bytes", UNSURE },
	{ "block blkno blocknumber startblock", COLUMN_OFFSET, "offset_sectors", UNSURE },
	{ "bytes nbytes numbytes bytecount", COLUMN_SIZE, "size_bytes", SURE },
	{ "sectors nsectors numsectors sectorcount nrsector nrsectors", COLUMN_SIZE, "size_sectors", SURE },
	{ "size length len iosize requestsize reqsize transfersize iolength", COLUMN_SIZE, "size_bytes",
		AS_OFFSET },
	{ "count blocks nblocks numblocks blockcount nlb", COLUMN_SIZE, "size_sectors", UNSURE },
	{ "device dev deviceid disk diskid disknumber disknum volume volumeid vol drive lun asu namespace "
	  "nsid",
		COLUMN_DEVICE, "device", SURE },
	{ "hint writehint placementid placementhandle", COLUMN_HINT, "hint", SURE },
	{ "response responsetime latency lat duration resp servicetime elapsedtime", COLUMN_RESPONSE,
		"response_us", UNSURE },
};

static const struct heading_unit {
	const char *names, *column; /* the part behind the "_" in a column's name */
	bool of_time;
} heading_units[] = {
	{ "ns nsec nanoseconds", "ns", true },
	{ "100ns", "100ns", true },
	{ "us usec microseconds", "us", true },
	{ "ms msec milliseconds", "ms", true },
	{ "s sec secs seconds", "s", true },
	{ "b byte bytes", "bytes", false },
	{ "sector sectors", "sectors", false },
};

/* One name of the heading, interpreted. */
struct heading_column {
	const struct heading_name *name; /* NULL: unknown */
	const struct heading_unit *unit; /* NULL: none in the name */
	const char *text;
	int bytes;
	enum heading_sureness sureness;
};

/* ---- names ---- */

const char *heading_name(const char **at, const char *end, bool commas)
{
	const char *name_end, *p = *at;

	while (p < end && (commas ? *p != ',' : !scan_is_blank(*p)))
		p++;
	name_end = p;
	while (p < end && (commas ? p == name_end : scan_is_blank(*p)))
		p++;
	while (p < end && scan_is_blank(*p))
		p++;
	*at = p;
	return name_end;
}

/* Lower-case letters and digits; *unit is the start of the last part ("us" of "timeUs" and "time (us)"). */
static void heading_simplify(const char *text, int bytes, char simple[NAME_BYTES], size_t *unit)
{
	size_t n = 0;
	bool border = false;

	*unit = 0;
	for (int i = 0; i < bytes && n < NAME_BYTES - 1; i++) {
		unsigned char c = (unsigned char)text[i];

		border |= !isalnum(c) || (i && isupper(c) && islower((unsigned char)text[i - 1]));
		if (!isalnum(c))
			continue;
		if (border)
			*unit = n;
		border = false;
		simple[n++] = (char)tolower(c);
	}
	simple[n] = '\0';
}

static bool heading_lists(const char *names, const char *word, size_t bytes)
{
	for (size_t length; *names; names += length + (names[length] == ' ')) {
		length = strcspn(names, " ");
		if (length == bytes && !memcmp(names, word, bytes))
			return true;
	}
	return false;
}

static const struct heading_name *heading_find_name(const char *word, size_t bytes)
{
	for (size_t i = 0; i < sizeof heading_names / sizeof *heading_names; i++)
		if (heading_lists(heading_names[i].names, word, bytes))
			return &heading_names[i];
	return NULL;
}

static const struct heading_unit *heading_find_unit(const char *word, enum column_kind kind)
{
	bool time = kind == COLUMN_TIME || kind == COLUMN_RESPONSE;

	if (kind == COLUMN_TYPE || kind == COLUMN_DEVICE || kind == COLUMN_HINT)
		return NULL;
	for (size_t i = 0; i < sizeof heading_units / sizeof *heading_units; i++)
		if (heading_units[i].of_time == time &&
			heading_lists(heading_units[i].names, word, strlen(word)))
			return &heading_units[i];
	return NULL;
}

static struct heading_column heading_understand(const char *text, const char *end)
{
	struct heading_column c = { .text = text, .bytes = (int)(end - text) };
	char simple[NAME_BYTES];
	size_t unit;

	heading_simplify(text, c.bytes, simple, &unit);
	c.name = heading_find_name(simple, strlen(simple));
	if (!c.name && unit) {
		c.name = heading_find_name(simple, unit);
		c.unit = c.name ? heading_find_unit(simple + unit, c.name->kind) : NULL;
		c.name = c.unit ? c.name : NULL;
	}
	if (c.name)
		c.sureness = c.unit ? SURE : c.name->sureness;
	return c;
}

/* ---- the choice ---- */

struct heading_choice {
	struct heading_column column[COLUMNS_MAX];
	unsigned count, known;
	const struct heading_column *of[COLUMN_IGNORED]; /* NULL: none */
};

/* For each kind, chooses the first column that is sure, or else the first one. */
static void heading_choose(struct heading_choice *choice)
{
	const struct heading_column **of = choice->of;

	for (unsigned i = 0; i < choice->count; i++) {
		struct heading_column *c = &choice->column[i];

		if (!c->name || (c->name->kind == COLUMN_RESPONSE && c->sureness != SURE))
			continue;
		if (!of[c->name->kind] || (of[c->name->kind]->sureness == UNSURE && c->sureness != UNSURE))
			of[c->name->kind] = c;
	}
	if (of[COLUMN_SIZE] && of[COLUMN_SIZE]->sureness == AS_OFFSET) {
		bool bytes =
			of[COLUMN_OFFSET] && of[COLUMN_OFFSET]->sureness == SURE &&
			(of[COLUMN_OFFSET]->unit ? *of[COLUMN_OFFSET]->unit->column == 'b'
						 : !strcmp(of[COLUMN_OFFSET]->name->column, "offset_bytes"));

		choice->column[of[COLUMN_SIZE] - choice->column].sureness = bytes ? SURE : UNSURE;
	}
}

/* False if a name begins as a number does, or there are too many: the line is no heading. */
static bool heading_split(struct heading_choice *choice, const char *at, const char *end)
{
	bool commas = memchr(at, ',', (size_t)(end - at)) != NULL;

	while (at < end) {
		const char *name = at, *stop;

		if (choice->count == COLUMNS_MAX || scan_is_digit(*at) || *at == '-')
			return false;
		stop = heading_name(&at, end, commas);
		choice->column[choice->count] = heading_understand(name, stop);
		choice->known += choice->column[choice->count++].name != NULL;
	}
	return true;
}

/* Writes the columns as --columns takes them; `type` stands for the type, if it is not NULL. */
static void heading_print(const struct heading_choice *choice, const char *type, char text[COLUMNS_BYTES])
{
	size_t n = 0;

	for (unsigned i = 0; i < choice->count && n < COLUMNS_BYTES; i++) {
		const struct heading_column *c = &choice->column[i];
		const char *column = "-", *unit = "";

		if (c->name && choice->of[c->name->kind] == c) {
			column = c->name->kind == COLUMN_TYPE && type ? type : c->name->column;
			unit = c->unit ? c->unit->column : "";
		}
		n += (size_t)snprintf(text + n, COLUMNS_BYTES - n, "%s%.*s%s", i ? "," : "",
			(int)(*unit ? strcspn(column, "_") + 1 : strlen(column)), column, unit);
	}
}

/* True if columns with these names parse the line. */
static bool heading_fits(const char *names, const char *begin, const char *end)
{
	struct scan s = { .line = 2, .names = names_create(), .at = begin, .end = end };
	struct record r = { .response = RESPONSE_UNKNOWN };
	struct columns columns;
	struct fault fault;
	bool fits = columns_parse(&columns, names, &fault);

	s.columns = &columns;
	s.unit_ns = columns.time_unit_ns;
	columns_separate(&columns, begin, end);
	fits = fits && columns_read(&s, &r) != PARSED_BAD;
	names_free(s.names);
	return fits;
}

static bool heading_misses(const struct heading_choice *choice, char *question)
{
	static const char *const names[] = { "time", "type", "offset", "size" };
	size_t n = 0;

	for (enum column_kind kind = COLUMN_TIME; kind <= COLUMN_SIZE; kind++)
		if (!choice->of[kind])
			n += (size_t)snprintf(question + n, PROBLEM_BYTES - n, "%s %s",
				n ? " and no" : "its heading names no", names[kind]);
	return n;
}

static bool heading_is_vague(const struct heading_choice *choice, char *question)
{
	size_t n = 0;

	for (enum column_kind kind = COLUMN_TIME; kind <= COLUMN_SIZE; kind++)
		if (choice->of[kind]->sureness != SURE)
			n += (size_t)snprintf(question + n, PROBLEM_BYTES - n, "%s \"%.*s\"",
				n ? " and" : "its heading gives no unit of",
				choice->of[kind]->bytes < 20 ? choice->of[kind]->bytes : 20,
				choice->of[kind]->text);
	return n;
}

/* True if the heading has only the names that --columns takes, as in traces converted to csv, and one of them
 * is hint, flags or ctrl, which other tables lack or use otherwise. */
static bool heading_is_own(char *columns, const char *begin, const char *end)
{
	bool commas = memchr(begin, ',', (size_t)(end - begin)), own = false;
	struct columns parsed;
	struct fault fault;
	size_t n = 0;

	for (const char *at = begin; at < end && n < COLUMNS_BYTES;) {
		const char *name = at, *name_end = heading_name(&at, end, commas);
		size_t bytes = (size_t)(name_end - name);

		own |= scan_word_is(name, bytes, "hint") || scan_word_is(name, bytes, "flags") ||
		       scan_word_is(name, bytes, "ctrl");
		n += (size_t)snprintf(
			columns + n, COLUMNS_BYTES - n, "%s%.*s", n ? "," : "", (int)bytes, name);
	}
	return own && n < COLUMNS_BYTES && columns_parse(&parsed, columns, &fault);
}

enum heading_kind heading_read(
	struct heading *h, const char *begin, const char *end, const char *next, const char *next_end)
{
	struct heading_choice choice = { .count = 0 };
	char other[COLUMNS_BYTES];

	if (heading_is_own(h->columns, begin, end))
		return HEADING_SURE;
	if (!heading_split(&choice, begin, end) || choice.known < 3)
		return HEADING_NONE;
	heading_choose(&choice);
	heading_print(&choice, NULL, h->columns);
	if (heading_misses(&choice, h->question))
		return HEADING_UNSURE;
	if (!strcmp(choice.of[COLUMN_TYPE]->name->column, "op") && next < next_end &&
		!heading_fits(h->columns, next, next_end)) {
		heading_print(&choice, "write", other);
		if (heading_fits(other, next, next_end)) {
			strcpy(h->columns, other);
			snprintf(h->question, PROBLEM_BYTES,
				"its heading does not say whether \"%.*s\" is 1 for a write or for a read",
				choice.of[COLUMN_TYPE]->bytes < 20 ? choice.of[COLUMN_TYPE]->bytes : 20,
				choice.of[COLUMN_TYPE]->text);
			return HEADING_UNSURE;
		}
	}
	return heading_is_vague(&choice, h->question) ? HEADING_UNSURE : HEADING_SURE;
}
