#include "legacy/engine.h"

static struct buffer_node *node_at(const struct buffer *b, uint32_t number)
{
	return (struct buffer_node *)b->nodes.items + number;
}

static uint32_t *bucket_of(const struct buffer *b, uint32_t lpn)
{
	return &b->bucket[lpn * 2654435761u >> 8 & (b->buckets - 1)];
}

static uint32_t *create_buckets(uint32_t count)
{
	uint32_t *bucket = memory_array(count, sizeof *bucket, "legacy buffer");

	memset(bucket, 0xff, count * sizeof *bucket);
	return bucket;
}

void legacy_buffer_create(struct buffer *b, uint32_t bytes)
{
	*b = (struct buffer){ .nodes = pool_create(sizeof(struct buffer_node)),
		.newest = NONE,
		.oldest = NONE,
		.capacity = bytes / 512,
		.buckets = 256 };
	b->bucket = create_buckets(b->buckets);
}

void legacy_buffer_free(struct buffer *b)
{
	memory_free(b->nodes.items);
	memory_free(b->bucket);
	memory_free(b->need);
}

static uint32_t find(const struct buffer *b, uint32_t lpn)
{
	uint32_t number = *bucket_of(b, lpn);

	while (number != NONE && node_at(b, number)->lpn != lpn)
		number = node_at(b, number)->same_bucket;
	return number;
}

static void link_newest(struct buffer *b, uint32_t number)
{
	struct buffer_node *node = node_at(b, number);

	node->newer = NONE;
	node->older = b->newest;
	if (b->newest == NONE)
		b->oldest = number;
	else
		node_at(b, b->newest)->newer = number;
	b->newest = number;
}

static void unlink_node(struct buffer *b, const struct buffer_node *node)
{
	if (node->newer == NONE)
		b->newest = node->older;
	else
		node_at(b, node->newer)->older = node->older;
	if (node->older == NONE)
		b->oldest = node->newer;
	else
		node_at(b, node->older)->newer = node->newer;
}

static void touch(struct buffer *b, uint32_t number)
{
	if (b->newest == number)
		return;
	unlink_node(b, node_at(b, number));
	link_newest(b, number);
}

static void grow_index(struct buffer *b)
{
	memory_free(b->bucket);
	b->buckets *= 2;
	b->bucket = create_buckets(b->buckets);
	for (uint32_t number = b->newest; number != NONE; number = node_at(b, number)->older) {
		uint32_t *bucket = bucket_of(b, node_at(b, number)->lpn);

		node_at(b, number)->same_bucket = *bucket;
		*bucket = number;
	}
}

static void add_node(struct buffer *b, uint32_t lpn, uint32_t mask)
{
	uint32_t number = pool_take(&b->nodes), *bucket = bucket_of(b, lpn);

	*node_at(b, number) = (struct buffer_node){ .lpn = lpn, .mask = mask, .same_bucket = *bucket };
	*bucket = number;
	link_newest(b, number);
	b->held += mask_sectors(mask);
	if (++b->count > b->buckets)
		grow_index(b);
}

static void remove_node(struct buffer *b, uint32_t number)
{
	struct buffer_node *node = node_at(b, number);
	uint32_t *link = bucket_of(b, node->lpn);

	while (*link != number)
		link = &node_at(b, *link)->same_bucket;
	*link = node->same_bucket;
	unlink_node(b, node);
	pool_give(&b->nodes, number);
	b->count--;
}

/* Writes the least recently used page to flash, never page `spared`.  The sectors that come free, 0 when the
 * run has to end. */
static uint32_t evict(struct engine *e, uint32_t request, uint32_t spared)
{
	struct buffer *b = &e->buffer;
	uint32_t number = b->oldest, sectors;
	struct buffer_node node;

	if (number == NONE || number == spared) {
		legacy_stop(e, Q25_TINY_BUFFER, LEGACY_REFUSED,
			"'dram capacity' is too small for the pages of one request");
		return 0;
	}
	node = *node_at(b, number);
	if (!legacy_on_drive(e, node.lpn))
		return 0;
	sectors = legacy_create_write(e, request, node.lpn, node.mask);
	if (!quirk_kept(e, Q15_BUFFER_COUNT_WRAPS))
		sectors = mask_sectors(node.mask);
	b->held -= sectors;
	remove_node(b, number);
	return sectors;
}

static void write_new_page(struct engine *e, uint32_t request, uint32_t lpn, uint32_t mask)
{
	struct buffer *b = &e->buffer;
	uint32_t sectors = mask_sectors(mask), free = b->capacity - b->held;

	if (free < sectors) {
		int32_t wanted = (int32_t)(sectors - free);

		e->count.write_misses += (uint32_t)wanted;
		while (wanted > 0 && !e->stopped)
			wanted -= (int32_t)evict(e, request, NONE);
	}
	add_node(b, lpn, mask);
	/* Wanted when the page is evicted. */
	if (lpn < e->layout.logical_pages)
		records_prefetch(&e->map, lpn, 1);
}

/* Each new sector of a buffered page makes room for itself once the buffer is full. */
static void write_buffered_page(struct engine *e, uint32_t request, uint32_t number, uint32_t mask)
{
	struct buffer *b = &e->buffer;
	uint32_t stored = node_at(b, number)->mask, missing = mask_sectors(mask & ~stored);

	touch(b, number);
	e->count.write_hits += mask_sectors(mask & stored);
	e->count.write_misses += missing;
	for (; missing && !e->stopped; missing--) {
		if (b->held >= b->capacity)
			evict(e, request, number);
		b->held++;
	}
	node_at(b, number)->mask |= mask;
}

