#include "pagemap/entry_cache.h"

#include "flash/schedule.h"

#include "stats/table.h"

#define BROUGHT_MOST 256u /* entries that a read brings beside the one it is for */

#define HASHED_ENTRIES(c) ((struct hashed){ FIELD(c, key), FIELD(c, chain) })
#define FIELD(c, name)                                                                                       \
	((struct array_field){                                                                               \
		(c)->pool.object, offsetof(struct cached_entry, name), sizeof(struct cached_entry) })

static struct cached_entry *entry_at(const struct entry_cache *c, uint32_t i)
{
	return pool_at(&c->pool, i);
}

static uint32_t page_of(const struct entry_cache *c, uint32_t key)
{
	return key / c->plan.per_page;
}

/* Heads: rings of changes have the numbers of their pages. */
static uint32_t segment(const struct entry_cache *c, bool protected)
{
	return c->directory->pages + protected;
}

static uint32_t heads(const struct entry_cache *c)
{
	return c->directory->pages + 2;
}

struct entry_cache *entry_cache_create(struct directory *d, struct entry_cache_plan plan)
{
	struct entry_cache *c = memory_array(1, sizeof *c, "entry cache");

	*c = (struct entry_cache){ .directory = d, .plan = plan };
	c->pool = pool_create(sizeof(struct cached_entry), "entry cache");
	c->hash = hash_create(HASH_SMALLEST, "entry cache");
	for (uint32_t head = 0; head < heads(c); head++) {
		pool_take(&c->pool);
		list_init(FIELD(c, use), head);
		list_init(FIELD(c, change), head);
	}
	return c;
}

void entry_cache_free(struct entry_cache *c)
{
	if (!c)
		return;
	pool_free(&c->pool);
	hash_free(&c->hash);
	memory_free(c);
}

/* ---- what is in DRAM ---- */

static uint32_t find(const struct entry_cache *c, uint32_t key)
{
	return hash_find(&c->hash, HASHED_ENTRIES(c), key);
}

static uint32_t cached(const struct entry_cache *c, uint32_t key)
{
	uint32_t i = find(c, key);

	BUG_ON(i == INDEX_NONE, "entry %u is changed and not in DRAM", key);
	return i;
}

struct cached_entry *entry_cache_find(const struct entry_cache *c, uint32_t key)
{
	uint32_t i = find(c, key);

	return i == INDEX_NONE ? NULL : entry_at(c, i);
}

static void put(struct entry_cache *c, uint32_t i, bool protected)
{
	entry_at(c, i)->protected = protected;
	c->protected += protected;
	list_append(FIELD(c, use), segment(c, protected), i);
}

static void pull(struct entry_cache *c, uint32_t i)
{
	c->protected -= entry_at(c, i)->protected;
	list_remove(FIELD(c, use), i);
}

/* What is used again is protected, and drives the protected one used least recently back to the others. */
static void use(struct entry_cache *c, uint32_t i)
{
	pull(c, i);
	put(c, i, true);
	if (c->protected > c->plan.protect) {
		i = list_next(FIELD(c, use), segment(c, true));
		pull(c, i);
		put(c, i, false);
	}
}

static void set_bytes(struct entry_cache *c, struct cached_entry *e, uint32_t bytes)
{
	c->used += bytes;
	c->used -= e->bytes;
	e->bytes = bytes;
	if (c->used > c->most_used)
		c->most_used = c->used;
}

static void set_dirty(struct entry_cache *c, uint32_t i)
{
	struct cached_entry *e = entry_at(c, i);

	if (e->dirty)
		return;
	e->dirty = true;
	list_append(FIELD(c, change), page_of(c, e->key), i);
}

static void set_clean(struct entry_cache *c, uint32_t i)
{
	entry_at(c, i)->dirty = false;
	list_remove(FIELD(c, change), i);
}

static void enter(struct entry_cache *c, uint32_t key, uint32_t bytes, op_t load)
{
	uint32_t i = pool_take(&c->pool);

	*entry_at(c, i) = (struct cached_entry){ .key = key, .load = load };
	hash_add(&c->hash, HASHED_ENTRIES(c), i);
	put(c, i, false);
	set_bytes(c, entry_at(c, i), bytes);
}

