/*
 * Lines of columns.  A text names the columns: that of a format's row (formats.c), or one that a user gives
 * with --columns for a trace in no known format, "time_us,op,offset_bytes,size_bytes".
 *
 * In a format's text a column's name may be followed by these marks, in this order:
 *
 *	offset_bytes~           a spreadsheet may have shortened the number ("1.82083E+11")
 *	response?               may be empty; a request without a type is none
 *	device_number=volume    its name in messages
 */
#ifndef TRACES_COLUMNS_H
#define TRACES_COLUMNS_H

#include "base/fault.h"
#include "traces/scan.h"

#define COLUMNS_MAX   32
#define COLUMNS_BYTES 256 /* of a format's text */

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
	uint32_t unit;     /* ns or bytes; of a flag: the number of a write */
	const char *label; /* in messages */
	bool may_be_empty;
};

enum separators {
	SEPARATED_BY_BLANKS,
	SEPARATED_BY_COMMAS, /* with blanks around them */
	SEPARATED_BY_EITHER, /* and more columns may follow, and the first line may be one of words */
};

/* The columns of a format. */
struct columns_text {
	const char *names;
	enum separators separators;
	bool more;           /* columns may follow */
	const char *heading; /* first line, recognised by its first letter; a file may lack it */
};

/* The same, parsed. */
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

/* The columns of a format, whose text must be correct. */
void columns_of_format(struct columns *, const struct columns_text *);

/* The columns that a user gives.  False and a fault that lists the known columns, if one is unknown, missing
 * or given twice. */
bool columns_parse(struct columns *, const char *names, struct fault *);

/* Reads a line of s->columns (traces/format.h). */
enum parsed columns_read(struct scan *, struct record *);

#endif
