#include "drive/plugin.h"

#include "base/file.h"

#include <dlfcn.h>
#include <string.h>

#define NAME_MOST 64

/* "FOLDER/mine.so" holds the table ftl_mine. */
static void plugin_name(const char *path, char *name)
{
	const char *base = strrchr(path, '/') + 1;

	snprintf(name, NAME_MOST, "ftl_%.*s", (int)strcspn(base, "."), base);
}

static bool plugin_is_old(const char *what, struct fault *fault)
{
	return fault_set(fault,
		"%.200s: compiled from other sources than this program; `make plugin FTL=NAME.c` compiles a "
		"shared object, `make toolbox` what a program needs",
		what);
}

bool plugin_share(const struct toolbox *toolbox, const char *what, struct fault *fault)
{
	if (!toolbox || strcmp(toolbox->stamp, ssd_toolbox.stamp) != 0)
		return plugin_is_old(what, fault);
	toolbox->share(ssd_toolbox.here);
	return true;
}

/* Reads on behind the next mark of a stamp.  False: there is none. */
static bool plugin_find_mark(FILE *file)
{
	static const char mark[] = TOOLBOX_MARK;
	size_t found = 0;
	int c;

	while (mark[found] && (c = getc(file)) != EOF)
		found = c == mark[found] ? found + 1 : c == *mark;
	return !mark[found];
}

/* Does the file go on with this text, up to its end? */
static bool plugin_reads(FILE *file, const char *text)
{
	while (getc(file) == (unsigned char)*text)
		if (!*text++)
			return true;
	return false;
}

/* Does the object have the stamp of this program?  Loading would run its constructors, so its file is read,
 * ELF or Mach-O. */
static bool plugin_is_stamped(const char *path, struct fault *fault)
{
	const char *number = ssd_toolbox.stamp + strlen(TOOLBOX_MARK);
	bool marked = false, same = false;
	struct fault reason;
	FILE *file = file_open(path, &reason);

	if (!file)
		return fault_set(
			fault, "ftl: %.200s: %s; make plugin FTL=NAME.c compiles one", path, reason.text);
	while (!same && plugin_find_mark(file)) {
		marked = true;
		same = plugin_reads(file, number);
	}
	fclose(file);
	if (!marked)
		return fault_set(fault, "%.200s: it is no FTL; `make plugin FTL=NAME.c` compiles one", path);
	return same || plugin_is_old(path, fault);
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

	*file = NULL;
	if (!plugin_is_stamped(path, fault))
		return NULL;
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
