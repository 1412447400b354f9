#include "legacy/engine.h"

#define HEAD 0u /* of the list, most recently used page first */

static struct buffer_node *node_at(const struct buffer *b, uint32_t number)
{
	return (struct buffer_node *)b->nodes.object + number;
}

static struct hashed by_lpn(const struct buffer *b)
{
	return HASHED(node_at(b, 0), lpn, link);
}

static struct array_field ages(const struct buffer *b)
{
	return ARRAY_FIELD(node_at(b, 0), age);
}

void legacy_buffer_create(struct buffer *b, uint32_t bytes)
{
	*b = (struct buffer){ .nodes = pool_create(sizeof(struct buffer_node), "legacy buffer"),
		.index = hash_create(256, "legacy buffer"),
		.capacity = bytes / 512 };
	pool_take(&b->nodes);
	list_init(ages(b), HEAD);
}

void legacy_buffer_free(struct buffer *b)
{
	pool_free(&b->nodes);
	hash_free(&b->index);
	memory_free(b->need);
}

static uint32_t buffer_find(const struct buffer *b, uint32_t lpn)
{
	return hash_find(&b->index, by_lpn(b), lpn);
}

static void touch(struct buffer *b, uint32_t number)
{
	list_remove(ages(b), number);
	list_prepend(ages(b), HEAD, number);
}

static void add_node(struct buffer *b, uint32_t lpn, uint32_t mask)
{
	uint32_t number = pool_take(&b->nodes);

	node_at(b, number)->lpn = lpn;
	node_at(b, number)->mask = mask;
	hash_add(&b->index, by_lpn(b), number);
	list_prepend(ages(b), HEAD, number);
	b->held += legacy_mask_sectors(mask);
}

static void remove_node(struct buffer *b, uint32_t number)
{
	hash_remove(&b->index, by_lpn(b), number);
	list_remove(ages(b), number);
	pool_give(&b->nodes, number);
}

/* Writes the least recently used page to flash; the run ends if that is `spared`.  Returns the freed sectors;
 * 0 if the run has to end. */
static uint32_t evict(struct engine *e, uint32_t request, uint32_t spared)
{
	struct buffer *b = &e->buffer;
	uint32_t number = list_previous(ages(b), HEAD), sectors;
	struct buffer_node node;

	if (number == HEAD || number == spared) {
		legacy_stop(e, Q25_TINY_BUFFER, LEGACY_REFUSED,
			"'dram capacity' is too small for the pages of one request");
		return 0;
	}
	node = *node_at(b, number);
	if (!legacy_on_drive(e, node.lpn))
		return 0;
	sectors = legacy_create_write(e, request, node.lpn, node.mask);
	if (!quirk_kept(e, Q15_BUFFER_COUNT_WRAPS))
		sectors = legacy_mask_sectors(node.mask);
	b->held -= sectors;
	remove_node(b, number);
	return sectors;
}

static void write_new_page(struct engine *e, uint32_t request, uint32_t lpn, uint32_t mask)
{
	struct buffer *b = &e->buffer;
	uint32_t sectors = legacy_mask_sectors(mask), free = b->capacity - b->held;

	if (free < sectors) {
		int32_t wanted = (int32_t)(sectors - free);

		e->count.write_misses += (uint32_t)wanted;
		while (wanted > 0 && !e->stopped)
			wanted -= (int32_t)evict(e, request, NONE);
	}
	add_node(b, lpn, mask);
	/* The map entry is needed when the page is evicted. */
	if (lpn < e->layout.logical_pages)
		records_prefetch(&e->map, lpn, 1);
}

/* Once the buffer is full, each new sector of a buffered page evicts a page. */
static void write_buffered_page(struct engine *e, uint32_t request, uint32_t number, uint32_t mask)
{
	struct buffer *b = &e->buffer;
	uint32_t stored = node_at(b, number)->mask, missing = legacy_mask_sectors(mask & ~stored);

	touch(b, number);
	e->count.write_hits += legacy_mask_sectors(mask & stored);
	e->count.write_misses += missing;
	for (; missing && !e->stopped; missing--) {
		if (b->held >= b->capacity)
			evict(e, request, number);
		b->held++;
	}
	node_at(b, number)->mask |= mask;
}

/* The sectors of a page that the request covers. */
static uint32_t buffer_covered(const struct layout *l, const struct request *q, uint32_t page)
{
	uint32_t start = page * l->sectors, end = start + l->sectors;
	uint32_t from = q->sector > start ? q->sector - start : 0;
	uint32_t beyond = end > q->sector + q->sectors ? end - (q->sector + q->sectors) : 0;

	return l->full >> (from + beyond) << from & l->full;
}