/* The sectors of a page that [sector, sector + sectors) covers. */
static uint32_t covered(const struct layout *l, const struct request *q, uint32_t page)
{
	uint32_t start = page * l->sectors, end = start + l->sectors;
	uint32_t from = q->sector > start ? q->sector - start : 0;
	uint32_t beyond = end > q->sector + q->sectors ? end - (q->sector + q->sectors) : 0;

	return l->full >> (from + beyond) << from & l->full;
}

static void write_request(struct engine *e, uint32_t request, uint32_t first, uint32_t last)
{
	for (uint32_t page = first; page <= last && !e->stopped; page++) {
		uint32_t mask = covered(&e->layout, request_at(e, request), page);
		uint32_t lpn = legacy_logical_page(e, page), number = find(&e->buffer, lpn);

		if (number == NONE)
			write_new_page(e, request, lpn, mask);
		else
			write_buffered_page(e, request, number, mask);
	}
	if (request_at(e, request)->pending == 1)
		legacy_request_answered(e, request);
}

/* One sector of a buffered page is asked for.  SSDsim's test fails from offset 5 on. */
static bool hits(const struct engine *e, uint32_t stored, uint32_t offset)
{
	bool blind = offset > 4 && quirk_kept(e, Q3_READ_CURSOR);

	return !blind && stored >> offset & 1;
}

/* What flash has to bring of a page.  *cursor is the next sector to test; SSDsim moves it over buffered pages
 * only, so that it lags behind and later pages are tested for sectors of earlier ones. */
static uint32_t look_up(struct engine *e, const struct request *q, uint32_t page, uint32_t *cursor)
{
	const struct layout *l = &e->layout;
	struct buffer *b = &e->buffer;
	uint32_t number = find(b, legacy_logical_page(e, page)), end = (page + 1) * l->sectors;
	uint32_t stored = number == NONE ? 0 : node_at(b, number)->mask;
	uint32_t need = quirk_kept(e, Q3_READ_CURSOR) ? l->full : covered(l, q, page);

	if (number == NONE && quirk_kept(e, Q3_READ_CURSOR))
		return need;
	for (; *cursor < end && *cursor < q->sector + q->sectors; ++*cursor) {
		uint32_t offset = *cursor % l->sectors;

		if (!hits(e, stored, offset)) {
			e->count.read_misses++;
			continue;
		}
		touch(b, number);
		e->count.read_hits++;
		e->buffer.hits++;
		need &= ~((uint32_t)1 << offset);
	}
	return need;
}

/* SSDsim keeps the wanted sectors in a table of 32-bit words, as many whole pages in each as fit, and looks
 * through as many words as the sectors of the read fill.  With page sizes that are no power of two these are
 * too few for a long read: its last pages are forgotten.  How many of the pages are looked at. */
static uint32_t table_reach(struct engine *e, const struct request *q, uint32_t pages)
{
	uint32_t sectors = e->layout.sectors, per_word = 32 / sectors, reach;
	bool on_border = (q->sector + q->sectors) % sectors == 0;

	if (!quirk_kept(e, Q1_READ_PAST_TABLE))
		return pages;
	reach = ((pages + on_border) * sectors / 32 + 1) * per_word;
	/* One word beyond the table: what is found there depends on the allocator, here it is nothing. */
	if (reach < pages || (on_border && (pages + 1) * sectors % 32 == 0))
		note(e, Q1_READ_PAST_TABLE);
	return reach < pages ? reach : pages;
}

static void read_from_flash(struct engine *e, uint32_t request, uint32_t first, uint32_t last)
{
	uint32_t pages = table_reach(e, request_at(e, request), last - first + 1);

	for (uint32_t page = first; page < first + pages; page++) {
		uint32_t wanted = covered(&e->layout, request_at(e, request), page);
		uint32_t sectors = mask_sectors(e->buffer.need[page - first] & wanted);
		uint32_t lpn = legacy_logical_page(e, page);

		if (sectors && legacy_on_drive(e, lpn))
			legacy_create_read(e, request, lpn, sectors);
	}
}

static void read_request(struct engine *e, uint32_t request, uint32_t first, uint32_t last)
{
	const struct request *q = request_at(e, request);
	struct buffer *b = &e->buffer;
	uint32_t cursor = q->sector, any = 0;

	b->hits = 0;
	if (last - first + 1 > b->needs) {
		b->needs = last - first + 1;
		b->need = memory_resize(b->need, b->needs, sizeof *b->need, "legacy buffer");
	}
	for (uint32_t page = first; page <= last; page++)
		any |= b->need[page - first] = look_up(e, q, page, &cursor);
	if (!any || b->hits == q->sectors)
		legacy_request_answered(e, request);
	else
		read_from_flash(e, request, first, last);
}

void legacy_serve_buffered(struct engine *e, uint32_t request)
{
	const struct request *q = request_at(e, request);
	uint32_t first = q->sector / e->layout.sectors;
	uint32_t last = (q->sector + q->sectors - 1) / e->layout.sectors;

	if (q->read)
		read_request(e, request, first, last);
	else
		write_request(e, request, first, last);
}

void legacy_serve_unbuffered(struct engine *e, uint32_t request)
{
	const struct request *q = request_at(e, request);
	uint32_t first = q->sector / e->layout.sectors;
	uint32_t last = (q->sector + q->sectors - 1) / e->layout.sectors;
	bool read = q->read;

	for (uint32_t page = first; page <= last; page++) {
		uint32_t lpn = legacy_logical_page(e, page);

		if (!legacy_on_drive(e, lpn))
			return;
		if (read)
			legacy_create_read(e, request, lpn, mask_sectors(record_get(&e->map, lpn).mask));
		else
			legacy_create_write(
				e, request, lpn, covered(&e->layout, request_at(e, request), page));
	}
}
