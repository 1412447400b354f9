/*
 * The table: its cached part, and the cost of look-ups, changes and collections.
 *
 * Minipage-FTL caches an entry of 8 bytes for each minipage.  PM-FTL caches a node for each logical page: 8
 * bytes in mode P; in mode M 4 bytes, and 4 for each of its cached minipages (8 and 4 for each with pm.node =
 * full).  A minipage missing from its node costs a read, like a missing node.
 */
#include "ftl/minipage/minipage.h"

#include "base/memory.h"

#define ENTRY_BYTES 8u  /* cached entry of a minipage, or of a logical page in mode P */
#define NODES_LEAST 64u /* nodes that the cache must hold at least */

/* ---- set-up ---- */

static uint32_t mini_all_bits(const struct mini *m)
{
	return (uint32_t)bits_below(m->per_lpn);
}

static bool mini_full_nodes(const struct ftl *f)
{
	return ((const struct mini_settings *)f->settings)->node == NODE_FULL;
}

/* Size of a node with these minipages. */
static uint32_t mini_node_bytes(const struct ftl *f, lpn_t lpn, uint32_t parts)
{
	const struct mini *m = f->state;

	if (!bits_get(m->split, lpn))
		return ENTRY_BYTES;
	return mini_full_nodes(f) ? ENTRY_BYTES + TABLE_ENTRY_BYTES * m->per_lpn
				  : TABLE_ENTRY_BYTES * (1 + (uint32_t)__builtin_popcount(parts));
}

/* `length` is 1, as minipages are regrouped one by one. */
static mask_t mini_holds(const struct ftl *f, sub_t sub, uint32_t length)
{
	(void)length;
	return mini_written(f->state, sub);
}

bool mini_map_init(struct ftl *f, struct fault *fault)
{
	struct mini *m = f->state;
	const struct geometry *g = f->geometry;
	owner_t subs = g->logical_pages * m->per_lpn;
	uint32_t per_page = g->page_bytes / TABLE_ENTRY_BYTES, pages = (subs + per_page - 1) / per_page;
	uint64_t budget = map_budget(&f->core->map, g);
	uint32_t largest = m->pages ? ENTRY_BYTES + TABLE_ENTRY_BYTES * m->per_lpn : ENTRY_BYTES;

	if (((const struct mini_settings *)f->settings)->demand) {
		if (budget < (uint64_t)NODES_LEAST * largest)
			return fault_set(fault,
				"map.cache_bytes = %llu holds fewer than %u of the largest entries: use %u "
				"or more",
				(unsigned long long)budget, NODES_LEAST, NODES_LEAST * largest);
		table_init(&m->table, f, MINI_MAP, pages, subs);
		m->cache = entry_cache_create(m->table.directory,
			(struct entry_cache_plan){ .per_page = m->pages ? per_page / m->per_lpn : per_page,
				.bytes = budget,
				.least = ENTRY_BYTES,
				.together = m->pages ? 1 : m->per_lpn,
				.batch = f->core->map.batch });
	}
	slots_init(&m->slots, f->store->space, m->per_lpn, subs + (m->cache ? pages : 0));
	places_init(&m->places, g, m->shift);
	m->split = memory_array(bits_words(g->logical_pages), sizeof *m->split, "modes of logical pages");
	pack_init(&m->pack, &m->slots,
		(struct pack_client){
			f, mini_holds, NULL, mini_program, .regroup = m->pages ? m->per_lpn : 1 });
	return true;
}

void mini_map_exit(struct mini *m)
{
	entry_cache_free(m->cache);
	if (m->cache)
		table_release(&m->table);
	slots_release(&m->slots);
	pack_release(&m->pack);
	places_release(&m->places);
	memory_free(m->split);
}

/* ---- look-ups ---- */

/* Counts the look-up, unless the table is cached and the request untimed.  True: it needs no cache access. */
static bool mini_is_free(struct ftl *f, struct io *io)
{
	const struct mini *m = f->state;

	if (!m->cache) {
		ftl_count_lookup(f, io);
		return true;
	}
	if (!io->timed)
		return true;
	io->accesses++;
	f->map.accesses++;
	return false;
}

op_t mini_look_up(struct ftl *f, struct io *io, sub_t sub)
{
	struct mini *m = f->state;

	return mini_is_free(f, io) ? OP_NONE : entry_cache_look_up(m->cache, io, sub, ENTRY_BYTES, m->last);
}

/* The node is now cached, if there was space.  A collection caused by the eviction may have changed the
 * mode. */
static void mini_set_parts(struct ftl *f, lpn_t lpn, uint32_t parts)
{
	struct entry_cache *c = ((struct mini *)f->state)->cache;
	struct cached_entry *e = entry_cache_find(c, lpn);

	if (!e)
		return;
	e->parts = (uint8_t)parts;
	entry_cache_resize(c, lpn, mini_node_bytes(f, lpn, parts));
}

