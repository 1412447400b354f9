#include "drive/prepare/image.h"

#include "base/hash.h"
#include "base/memory.h"
#include "base/version.h"
#include "drive/prepare/state_file.h"

#include <inttypes.h>
#include <string.h>

static void image_add_setting(void *file, const struct param_echo *setting)
{
	if (!setting->stateless)
		state_file_add(file, setting->key, setting->value);
}

static const char *image_reason(const char *line)
{
	if (strncmp(line, "workload ", 9))
		return NULL;
	return "prepared for another workload, which reads other pages; make one for this workload, or for "
	       "any, with precondition.mode = \"fill\" or precondition.premap = \"none\"";
}

static struct state_file image_file(struct drive *d)
{
	struct state_file f = { "ssdlab drive", "drive", "make one with ssd run --save-drive FILE",
		image_reason, false, drive_state, d };

	state_file_add(&f, "version", SSD_VERSION);
	state_file_add(&f, "verification", d->oracle ? "on" : "off");
	settings_echo(d->settings, image_add_setting, &f);
	state_file_add_sum(&f, "workload", d->past.workload);
	state_file_add_sum(&f, "precondition.trace", d->past.warm_up);
	state_file_add_layout(&f);
	return f;
}

char *image_name(struct drive *d)
{
	struct state_file f = image_file(d);
	size_t bytes = strlen(d->ftl->ops->name) + 32;
	char *name = memory_array(bytes, 1, "file name");

	snprintf(name, bytes, "%s-%016" PRIx64 ".drive", d->ftl->ops->name,
		hash_bytes(HASH_NOTHING, f.head, f.length));
	state_file_release(&f);
	return name;
}

bool image_save(struct drive *d, const char *path, struct fault *fault)
{
	struct state_file f = image_file(d);
	bool done = state_file_save(&f, path, fault);

	state_file_release(&f);
	return done;
}

bool image_keep(struct drive *d, const char *path, struct fault *fault)
{
	struct state_file f = image_file(d);
	bool done;

	f.shared = true;
	done = state_file_save(&f, path, fault);
	state_file_release(&f);
	return done;
}

bool image_load(struct drive *d, const char *path, struct fault *fault)
{
	struct state_file f = image_file(d);
	bool done = state_file_load(&f, path, fault);

	state_file_release(&f);
	return done;
}
