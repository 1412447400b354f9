/*
 * Lines of columns.  A text names the columns, "time_us,op,offset_bytes,size_bytes": that of a format's row
 * (formats.c), or, for a trace in no known format, the one that a user gives with --columns.
 *
 * In a format's text, a column's name may be followed by these, in this order:
 *
 *	offset_bytes~           a spreadsheet may have shortened the number ("1.82083E+11")
 *	response?               may be empty; a line without a type is no request
 *	device_number=volume    its name in messages
 */
#ifndef TRACES_COLUMNS_H
#define TRACES_COLUMNS_H

#include "base/fault.h"
#include "traces/scan.h"

#define COLUMNS_MAX     32
#define COLUMNS_BYTES   256 /* longest text of a format */
#define JSON_LINE_BYTES 512 /* of the keys or values of an object */

enum column_kind {
	COLUMN_TIME,
	COLUMN_TYPE,
	COLUMN_OFFSET,
	COLUMN_SIZE,
	COLUMN_DEVICE,
	COLUMN_RESPONSE,
	COLUMN_HINT,
	COLUMN_FLAGS,
	COLUMN_CONTROL,
	COLUMN_IGNORED
};

/* How the text of a column is read. */
enum column_form {
	FORM_TIME,
	FORM_RESPONSE,
	FORM_LETTER,
	FORM_WORD,
	FORM_OP,
	FORM_RWBS,  /* letters of Linux: "WS", "RA", "D" */
	FORM_NVME,  /* number of an NVMe command */
	FORM_SCSI,  /* hexadecimal number of a SCSI command */
	FORM_EVENT, /* "DiskRead" or "DiskWrite" of Windows */
	FORM_FLAG,
	FORM_OPERATION, /* of SSDsim */
	FORM_FLAGS,
	FORM_OFFSET,
	FORM_ROUNDED_OFFSET,
	FORM_HEX_OFFSET,
	FORM_SIZE,
	FORM_HEX_SIZE,
	FORM_DEVICE_NUMBER,
	FORM_DEVICE,
	FORM_DEVICE_PART,
	FORM_DEVICE_PAIR,
	FORM_HINT,
	FORM_FLAG_WORDS, /* FLUSH, FUA */
	FORM_CONTROL,    /* of an NVMe command */
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
	SEPARATED_BY_EITHER, /* more columns may follow */
};

/* The columns of a format. */
struct columns_text {
	const char *names;
	enum separators separators;
	bool more; /* further columns may follow */
	/* Beginnings of the heading and of a line above it, recognised by their first letters; optional. */
	const char *heading, *above;
};

/* The key of a column in JSON lines. */
struct columns_key {
	const char *text;
	size_t bytes;
};

/* The columns of a format or of --columns, parsed. */
struct columns {
	struct column column[COLUMNS_MAX];
	unsigned count;
	enum separators separators;
	bool more;
	bool named;        /* by a user or by the first line, which may be a heading of words */
	bool may_be_empty; /* the size may be 0, and the line is no request then */
	char heading;      /* first letter of the heading; 0: the format has none */
	char above;        /* first letter of a line that may stand above the heading; 0: none may */
	uint32_t time_unit_ns, offset_unit, size_unit;
	uint64_t offset_limit, size_limit;
	char labels[COLUMNS_BYTES];
	struct columns_key key[COLUMNS_MAX]; /* of JSON lines */
	char keys[JSON_LINE_BYTES];
};

/* Parses the columns of a format.  An invalid text fails an assertion. */
void columns_of_format(struct columns *, const struct columns_text *);

/* Parses the columns that a user or a heading names.  False and a fault if a name is unknown, a required
 * column is missing, or two columns mean the same. */
bool columns_parse(struct columns *, const char *names, struct fault *);

/* Lets commas separate named columns if this line contains any. */
void columns_separate(struct columns *, const char *begin, const char *end);

/* Parses a line whose columns are s->columns; see format_parse (traces/format.h). */
enum parsed columns_read(struct scan *, struct record *);

/* Parses one field, which the scan covers.  False: a problem is described, or if r->type is REQUEST_TYPES the
 * line is no request.  A device's name is in s->name. */
bool columns_read_field(struct scan *, const struct column *, struct record *);

/* Converts the parsed offset and size to bytes and checks them. */
bool columns_check_place(struct scan *, const struct columns *, struct record *);

#endif
