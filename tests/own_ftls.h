/*
 * FTLs that show what the core supports.  Two use little of the toolbox: `own_log` has page cursors and a
 * garbage collector of its own, `own_fixed` keeps every page at its offset in a block and skips pages
 * (flash.order = ascending).  `own_groups` is page mapping that divides data of the host among three streams.
 * For the conformance suite.
 */
#ifndef TESTS_OWN_FTLS_H
#define TESTS_OWN_FTLS_H

#include "ftl/ftl.h"

extern const struct ftl_ops ftl_own_log, ftl_own_fixed, ftl_own_groups;

#endif
