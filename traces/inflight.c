#include "traces/inflight.h"

#include "base/heap.h"

struct inflight {
	struct heap completion; /* of times, earliest first */
};

struct inflight *inflight_create(void)
{
	return memory_array(1, sizeof(struct inflight), "requests in flight");
}

void inflight_free(struct inflight *f)
{
	if (!f)
		return;
	memory_free(f->completion.element);
	memory_free(f);
}

uint64_t inflight_add(struct inflight *f, tick_t arrival, tick_t completion)
{
	struct heap *h = &f->completion;
	uint32_t others;
	tick_t done;

	while (h->count && *(tick_t *)h->element <= arrival)
		heap_pop(h, &done, sizeof done, heap_number_before);
	others = h->count;
	heap_push(h, &completion, sizeof completion, heap_number_before, "requests in flight");
	return others;
}
