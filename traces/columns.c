#include "traces/columns.h"

#include "base/suggest.h"

#include <stdio.h>
#include <string.h>

static const struct column known[] = {
	{ "time_ns", COLUMN_TIME, 1 },
	{ "time_100ns", COLUMN_TIME, 100 },
	{ "time_us", COLUMN_TIME, 1000 },
	{ "time_ms", COLUMN_TIME, 1000000 },
	{ "time_s", COLUMN_TIME, 1000000000 },
	{ "op", COLUMN_TYPE, 0 },
	{ "read", COLUMN_TYPE, 1 },
	{ "write", COLUMN_TYPE, 2 },
	{ "offset_bytes", COLUMN_OFFSET, 1 },
	{ "offset_sectors", COLUMN_OFFSET, 512 },
	{ "size_bytes", COLUMN_SIZE, 1 },
	{ "size_sectors", COLUMN_SIZE, 512 },
	{ "device", COLUMN_DEVICE },
	{ "response_ns", COLUMN_RESPONSE, 1 },
	{ "response_us", COLUMN_RESPONSE, 1000 },
	{ "response_ms", COLUMN_RESPONSE, 1000000 },
	{ "response_s", COLUMN_RESPONSE, 1000000000 },
	{ "-", COLUMN_IGNORED },
};

#define KNOWN (sizeof known / sizeof *known)

static const struct column *find(const char *name, size_t bytes)
{
	for (size_t i = 0; i < KNOWN; i++)
		if (strlen(known[i].name) == bytes && !memcmp(known[i].name, name, bytes))
			return &known[i];
	return NULL;
}

static bool refuse(const char *name, size_t bytes, struct fault *fault)
{
	char word[32], all[256] = "";
	struct suggestion near = { .word = word };

	snprintf(word, sizeof word, "%.*s", (int)bytes, name);
	for (size_t i = 0; i < KNOWN; i++) {
		suggestion_offer(&near, known[i].name);
		strcat(strcat(all, i ? " " : ""), known[i].name);
	}
	if (near.nearest)
		return fault_set(
			fault, "--columns: \"%s\" is none; did you mean \"%s\"?", word, near.nearest);
	return fault_set(fault, "--columns: \"%s\" is none; there are %s (ignored)", word, all);
}

/* Each of the first four kinds is needed, and none but the ignored may be there twice. */
static bool check(const struct columns *c, struct fault *fault)
{
	static const char *const kinds[] = { "time_us", "op", "offset_bytes", "size_bytes", "device",
		"response_us" };

	for (enum column_kind kind = COLUMN_TIME; kind < COLUMN_IGNORED; kind++) {
		unsigned there = 0;

		for (unsigned i = 0; i < c->count; i++)
			there += c->column[i]->kind == kind;
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
	*c = (struct columns){ .count = 0 };
	for (const char *name = names;; name++) {
		size_t bytes = strcspn(name, ",");
		const struct column *found = find(name, bytes);

		if (!found)
			return refuse(name, bytes, fault);
		if (c->count == COLUMNS_MAX)
			return fault_set(fault, "--columns: there are more than %d", COLUMNS_MAX);
		c->column[c->count++] = found;
		if (found->kind == COLUMN_TIME)
			c->time_unit_ns = found->unit;
		name += bytes;
		if (!*name)
			return check(c, fault);
	}
}
