#include "prepare/image.h"

#include "base/hash.h"
#include "base/memory.h"
#include "base/version.h"
#include "prepare/kept.h"

#include <inttypes.h>
#include <string.h>

static void add_setting(void *kept, const struct param_echo *setting)
{
	if (!setting->stateless)
		kept_add(kept, setting->key, setting->value);
}

static void add_sum(struct kept *k, const char *key, uint64_t sum)
{
	char text[20];

	snprintf(text, sizeof text, "%016" PRIx64, sum);
	kept_add(k, key, sum ? text : "any");
}

static const char *reason(const char *line)
{
	if (strncmp(line, "workload ", 9))
		return NULL;
	return "prepared for another workload, which reads other pages; make one for this workload, or for any, "
	       "with precondition.mode = \"fill\" or precondition.premap = \"none\"";
}

static void visit_drive(void *drive, struct regions *r)
{
	struct drive *d = drive;

	regions_visit(r, &d->past.footprint_pages, sizeof d->past.footprint_pages);
	regions_visit(r, &d->past.replayed, sizeof d->past.replayed);
	ftl_regions(d->ftl, r);
	host_regions(d->host, r);
	oracle_regions(d->oracle, r);
}

static void check_drive(void *drive)
{
	struct drive *d = drive;

	stat_list_start(&d->statistics);
	drive_check_loaded(d);
}

static struct kept kept_of(struct drive *d)
{
	struct kept k = { "ssdlab drive 10", "drive", "make one with ssd run --save-drive FILE", reason,
		.visit = visit_drive, .check = check_drive, .context = d };

	kept_add(&k, "version", SSD_VERSION);
	kept_add(&k, "verification", d->oracle ? "on" : "off");
	settings_echo(d->settings, add_setting, &k);
	add_sum(&k, "workload", d->past.workload);
	add_sum(&k, "precondition.trace", d->past.warm_up);
	return k;
}

char *image_name(struct drive *d)
{
	struct kept k = kept_of(d);
	size_t bytes = strlen(d->ftl->ops->name) + 24;
	char *name = memory_array(bytes, 1, "file name");

	snprintf(name, bytes, "%s-%016" PRIx64 ".drive", d->ftl->ops->name,
		hash_bytes(HASH_NOTHING, k.head, k.length));
	kept_release(&k);
	return name;
}

bool image_save(struct drive *d, const char *path, struct fault *fault)
{
	struct kept k = kept_of(d);
	bool done = kept_save(&k, path, fault);

	kept_release(&k);
	return done;
}

bool image_load(struct drive *d, const char *path, struct fault *fault)
{
	struct kept k = kept_of(d);
	bool done = kept_load(&k, path, fault);

	kept_release(&k);
	return done;
}
