#include "base/program.h"

#include "base/memory.h"

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#ifdef __APPLE__
#include <mach-o/dyld.h>
#endif

/* False: it is not known. */
static bool program_path(char *path, size_t room)
{
#ifdef __APPLE__
	uint32_t bytes = (uint32_t)room;

	return !_NSGetExecutablePath(path, &bytes);
#else
	ssize_t length = readlink("/proc/self/exe", path, room - 1);

	path[length > 0 ? length : 0] = '\0';
	return length > 0;
#endif
}

/* Cuts off the last part of the path. */
static void program_cut(char *path)
{
	char *slash = strrchr(path, '/');

	if (slash)
		*slash = '\0';
}

static bool program_is_in_build(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash && !strcmp(slash, "/build");
}

char *program_folder(void)
{
	char path[PATH_MAX];

	if (!program_path(path, sizeof path))
		return NULL;
	program_cut(path);
	return memory_string(*path ? path : "/", "path");
}

char *program_tree(void)
{
	char *tree = program_folder(), *above;

	if (!tree)
		return NULL;
	above = memory_string(tree, "path");
	program_cut(above);
	if (program_is_in_build(tree))
		program_cut(tree);
	else if (program_is_in_build(above))
		program_cut(strcpy(tree, above));
	memory_free(above);
	return tree;
}
