/*
 * State files with changed numbers and a correct checksum (drive/prepare/state_file.h).
 */
#ifndef TESTS_FORGE_FIXTURE_H
#define TESTS_FORGE_FIXTURE_H

#include "base/hash.h"
#include "base/memory.h"
#include "base/random.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { FORGERY_PATH = 256 };

/* A path of this process, in TMPDIR (/tmp). */
static inline void forgery_path(char path[FORGERY_PATH])
{
	const char *folder = getenv("TMPDIR");

	snprintf(path, FORGERY_PATH, "%s/ssdlab-forged-%ld", folder ? folder : "/tmp", (long)getpid());
}

struct forgery {
	unsigned char *bytes;
	size_t size;
	uint32_t *place, places; /* offsets of bytes worth a change, behind the text */
};

/* Most of a file is empty bins of histograms: of many zeros in a row, the first 16 are enough. */
static inline void forgery_find_places(struct forgery *f)
{
	const unsigned char *text = f->bytes,
			    *at = (const unsigned char *)strstr((const char *)text, "\n\n") + 2;

	f->place = memory_array(f->size, sizeof *f->place, "places in a file");
	for (uint32_t zeros = 0; at + 12 < text + f->size; at++) {
		zeros = *at ? 0 : zeros + 1;
		if (zeros <= 16)
			f->place[f->places++] = (uint32_t)(at - text);
	}
}

static inline struct forgery forgery_of(const char *path)
{
	FILE *file = fopen(path, "rb");
	struct forgery f = { .bytes = memory_array(1 << 22, 1, "forged drive") };

	f.size = fread(f.bytes, 1, (1 << 22) - 1, file);
	fclose(file);
	forgery_find_places(&f);
	return f;
}

/* Copies the bytes; the places are shared. */
static inline struct forgery forgery_copy(const struct forgery *f)
{
	struct forgery copy = *f;

	copy.bytes = memcpy(memory_array(f->size, 1, "forged drive"), f->bytes, f->size);
	return copy;
}

static inline void forgery_free(struct forgery *f)
{
	memory_free(f->bytes);
	memory_free(f->place);
}

/* Corrects the checksum before writing. */
static inline void forgery_write(struct forgery *f, const char *path)
{
	uint64_t sum = hash_bytes(HASH_NOTHING, f->bytes, f->size - sizeof sum);
	FILE *file = fopen(path, "wb");

	memcpy(f->bytes + f->size - sizeof sum, &sum, sizeof sum);
	fwrite(f->bytes, 1, f->size, file);
	fclose(file);
}

/* Makes the edits that `data` holds: each replaces four bytes by a number. */
static inline void forge_as_said(struct forgery *f, const uint8_t *data, size_t bytes, const char *path)
{
	struct edit {
		uint32_t at, number;
	};

	for (struct edit e; bytes >= sizeof e; data += sizeof e, bytes -= sizeof e) {
		memcpy(&e, data, sizeof e);
		memcpy(f->bytes + f->place[e.at % f->places], &e.number, sizeof e.number);
	}
	forgery_write(f, path);
}

/* Changes a number at a random place: to an extreme one, to a near one, or by one bit. */
static inline void forge(struct forgery *f, struct random *random, const char *path)
{
	static const uint32_t extremes[] = { 0, 1, 0x7fffffff, 0x80000000, 0xfffffff0, 0xffffffff };
	size_t at = f->place[random_below(random, f->places)];
	uint32_t number;

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
	forgery_write(f, path);
}

#endif
