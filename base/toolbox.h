/*
 * An FTL in a shared object brings a copy of the rooms that it is made of, base/ to ftl/.  They work on the
 * program's structs, so they must be built from the same sources.
 *
 * The Makefile makes toolbox.c, which is part of the program, of the library, and of each such object.
 */
#ifndef BASE_TOOLBOX_H
#define BASE_TOOLBOX_H

#include "base/guard.h"

/* Begins each stamp, so that it is found in the file of an object that has not been loaded, whatever the
 * file's format.  No character of it is the same as its first one. */
#define TOOLBOX_MARK "FTL for ssdlab "

struct toolbox {
	const char *stamp; /* the mark, version, and a sum of the sources of the rooms */
	struct guard **(*here)(void);
	void (*share)(struct guard **(*of_program)(void));
};

extern const struct toolbox ssd_toolbox;

#endif