/* Loads the other nodes of the request that are in the mapping page just read, without a second read. */
static void mini_bring_nodes(struct ftl *f, struct io *io, lpn_t lpn)
{
	struct mini *m = f->state;
	lpn_t last = entry_cache_brought(m->cache, lpn, mini_lpn(m, m->last));

	for (lpn_t next = lpn + 1; next <= last; next++) {
		bool here = entry_cache_find(m->cache, next);

		entry_cache_enter(m->cache, io, next, mini_node_bytes(f, next, mini_all_bits(m)), lpn);
		if (!here)
			mini_set_parts(f, next, mini_all_bits(m));
	}
	entry_cache_touch(m->cache, lpn);
}

op_t mini_look_up_page(struct ftl *f, struct io *io, lpn_t lpn, uint32_t wanted)
{
	struct mini *m = f->state;
	struct cached_entry *e;
	op_t ready;

	if (mini_is_free(f, io))
		return OP_NONE;
	e = entry_cache_find(m->cache, lpn);
	if (e && bits_get(m->split, lpn) && wanted & ~e->parts) {
		e->parts |= wanted;
		m->statistics.grown++;
		return entry_cache_grow(m->cache, io, lpn, mini_node_bytes(f, lpn, e->parts));
	}
	wanted = mini_full_nodes(f) ? mini_all_bits(m) : wanted;
	ready = entry_cache_get(m->cache, io, lpn, mini_node_bytes(f, lpn, wanted));
	if (e)
		return ready;
	mini_set_parts(f, lpn, wanted);
	if (mini_full_nodes(f) && f->core->map.load == MAP_LOAD_REQUEST)
		mini_bring_nodes(f, io, lpn);
	return ready;
}

/* ---- changes ---- */

/* The entry or node has a new value.  It may have been evicted since its look-up if its minipage was kept in
 * RAM. */
static void mini_change(struct ftl *f, struct io *io, sub_t sub)
{
	struct mini *m = f->state;
	uint32_t key = m->pages ? mini_lpn(m, sub) : sub;
	struct cached_entry *e;

	if (!m->cache)
		return;
	if (!io->timed) {
		directory_enter(m->table.directory, key / m->cache->plan.per_page);
		return;
	}
	e = entry_cache_find(m->cache, key);
	if (e)
		entry_cache_change(m->cache, key, m->pages ? mini_node_bytes(f, key, e->parts) : ENTRY_BYTES);
}

/* Ensures that an entry that is about to change is cached. */
static void mini_be_in_dram(struct ftl *f, struct io *io, sub_t sub)
{
	struct mini *m = f->state;
	uint32_t bit = 1u << sub % m->per_lpn;
	struct cached_entry *e;

	if (!m->cache || !io->timed)
		return;
	e = entry_cache_find(m->cache, m->pages ? mini_lpn(m, sub) : sub);
	if (!m->pages && !e)
		mini_look_up(f, io, sub);
	else if (m->pages && (!e || (bits_get(m->split, mini_lpn(m, sub)) && !(e->parts & bit))))
		mini_look_up_page(f, io, mini_lpn(m, sub), bit);
}

/* The places of all minipages follow from the entry in mode P, so the node has them all. */
static void mini_split(struct ftl *f, const struct io *io, lpn_t lpn)
{
	struct mini *m = f->state;
	struct cached_entry *e = m->cache ? entry_cache_find(m->cache, lpn) : NULL;

	bits_set(m->split, lpn);
	m->statistics.to_m += io->timed;
	if (e)
		e->parts = (uint8_t)mini_all_bits(m);
}

static void mini_fit(struct ftl *f, struct io *io)
{
	struct mini *m = f->state;

	if (m->cache && io->timed)
		entry_cache_fit(m->cache, io);
}

void mini_changed(struct ftl *f, struct io *io, const struct pack_part *part, uint32_t count, bool whole)
{
	struct mini *m = f->state;

	if (whole) {
		lpn_t lpn = mini_lpn(m, part->sub);

		m->statistics.to_p += io->timed && bits_get(m->split, lpn);
		bits_clear(m->split, lpn);
		mini_change(f, io, part->sub);
		return;
	}
	for (uint32_t i = 0; i < count; i++) {
		mini_be_in_dram(f, io, part[i].sub);
		if (m->pages && !bits_get(m->split, mini_lpn(m, part[i].sub)))
			mini_split(f, io, mini_lpn(m, part[i].sub));
		mini_change(f, io, part[i].sub);
	}
	mini_fit(f, io);
}

void mini_trimmed(struct ftl *f, struct io *io, sub_t sub, bool splits)
{
	if (splits)
		mini_split(f, io, mini_lpn(f->state, sub));
	mini_change(f, io, sub);
	mini_fit(f, io);
}

