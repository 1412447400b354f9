/*
 * The columns of a trace that is in nobody's format, as its owner names them: "time_us,op,offset_bytes,size_bytes".
 */
#ifndef TRACES_COLUMNS_H
#define TRACES_COLUMNS_H

#include "base/fault.h"

#include <stdbool.h>
#include <stdint.h>

#define COLUMNS_MAX 32

enum column_kind {
	COLUMN_TIME,
	COLUMN_TYPE,
	COLUMN_OFFSET,
	COLUMN_SIZE,
	COLUMN_DEVICE,
	COLUMN_RESPONSE,
	COLUMN_IGNORED
};

struct column {
	const char *name;
	enum column_kind kind;
	uint32_t unit; /* ns or bytes; of a type 0: a word, 1: the number 0 is a write, 2: the number 1 is */
};

struct columns {
	const struct column *column[COLUMNS_MAX];
	unsigned count;
	uint32_t time_unit_ns;
};

/* False and a fault that names the columns there are, if one is none of them or one is missing or doubled. */
bool columns_parse(struct columns *, const char *names, struct fault *);

#endif
