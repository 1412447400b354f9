/*
 * Fuzz entry for saved drives: a drive of the FTL that the first byte names is saved, numbers in the file are
 * changed as the rest of the bytes say, and the sum at its end is corrected.  Loading must refuse it with a
 * fault of one line, or give a drive that serves requests and has consistent counts.
 */
#include "drive/prepare/image.h"
#include "parameters/params.h"
#include "tests/any_workload.h"
#include "tests/forge_fixture.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);

enum { REQUESTS = 150, FTLS_MOST = 64 };

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
	BUG_ON(!set_any_workload(s, &fault), "%s", fault.text);
	s->ftl.gc.seed = s->ftl.map.seed = s->top.seed;
}

static struct extent some_extent(const struct drive *d, struct random *random)
{
	sector_t start = random_below(random, d->host->sectors);
	sector_t end = start + 1 + random_below(random, 12);

	return (struct extent){ start, end < d->host->sectors ? end : d->host->sectors };
}

/* Saves a drive that is half full; false if there is no such drive. */
static bool save(const struct settings *s, const char *path)
{
	struct fault fault = { "" };
	struct drive *d = drive_create(s, false, &fault);
	struct random random;

	if (!d)
		return false;
	random_init(&random, 1, 1);
	for (int i = 0; i < 2000; i++)
		if (i % 7)
			drive_place(d, some_extent(d, &random));
		else
			drive_discard(d, some_extent(d, &random));
	BUG_ON(!image_save(d, path, &fault), "%s", fault.text);
	drive_free(d);
	return true;
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

/* Without bytes if there is no such drive.  Saved once for each FTL: that takes longer than all the rest. */
static const struct forgery *file_of(const struct settings *s, const char *path)
{
	static struct forgery files[FTLS_MOST];
	static bool made[FTLS_MOST];
	int ftl = s->top.ftl;

	if (!made[ftl] && save(s, path))
		files[ftl] = forgery_of(path);
	made[ftl] = true;
	return &files[ftl];
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
	char path[FORGERY_PATH];
	int ftls_listed = 0;
	struct settings settings;
	const struct forgery *file;

	while (ftls[ftls_listed])
		ftls_listed++;
	BUG_ON(ftls_listed > FTLS_MOST, "%d FTLs", ftls_listed);
	if (!bytes)
		return 0;
	forgery_path(path);
	make_settings(&settings, data[0] % ftls_listed);
	file = file_of(&settings, path);
	if (file->bytes) {
		struct forgery copy = forgery_copy(file);

		forge_as_said(&copy, data + 1, bytes - 1, path);
		load(&settings, path);
		memory_free(copy.bytes);
		unlink(path);
	}
	settings_release(&settings);
	return 0;
}
