#include "buffer/recency.h"

#include "base/fault.h"

struct recency recency_create(struct buffer *b)
{
	uint32_t head = BUFFER_HEADS(b, struct recency_page, link, 1);

	return (struct recency){ .queue = head, .edge = head };
}

void recency_add(struct recency *r, struct buffer *b, uint32_t node)
{
	((struct recency_page *)buffer_own(b, node))->used = ++r->clock;
	list_append(recency_links(b), r->queue, node);
	r->pages++;
}

void recency_remove(struct recency *r, struct buffer *b, uint32_t node)
{
	if (recency_used(b, node) <= recency_used(b, r->edge)) {
		r->inside--;
		if (node == r->edge)
			r->edge = list_previous(recency_links(b), node);
	}
	list_remove(recency_links(b), node);
	r->pages--;
}

void recency_replace(struct recency *r, struct buffer *b, uint32_t node, uint32_t other)
{
	struct recency_page *page = buffer_own(b, node);

	page->used = recency_used(b, other);
	list_prepend(recency_links(b), other, node);
	r->pages++;
	if (other == r->edge)
		r->edge = node;
	r->inside += page->used <= recency_used(b, r->edge);
}

bool recency_is_last(struct recency *r, const struct buffer *b, uint32_t node, uint32_t last)
{
	for (; r->inside < last && r->inside < r->pages; r->inside++)
		r->edge = list_next(recency_links(b), r->edge);
	for (; r->inside > last; r->inside--)
		r->edge = list_previous(recency_links(b), r->edge);
	return recency_used(b, node) <= recency_used(b, r->edge);
}

void recency_sort_in(const struct buffer *b, struct array_field ring, uint32_t head, uint32_t node)
{
	uint64_t used = recency_used(b, node);
	uint32_t newer = head, older = head;

	for (;;) {
		uint32_t before = list_previous(ring, newer), after = list_next(ring, older);

		if (before == head || recency_used(b, before) <= used) {
			list_append(ring, newer, node);
			return;
		}
		if (recency_used(b, after) > used) {
			list_append(ring, after, node);
			return;
		}
		newer = before;
		older = after;
	}
}

/* The window is empty until it is used. */
static void recency_restored(void *recency)
{
	struct recency *r = recency;

	r->inside = 0;
	r->edge = r->queue;
}

const struct state_row recency_state[] = {
	STATE_FIXED(queue),
	STATE_NUMBER(struct recency, pages),
	STATE_REBUILT(inside, edge),
	STATE_NUMBER(struct recency, clock),
	STATE_RESTORED(recency_restored),
	{ 0 },
};

const struct state_row recency_page_state[] = {
	STATE_NUMBER(struct recency_page, used),
	STATE_NUMBER(struct recency_page, link),
	{ 0 },
};

void recency_check(const struct recency *r, const struct buffer *b)
{
	uint32_t pages = 0, inside = 0;
	uint64_t used = 0;

	for (uint32_t i = recency_oldest(r, b); i != r->queue; i = list_next(recency_links(b), i)) {
		BUG_ON(recency_used(b, i) <= used, "LPN %u was used before what stands before it",
			buffer_node(b, i)->lpn);
		used = recency_used(b, i);
		pages++;
		inside += used <= recency_used(b, r->edge);
	}
	BUG_ON(pages != r->pages || inside != r->inside, "%u pages of %u in order of use, %u of %u are last",
		pages, r->pages, inside, r->inside);
}
