#include "drive/plugin.h"

#include <dlfcn.h>
#include <string.h>

#define NAME_MOST 64

/* "FOLDER/mine.so" holds the table ftl_mine. */
static void plugin_name(const char *path, char *name)
{
	const char *base = strrchr(path, '/') + 1;

	snprintf(name, NAME_MOST, "ftl_%.*s", (int)strcspn(base, "."), base);
}

bool plugin_share(const struct toolbox *toolbox, const char *what, struct fault *fault)
{
	if (!toolbox || strcmp(toolbox->stamp, ssd_toolbox.stamp) != 0)
		return fault_set(fault,
			"%.200s: compiled from other sources than this program; `make plugin FTL=NAME.c` "
			"compiles a shared object, `make toolbox` what a program needs",
			what);
	toolbox->share(ssd_toolbox.here);
	return true;
}

static const struct ftl_ops *plugin_find(void *file, const char *path, struct fault *fault)
{
	const struct ftl_ops *ops;
	char name[NAME_MOST];

	if (!plugin_share(dlsym(file, "ssd_toolbox"), path, fault))
		return NULL;
	plugin_name(path, name);
	ops = dlsym(file, name);
	if (!ops)
		fault_set(fault, "%.200s: it has no table %s; a file NAME.so has ftl_NAME", path, name);
	return ops;
}

const struct ftl_ops *plugin_open(const char *path, void **file, struct fault *fault)
{
	const struct ftl_ops *ops = NULL;

	*file = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	if (*file)
		ops = plugin_find(*file, path, fault);
	else
		fault_set(fault, "ftl: %.400s; make plugin FTL=NAME.c compiles one", dlerror());
	if (*file && !ops) {
		dlclose(*file);
		*file = NULL;
	}
	return ops;
}

void plugin_close(void *file)
{
	if (file)
		dlclose(file);
}
