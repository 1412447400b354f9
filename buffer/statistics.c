#include "buffer/buffer.h"
#include "stats/table.h"

uint64_t buffer_dirty_sectors(const struct buffer *b)
{
	uint64_t sectors = 0;

	for (uint32_t i = 0; i < b->nodes.used; i++)
		if (buffer_node(b, i)->stored)
			sectors += (uint32_t)__builtin_popcountll(buffer_node(b, i)->dirty);
	return sectors;
}

#define FIELD_STAT(name) offsetof(struct buffer_statistics, name)
#define COUNT(name)      STAT_COUNT, FIELD_STAT(name)
#define SHARE(name, of)  STAT_RATIO, FIELD_STAT(name), FIELD_STAT(of)

/* clang-format off */
#define DIRECTION(text, type, hit) \
	{ text "hit_sectors", "sectors", hit, COUNT(hit_sectors[type]) }, \
	{ text "miss_sectors", "sectors", "", COUNT(miss_sectors[type]) }, \
	{ text "hit_ratio", "share", "hit sectors / all sectors", SHARE(hit_sectors[type], sectors[type]) }, \
	{ text "page_accesses", "", "one for each page of a request", COUNT(pages[type]) }, \
	{ text "page_hits", "", "accesses whose sectors were all buffered", COUNT(page_hits[type]) }, \
	{ text "page_finds", "", "accesses to a page of which any sector was buffered", \
		COUNT(page_finds[type]) }, \
	{ text "page_hit_ratio", "share", "page hits / page accesses", \
		SHARE(page_hits[type], pages[type]) }, \
	{ text "request_hit_ratio", "share", "requests whose sectors were all buffered", \
		SHARE(request_hits[type], requests[type]) }, \
	{ text "legacy_hit_ratio", "share", \
		"hit sectors / (these + misses as SSDsim counts them); comparable with nothing else", \
		SHARE(hit_sectors[type], legacy[type]) }
/* clang-format on */

static const struct stat_row buffer_stats[] = {
	{ "capacity_bytes", "bytes", "", COUNT(capacity_bytes) },
	DIRECTION("read.", REQUEST_READ, ""),
	DIRECTION("write.", REQUEST_WRITE, "overwritten in the buffer"),
	{ "evictions", "", "", COUNT(evictions) },
	{ "evicted_pages", "pages", "evicted, whole or in part", COUNT(evicted_pages) },
	{ "flushed_pages", "pages", "of these, with dirty sectors", COUNT(flushed_pages) },
	{ "flushed_sectors", "sectors", "dirty, written to the FTL", COUNT(flushed_sectors) },
	{ "flush_sectors_mean", "sectors", "dirty, per flushed page", STAT_RATIO, FIELD_STAT(flushed_sectors),
		FIELD_STAT(flushed_pages) },
	{ "eviction_pages_mean", "pages", "evicted together", STAT_RATIO, FIELD_STAT(evicted_pages),
		FIELD_STAT(evictions) },
	{ "merged_writes", "", "flushes into one shared page", COUNT(merged_writes) },
	{ "dirty_sectors", "sectors", "still dirty at the end", COUNT(dirty_sectors) },
	{ 0 },
};

static void buffer_gather(void *buffer)
{
	struct buffer *b = buffer;

	b->statistics.capacity_bytes = b->capacity * SECTOR_BYTES;
	b->statistics.dirty_sectors = buffer_dirty_sectors(b);
}

void buffer_statistics(struct buffer *b, struct stat_list *list)
{
	stat_list_add(list, (struct stat_group){ .title = "write buffer",
				    .prefix = "buffer.",
				    .rows = buffer_stats,
				    .values = &b->statistics,
				    .size = sizeof b->statistics,
				    .owner = b,
				    .gather = buffer_gather });
	snprintf(b->prefix, sizeof b->prefix, "%s.", buffer_group(b->ops));
	if (b->ops->statistics)
		stat_list_add(list, (struct stat_group){ .prefix = b->prefix,
					    .rows = b->ops->statistics,
					    .values = (char *)b->state + b->ops->count,
					    .size = b->ops->count_size });
}