/* ---- collection ---- */

void mini_relocate(struct ftl *f, struct io *io, owner_t owner, ppn_t from, ppn_t to)
{
	struct directory *d = ((struct mini *)f->state)->table.directory;

	(void)io;
	directory_page_moved(d, owner - d->base, from, to);
}

/* Collection has moved these minipages of a logical page, or this minipage. */
static void mini_follow(struct ftl *f, const struct io *io, sub_t sub, uint32_t moved, bool whole)
{
	struct mini *m = f->state;
	uint32_t key = m->pages ? mini_lpn(m, sub) : sub;
	struct cached_entry *e = m->cache ? entry_cache_find(m->cache, key) : NULL;
	bool in_dram = e && (!m->pages || whole || !bits_get(m->split, key) || !(moved & ~e->parts));

	if (whole) {
		m->statistics.gc_full += io->timed;
		m->statistics.to_p += io->timed && bits_get(m->split, key);
		bits_clear(m->split, key);
	}
	if (in_dram && entry_cache_moved(m->cache, key) && whole)
		entry_cache_resize(m->cache, key, ENTRY_BYTES);
	if (m->cache)
		table_moved(&m->table, io, key / m->cache->plan.per_page, in_dram);
}

/* Prefetches for a walk over the victim's slots: step 0 the lists of slots, steps 1 and 2 the entries of
 * their minipages. */
static inline void mini_expect_slots(const struct ftl *f, int step)
{
	const struct mini *m = f->state;
	const struct space *s = m->slots.space;

	for (uint32_t i = 0; i < s->victim_pages; i++) {
		ppn_t ppn = s->victim_page[i];
		owner_t owner = flash_owner(f->flash, ppn);

		if (step == 0)
			slots_prefetch_list(&m->slots, owner);
		for (mask_t live = step ? slots_live(&m->slots, ppn) : 0; live; live &= live - 1) {
			sub_t sub = slots_sub(&m->slots, owner, (uint32_t)__builtin_ctzll(live));

			if (step == 1)
				mini_expect_sub(m, sub);
			else
				mini_expect_sub_next(m, sub);
		}
	}
}

void mini_empty(struct ftl *f, struct io *io, block_t victim, unsigned stream, enum cause cause)
{
	struct mini *m = f->state;
	const struct pack_part *part;
	uint32_t end;

	for (int step = 0; step < 3; step++)
		mini_expect_slots(f, step);
	pack_empty(&m->pack, io, victim, stream, cause);
	part = m->pack.part;
	for (uint32_t i = 0; i < m->pack.parts; i = end) {
		uint32_t moved = 1u << part[i].sub % m->per_lpn;

		for (end = i + 1; m->pages && end < m->pack.parts &&
				  mini_lpn(m, part[end].sub) == mini_lpn(m, part[i].sub);
			end++)
			moved |= 1u << part[end].sub % m->per_lpn;
		mini_follow(f, io, part[i].sub, moved, part[i].whole);
		ftl_map_count(f, io)->accesses += end - i;
	}
}

void mini_emptied(struct ftl *f, struct io *io, block_t victim)
{
	struct mini *m = f->state;

	if (m->cache)
		table_emptied(&m->table, io, victim, NULL);
}

block_t mini_last_resort(struct ftl *f, plane_t plane)
{
	return pack_last_resort(&((const struct mini *)f->state)->pack, plane);
}

/* ---- invariants ---- */

/* In mode P a logical page has no data, or is in one flash page, in order. */
static void mini_check_mode(const struct ftl *f, lpn_t lpn)
{
	const struct mini *m = f->state;
	sub_t first = lpn * m->per_lpn;
	const struct cached_entry *e = m->cache && m->pages ? entry_cache_find(m->cache, lpn) : NULL;

	BUG_ON(e && e->bytes != mini_node_bytes(f, lpn, e->parts),
		"the node of LPN %u takes %u bytes, not %u", lpn, e->bytes,
		mini_node_bytes(f, lpn, e->parts));
	if (!m->pages || bits_get(m->split, lpn))
		return;
	for (uint32_t i = 0; i < m->per_lpn; i++)
		BUG_ON(!mini_written(m, first + i) != !mini_written(m, first) ||
				(mini_written(m, first) && (mini_ppn(m, first + i) != mini_ppn(m, first) ||
								   mini_slot(m, first + i) != i)),
			"LPN %u is mapped as a page, its minipage %u is not in its place", lpn, i);
}

void mini_map_check(const struct ftl *f)
{
	const struct mini *m = f->state;

	if (m->cache) {
		directory_check(m->table.directory);
		entry_cache_check(m->cache);
	}
	for (lpn_t lpn = 0; lpn < f->geometry->logical_pages; lpn++)
		mini_check_mode(f, lpn);
}