static void write_request(struct engine *e, uint32_t request, uint32_t first, uint32_t last)
{
	for (uint32_t page = first; page <= last && !e->stopped; page++) {
		uint32_t mask = buffer_covered(&e->layout, request_at(e, request), page);
		uint32_t lpn = legacy_logical_page(e, page), number = buffer_find(&e->buffer, lpn);

		if (number == NONE)
			write_new_page(e, request, lpn, mask);
		else
			write_buffered_page(e, request, number, mask);
	}
	if (request_at(e, request)->pending == 1)
		legacy_request_answered(e, request);
}

/* Is the sector of a buffered page a hit?  SSDsim's test fails from offset 5 on. */
static bool buffer_hits(const struct engine *e, uint32_t stored, uint32_t offset)
{
	bool blind = offset > 4 && quirk_kept(e, Q3_READ_CURSOR);

	return !blind && stored >> offset & 1;
}

/* The sectors of a page to read from flash. *cursor is the next sector to test; SSDsim advances it for
 * buffered pages only, so later pages are tested for sectors of earlier ones. */
static uint32_t buffer_look_up(struct engine *e, const struct request *q, uint32_t page, uint32_t *cursor)
{
	const struct layout *l = &e->layout;
	struct buffer *b = &e->buffer;
	uint32_t number = buffer_find(b, legacy_logical_page(e, page)), end = (page + 1) * l->sectors;
	uint32_t stored = number == NONE ? 0 : node_at(b, number)->mask;
	uint32_t need = quirk_kept(e, Q3_READ_CURSOR) ? l->full : buffer_covered(l, q, page);

	if (number == NONE && quirk_kept(e, Q3_READ_CURSOR))
		return need;
	for (; *cursor < end && *cursor < q->sector + q->sectors; ++*cursor) {
		uint32_t offset = *cursor % l->sectors;

		if (!buffer_hits(e, stored, offset)) {
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

/* SSDsim keeps the needed sectors in a table of 32-bit words, with as many whole pages in each as fit, but
 * reads only as many words as the sectors would fill without gaps.  With page sizes that are no power of two
 * these are too few for a long read, whose last pages are then missed.  Returns the number of pages it
 * finds. */
static uint32_t table_reach(struct engine *e, const struct request *q, uint32_t pages)
{
	uint32_t sectors = e->layout.sectors, per_word = 32 / sectors, reach;
	bool on_border = (q->sector + q->sectors) % sectors == 0;

	if (!quirk_kept(e, Q1_READ_PAST_TABLE))
		return pages;
	reach = ((pages + on_border) * sectors / 32 + 1) * per_word;
	/* One word beyond the table: in SSDsim its value depends on the allocator, here it is 0. */
	if (reach < pages || (on_border && (pages + 1) * sectors % 32 == 0))
		note(e, Q1_READ_PAST_TABLE);
	return reach < pages ? reach : pages;
}

static void read_from_flash(struct engine *e, uint32_t request, uint32_t first, uint32_t last)
{
	uint32_t pages = table_reach(e, request_at(e, request), last - first + 1);

	for (uint32_t page = first; page < first + pages; page++) {
		uint32_t wanted = buffer_covered(&e->layout, request_at(e, request), page);
		uint32_t sectors = legacy_mask_sectors(e->buffer.need[page - first] & wanted);
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
		any |= b->need[page - first] = buffer_look_up(e, q, page, &cursor);
	if (!any || b->hits == q->sectors)
		legacy_request_answered(e, request);
	else
		read_from_flash(e, request, first, last);
}

static void serve_unbuffered(struct engine *e, uint32_t request, uint32_t first, uint32_t last)
{
	for (uint32_t page = first; page <= last; page++) {
		const struct request *q = request_at(e, request);
		uint32_t lpn = legacy_logical_page(e, page);

		if (!legacy_on_drive(e, lpn))
			return;
		if (q->read)
			legacy_create_read(
				e, request, lpn, legacy_mask_sectors(record_get(&e->map, lpn).mask));
		else
			legacy_create_write(e, request, lpn, buffer_covered(&e->layout, q, page));
	}
}

void legacy_serve(struct engine *e, uint32_t request)
{
	const struct request *q = request_at(e, request);
	uint32_t first = q->sector / e->layout.sectors;
	uint32_t last = (q->sector + q->sectors - 1) / e->layout.sectors;

	if (!e->p->dram_bytes)
		serve_unbuffered(e, request, first, last);
	else if (q->read)
		read_request(e, request, first, last);
	else
		write_request(e, request, first, last);
}