static void leave(struct entry_cache *c, uint32_t i)
{
	if (entry_at(c, i)->dirty)
		set_clean(c, i);
	set_bytes(c, entry_at(c, i), 0);
	pull(c, i);
	hash_remove(&c->hash, HASHED_ENTRIES(c), i);
	pool_give(&c->pool, i);
}

/* ---- making room ---- */

/* The mapping page is written with its changes: of all entries of the page, or of this one. */
static bool write_back(struct entry_cache *c, struct io *io, uint32_t i, op_t *wait)
{
	struct directory *d = c->directory;
	uint32_t page = page_of(c, entry_at(c, i)->key);

	schedule_note(io->flash->schedule, "entry %u leaves DRAM, changed: mapping page %u is written%s",
		entry_at(c, i)->key, page, c->plan.batch ? " with all its changes" : " for this change");
	if (!directory_rewrite(d, io, page, CAUSE_MAP, OP_NONE, wait))
		return false;
	directory_clear(d, page);
	c->statistics.writebacks += io->timed;
	set_clean(c, i);
	while (c->plan.batch && !list_empty(FIELD(c, change), page)) {
		set_clean(c, list_next(FIELD(c, change), page));
		c->statistics.batched += io->timed;
	}
	return true;
}

/* What leaves first; there is something in DRAM. */
static uint32_t victim(const struct entry_cache *c)
{
	return list_next(FIELD(c, use), segment(c, list_empty(FIELD(c, use), segment(c, false))));
}

/* So many bytes more fit.  *written becomes the page that was written last, if one was. */
static bool make_room(struct entry_cache *c, struct io *io, uint32_t bytes, op_t *wait, uint32_t *written)
{
	BUG_ON(bytes > c->plan.bytes, "an entry of %u bytes is larger than the cache of %llu", bytes,
		(unsigned long long)c->plan.bytes);
	while (c->used + bytes > c->plan.bytes) {
		uint32_t i = victim(c);

		if (entry_at(c, i)->dirty) {
			if (!write_back(c, io, i, wait))
				return false;
			*written = page_of(c, entry_at(c, i)->key);
		} else {
			schedule_note(
				io->flash->schedule, "entry %u leaves DRAM, unchanged", entry_at(c, i)->key);
			c->statistics.dropped += io->timed;
		}
		leave(c, i);
	}
	return true;
}

void entry_cache_fit(struct entry_cache *c, struct io *io)
{
	op_t nobody = OP_NONE;
	uint32_t written;

	if (make_room(c, io, 0, &nobody, &written))
		return;
	while (c->used > c->plan.bytes)
		leave(c, victim(c));
}

/* ---- look-ups ---- */

static op_t load(struct entry_cache *c, struct io *io, uint32_t key, uint32_t bytes)
{
	struct directory *d = c->directory;
	uint32_t page = page_of(c, key), written = INDEX_NONE;
	op_t wait = OP_NONE;

	if (!make_room(c, io, bytes, &wait, &written))
		return OP_NONE;
	schedule_note(io->flash->schedule, "entry %u enters DRAM, with mapping page %u", key, page);
	if (!c->plan.read_once || written != page)
		wait = directory_read(d, io, page, CAUSE_MAP, wait);
	else if (wait == OP_NONE)
		wait = directory_ready(d, io, page, OP_NONE);
	enter(c, key, bytes, wait);
	return wait;
}

op_t entry_cache_get(struct entry_cache *c, struct io *io, uint32_t key, uint32_t bytes)
{
	uint32_t i = find(c, key);

	BUG_ON(page_of(c, key) >= c->directory->pages, "entry %u is looked up, there are %u mapping pages",
		key, c->directory->pages);
	directory_count_lookup(c->directory, page_of(c, key), i != INDEX_NONE);
	if (i == INDEX_NONE)
		return load(c, io, key, bytes);
	use(c, i);
	return directory_pending(io, &entry_at(c, i)->load, OP_NONE);
}

