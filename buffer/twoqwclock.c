/*
 * 2QW-Clock (He, Wang, Feng, Liu, Wu, Hu and He, "2QW-Clock: an efficient SSD buffer management algorithm",
 * HiPC 2015), as far as its abstract goes: 2Q whose main queue is a clock in which written pages weigh more
 * than read ones.
 *   - A new page enters a FIFO queue, in which uses move nothing, so that a scan passes through it.
 *   - A page evicted from that queue not long ago (a ghost) enters the clock behind the hand, with the weight
 *     of the access that brought it.  A use raises its weight to that of the use, if it is lower.  The hand
 *     decrements the weight of each page it passes and evicts the first page without weight.
 *   - The victim is from the queue if it holds more than its share of the sectors, or the clock is empty.
 * Sizes and weights are not public; here they are those of 2Q, and 4 to 1.
 */
#include "buffer/ghosts.h"
#include "buffer/buffer.h"

#include <inttypes.h>

#define WEIGHT_MOST 255u

struct qw_settings {
	bool read_allocate;
	double queue_share, ghost_share;
	uint64_t write_weight, read_weight;
};

struct qw_statistics {
	uint64_t from_queue, from_ring, ghost_hits, steps;
};

struct qw {
	struct ghosts ghosts;
	uint32_t queue, ring; /* heads: oldest page first; page under the hand first */
	uint64_t held, share; /* sectors in the queue; its share of the buffer */
	struct qw_statistics count;
};

struct qw_page {
	struct link link;
	uint32_t weight;
	bool in_ring;
};

#define QW(type, field) PARAM(type, struct qw_settings, field)

static const struct param qw_params[] = {
	{ QW(BOOL, read_allocate), 0, 1, "", "false", "read data is buffered, too" },
	{ QW(REAL, queue_share), 0, 1, "share", "0.25", "share of the buffer's sectors for new pages" },
	{ QW(REAL, ghost_share), 0, 100, "share", "0.5",
		"number of ghosts, over the pages of the buffer; "
		"at least one" },
	{ QW(UINT, write_weight), 0, WEIGHT_MOST, "", "4",
		"weight of a written page: how often the clock's hand spares it" },
	{ QW(UINT, read_weight), 0, WEIGHT_MOST, "", "1", "weight of a read page" },
	{ 0 },
};

static struct array_field qw_links(const struct buffer *b)
{
	return BUFFER_FIELD(b, struct qw_page, link);
}

static void qw_init(struct buffer *b)
{
	const struct qw_settings *s = b->settings;
	struct qw *q = b->state;
	double ghosts = s->ghost_share * (double)b->capacity / b->shape.sectors_per_page;

	q->ghosts = ghosts_create(ghosts < 1 ? 1 : ghosts > 1e9 ? 1000000000 : (uint32_t)ghosts);
	q->queue = BUFFER_HEADS(b, struct qw_page, link, 2);
	q->ring = q->queue + 1;
	q->share = (uint64_t)(s->queue_share * (double)b->capacity);
	b->read_allocate = s->read_allocate;
}

static void qw_exit(struct buffer *b)
{
	ghosts_free(&((struct qw *)b->state)->ghosts);
}

static uint32_t qw_weight_of(const struct buffer *b, enum request_type type)
{
	const struct qw_settings *s = b->settings;

	return (uint32_t)(type == REQUEST_WRITE ? s->write_weight : s->read_weight);
}

static void qw_inserted(struct buffer *b, uint32_t node, enum request_type type, mask_t mask)
{
	struct qw *q = b->state;
	struct qw_page *page = buffer_own(b, node);

	(void)mask;
	page->in_ring = ghosts_take(&q->ghosts, buffer_node(b, node)->lpn);
	if (page->in_ring) {
		page->weight = qw_weight_of(b, type);
		q->count.ghost_hits++;
	} else {
		q->held += buffer_sectors(b, node);
	}
	list_append(qw_links(b), page->in_ring ? q->ring : q->queue, node);
}

static void qw_hit(struct buffer *b, uint32_t node, enum request_type type, mask_t mask)
{
	struct qw_page *page = buffer_own(b, node);
	uint32_t weight = qw_weight_of(b, type);

	(void)mask;
	if (page->in_ring && page->weight < weight)
		page->weight = weight;
}

