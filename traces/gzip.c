#include "traces/gzip.h"

#include "base/memory.h"

#include <stdint.h>

#define POLYNOMIAL 0xedb88320u /* of CRC-32, lowest bit first (RFC 1952 section 8) */
#define SLICES     8

struct gzip_check {
	uint32_t table[SLICES][256]; /* [i][b]: remainder of byte b with i zero bytes behind it */
	uint32_t crc;                /* of what was unpacked, inverted */
	uint64_t unpacked;           /* bytes */
	uint64_t last;               /* eight packed bytes, the latest lowest */
	uint64_t heads;              /* places where a file (member) may begin */
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
	memory_free(c);
}

/* Magic, deflate, and flags of which only the lowest five exist. */
static bool is_head(uint64_t last)
{
	return (last & 0xffffffe0) == 0x1f8b0800;
}

void gzip_check_packed(struct gzip_check *c, const void *bytes, size_t n)
{
	const unsigned char *at = bytes, *end = at + n;

	for (; at < end; at++) {
		c->last = c->last << 8 | *at;
		c->heads += is_head(c->last);
	}
}

static uint32_t little_endian(const unsigned char *at)
{
	return at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
}

void gzip_check_unpacked(struct gzip_check *c, const void *bytes, size_t n)
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

/* The last eight bytes are the checksum and the length modulo 2^32, both lowest byte first. */
bool gzip_check_holds(const struct gzip_check *c)
{
	uint32_t crc = __builtin_bswap32((uint32_t)(c->last >> 32));
	uint32_t length = __builtin_bswap32((uint32_t)c->last);

	return c->heads > 1 || (crc == ~c->crc && length == (uint32_t)c->unpacked);
}
