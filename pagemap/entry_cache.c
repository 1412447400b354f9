#include "pagemap/entry_cache.h"

#include "base/bits.h"
#include "flash/schedule.h"
#include "stats/table.h"

#define BROUGHT_MOST 256u /* entries that a read brings beside the one it is for */

#define FIELD(c, name)  POOL_FIELD((c)->pool, struct cached_entry, name)
#define NUMBER(c, name) POOL_NUMBERS((c)->pool, struct cached_entry, name)

/* Elements.  The first stays unused, so that the links of what is in a ring are above 0. */
enum { PROBATION = 1, PROTECTED, HEADS };

static struct cached_entry *entry_at(const struct entry_cache *c, uint32_t i)
{
	return pool_at(&c->pool, i);
}

static uint32_t page_of(const struct entry_cache *c, uint32_t key)
{
	return key / c->plan.per_page;
}

static uint32_t segment(bool protected)
{
	return protected ? PROTECTED : PROBATION;
}

/* The changes of a mapping page. */
static size_t page_words(const struct entry_cache *c)
{
	return bits_words(c->plan.per_page);
}

static uint64_t *changes(const struct entry_cache *c, uint32_t page)
{
	return c->dirty + page * page_words(c);
}

static uint32_t most_elements(const struct entry_cache *c, uint64_t entries)
{
	uint64_t most = HEADS + (entries < c->keys ? entries : c->keys);

	return most < INDEX_NONE ? (uint32_t)most : INDEX_NONE - 1;
}

struct entry_cache *entry_cache_create(struct directory *d, struct entry_cache_plan plan)
{
	struct entry_cache *c = memory_array(1, sizeof *c, "entry cache");
	uint32_t most, shift = plan.together ? (uint32_t)__builtin_ctz(plan.together) : 0;

	*c = (struct entry_cache){ .directory = d, .plan = plan, .keys = (uint64_t)d->pages * plan.per_page };
	most = most_elements(c, plan.bytes / plan.least);
	c->pool = pool_create(
		sizeof(struct cached_entry) + (plan.alike ? 0 : sizeof(struct cached_own)), "entry cache");
	pool_reserve(&c->pool, most);
	c->index = hash_create_near((most - HEADS) >> shift, shift, "index of the entry cache");
	c->fetches = fetches_create();
	c->dirty = memory_array(d->pages * page_words(c), sizeof *c->dirty, "changed entries");
	while (c->pool.used < HEADS)
		pool_take(&c->pool);
	list_init(FIELD(c, use), PROBATION);
	list_init(FIELD(c, use), PROTECTED);
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

/* ---- what is in DRAM ---- */

/* Its element; INDEX_NONE: it is not in DRAM. */
static uint32_t element(const struct entry_cache *c, uint32_t key)
{
	return hash_find(&c->index, entry_cache_indexed(c), key);
}

static uint32_t cached(const struct entry_cache *c, uint32_t key)
{
	uint32_t i = element(c, key);

	BUG_ON(i == INDEX_NONE, "entry %u is changed and not in DRAM", key);
	return i;
}

struct cached_entry *entry_cache_find(const struct entry_cache *c, uint32_t key)
{
	uint32_t i = element(c, key);

