/*
 * Fuzz entry for saved drives: a drive of the FTL that the first byte names is saved, numbers in the file are changed
 * as the rest of the bytes say, and the sum at its end is made right.  Loading must refuse it with a fault of one
 * line, or give a drive that serves requests and balances its books.
 */
#include "base/hash.h"
#include "base/memory.h"
#include "base/random.h"
#include "drive/image.h"
#include "parameters/params.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);

#define REQUESTS 150

/* Where in the file, and what the four bytes there become. */
struct edit {
	uint32_t at, number;
};

static void make_settings(struct settings *s, int ftl)
{
	static const char *const small[] = { "flash.channels=1", "flash.chips=1", "flash.dies=1",
		"flash.planes=2", "flash.blocks=16", "flash.pages=8", "flash.page_bytes=4K",
		"flash.over_provisioning=0.5", "map.cache_bytes=16K", "flash.order=ascending" };
	struct fault fault = { "" };

	BUG_ON(!settings_init(s, &fault), "%s", fault.text);
	for (size_t i = 0; i < sizeof small / sizeof *small; i++)
		BUG_ON(!params_set(small[i], s->group, s->groups, &fault), "%s", fault.text);
	s->top.ftl = ftl;
	s->ftl.gc.seed = s->ftl.map.seed = s->top.seed;
}

static struct extent some_extent(const struct drive *d, struct random *random)
{
	sector_t start = random_below(random, d->host->sectors);
	sector_t end = start + 1 + random_below(random, 12);

	return (struct extent){ start, end < d->host->sectors ? end : d->host->sectors };
}

/* A file of a drive that is half full; 0 bytes if there is no such drive. */
static size_t save(const struct settings *s, const char *path, uint8_t *image, size_t room)
{
	struct fault fault = { "" };
	struct drive *d = drive_create(s, false, &fault);
	struct random random;
	FILE *file;
	size_t size;

	if (!d)
		return 0;
	random_init(&random, 1, 1);
	for (int i = 0; i < 2000; i++)
		if (i % 7)
			drive_place(d, some_extent(d, &random));
		else
			drive_discard(d, some_extent(d, &random));
	BUG_ON(!image_save(d, path, &fault), "%s", fault.text);
	drive_free(d);
	file = fopen(path, "rb");
	size = fread(image, 1, room, file);
	fclose(file);
	return size;
}

static void change(uint8_t *image, size_t size, const uint8_t *data, size_t bytes)
{
	size_t body = (size_t)(strstr((const char *)image, "\n\n") + 2 - (const char *)image);
	uint64_t sum;

	for (struct edit e; bytes >= sizeof e; data += sizeof e, bytes -= sizeof e) {
		memcpy(&e, data, sizeof e);
		memcpy(image + body + e.at % (size - body - 12), &e.number, sizeof e.number);
	}
	sum = hash_bytes(HASH_NOTHING, image, size - sizeof sum);
	memcpy(image + size - sizeof sum, &sum, sizeof sum);
}

static void serve(struct drive *d)
{
	struct random random;

	random_init(&random, 2, 2);
	stat_list_start(&d->statistics);
	for (uint64_t i = 0; i < REQUESTS; i++) {
		struct extent e = some_extent(d, &random);
		struct request r = { .start = e.start,
			.sectors = (uint32_t)extent_sectors(e),
			.arrival = i * 100000,
			.type = (enum request_type)random_below(&random, REQUEST_TYPES) };

		if (!drive_submit(d, &r))
			break;
	}
	drive_drain(d);
	drive_check(d);
}

static void load(const struct settings *s, const char *path)
{
	struct fault fault = { "" };
	struct drive *d = drive_create(s, false, &fault);

	if (image_load(d, path, &fault))
		serve(d);
	else
		BUG_ON(!*fault.text || strchr(fault.text, '\n'), "refused with \"%s\"", fault.text);
	drive_free(d);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
	enum { ROOM = 1 << 20 };
	char path[] = "/tmp/ssdlab-fuzz-XXXXXX";
	int ftls_listed = 0, descriptor;
	struct settings settings;
	uint8_t *image;
	size_t size;
	FILE *file;

	while (ftls[ftls_listed])
		ftls_listed++;
	if (!bytes || (descriptor = mkstemp(path)) < 0)
		return 0;
	close(descriptor);
	image = memory_array(ROOM, 1, "image");
	make_settings(&settings, data[0] % ftls_listed);
	size = save(&settings, path, image, ROOM - 1);
	if (size) {
		change(image, size, data + 1, bytes - 1);
		file = fopen(path, "wb");
		fwrite(image, 1, size, file);
		fclose(file);
		load(&settings, path);
	}
	unlink(path);
	settings_release(&settings);
	memory_free(image);
	return 0;
}