static void qw_resized(struct buffer *b, uint32_t node, mask_t before)
{
	if (!((struct qw_page *)buffer_own(b, node))->in_ring)
		((struct qw *)b->state)->held +=
			buffer_sectors(b, node) - (uint64_t)__builtin_popcountll(before);
}

static void qw_removed(struct buffer *b, uint32_t node)
{
	list_remove(qw_links(b), node);
	if (!((struct qw_page *)buffer_own(b, node))->in_ring)
		((struct qw *)b->state)->held -= buffer_sectors(b, node);
}

/* Turns the hand to the first page without weight. */
static uint32_t qw_turn(struct buffer *b)
{
	struct qw *q = b->state;
	uint32_t node;

	while (((struct qw_page *)buffer_own(b, node = list_next(qw_links(b), q->ring)))->weight) {
		((struct qw_page *)buffer_own(b, node))->weight--;
		list_remove(qw_links(b), node);
		list_append(qw_links(b), q->ring, node);
		q->count.steps++;
	}
	return node;
}

static void qw_evict(struct buffer *b)
{
	struct qw *q = b->state;
	uint64_t steps = q->count.steps;
	uint32_t victim;

	if (list_empty(qw_links(b), q->ring) || q->held > q->share) {
		victim = list_next(qw_links(b), q->queue);
		buffer_explain(b,
			"the oldest page of the queue, which holds %" PRIu64 " sectors and may hold %" PRIu64,
			q->held, q->share);
		ghosts_add(&q->ghosts, buffer_node(b, victim)->lpn);
		q->count.from_queue++;
	} else {
		victim = qw_turn(b);
		buffer_explain(b, "the first page of the ring without weight; the hand passed %" PRIu64,
			q->count.steps - steps);
		q->count.from_ring++;
	}
	buffer_choose(b, victim, WHOLE_PAGE);
}

#define COUNT(field) STAT_COUNT, offsetof(struct qw_statistics, field)

static const struct stat_row qw_stats[] = {
	{ "queue_evictions", "pages", "new ones, which became ghosts", COUNT(from_queue) },
	{ "ring_evictions", "pages", "that had been ghosts", COUNT(from_ring) },
	{ "ghost_hits", "pages", "that were ghosts when they entered", COUNT(ghost_hits) },
	{ "hand_steps", "pages", "passed by the hand", COUNT(steps) },
	{ 0 },
};

static void qw_check(const struct buffer *b)
{
	const struct qw *q = b->state;
	uint64_t held = 0;

	for (uint32_t i = list_next(qw_links(b), q->queue); i != q->queue; i = list_next(qw_links(b), i))
		held += buffer_sectors(b, i);
	BUG_ON(held != q->held, "the queue holds %" PRIu64 " sectors, counts %" PRIu64, held, q->held);
}

static const struct state_row qw_state[] = {
	STATE_STRUCT(struct qw, ghosts, ghosts_state),
	STATE_FIXED(queue, ring, share),
	STATE_NUMBER(struct qw, held),
	STATE_COUNTED(count),
	{ 0 },
};

static const struct state_row qw_page_state[] = {
	STATE_NUMBER(struct qw_page, link),
	STATE_NUMBER(struct qw_page, weight),
	STATE_NUMBER(struct qw_page, in_ring),
	{ 0 },
};

const struct buffer_ops buffer_twoqwclock = {
	.name = "2qw-clock",
	.brief = "new pages in a queue, those that come back soon in a clock with weights (HiPC'15)",
	.group = "qw",
	.size = sizeof(struct qw),
	.page_size = sizeof(struct qw_page),
	.params = qw_params,
	.settings_size = sizeof(struct qw_settings),
	.init = qw_init,
	.exit = qw_exit,
	.inserted = qw_inserted,
	.hit = qw_hit,
	.resized = qw_resized,
	.removed = qw_removed,
	.evict = qw_evict,
	.statistics = qw_stats,
	.count = offsetof(struct qw, count),
	.count_size = sizeof(struct qw_statistics),
	.check = qw_check,
	.state = qw_state,
	.page_state = qw_page_state,
};
