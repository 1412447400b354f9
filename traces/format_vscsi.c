/* CloudPhysics vscsi: binary records of SCSI commands, little-endian, microseconds, 512-byte blocks.
 *
 *	version 1: number u32, bytes u32, segments u32, command u16, version u16, block u64, time u64
 *	version 2: command u16, version u16, number u32, bytes u32, segments u32, block u64, time u64,
 *	           response time u64
 */
#include "traces/format.h"

static bool vscsi_check_version(struct scan *s, unsigned found, unsigned wanted)
{
	return found >> 8 == wanted || scan_problem(s, "version is %u, should be %u", found >> 8, wanted);
}

/* SCSI read and write commands of 6, 10, 12 and 16 bytes. */
enum request_type scsi_type(unsigned command)
{
	switch (command & 0xff) {
	case 0x08:
	case 0x28:
	case 0xa8:
	case 0x88:
		return REQUEST_READ;
	case 0x0a:
	case 0x2a:
	case 0xaa:
	case 0x8a:
		return REQUEST_WRITE;
	default:
		return REQUEST_TYPES;
	}
}

static enum parsed vscsi_fill(
	struct scan *s, struct record *r, unsigned command, uint64_t block, uint64_t bytes, uint64_t time)
{
	r->type = scsi_type(command);
	if (r->type == REQUEST_TYPES || !bytes)
		return PARSED_OTHER;
	if (__builtin_mul_overflow(time, s->unit_ns, &r->time)) {
		scan_describe(s, "time %" PRIu64 " is too large", time);
		return PARSED_BAD;
	}
	r->device = 0;
	return scan_place(s, r, block, SECTOR_BYTES, bytes, 1) ? PARSED_RECORD : PARSED_BAD;
}

enum parsed vscsi1_parse(struct scan *s, struct record *r)
{
	const char *at = s->at;

	if (!vscsi_check_version(s, (unsigned)little_endian(at + 14, 2), 1))
		return PARSED_BAD;
	return vscsi_fill(s, r, (unsigned)little_endian(at + 12, 2), little_endian(at + 16, 8),
		little_endian(at + 4, 4), little_endian(at + 24, 8));
}

enum parsed vscsi2_parse(struct scan *s, struct record *r)
{
	const char *at = s->at;

	if (!vscsi_check_version(s, (unsigned)little_endian(at + 2, 2), 2))
		return PARSED_BAD;
	if (__builtin_mul_overflow(little_endian(at + 32, 8), s->unit_ns, &r->response))
		r->response = RESPONSE_UNKNOWN;
	return vscsi_fill(s, r, (unsigned)little_endian(at, 2), little_endian(at + 16, 8),
		little_endian(at + 8, 4), little_endian(at + 24, 8));
}
