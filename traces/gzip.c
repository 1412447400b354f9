#include "traces/gzip.h"

#include "base/memory.h"

#include <stdint.h>
#include <string.h>

#define POLYNOMIAL 0xedb88320u /* of CRC-32, lowest bit first (RFC 1952 section 8) */
#define SLICES     8

/* What stands behind a member: its checksum and its length modulo 2^32. */
struct trailer {
	uint32_t crc, length;
};

struct gzip_check {
	uint32_t table[SLICES][256]; /* [i][b]: remainder of byte b with i zero bytes behind it */
	uint32_t crc;                /* of what was unpacked of the member, inverted */
	uint64_t unpacked;           /* bytes of it */
	uint64_t last, older;        /* sixteen packed bytes, the latest lowest in `last` */
	uint64_t packed;             /* bytes */
	uint64_t tail;               /* the eight up to the last that is not 0 */
	uint64_t zeros;              /* behind that one */
	struct trailer *trailer;     /* what stands before each head whose member has not been met yet */
	uint32_t trailers, room;
};

struct gzip_check *gzip_check_create(void)
{
	struct gzip_check *c = memory_array(1, sizeof *c, "gzip checksum");

	c->crc = UINT32_MAX;
	for (uint32_t b = 0; b < 256; b++) {
		uint32_t remainder = b;

		for (int bit = 0; bit < 8; bit++)
			remainder = remainder >> 1 ^ (remainder & 1 ? POLYNOMIAL : 0);
		c->table[0][b] = remainder;
	}
	for (int i = 1; i < SLICES; i++)
		for (uint32_t b = 0; b < 256; b++)
			c->table[i][b] = c->table[i - 1][b] >> 8 ^ c->table[0][c->table[i - 1][b] & 0xff];
	return c;
}

void gzip_check_free(struct gzip_check *c)
{
	if (c)
		memory_free(c->trailer);
	memory_free(c);
}

/* Magic, deflate, and flags of which only the lowest five exist. */
static bool is_head(uint64_t last)
{
	return (last & 0xffffffe0) == 0x1f8b0800;
}

/* Checksum and length stand with their lowest bytes first. */
static struct trailer trailer_of(uint64_t bytes)
{
	return (struct trailer){ __builtin_bswap32((uint32_t)(bytes >> 32)),
		__builtin_bswap32((uint32_t)bytes) };
}

static void note_trailer(struct gzip_check *c)
{
	c->trailer = memory_grown(c->trailer, &c->room, c->trailers + 1, sizeof *c->trailer, "gzip checksum");
	c->trailer[c->trailers++] = trailer_of(c->older << 32 | c->last >> 32);
}

void gzip_check_packed(struct gzip_check *c, const void *bytes, size_t n)
{
	const unsigned char *at = bytes, *end = at + n;

	for (; at < end; at++) {
		c->older = c->older << 8 | c->last >> 56;
		c->last = c->last << 8 | *at;
		c->packed++;
		if (*at) {
			c->tail = c->last;
			c->zeros = 0;
		} else {
			c->zeros++;
		}
		if (is_head(c->last) && c->packed > 4)
			note_trailer(c);
	}
}

static uint32_t little_endian(const unsigned char *at)
{
	return at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
}

static void add(struct gzip_check *c, const void *bytes, size_t n)
{
	const unsigned char *at = bytes, *end = at + n;
	uint32_t crc = c->crc, low, high;

	c->unpacked += n;
	for (; end - at >= SLICES; at += SLICES) {
		low = crc ^ little_endian(at);
		high = little_endian(at + 4);
		crc = c->table[7][low & 0xff] ^ c->table[6][low >> 8 & 0xff] ^ c->table[5][low >> 16 & 0xff] ^
		      c->table[4][low >> 24] ^ c->table[3][high & 0xff] ^ c->table[2][high >> 8 & 0xff] ^
		      c->table[1][high >> 16 & 0xff] ^ c->table[0][high >> 24];
	}
	for (; at < end; at++)
		crc = crc >> 8 ^ c->table[0][(crc ^ *at) & 0xff];
	c->crc = crc;
}

/* Has the member ended?  Then the next begins; heads that stood before that border were none. */
static bool end_member(struct gzip_check *c)
{
	for (uint32_t i = 0; i < c->trailers; i++) {
		if (c->trailer[i].length != (uint32_t)c->unpacked || c->trailer[i].crc != ~c->crc)
			continue;
		c->trailers -= i + 1;
		memmove(c->trailer, c->trailer + i + 1, c->trailers * sizeof *c->trailer);
		c->crc = UINT32_MAX;
		c->unpacked = 0;
		return true;
	}
	return false;
}

/* How far it is to where the member may end. */
static size_t to_border(const struct gzip_check *c, size_t most)
{
	for (uint32_t i = 0; i < c->trailers; i++) {
		uint32_t distance = c->trailer[i].length - (uint32_t)c->unpacked;

		if (distance && distance < most)
			most = distance;
	}
	return most;
}

void gzip_check_unpacked(struct gzip_check *c, const void *bytes, size_t n)
{
	const char *at = bytes;

	while (n) {
		size_t part;

		while (end_member(c))
			;
		part = to_border(c, n);
		add(c, at, part);
		at += part;
		n -= part;
	}
}

/* The last trailer may end in zeros itself, and zeros may stand behind it. */
bool gzip_check_holds(struct gzip_check *c)
{
	uint64_t trailer;
	unsigned zeros = 0;

	while (end_member(c))
		;
	trailer = (uint64_t)__builtin_bswap32(~c->crc) << 32 | __builtin_bswap32((uint32_t)c->unpacked);
	for (; zeros < 8 && !(trailer >> 8 * zeros & 0xff); zeros++)
		;
	return c->zeros >= zeros &&
	       (zeros == 8 || trailer >> 8 * zeros == (c->tail & UINT64_MAX >> 8 * zeros));
}
