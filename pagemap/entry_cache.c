#include "pagemap/entry_cache.h"

#include "base/bits.h"
#include "flash/schedule.h"
#include "stats/table.h"

#define ENTRY_CACHE_BROUGHT_MOST 256u /* further entries that a read loads */

#define FIELD(c, name) POOL_FIELD((c)->pool, struct cached_entry, name)

/* Elements.  The first is unused, so that links in a ring are above 0. With plan.by_page a head for each
 * mapping page follows. */
enum { PROBATION = 1, PROTECTED, HEADS };

static struct cached_entry *entry_cache_entry_at(const struct entry_cache *c, uint32_t i)
{
	return pool_at(&c->pool, i);
}

static uint32_t entry_cache_page_of(const struct entry_cache *c, uint32_t key)
{
	return key / c->plan.per_page;
}

/* Words of `dirty` for a mapping page. */
static size_t entry_cache_page_words(const struct entry_cache *c)
{
	return bits_words(c->plan.per_page);
}

static uint64_t *entry_cache_page_dirty(const struct entry_cache *c, uint32_t page)
{
	return c->dirty + page * entry_cache_page_words(c);
}

/* The first element that is no head. */
static uint32_t entry_cache_heads(const struct entry_cache *c)
{
	return HEADS + (c->plan.by_page ? c->directory->pages : 0);
}

/* The head of the ring that an entry is in. */
static uint32_t entry_cache_ring(const struct entry_cache *c, const struct cached_entry *e)
{
	return c->plan.by_page ? HEADS + entry_cache_page_of(c, e->key) : e->segment;
}

static uint32_t entry_cache_most_elements(const struct entry_cache *c, uint64_t entries)
{
	uint64_t most = entry_cache_heads(c) + (entries < c->keys ? entries : c->keys);

	return most < INDEX_NONE ? (uint32_t)most : INDEX_NONE - 1;
}

struct entry_cache *entry_cache_create(struct directory *d, struct entry_cache_plan plan)
{
	struct entry_cache *c = memory_array(1, sizeof *c, "entry cache");
	uint32_t most, shift = plan.together ? (uint32_t)__builtin_ctz(plan.together) : 0;

	*c = (struct entry_cache){ .directory = d, .plan = plan, .keys = (uint64_t)d->pages * plan.per_page };
	most = entry_cache_most_elements(c, plan.bytes / plan.least);
	c->pool = pool_create(sizeof(struct cached_entry), "entry cache");
	pool_reserve(&c->pool, most);
	c->index =
		hash_create_near((most - entry_cache_heads(c)) >> shift, shift, "index of the entry cache");
	c->fetches = fetches_create();
	c->dirty = memory_array(d->pages * entry_cache_page_words(c), sizeof *c->dirty, "changed entries");
	while (c->pool.used < entry_cache_heads(c))
		pool_take(&c->pool);
	for (uint32_t head = PROBATION; head < entry_cache_heads(c); head++)
		list_init(FIELD(c, use), head);
	return c;
}

void entry_cache_free(struct entry_cache *c)
{
	if (!c)
		return;
	pool_free(&c->pool);
	hash_free(&c->index);
	fetches_free(&c->fetches);
	memory_free(c->dirty);
	memory_free(c);
}

/* ---- entries in DRAM ---- */

uint32_t entry_cache_element(const struct entry_cache *c, uint32_t key)
{
	return hash_find(&c->index, entry_cache_indexed(c), key);
}

static uint32_t entry_cache_cached(const struct entry_cache *c, uint32_t key)
{
	uint32_t i = entry_cache_element(c, key);

	BUG_ON(i == INDEX_NONE, "entry %u is changed and not in DRAM", key);
	return i;
}

struct cached_entry *entry_cache_find(const struct entry_cache *c, uint32_t key)
{
	uint32_t i = entry_cache_element(c, key);

	return i == INDEX_NONE ? NULL : entry_cache_entry_at(c, i);
}

bool entry_cache_dirty(const struct entry_cache *c, uint32_t key)
{
	return bits_get(entry_cache_page_dirty(c, entry_cache_page_of(c, key)), key % c->plan.per_page);
}

