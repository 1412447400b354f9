/* Collection ahead of need, in idle time: planes with fewer free pages than gc.soft. */
#include "gc/tools/tool.h"

static bool ahead_idle(struct tool *t, struct io *io, plane_t plane, uint32_t pages, uint64_t *moved)
{
	return collector_step(t->collector, io, plane, pages, moved);
}

const struct store_tool tool_ahead = { .name = "ahead", .idle = ahead_idle };
