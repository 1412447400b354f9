/*
 * One trace line before it becomes a request of the drive.  In bytes: some traces are not recorded in whole
 * sectors, and their statistics must not be rounded.
 */
#ifndef TRACES_RECORD_H
#define TRACES_RECORD_H

#include "types.h"

#define RESPONSE_UNKNOWN UINT64_MAX

/* The line holds a FLUSH before its request; the reader makes two records of it. */
#define RECORD_FLUSH_FIRST 0x80u

struct record {
	tick_t time;       /* ns, in the trace's own epoch */
	uint64_t offset;   /* bytes from the start of the device */
	uint64_t bytes;    /* > 0, except for commands without sectors */
	uint64_t response; /* ns the traced system took, or RESPONSE_UNKNOWN */
	uint64_t line;     /* line (or binary record) of the file, from 1 */
	uint32_t device;   /* number in the file, or order of appearance of its name */
	enum request_type type;
	uint8_t hint;
	uint8_t flags; /* as in struct request, and RECORD_FLUSH_FIRST */
};

/* The whole sectors that cover the record's bytes. */
static inline struct request record_request(const struct record *r)
{
	sector_t start = r->offset / SECTOR_BYTES;
	sector_t end = (r->offset + r->bytes + SECTOR_BYTES - 1) / SECTOR_BYTES;

	return (struct request){
		.arrival = r->time,
		.start = start,
		.line = r->line,
		.sectors = (uint32_t)(end - start),
		.device = r->device,
		.type = r->type,
		.hint = r->hint,
		.flags = r->flags,
	};
}

#endif
