/* Files that are compiled into the program (scripts/built-in). */
#ifndef BASE_BUILT_IN_H
#define BASE_BUILT_IN_H

#include <stddef.h>
#include <string.h>

/* A list ends with a row whose name is NULL. */
struct built_in {
	const char *name, *text; /* file name without .cfg, and content */
};

extern const struct built_in built_in_profiles[]; /* traces/profiles */
extern const struct built_in built_in_drives[];   /* parameters, and the course's drive for paper */

/* NULL: there is none of this name. */
static inline const char *built_in_text(const struct built_in *list, const char *name)
{
	while (list->name && strcmp(list->name, name))
		list++;
	return list->text;
}

#endif
