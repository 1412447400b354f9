/*
 * Files of state with a number changed and a sum that is right (drive/kept.h).
 */
#ifndef TESTS_FORGE_FIXTURE_H
#define TESTS_FORGE_FIXTURE_H

#include "base/hash.h"
#include "base/memory.h"
#include "base/random.h"

#include <stdio.h>
#include <string.h>

struct forgery {
	unsigned char *bytes;
	size_t size, body; /* behind the text */
};

static inline struct forgery forgery_of(const char *path)
{
	FILE *file = fopen(path, "rb");
	struct forgery f = { .bytes = memory_array(1 << 22, 1, "forged drive") };
	const char *text = (const char *)f.bytes;

	f.size = fread(f.bytes, 1, (1 << 22) - 1, file);
	f.body = (size_t)(strstr(text, "\n\n") + 2 - text);
	fclose(file);
	return f;
}

/* A number somewhere becomes another one, an extreme one or one that is nearly right; the sum is made right. */
static inline void forge(struct forgery *f, struct random *random, const char *path)
{
	static const uint32_t extremes[] = { 0, 1, 0x7fffffff, 0x80000000, 0xfffffff0, 0xffffffff };
	size_t at = f->body + random_below(random, f->size - f->body - 12);
	FILE *file = fopen(path, "wb");
	uint32_t number;
	uint64_t sum;

	memcpy(&number, f->bytes + at, sizeof number);
	switch (random_below(random, 4)) {
	case 0:
		number = extremes[random_below(random, sizeof extremes / sizeof *extremes)];
		break;
	case 1:
		number += (uint32_t)random_below(random, 5) - 2;
		break;
	default:
		number ^= 1u << random_below(random, 32);
	}
	memcpy(f->bytes + at, &number, sizeof number);
	sum = hash_bytes(HASH_NOTHING, f->bytes, f->size - sizeof sum);
	memcpy(f->bytes + f->size - sizeof sum, &sum, sizeof sum);
	fwrite(f->bytes, 1, f->size, file);
	fclose(file);
}

#endif
