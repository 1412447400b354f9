#include "flash/event.h"

const char *cause_name(enum cause cause)
{
	static const char *const names[CAUSES] = {
		[CAUSE_HOST] = "host",
		[CAUSE_RMW] = "rmw",
		[CAUSE_MAP] = "map",
		[CAUSE_MERGE] = "merge",
		[CAUSE_PAD] = "pad",
		[CAUSE_GC] = "gc",
		[CAUSE_GC_MAP] = "gc_map",
		[CAUSE_GC_UPDATE] = "gc_update",
		[CAUSE_WEAR] = "wear",
		[CAUSE_FOLD] = "fold",
		[CAUSE_REFRESH] = "refresh",
		[CAUSE_PARITY] = "parity",
		[CAUSE_SEARCH] = "search",
	};

	return names[cause];
}

const char *op_name(enum op_kind kind)
{
	static const char *const names[] = { "read", "program", "copy", "erase", "forward", "flush" };

	return names[kind];
}