	return i == INDEX_NONE ? NULL : entry_at(c, i);
}

bool entry_cache_dirty(const struct entry_cache *c, uint32_t key)
{
	return bits_get(changes(c, page_of(c, key)), key % c->plan.per_page);
}

static uint32_t bytes_of(const struct entry_cache *c, const struct cached_entry *e)
{
	return c->plan.alike ? c->plan.least : e->own->bytes;
}

static bool is_protected(const struct entry_cache *c, const struct cached_entry *e)
{
	return !c->plan.alike && e->own->protected;
}

static void put(struct entry_cache *c, uint32_t i, bool protected)
{
	if (!c->plan.alike)
		entry_at(c, i)->own->protected = protected;
	c->protected += protected;
	list_append(FIELD(c, use), segment(protected), i);
}

static void pull(struct entry_cache *c, uint32_t i)
{
	c->protected -= is_protected(c, entry_at(c, i));
	list_remove(FIELD(c, use), i);
}

/* What is used again is protected, and drives the protected one used least recently back to the others. */
static void use(struct entry_cache *c, uint32_t i)
{
	pull(c, i);
	put(c, i, c->plan.protect > 0);
	if (c->protected > c->plan.protect) {
		i = list_next(FIELD(c, use), PROTECTED);
		pull(c, i);
		put(c, i, false);
	}
}

/* The entry had `before` bytes. */
static void set_bytes(struct entry_cache *c, struct cached_entry *e, uint32_t before, uint32_t bytes)
{
	BUG_ON(bytes > UINT16_MAX || (c->plan.alike && bytes != c->plan.least), "an entry of %u bytes",
		bytes);
	if (!c->plan.alike)
		e->own->bytes = (uint16_t)bytes;
	c->used += bytes;
	c->used -= before;
	if (c->used > c->most_used)
		c->most_used = c->used;
}

static void resize(struct entry_cache *c, uint32_t i, uint32_t bytes)
{
	set_bytes(c, entry_at(c, i), bytes_of(c, entry_at(c, i)), bytes);
}

static void set_dirty(struct entry_cache *c, uint32_t key)
{
	bits_set(changes(c, page_of(c, key)), key % c->plan.per_page);
}

static void set_clean(struct entry_cache *c, uint32_t key)
{
	bits_clear(changes(c, page_of(c, key)), key % c->plan.per_page);
}

static void enter(struct entry_cache *c, const struct io *io, uint32_t key, uint32_t bytes, op_t read)
{
	uint32_t i = pool_take(&c->pool);
	struct cached_entry *e = entry_at(c, i);

	e->key = key;
	if (!c->plan.alike)
		e->own->parts = 0;
	fetches_begin(&c->fetches, io, i, read);
	hash_add(&c->index, entry_cache_indexed(c), i);
	put(c, i, false);
	set_bytes(c, e, 0, bytes);
}

static void leave(struct entry_cache *c, uint32_t i)
{
	struct cached_entry *e = entry_at(c, i);

	set_clean(c, e->key);
	hash_remove(&c->index, entry_cache_indexed(c), i);
	c->used -= bytes_of(c, e);
	pull(c, i);
	e->use = (struct link){ 0, 0 };
	pool_give(&c->pool, i);
}

/* ---- making room ---- */

/* No entry of the mapping page is changed any more.  Returns how many were. */
static uint32_t clean_page(struct entry_cache *c, uint32_t page)
{
	uint64_t *word = changes(c, page);
	uint32_t cleaned = 0;

	for (uint64_t *end = word + page_words(c); word < end; *word++ = 0)
		cleaned += (uint32_t)__builtin_popcountll(*word);
	return cleaned;
}

/* The mapping page is written with its changes: of all entries of the page, or of this one. */
static bool write_back(struct entry_cache *c, struct io *io, uint32_t key, op_t *wait)
{
	struct directory *d = c->directory;
	uint32_t page = page_of(c, key), batched;

	schedule_note(io->flash->schedule, "entry %u leaves DRAM, changed: mapping page %u is written%s", key,
		page, c->plan.batch ? " with all its changes" : " for this change");
	if (!directory_rewrite(d, io, page, CAUSE_MAP, OP_NONE, wait))
		return false;
	directory_clear(d, page);
	set_clean(c, key);
	batched = c->plan.batch ? clean_page(c, page) : 0;
	c->statistics.writebacks += io->timed;
	c->statistics.batched += io->timed ? batched : 0;
	return true;
}

/* What leaves first; there is something in DRAM. */
static uint32_t victim(const struct entry_cache *c)
{
	return list_next(FIELD(c, use), segment(list_empty(FIELD(c, use), PROBATION)));
}

/* So many bytes more fit.  *written becomes the page that was written last, if one was.  False: the drive is full, or
 * the element `stays`, if that is one, would have to leave. */
static bool make_room(
	struct entry_cache *c, struct io *io, uint32_t bytes, uint32_t stays, op_t *wait, uint32_t *written)
{
	BUG_ON(bytes > c->plan.bytes, "an entry of %u bytes is larger than the cache of %llu", bytes,
		(unsigned long long)c->plan.bytes);
	while (c->used + bytes > c->plan.bytes) {
		uint32_t i = victim(c), key = entry_at(c, i)->key;

		if (i == stays)
			return false;
		if (entry_cache_dirty(c, key)) {
			if (!write_back(c, io, key, wait))
				return false;
			*written = page_of(c, key);
		} else {
			schedule_note(io->flash->schedule, "entry %u leaves DRAM, unchanged", key);
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

	if (make_room(c, io, 0, INDEX_NONE, &nobody, &written))
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

	if (!make_room(c, io, bytes, INDEX_NONE, &wait, &written))
		return OP_NONE;
	schedule_note(io->flash->schedule, "entry %u enters DRAM, with mapping page %u", key, page);
	if (!c->plan.read_once || written != page)
		wait = directory_read(d, io, page, CAUSE_MAP, wait);
	else if (wait == OP_NONE)
		wait = directory_ready(d, io, page, OP_NONE);
	enter(c, io, key, bytes, wait);
	return wait;
}

op_t entry_cache_get(struct entry_cache *c, struct io *io, uint32_t key, uint32_t bytes)
{
	uint32_t i;

	BUG_ON(key >= c->keys, "entry %u is looked up, there are %u mapping pages", key, c->directory->pages);
	i = element(c, key);
	directory_count_lookup(c->directory, page_of(c, key), i != INDEX_NONE);
	if (i == INDEX_NONE)
		return load(c, io, key, bytes);
	use(c, i);
	return fetches_pending(&c->fetches, io, i);
}

op_t entry_cache_grow(struct entry_cache *c, struct io *io, uint32_t key, uint32_t bytes)
{
	uint32_t i = cached(c, key);
	op_t read;

	directory_count_lookup(c->directory, page_of(c, key), false);
	read = directory_read(
		c->directory, io, page_of(c, key), CAUSE_MAP, fetches_pending(&c->fetches, io, i));
	fetches_begin(&c->fetches, io, i, read);
	use(c, i);
	resize(c, i, bytes);
	entry_cache_fit(c, io);
	return read;
}

void entry_cache_enter(struct entry_cache *c, struct io *io, uint32_t key, uint32_t bytes, uint32_t beside)
{
	op_t nobody = OP_NONE;
	uint32_t written;

	if (element(c, key) == INDEX_NONE && make_room(c, io, bytes, element(c, beside), &nobody, &written))
		enter(c, io, key, bytes, directory_ready(c->directory, io, page_of(c, key), OP_NONE));
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
	uint32_t i = element(c, key);

	if (i != INDEX_NONE)
		use(c, i);
}

/* ---- changes ---- */

void entry_cache_change(struct entry_cache *c, uint32_t key, uint32_t bytes)
{
	uint32_t i = cached(c, key);

	directory_enter(c->directory, page_of(c, key));
	resize(c, i, bytes);
	set_dirty(c, key);
}

void entry_cache_resize(struct entry_cache *c, uint32_t key, uint32_t bytes)
{
	resize(c, cached(c, key), bytes);
}

bool entry_cache_moved(struct entry_cache *c, uint32_t key)
{
	if (element(c, key) == INDEX_NONE)
		return false;
	set_dirty(c, key);
	return true;
}

/* ---- the rest ---- */

/* Of the segment, or INDEX_NONE if its ring is none. */
static uint32_t length(const struct entry_cache *c, bool protected)
{
	return list_length(FIELD(c, use), segment(protected), c->pool.used);
}

static void index_segment(struct entry_cache *c, bool protected)
{
	uint32_t head = segment(protected);

	for (uint32_t i = list_next(FIELD(c, use), head); i != head; i = list_next(FIELD(c, use), i))
		hash_add(&c->index, entry_cache_indexed(c), i);
}

static bool entry_cache_restored(void *cache)
{
	struct entry_cache *c = cache;

	if (c->pool.used < HEADS || !pool_frees_zeros(&c->pool, PROBATION, NUMBER(c, use.next)) ||
		length(c, true) == INDEX_NONE || length(c, false) == INDEX_NONE)
		return false;
	for (uint32_t i = 0; !c->plan.alike && i < c->pool.used; i++)
		if (*(const uint8_t *)&entry_at(c, i)->own[0].protected > 1)
			return false;
	hash_clear(&c->index);
	index_segment(c, true);
	index_segment(c, false);
	return fetches_are_below(&c->fetches, c->pool.used);
}

static const struct state_row cached_entry_state[] = {
	STATE_NUMBER(struct cached_entry, chain),
	STATE_BELOW(struct cached_entry, key, STATE_OWN(struct entry_cache, keys)),
	STATE_LINK(struct cached_entry, use, STATE_ITS_COUNT),
	STATE_FIXED(own),
	{ 0 },
};

const struct state_row entry_cache_state[] = {
	STATE_FIXED(directory, plan, keys),
	STATE_COUNTED(statistics),
	STATE_POOL(struct entry_cache, pool, STATE_UNBOUNDED, cached_entry_state),
	STATE_NUMBERS(struct entry_cache, dirty),
	STATE_NUMBER(struct entry_cache, used),
	STATE_NUMBER(struct entry_cache, protected),
	STATE_STRUCT(struct entry_cache, fetches, fetches_state),
	STATE_REBUILT(index),
	STATE_RESTORED(entry_cache_restored),
	STATE_OF_RUN,
	STATE_NUMBER(struct entry_cache, most_used),
	{ 0 },
};

struct tally {
	uint64_t entries, dirty, bytes;
};

static void check_segment(const struct entry_cache *c, bool protected, struct tally *t)
{
	uint32_t head = segment(protected);

	for (uint32_t i = list_next(FIELD(c, use), head); i != head; i = list_next(FIELD(c, use), i)) {
		const struct cached_entry *e = entry_at(c, i);

		BUG_ON(e->key >= c->keys || !bytes_of(c, e),
			"entry %u of %u bytes is in DRAM, there are %u mapping pages", e->key, bytes_of(c, e),
			c->directory->pages);
		BUG_ON(is_protected(c, e) != protected || element(c, e->key) != i,
			"entry %u in segment %d is said to be in %d, the index has %u for %u", e->key,
			protected, is_protected(c, e), element(c, e->key), i);
		BUG_ON(++t->entries > c->pool.used, "more than %u entries are in DRAM", c->pool.used);
		t->dirty += entry_cache_dirty(c, e->key);
		t->bytes += bytes_of(c, e);
	}
}

static void check_changes(const struct entry_cache *c, uint64_t dirty)
{
	uint64_t marked = 0;

	for (size_t w = 0; w < c->directory->pages * page_words(c); w++)
		marked += (uint64_t)__builtin_popcountll(c->dirty[w]);
	BUG_ON(marked != dirty, "%llu entries in DRAM are changed, marked are %llu",
		(unsigned long long)dirty, (unsigned long long)marked);
}

void entry_cache_check(const struct entry_cache *c)
{
	struct tally t = { 0 };

	check_segment(c, true, &t);
	BUG_ON(t.entries != c->protected || t.entries > c->plan.protect,
		"%llu entries are protected, counted are %llu, %llu may be", (unsigned long long)t.entries,
		(unsigned long long)c->protected, (unsigned long long)c->plan.protect);
	check_segment(c, false, &t);
	BUG_ON(HEADS + t.entries + pool_count_free(&c->pool) != c->pool.used,
		"%u of %u entries are free, %llu in DRAM", pool_count_free(&c->pool), c->pool.used - HEADS,
		(unsigned long long)t.entries);
	BUG_ON(t.bytes != c->used || t.bytes > c->plan.bytes,
		"%llu entries of %llu bytes are in DRAM; counted are %llu, the budget is %llu",
		(unsigned long long)t.entries, (unsigned long long)t.bytes, (unsigned long long)c->used,
		(unsigned long long)c->plan.bytes);
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