static void entry_cache_put(struct entry_cache *c, uint32_t i, uint8_t segment)
{
	struct cached_entry *e = entry_cache_entry_at(c, i);

	e->segment = segment;
	c->protected_entries += segment == PROTECTED;
	list_append(FIELD(c, use), entry_cache_ring(c, e), i);
}

static void entry_cache_pull(struct entry_cache *c, uint32_t i)
{
	c->protected_entries -= entry_cache_entry_at(c, i)->segment == PROTECTED;
	list_remove(FIELD(c, use), i);
}

/* An entry that is used again becomes protected; then the least recently used of the protected ones may have
 * to leave. */
static void entry_cache_use(struct entry_cache *c, uint32_t i)
{
	entry_cache_pull(c, i);
	entry_cache_put(c, i, c->plan.protect ? PROTECTED : PROBATION);
	if (c->protected_entries > c->plan.protect) {
		i = list_next(FIELD(c, use), PROTECTED);
		entry_cache_pull(c, i);
		entry_cache_put(c, i, PROBATION);
	}
}

void entry_cache_charge(struct entry_cache *c, uint32_t now, uint32_t before)
{
	c->used += now;
	c->used -= before;
	if (c->used > c->most_used)
		c->most_used = c->used;
}

static void entry_cache_set_bytes(struct entry_cache *c, struct cached_entry *e, uint32_t bytes)
{
	BUG_ON(bytes > UINT16_MAX, "an entry of %u bytes", bytes);
	entry_cache_charge(c, bytes, e->bytes);
	e->bytes = (uint16_t)bytes;
}

static void entry_cache_set_dirty(struct entry_cache *c, uint32_t key)
{
	bits_set(entry_cache_page_dirty(c, entry_cache_page_of(c, key)), key % c->plan.per_page);
}

static void entry_cache_set_clean(struct entry_cache *c, uint32_t key)
{
	bits_clear(entry_cache_page_dirty(c, entry_cache_page_of(c, key)), key % c->plan.per_page);
}

uint32_t entry_cache_insert(
	struct entry_cache *c, const struct io *io, uint32_t key, uint32_t bytes, op_t read)
{
	uint32_t i = pool_take(&c->pool);
	struct cached_entry *e = entry_cache_entry_at(c, i);

	e->key = key;
	e->bytes = e->parts = 0;
	fetches_begin(&c->fetches, io, i, read);
	hash_add(&c->index, entry_cache_indexed(c), i);
	entry_cache_put(c, i, PROBATION);
	entry_cache_set_bytes(c, e, bytes);
	return i;
}

void entry_cache_remove(struct entry_cache *c, uint32_t i)
{
	struct cached_entry *e = entry_cache_entry_at(c, i);

	entry_cache_set_clean(c, e->key);
	hash_remove(&c->index, entry_cache_indexed(c), i);
	c->used -= e->bytes;
	entry_cache_pull(c, i);
	e->use = (struct link){ 0, 0 };
	pool_give(&c->pool, i);
}

/* ---- making room ---- */

uint32_t entry_cache_clean_page(struct entry_cache *c, uint32_t page)
{
	uint64_t *word = entry_cache_page_dirty(c, page);
	uint32_t cleaned = 0;

	for (uint64_t *end = word + entry_cache_page_words(c); word < end; *word++ = 0)
		cleaned += (uint32_t)__builtin_popcountll(*word);
	return cleaned;
}

/* Rewrites the mapping page with this dirty entry, or with all of its dirty entries. */
static bool entry_cache_write_back(struct entry_cache *c, struct io *io, uint32_t key, op_t *wait)
{
	struct directory *d = c->directory;
	uint32_t page = entry_cache_page_of(c, key), batched;

	schedule_note(io->flash->schedule, "entry %u leaves DRAM, changed: mapping page %u is written%s", key,
		page, c->plan.batch ? " with all its changes" : " for this change");
	if (!directory_rewrite(d, io, page, CAUSE_MAP, OP_NONE, wait))
		return false;
	directory_clear_updates(d, page);
	entry_cache_set_clean(c, key);
	batched = c->plan.batch ? entry_cache_clean_page(c, page) : 0;
	c->statistics.writebacks += io->timed;
	c->statistics.batched += io->timed ? batched : 0;
	return true;
}

