/* What tests look at inside an FTL. */
#ifndef TESTS_INSIDE_H
#define TESTS_INSIDE_H

#include "ftl/store.h"
#include "tests/drive_fixture.h"

static inline uint64_t map_bytes_of(const struct ftl *f)
{
	return ftl_facts(f).map_bytes;
}

/* Are its blocks collected?  An FTL without a store may merge them: its free space then also depends on which
 * pages were written. */
static inline bool has_a_store(size_t ftl)
{
	struct settings s;
	struct fault fault;
	struct drive *d;
	bool has;

	fixture_settings(&s, PAPER_DRIVE "flash.blocks=40 flash.order=ascending");
	s.top.ftl = (int)ftl;
	d = drive_create(&s, false, &fault);
	has = d && d->ftl->store;
	drive_free(d);
	settings_release(&s);
	return has;
}

#endif
