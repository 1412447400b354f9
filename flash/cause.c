#include "flash/cause.h"

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
	};

	return names[cause];
}
