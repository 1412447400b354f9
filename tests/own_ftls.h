/*
 * Two FTLs that use little of the toolbox, to show that the core supports such: `own_log` has page cursors
 * and a garbage collector of its own, `own_fixed` keeps every page at its offset in a block and skips pages
 * (flash.order = ascending).  For the conformance suite.
 */
#ifndef TESTS_OWN_FTLS_H
#define TESTS_OWN_FTLS_H

#include "ftl/ftl.h"

extern const struct ftl_ops ftl_own_log, ftl_own_fixed;

#endif