bool entry_cache_evict(struct entry_cache *c, struct io *io, uint32_t i, op_t *wait)
{
	uint32_t key = entry_cache_entry_at(c, i)->key;

	if (entry_cache_dirty(c, key)) {
		if (!entry_cache_write_back(c, io, key, wait))
			return false;
	} else {
		schedule_note(io->flash->schedule, "entry %u leaves DRAM, unchanged", key);
		c->statistics.dropped += io->timed;
	}
	entry_cache_remove(c, i);
	return true;
}

/* The entry to evict next; there is one. */
static uint32_t entry_cache_victim(const struct entry_cache *c)
{
	return list_next(FIELD(c, use), list_empty(FIELD(c, use), PROBATION) ? PROTECTED : PROBATION);
}

/* Makes room for `bytes`.  *written becomes the mapping page that was written back last, if one was.  False:
 * the drive is full, or the element `stays` would be evicted. */
static bool entry_cache_make_room(
	struct entry_cache *c, struct io *io, uint32_t bytes, uint32_t stays, op_t *wait, uint32_t *written)
{
	BUG_ON(bytes > c->plan.bytes, "an entry of %u bytes is larger than the cache of %llu", bytes,
		(unsigned long long)c->plan.bytes);
	while (c->used + bytes > c->plan.bytes) {
		uint32_t i = entry_cache_victim(c), key = entry_cache_entry_at(c, i)->key;
		bool dirty = entry_cache_dirty(c, key);

		if (i == stays || !entry_cache_evict(c, io, i, wait))
			return false;
		if (dirty)
			*written = entry_cache_page_of(c, key);
	}
	return true;
}

void entry_cache_fit(struct entry_cache *c, struct io *io)
{
	op_t nobody = OP_NONE;
	uint32_t written;

	if (entry_cache_make_room(c, io, 0, INDEX_NONE, &nobody, &written))
		return;
	while (c->used > c->plan.bytes)
		entry_cache_remove(c, entry_cache_victim(c));
}

/* ---- look-ups ---- */

static op_t entry_cache_load(struct entry_cache *c, struct io *io, uint32_t key, uint32_t bytes)
{
	struct directory *d = c->directory;
	uint32_t page = entry_cache_page_of(c, key), written = INDEX_NONE;
	op_t wait = OP_NONE;

	if (!entry_cache_make_room(c, io, bytes, INDEX_NONE, &wait, &written))
		return OP_NONE;
	schedule_note(io->flash->schedule, "entry %u enters DRAM, with mapping page %u", key, page);
	if (!c->plan.read_once || written != page)
		wait = directory_read(d, io, page, CAUSE_MAP, wait);
	else if (wait == OP_NONE)
		wait = directory_ready(d, io, page, OP_NONE);
	entry_cache_insert(c, io, key, bytes, wait);
	return wait;
}

op_t entry_cache_get(struct entry_cache *c, struct io *io, uint32_t key, uint32_t bytes)
{
	uint32_t i;

	BUG_ON(key >= c->keys, "entry %u is looked up, there are %u mapping pages", key, c->directory->pages);
	i = entry_cache_element(c, key);
	directory_count_lookup(c->directory, entry_cache_page_of(c, key), i != INDEX_NONE);
	if (i == INDEX_NONE)
		return entry_cache_load(c, io, key, bytes);
	entry_cache_use(c, i);
	return fetches_pending(&c->fetches, io, i);
}

op_t entry_cache_look_up(struct entry_cache *c, struct io *io, uint32_t key, uint32_t bytes, uint32_t last)
{
	bool brings =
		c->directory->settings->load == MAP_LOAD_REQUEST && entry_cache_element(c, key) == INDEX_NONE;
	op_t ready = entry_cache_get(c, io, key, bytes);

	if (!brings)
		return ready;
	last = entry_cache_brought(c, key, last);
	for (uint32_t next = key + 1; next <= last; next++)
		entry_cache_enter(c, io, next, bytes, key);
	entry_cache_touch(c, key);
	return ready;
}

op_t entry_cache_grow(struct entry_cache *c, struct io *io, uint32_t key, uint32_t bytes)
{
	uint32_t i = entry_cache_cached(c, key), page = entry_cache_page_of(c, key);
	op_t read;

	directory_count_lookup(c->directory, page, false);
	read = directory_read(c->directory, io, page, CAUSE_MAP, fetches_pending(&c->fetches, io, i));
	fetches_begin(&c->fetches, io, i, read);
	entry_cache_use(c, i);
	entry_cache_set_bytes(c, entry_cache_entry_at(c, i), bytes);
	entry_cache_fit(c, io);
	return read;
}

