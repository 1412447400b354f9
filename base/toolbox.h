/*
 * An FTL in a shared object brings a copy of the rooms that it is made of, base/ to ftl/.  They work on the
 * program's structs, so they must be built from the same sources.
 *
 * The Makefile makes toolbox.c, which is part of the program, of the library, and of each such object.
 */
#ifndef BASE_TOOLBOX_H
#define BASE_TOOLBOX_H

#include "base/guard.h"

struct toolbox {
	const char *stamp; /* version, and a sum of the sources of the rooms */
	struct guard **(*here)(void);
	void (*share)(struct guard **(*of_program)(void));
};

extern const struct toolbox ssd_toolbox;

#endif
