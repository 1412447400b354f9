#include "gc/tools/tool.h"

#include "base/memory.h"

#define TOOL(name) extern const struct store_tool tool_##name;
#include "gc/tools/list.h"
#undef TOOL

const struct store_tool *const store_tools[TOOLS + 1] = {
#define TOOL(name) &tool_##name,
#include "gc/tools/list.h"
#undef TOOL
};

void tools_create(struct tools *tools, const void *const settings[TOOLS])
{
	*tools = (struct tools){ .count = 0 };
	for (int i = 0; i < TOOLS; i++) {
		const struct store_tool *ops = store_tools[i];

		if (!tool_is_on(ops, settings[i]))
			continue;
		tools->tool[tools->count++] = (struct tool){ ops, settings[i],
			.state = ops->size ? memory_array(1, ops->size, "tool") : NULL };
		tools->enters |= ops->enter != NULL;
		tools->directs |= ops->stream || ops->page;
		tools->acts |= ops->act != NULL;
		if (ops->command)
			tools->takes |= 1u << ops->takes;
	}
}

void tools_release(struct tools *tools)
{
	for (struct tool *t = tools->tool; t < tools->tool + tools->count; t++) {
		if (t->ops->exit)
			t->ops->exit(t);
		memory_free(t->state);
	}
}

bool tools_claim(struct tools *tools, struct tool_needs *needs, struct fault *fault)
{
	TOOLS_WITH (t, tools, claim)
		if (!t->ops->claim(t, needs, fault))
			return false;
	return true;
}

bool tools_fit(const struct tools *tools, const struct tool_needs *needs, struct fault *fault)
{
	TOOLS_WITH (t, tools, fits)
		if (!t->ops->fits(t, needs, fault))
			return false;
	return true;
}

static void tools_hear(void *tools, block_t b, enum block_event event)
{
	TOOLS_WITH (t, tools, heard)
		t->ops->heard(t, b, event);
}

void tools_init(struct tools *tools, struct collector *collector)
{
	collector->tools = tools;
	for (struct tool *t = tools->tool; t < tools->tool + tools->count; t++) {
		t->collector = collector;
		t->space = collector->space;
		if (t->ops->init)
			t->ops->init(t);
		if (t->ops->heard)
			t->space->listener = (struct space_listener){ tools, tools_hear };
	}
}

struct tool_wants tools_wants(const void *const settings[TOOLS])
{
	struct tool_wants wants = { .history = false };

	for (int i = 0; i < TOOLS; i++)
		if (store_tools[i]->wants && tool_is_on(store_tools[i], settings[i]))
			store_tools[i]->wants(settings[i], &wants);
	return wants;
}

static const struct state_row *tool_own_state(const void *tool)
{
	return ((const struct tool *)tool)->ops->state;
}

static const struct state_row tool_state[] = {
	STATE_FIXED(ops, settings, collector, space),
	STATE_SCRATCH(due),
	STATE_CHOSEN(struct tool, state, tool_own_state),
	{ 0 },
};

const struct state_row tools_state[] = {
	STATE_FIXED(count, enters, directs, acts, takes),
	STATE_STRUCTS(struct tools, tool, tool_state),
	{ 0 },
};