void entry_cache_enter(struct entry_cache *c, struct io *io, uint32_t key, uint32_t bytes, uint32_t beside)
{
	op_t nobody = OP_NONE;
	uint32_t written;

	if (entry_cache_element(c, key) == INDEX_NONE &&
		entry_cache_make_room(c, io, bytes, entry_cache_element(c, beside), &nobody, &written))
		entry_cache_insert(c, io, key, bytes,
			directory_ready(c->directory, io, entry_cache_page_of(c, key), OP_NONE));
}

uint32_t entry_cache_brought(const struct entry_cache *c, uint32_t key, uint32_t last)
{
	uint32_t page_end = (entry_cache_page_of(c, key) + 1) * c->plan.per_page - 1;

	last = last < page_end ? last : page_end;
	if (last < key)
		return key;
	return last - key < ENTRY_CACHE_BROUGHT_MOST ? last : key + ENTRY_CACHE_BROUGHT_MOST;
}

void entry_cache_touch(struct entry_cache *c, uint32_t key)
{
	uint32_t i = entry_cache_element(c, key);

	if (i != INDEX_NONE)
		entry_cache_use(c, i);
}

/* ---- changes ---- */

void entry_cache_change(struct entry_cache *c, uint32_t key, uint32_t bytes)
{
	uint32_t i = entry_cache_cached(c, key);

	directory_enter(c->directory, entry_cache_page_of(c, key));
	entry_cache_set_bytes(c, entry_cache_entry_at(c, i), bytes);
	entry_cache_set_dirty(c, key);
}

void entry_cache_resize(struct entry_cache *c, uint32_t key, uint32_t bytes)
{
	entry_cache_set_bytes(c, entry_cache_entry_at(c, entry_cache_cached(c, key)), bytes);
}

bool entry_cache_moved(struct entry_cache *c, uint32_t key)
{
	if (entry_cache_element(c, key) == INDEX_NONE)
		return false;
	entry_cache_set_dirty(c, key);
	return true;
}

/* ---- the rest ---- */

uint32_t entry_cache_next(const struct entry_cache *c, uint32_t i)
{
	i = list_next(FIELD(c, use), i);
	return i < entry_cache_heads(c) ? INDEX_NONE : i;
}

uint32_t entry_cache_coldest(const struct entry_cache *c, uint32_t page)
{
	return entry_cache_next(c, c->plan.by_page ? HEADS + page : PROBATION);
}

/* Rebuilds the index from the rings. */
static void entry_cache_index(void *cache)
{
	struct entry_cache *c = cache;

	hash_clear(&c->index);
	for (uint32_t head = PROBATION; head < entry_cache_heads(c); head++)
		for (uint32_t i = entry_cache_next(c, head); i != INDEX_NONE; i = entry_cache_next(c, i))
			hash_add(&c->index, entry_cache_indexed(c), i);
}

static const struct state_row entry_cache_entry_state[] = {
	STATE_NUMBER(struct cached_entry, chain),
	STATE_NUMBER(struct cached_entry, key),
	STATE_NUMBER(struct cached_entry, use),
	STATE_NUMBER(struct cached_entry, bytes),
	STATE_NUMBER(struct cached_entry, segment),
	STATE_NUMBER(struct cached_entry, parts),
	{ 0 },
};

const struct state_row entry_cache_state[] = {
	STATE_FIXED(directory, plan, keys),
	STATE_COUNTED(statistics),
	STATE_POOL(struct entry_cache, pool, entry_cache_entry_state),
	STATE_NUMBERS(struct entry_cache, dirty),
	STATE_NUMBER(struct entry_cache, used),
	STATE_NUMBER(struct entry_cache, protected_entries),
	STATE_STRUCT(struct entry_cache, fetches, fetches_state),
	STATE_REBUILT(index),
	STATE_RESTORED(entry_cache_index),
	STATE_OF_RUN,
	STATE_NUMBER(struct entry_cache, most_used),
	{ 0 },
};

