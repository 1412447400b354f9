#include "traces/generate_find.h"

#include "base/memory.h"
#include "base/program.h"
#include "base/suggest.h"
#include "parameters/params.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define FOLDERS 3

static char *profile_joined(const char *folder, const char *name, const char *ending)
{
	size_t bytes = strlen(folder) + strlen(name) + strlen(ending) + 2;
	char *path = memory_array(bytes, 1, "path");

	snprintf(path, bytes, "%s/%s%s", folder, name, ending);
	return path;
}

/* The i-th folder to search; the caller frees it.  NULL if it is not set. */
static char *profile_folder(unsigned i)
{
	const char *named = getenv("SSDLAB_PROFILES");
	char *program, *path;

	if (i == 0)
		return named && *named ? memory_string(named, "path") : NULL;
	if (i == 2)
		return memory_string("traces/profiles", "path");
	program = program_folder();
	path = program ? profile_joined(program, "traces/profiles", "") : NULL;
	memory_free(program);
	return path;
}

/* "FOLDER/NAME.cfg"; the caller frees it. */
static char *profile_path(const char *where, const char *name)
{
	return profile_joined(where, name, ".cfg");
}

static bool profile_is_file_name(const char *name)
{
	size_t length = strlen(name);

	return length > 4 && !strcmp(name + length - 4, ".cfg");
}

char *profile_find(const char *name)
{
	if (strchr(name, '/') || profile_is_file_name(name))
		return access(name, F_OK) ? NULL : memory_string(name, "path");
	for (unsigned i = 0; i < FOLDERS; i++) {
		char *where = profile_folder(i), *path;

		if (!where)
			continue;
		path = profile_path(where, name);
		memory_free(where);
		if (!access(path, F_OK))
			return path;
		memory_free(path);
	}
	return NULL;
}

/* ---- the listing ---- */

static int profile_select(const struct dirent *entry)
{
	return profile_is_file_name(entry->d_name);
}

/* Visits the profile in the file or, if `path` is NULL, in `text`. */
static void profile_visit(const char *path, const char *text, const char *name,
	void (*visit)(void *context, const char *name, const char *brief), void *context)
{
	struct fault ignored;
	struct params_file *file =
		path ? params_open(path, &ignored) : params_open_text(text, name, &ignored);
	const char *brief = file ? params_text(file, "brief", &ignored) : NULL;

	visit(context, name, brief ? brief : "");
	params_close(file);
}

static void profile_visit_folder(
	const char *where, void (*visit)(void *context, const char *name, const char *brief), void *context)
{
	struct dirent **entries;
	int n = scandir(where, &entries, profile_select, alphasort);

	for (int i = 0; i < n; i++) {
		char *name = entries[i]->d_name, *path, *found;

		name[strlen(name) - 4] = '\0';
		path = profile_path(where, name);
		found = profile_find(name);
		/* A name in an earlier folder hides the same name in a later one. */
		if (found && !strcmp(found, path))
			profile_visit(path, NULL, name, visit, context);
		memory_free(found);
		memory_free(path);
		free(entries[i]);
	}
	if (n >= 0)
		free(entries);
}

void profile_list(void (*visit)(void *context, const char *name, const char *brief), void *context)
{
	for (unsigned i = 0; i < FOLDERS; i++) {
		char *where = profile_folder(i);

		if (where)
			profile_visit_folder(where, visit, context);
		memory_free(where);
	}
	for (const struct built_in *p = built_in_profiles; p->name; p++) {
		char *path = profile_find(p->name);

		if (!path)
			profile_visit(NULL, p->text, p->name, visit, context);
		memory_free(path);
	}
}

/* The nearest name so far, copied, because names are valid only during the visit. */
struct nearest {
	struct suggestion suggestion;
	char name[64];
};

static void profile_offer(void *context, const char *name, const char *brief)
{
	struct nearest *nearest = context;

	(void)brief;
	if (strlen(name) < sizeof nearest->name && suggestion_offer(&nearest->suggestion, name))
		nearest->suggestion.nearest = strcpy(nearest->name, name);
}

bool profile_missing(const char *name, struct fault *fault)
{
	struct nearest nearest = { .suggestion = { .word = name } };

	profile_list(profile_offer, &nearest);
	if (nearest.suggestion.nearest)
		return fault_set(fault,
			"%s: neither a file nor a profile; did you mean \"%s\"?  `ssd list` names the "
			"profiles",
			name, nearest.name);
	return fault_set(fault, "%s: neither a file nor a profile; `ssd list` names the profiles", name);
}
