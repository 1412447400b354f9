#include "traces/window.h"

#include "base/heap.h"

#define FIRST_SLOTS 64u

struct window {
	struct record *queue; /* a ring, ascending in (time, line) */
	size_t head, queued;
	size_t slots;     /* of the ring, a power of two; one is always free */
	struct heap heap; /* of records, earliest first */
	size_t size, disordered, most;
	tick_t newest; /* latest time added */
	tick_t left;   /* time of the last record that left */
	uint64_t late;
};

struct window *window_create(size_t sorted, size_t disordered, size_t most)
{
	struct window *w = memory_array(1, sizeof *w, "sort window");

	w->size = sorted;
	w->disordered = disordered;
	w->most = most;
	w->slots = FIRST_SLOTS;
	w->queue = memory_array(w->slots, sizeof *w->queue, "sort window");
	return w;
}

void window_free(struct window *w)
{
	if (!w)
		return;
	memory_free(w->queue);
	memory_free(w->heap.element);
	memory_free(w);
}

static struct record *window_queued(const struct window *w, size_t i)
{
	return &w->queue[(w->head + i) & (w->slots - 1)];
}

struct record *window_slot(struct window *w)
{
	return window_queued(w, w->queued);
}

static bool window_before(const void *left, const void *right)
{
	const struct record *a = left, *b = right;

	return a->time < b->time || (a->time == b->time && a->line < b->line);
}

static void window_enlarge(struct window *w)
{
	struct record *queue = memory_array(2 * w->slots, sizeof *queue, "sort window");

	for (size_t i = 0; i < w->queued; i++)
		queue[i] = *window_queued(w, i);
	memory_free(w->queue);
	w->queue = queue;
	w->head = 0;
	w->slots *= 2;
}

/* How many queued records are later than this. */
static size_t window_overtaken(const struct window *w, tick_t time)
{
	size_t low = 0, high = w->queued;

	while (low < high) {
		size_t middle = (low + high) / 2;

		if (window_queued(w, middle)->time > time)
			high = middle;
		else
			low = middle + 1;
	}
	return w->queued - low;
}

static bool window_push_late(struct window *w)
{
	struct record *r = window_slot(w);

	w->late++;
	if (r->time < w->left)
		return false;
	heap_push(&w->heap, r, sizeof *r, window_before, "sort window");
	if (w->size < w->disordered)
		w->size = w->disordered;
	else if (w->size < w->most && window_overtaken(w, r->time) > w->size / 4)
		w->size = w->size < w->most / 4 ? 4 * w->size : w->most;
	return true;
}

bool window_push(struct window *w)
{
	tick_t time = window_slot(w)->time;

	if (time < w->newest)
		return window_push_late(w);
	w->newest = time;
	if (++w->queued == w->slots)
		window_enlarge(w);
	return true;
}

bool window_full(const struct window *w)
{
	return w->queued + w->heap.count >= w->size;
}

bool window_pop(struct window *w, struct record *out)
{
	if (w->heap.count && (!w->queued || window_before(w->heap.element, window_queued(w, 0)))) {
		heap_pop(&w->heap, out, sizeof *out, window_before);
	} else if (w->queued) {
		*out = *window_queued(w, 0);
		w->head = (w->head + 1) & (w->slots - 1);
		w->queued--;
	} else {
		return false;
	}
	w->left = out->time;
	return true;
}

uint64_t window_late(const struct window *w)
{
	return w->late;
}

tick_t window_last(const struct window *w)
{
	return w->left;
}