struct entry_cache_tally {
	uint64_t entries, dirty, bytes;
};

static void entry_cache_check_ring(const struct entry_cache *c, uint32_t head, struct entry_cache_tally *t)
{
	for (uint32_t i = entry_cache_next(c, head); i != INDEX_NONE; i = entry_cache_next(c, i)) {
		const struct cached_entry *e = entry_cache_entry_at(c, i);

		BUG_ON(e->key >= c->keys || !e->bytes,
			"entry %u of %u bytes is in DRAM, there are %u mapping pages", e->key, e->bytes,
			c->directory->pages);
		BUG_ON(entry_cache_ring(c, e) != head || entry_cache_element(c, e->key) != i,
			"entry %u in ring %u is said to be in %u, the index has %u for %u", e->key, head,
			entry_cache_ring(c, e), entry_cache_element(c, e->key), i);
		BUG_ON(++t->entries > c->pool.used, "more than %u entries are in DRAM", c->pool.used);
		t->dirty += entry_cache_dirty(c, e->key);
		t->bytes += e->bytes;
	}
}

static void entry_cache_check_dirty(const struct entry_cache *c, uint64_t dirty)
{
	uint64_t marked = 0;

	for (size_t w = 0; w < c->directory->pages * entry_cache_page_words(c); w++)
		marked += (uint64_t)__builtin_popcountll(c->dirty[w]);
	BUG_ON(marked != dirty, "%llu entries in DRAM are dirty, marked are %llu", (unsigned long long)dirty,
		(unsigned long long)marked);
}

void entry_cache_check_beside(const struct entry_cache *c, uint64_t beside)
{
	struct entry_cache_tally t = { .bytes = beside };
	uint32_t heads = entry_cache_heads(c);

	entry_cache_check_ring(c, PROTECTED, &t);
	BUG_ON(t.entries != c->protected_entries || t.entries > c->plan.protect,
		"%llu entries are protected, counted are %llu, %llu may be", (unsigned long long)t.entries,
		(unsigned long long)c->protected_entries, (unsigned long long)c->plan.protect);
	for (uint32_t head = PROBATION; head < heads; head++)
		if (head != PROTECTED)
			entry_cache_check_ring(c, head, &t);
	BUG_ON(heads + t.entries + pool_count_free(&c->pool) != c->pool.used,
		"%u of %u entries are free, %llu in DRAM", pool_count_free(&c->pool), c->pool.used - heads,
		(unsigned long long)t.entries);
	BUG_ON(t.bytes != c->used || t.bytes > c->plan.bytes,
		"%llu entries of %llu bytes are in DRAM; counted are %llu, the budget is %llu",
		(unsigned long long)t.entries, (unsigned long long)t.bytes, (unsigned long long)c->used,
		(unsigned long long)c->plan.bytes);
	entry_cache_check_dirty(c, t.dirty);
}

void entry_cache_check(const struct entry_cache *c)
{
	entry_cache_check_beside(c, 0);
}

#define COUNT(field) STAT_COUNT, offsetof(struct entry_cache_statistics, field)

static const struct stat_row entry_cache_rows[] = {
	{ "cache_bytes", "bytes", "DRAM for mapping entries", COUNT(bytes) },
	{ "cached_bytes_max", "bytes", "most in use", COUNT(most_bytes) },
	{ "writebacks", "pages", "mapping pages read and rewritten for an evicted dirty entry",
		COUNT(writebacks) },
	{ "batched", "entries", "other changes written with these", COUNT(batched) },
	{ "dropped", "entries", "evicted clean", COUNT(dropped) },
	{ 0 },
};

static void entry_cache_start(void *cache)
{
	struct entry_cache *c = cache;

	c->most_used = c->used;
}

static void entry_cache_gather(void *cache)
{
	struct entry_cache *c = cache;

	c->statistics.bytes = c->plan.bytes;
	c->statistics.most_bytes = c->most_used;
}

void entry_cache_statistics(struct entry_cache *c, struct stat_list *list)
{
	stat_list_add(list, (struct stat_group){ NULL, "map.", entry_cache_rows, &c->statistics,
				    sizeof c->statistics, c, entry_cache_start, entry_cache_gather });
	directory_statistics(c->directory, list);
}
