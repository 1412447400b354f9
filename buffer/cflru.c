/*
 * CFLRU (Park, Jung, Kang, Kim and Lee, "CFLRU: a replacement algorithm for flash memory", CASES 2006): clean
 * first.  The window is a share of the pages, from the least recently used on.  The oldest clean page in it
 * is evicted, which costs no write; if none is clean, the oldest page.  Data that is read enters, too:
 * otherwise hardly any page would be clean.
 */
#include "buffer/recency.h"

struct cflru_settings {
	double window;
};

struct cflru {
	struct recency recency;
	uint32_t clean; /* head: clean pages, least recently used first */
};

struct cflru_page {
	struct recency_page recency;
	struct link clean; /* of a dirty page: in no list */
};

#define CFLRU(type, field) PARAM(type, struct cflru_settings, field)

static const struct param cflru_params[] = {
	{ CFLRU(REAL, window), 0, 1, "share", "0.25",
		"share of the pages, from the least recently used, of which clean ones are evicted first" },
	{ 0 },
};

static struct array_field cflru_clean_links(const struct buffer *b)
{
	return BUFFER_FIELD(b, struct cflru_page, clean);
}

static void cflru_init(struct buffer *b)
{
	struct cflru *c = b->state;

	c->recency = recency_create(b);
	c->clean = BUFFER_HEADS(b, struct cflru_page, clean, 1);
	b->read_allocate = true;
}

/* Adds a page that has just been used. */
static void cflru_enter(struct buffer *b, uint32_t node, bool clean)
{
	struct cflru *c = b->state;

	recency_add(&c->recency, b, node);
	if (clean)
		list_append(cflru_clean_links(b), c->clean, node);
	else
		list_init(cflru_clean_links(b), node);
}

static void cflru_inserted(struct buffer *b, uint32_t node, enum request_type type, mask_t mask)
{
	(void)mask;
	cflru_enter(b, node, type == REQUEST_READ);
}

static void cflru_removed(struct buffer *b, uint32_t node)
{
	list_remove(cflru_clean_links(b), node);
	recency_remove(&((struct cflru *)b->state)->recency, b, node);
}

static void cflru_hit(struct buffer *b, uint32_t node, enum request_type type, mask_t mask)
{
	(void)mask;
	cflru_removed(b, node);
	cflru_enter(b, node, type == REQUEST_READ && !buffer_node(b, node)->dirty);
}

/* A trim may drop the last dirty sector, a FLUSH makes all of them clean. */
static void cflru_resized(struct buffer *b, uint32_t node, mask_t before)
{
	(void)before;
	if (!buffer_node(b, node)->dirty && list_empty(cflru_clean_links(b), node))
		recency_sort_in(b, cflru_clean_links(b), ((struct cflru *)b->state)->clean, node);
}

static void cflru_evict(struct buffer *b)
{
	const struct cflru_settings *s = b->settings;
	struct cflru *c = b->state;
	uint32_t clean = list_next(cflru_clean_links(b), c->clean);
	uint32_t window = (uint32_t)(s->window * c->recency.pages);

	if (clean != c->clean && recency_is_last(&c->recency, b, clean, window)) {
		buffer_explain(b, "the oldest clean page, one of the %u least recently used", window);
		buffer_choose(b, clean, WHOLE_PAGE);
		return;
	}
	buffer_explain(b, "the least recently used page; of the oldest %u none is clean", window);
	buffer_choose(b, recency_oldest(&c->recency, b), WHOLE_PAGE);
}

static void cflru_check(const struct buffer *b)
{
	const struct cflru *c = b->state;

	recency_check(&c->recency, b);
	for (uint32_t i = 0; i < b->nodes.used; i++)
		BUG_ON(buffer_node(b, i)->stored &&
				list_empty(cflru_clean_links(b), i) != (buffer_node(b, i)->dirty != 0),
			"LPN %u is clean or dirty, the policy thinks otherwise", buffer_node(b, i)->lpn);
}

static const struct state_row cflru_state[] = {
	STATE_STRUCT(struct cflru, recency, recency_state),
	STATE_FIXED(clean),
	{ 0 },
};

static const struct state_row cflru_page_state[] = {
	STATE_STRUCT(struct cflru_page, recency, recency_page_state),
	STATE_NUMBER(struct cflru_page, clean),
	{ 0 },
};

const struct buffer_ops buffer_cflru = {
	.name = "cflru",
	.brief = "of the least recently used pages evicts clean ones first (CASES'06)",
	.size = sizeof(struct cflru),
	.page_size = sizeof(struct cflru_page),
	.params = cflru_params,
	.settings_size = sizeof(struct cflru_settings),
	.init = cflru_init,
	.inserted = cflru_inserted,
	.hit = cflru_hit,
	.resized = cflru_resized,
	.removed = cflru_removed,
	.evict = cflru_evict,
	.check = cflru_check,
	.state = cflru_state,
	.page_state = cflru_page_state,
};
