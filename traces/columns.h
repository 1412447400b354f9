/*
 * Lines of columns.  A text names the columns: that of a format's row (formats.c), or one that a user gives
 * with --columns for a trace in no known format, "time_us,op,offset_bytes,size_bytes".
 *
 * A format's text may say more of a column than its name, in this order:
 *
 *	offset_bytes~           a spreadsheet may have shortened the number ("1.82083E+11")
 *	response?               may be empty; a request without a type is none
 *	device_number=volume    what messages call it
 */
#ifndef TRACES_COLUMNS_H
#define TRACES_COLUMNS_H

#include "base/fault.h"
#include "traces/scan.h"

#define COLUMNS_MAX   32
#define COLUMNS_BYTES 256 /* longest text of a format */

enum column_kind {
	COLUMN_TIME,
	COLUMN_TYPE,
	COLUMN_OFFSET,
	COLUMN_SIZE,
	COLUMN_DEVICE,
	COLUMN_RESPONSE,
	COLUMN_IGNORED
};

/* How the text of a column is read. */
enum column_form {
	FORM_TIME,
	FORM_RESPONSE,
	FORM_LETTER,
	FORM_WORD,
	FORM_OP,
	FORM_FLAG,
	FORM_FLAGS,
	FORM_OFFSET,
	FORM_ROUNDED_OFFSET,
	FORM_SIZE,
	FORM_DEVICE_NUMBER,
	FORM_DEVICE,
	FORM_DEVICE_PART,
	FORM_NUMBER,
	FORM_ANY,
	FORM_WORDS,
};

struct column {
	const char *name;
	enum column_kind kind;
	enum column_form form;
	uint32_t unit;     /* ns or bytes; of a flag: the value that means a write */
	const char *label; /* in messages */
	bool may_be_empty;
};

enum separators {
	SEPARATED_BY_BLANKS,
	SEPARATED_BY_COMMAS, /* blanks around a comma are skipped */
	SEPARATED_BY_EITHER, /* more columns may follow; the first line may be a heading of words */
};

/* The columns of a format. */
struct columns_text {
	const char *names;
	enum separators separators;
	bool more;           /* further columns may follow */
	const char *heading; /* first line, recognised by its first letter; optional */
};

/* The columns of a format or of --columns, parsed. */
struct columns {
	struct column column[COLUMNS_MAX];
	unsigned count;
	enum separators separators;
	bool more;
	char heading; /* 0: none */
	uint32_t time_unit_ns, offset_unit, size_unit;
	uint64_t offset_limit, size_limit;
	char labels[COLUMNS_BYTES];
};

/* Parses the columns of a format.  An invalid text fails an assertion. */
void columns_of_format(struct columns *, const struct columns_text *);

/* Parses the columns that a user names.  False and a fault if a name is unknown, a required column is
 * missing, or two columns mean the same. */
bool columns_parse(struct columns *, const char *names, struct fault *);

/* Parses a line whose columns are s->columns; see format_parse (traces/format.h). */
enum parsed columns_read(struct scan *, struct record *);

#endif