op_t entry_cache_grow(struct entry_cache *c, struct io *io, uint32_t key, uint32_t bytes)
{
	uint32_t i = cached(c, key);
	op_t read;

	directory_count_lookup(c->directory, page_of(c, key), false);
	read = directory_read(c->directory, io, page_of(c, key), CAUSE_MAP,
		directory_pending(io, &entry_at(c, i)->load, OP_NONE));
	entry_at(c, i)->load = read;
	use(c, i);
	set_bytes(c, entry_at(c, i), bytes);
	entry_cache_fit(c, io);
	return read;
}

void entry_cache_enter(struct entry_cache *c, struct io *io, uint32_t key, uint32_t bytes)
{
	op_t nobody = OP_NONE;
	uint32_t written;

	if (find(c, key) == INDEX_NONE && make_room(c, io, bytes, &nobody, &written))
		enter(c, key, bytes, directory_ready(c->directory, io, page_of(c, key), OP_NONE));
}

uint32_t entry_cache_brought(const struct entry_cache *c, uint32_t key, uint32_t last)
{
	uint32_t page_end = (page_of(c, key) + 1) * c->plan.per_page - 1;

	last = last < page_end ? last : page_end;
	if (last < key)
		return key;
	return last - key < BROUGHT_MOST ? last : key + BROUGHT_MOST;
}

void entry_cache_touch(struct entry_cache *c, uint32_t key)
{
	uint32_t i = find(c, key);

	if (i != INDEX_NONE)
		use(c, i);
}

/* ---- changes ---- */

void entry_cache_change(struct entry_cache *c, uint32_t key, uint32_t bytes)
{
	uint32_t i = cached(c, key);

	directory_enter(c->directory, page_of(c, key));
	set_bytes(c, entry_at(c, i), bytes);
	set_dirty(c, i);
}

void entry_cache_resize(struct entry_cache *c, uint32_t key, uint32_t bytes)
{
	set_bytes(c, entry_at(c, cached(c, key)), bytes);
}

bool entry_cache_moved(struct entry_cache *c, uint32_t key)
{
	uint32_t i = find(c, key);

	if (i == INDEX_NONE)
		return false;
	set_dirty(c, i);
	return true;
}

/* ---- the rest ---- */

/* Of the segment, or INDEX_NONE if its ring is none. */
static uint32_t length(const struct entry_cache *c, bool protected)
{
	return list_length(FIELD(c, use), segment(c, protected), c->pool.used);
}

static void index_segment(struct entry_cache *c, bool protected)
{
	uint32_t head = segment(c, protected);

	for (uint32_t i = list_next(FIELD(c, use), head); i != head; i = list_next(FIELD(c, use), i)) {
		entry_at(c, i)->load = OP_NONE;
		hash_add(&c->hash, HASHED_ENTRIES(c), i);
	}
}

/* Handles mean nothing in another process, nor does where the index has its chains. */
void entry_cache_regions(struct entry_cache *c, struct regions *r)
{
	uint64_t most = heads(c) + (uint64_t)c->directory->pages * c->plan.per_page;
	struct cached_entry *e;
	uint32_t n;

	pool_regions(&c->pool, r, most < INDEX_NONE ? (uint32_t)most : INDEX_NONE - 1);
	regions_visit(r, &c->used, sizeof c->used);
	regions_visit(r, &c->protected, sizeof c->protected);
	e = c->pool.object;
	n = r->broken ? 0 : c->pool.used;
	regions_require(r, n >= heads(c), "entry cache");
	regions_below(r, NUMBERS_OF(e, use.previous), n, n, "entry cache");
	regions_below(r, NUMBERS_OF(e, use.next), n, n, "entry cache");
	regions_below(r, NUMBERS_OF(e, change.previous), n, n, "entry cache");
	regions_below(r, NUMBERS_OF(e, change.next), n, n, "entry cache");
	regions_below(r, NUMBERS_OF(e, dirty), n, 2, "entry cache");
	regions_below(r, NUMBERS_OF(e, protected), n, 2, "entry cache");
	if (r->broken || length(c, true) == INDEX_NONE || length(c, false) == INDEX_NONE) {
		regions_require(r, false, "entry cache");
		return;
	}
	hash_clear(&c->hash);
	index_segment(c, true);
	index_segment(c, false);
}

