#include "traces/inflight.h"

#include "base/memory.h"

struct inflight {
	tick_t *completion; /* a heap, earliest first */
	size_t count, room;
};

struct inflight *inflight_create(void)
{
	return memory_array(1, sizeof(struct inflight), "requests in flight");
}

void inflight_free(struct inflight *f)
{
	if (!f)
		return;
	memory_free(f->completion);
	memory_free(f);
}

static void push(struct inflight *f, tick_t completion)
{
	size_t i = f->count++;

	if (f->count > f->room) {
		f->room = f->room ? 2 * f->room : 64;
		f->completion =
			memory_resize(f->completion, f->room, sizeof *f->completion, "requests in flight");
	}
	for (; i && completion < f->completion[(i - 1) / 2]; i = (i - 1) / 2)
		f->completion[i] = f->completion[(i - 1) / 2];
	f->completion[i] = completion;
}

static void pop(struct inflight *f)
{
	tick_t last = f->completion[--f->count];
	size_t i = 0, child;

	while ((child = 2 * i + 1) < f->count) {
		if (child + 1 < f->count && f->completion[child + 1] < f->completion[child])
			child++;
		if (f->completion[child] >= last)
			break;
		f->completion[i] = f->completion[child];
		i = child;
	}
	f->completion[i] = last;
}

uint64_t inflight_add(struct inflight *f, tick_t arrival, tick_t completion)
{
	uint64_t others;

	while (f->count && f->completion[0] <= arrival)
		pop(f);
	others = f->count;
	push(f, completion);
	return others;
}
