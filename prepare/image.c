#include "prepare/image.h"

#include "base/hash.h"
#include "base/memory.h"
#include "base/version.h"
#include "prepare/kept.h"

#include <inttypes.h>
#include <string.h>

/* Beginnings of the keys of what acts in time only, or in what lies before the drive: its state does not depend on it.
 * What the workload is stands there in a sum of its own. */
static const char *const timeless[] = { "buffer", "dram.", "host.mode", "host.queue_", "host.time_scale",
	"host.link_", "trace.", "workload.", "stats.", "flash.read_", "flash.program_", "flash.erase_",
	"flash.command_", "flash.plane_command_", "flash.bus_", "flash.copyback", "flash.interleave",
	"flash.multiplane", "flash.scheduler", "flash.suspend", "flash.resume_", "flash.forward_",
	"precondition.trace", NULL };

/* A file of state, and whose it is. */
struct image {
	struct kept kept;
	struct drive *drive;
};

static void add_setting(void *image, const char *key, const char *value)
{
	struct image *i = image;
	const char *buffer = buffer_group(i->drive->buffer->ops);

	for (const char *const *at = timeless; *at; at++)
		if (!strncmp(key, *at, strlen(*at)))
			return;
	if (strncmp(key, buffer, strlen(buffer)) || key[strlen(buffer)] != '.')
		kept_add(&i->kept, key, value);
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

static struct image image_of(struct drive *d)
{
	struct image i = { { "ssdlab drive 10", "drive", "make one with ssd run --save-drive FILE", reason,
				   .visit = visit_drive, .check = check_drive, .context = d },
		d };

	kept_add(&i.kept, "version", SSD_VERSION);
	kept_add(&i.kept, "verification", d->oracle ? "on" : "off");
	settings_echo(d->settings, add_setting, &i);
	add_sum(&i.kept, "workload", d->past.workload);
	add_sum(&i.kept, "precondition.trace", d->past.warm_up);
	return i;
}

char *image_name(struct drive *d)
{
	struct image i = image_of(d);
	size_t bytes = strlen(d->ftl->ops->name) + 24;
	char *name = memory_array(bytes, 1, "file name");

	snprintf(name, bytes, "%s-%016" PRIx64 ".drive", d->ftl->ops->name,
		hash_bytes(HASH_NOTHING, i.kept.head, i.kept.length));
	kept_release(&i.kept);
	return name;
}

bool image_save(struct drive *d, const char *path, struct fault *fault)
{
	struct image i = image_of(d);
	bool done = kept_save(&i.kept, path, fault);

	kept_release(&i.kept);
	return done;
}

bool image_load(struct drive *d, const char *path, struct fault *fault)
{
	struct image i = image_of(d);
	bool done = kept_load(&i.kept, path, fault);

	kept_release(&i.kept);
	return done;
}