struct tally {
	uint64_t entries, dirty, bytes;
};

static void check_segment(const struct entry_cache *c, bool protected, struct tally *t)
{
	uint32_t head = segment(c, protected);

	for (uint32_t i = list_next(FIELD(c, use), head); i != head; i = list_next(FIELD(c, use), i)) {
		const struct cached_entry *e = entry_at(c, i);

		BUG_ON(page_of(c, e->key) >= c->directory->pages,
			"entry %u is in DRAM, there are %u mapping pages", e->key, c->directory->pages);
		BUG_ON(e->protected != protected || find(c, e->key) != i,
			"entry %u in segment %d is said to be in %d, the index has %u for %u", e->key,
			protected, e->protected, find(c, e->key), i);
		BUG_ON(++t->entries > c->hash.count, "more than %u entries are in DRAM", c->hash.count);
		t->dirty += e->dirty;
		t->bytes += e->bytes;
	}
}

static void check_changes(const struct entry_cache *c, uint64_t dirty)
{
	for (uint32_t page = 0; page < c->directory->pages; page++) {
		BUG_ON(list_length(FIELD(c, change), page, c->hash.count) == INDEX_NONE,
			"the changes of mapping page %u are no ring", page);
		for (uint32_t i = list_next(FIELD(c, change), page); i != page;
			i = list_next(FIELD(c, change), i))
			BUG_ON(!entry_at(c, i)->dirty || page_of(c, entry_at(c, i)->key) != page || !dirty--,
				"entry %u is listed as a change of mapping page %u", entry_at(c, i)->key,
				page);
	}
	BUG_ON(dirty, "%llu changed entries are not listed", (unsigned long long)dirty);
}

void entry_cache_check(const struct entry_cache *c)
{
	struct tally t = { 0 };

	check_segment(c, true, &t);
	BUG_ON(t.entries != c->protected || t.entries > c->plan.protect,
		"%llu entries are protected, counted are %llu, %llu may be", (unsigned long long)t.entries,
		(unsigned long long)c->protected, (unsigned long long)c->plan.protect);
	check_segment(c, false, &t);
	BUG_ON(heads(c) + t.entries + pool_count_free(&c->pool) != c->pool.used,
		"%u of %u entries are free, %llu in DRAM", pool_count_free(&c->pool), c->pool.used - heads(c),
		(unsigned long long)t.entries);
	BUG_ON(t.entries != c->hash.count || t.bytes != c->used || t.bytes > c->plan.bytes,
		"%llu entries of %llu bytes are in DRAM; counted are %u and %llu, the budget is %llu",
		(unsigned long long)t.entries, (unsigned long long)t.bytes, c->hash.count,
		(unsigned long long)c->used, (unsigned long long)c->plan.bytes);
	check_changes(c, t.dirty);
}

#define COUNT(field) STAT_COUNT, offsetof(struct entry_cache_statistics, field)

static const struct stat_row rows[] = {
	{ "cache_bytes", "bytes", "DRAM for mapping entries", COUNT(bytes) },
	{ "cached_bytes_max", "bytes", "most in use", COUNT(most_bytes) },
	{ "writebacks", "pages", "mapping pages read and written anew as a changed entry left",
		COUNT(writebacks) },
	{ "batched", "entries", "other changes written with these", COUNT(batched) },
	{ "dropped", "entries", "that left unchanged", COUNT(dropped) },
	{ 0 },
};

static void start(void *cache)
{
	struct entry_cache *c = cache;

	c->most_used = c->used;
}

static void gather(void *cache)
{
	struct entry_cache *c = cache;

	c->statistics.bytes = c->plan.bytes;
	c->statistics.most_bytes = c->most_used;
}

void entry_cache_statistics(struct entry_cache *c, struct stat_list *list)
{
	stat_list_add(list, (struct stat_group){ NULL, "map.", rows, &c->statistics, sizeof c->statistics, c,
				    start, gather });
	directory_statistics(c->directory, list);
}
