/*
 * TPFTL (Zhou, Wu, Huang, He, Xie, Liu, "An efficient page-level FTL to optimize address translation in flash
 * memory", EuroSys 2015).
 *
 * DRAM holds single entries, grouped by mapping page into nodes (pagemap/entry_cache.h with a ring for each
 * page).  A miss also loads entries that are likely to be used next, with the same read; entries are evicted
 * from the coldest node, clean ones first, and one write-back cleans all entries of a node.
 * docs/tpftl.md explains it and what the paper leaves open.
 *
 * The heat of a node is the mean of its entries' stamps.  Means are compared exactly, by
 * cross-multiplication: with pages of 64 KB the products fit in 64 bits for 2^36 look-ups, with pages of 2 KB
 * for 2^46.
 */
#include "ftl/demand/demand.h"
#include "pagemap/entry_cache.h"

#include "base/memory.h"
#include "flash/schedule.h"

enum tpftl_order { TPFTL_HOTNESS, TPFTL_LRU };

struct tpftl_settings {
	char *policy;
	uint64_t entry_bytes, node_bytes, threshold;
	int order;
	bool selective, gc_clean;
};

/* Per mapping page; a node exists while it has entries. */
struct tpftl_node {
	struct link link; /* in the ring of nodes, coldest first; zeros if there is no node */
	uint32_t entries;
	uint64_t heat; /* sum of their stamps */
};

/* The miss being served. */
struct tpftl_miss {
	uint32_t page, victim; /* INDEX_NONE: no node was chosen yet */
	uint64_t began;        /* entries with later stamps were loaded by it */
	op_t wait;
};

struct tpftl_statistics {
	uint64_t replaced, dirty_victims, prefetched, selective, prefetch_cut;
	uint64_t entries, nodes;
};

struct tpftl {
	struct demand demand;
	struct entry_cache *cache;
	uint64_t *stamp;         /* per element of the cache: its last use */
	struct tpftl_node *node; /* per mapping page; the head of the ring follows */
	uint64_t clock;
	uint32_t nodes;
	int32_t balance; /* nodes made minus nodes removed, since selective prefetch was switched */
	bool selective;  /* it is on */
	bool prefetch_request, prefetch_selective, clean_first; /* the policy; `b` is in the cache's plan */
	struct tpftl_statistics statistics;
};

static const char *const tpftl_orders[] = { "hotness", "lru", NULL };

#define TPFTL(type, field) PARAM(type, struct tpftl_settings, field)

static const struct param tpftl_params[] = {
	{ TPFTL(TEXT, policy), 0, 0, "", "rsbc",
		"letters: r = a miss loads what its request needs of the mapping page; s = selective: while "
		"nodes become fewer, as many entries as precede the missing one in DRAM; b = a write-back "
		"includes all changes of its node; c = clean entries are evicted first" },
	{ TPFTL(UINT, entry_bytes), 1, 64, "bytes", "6", "of an entry in DRAM; its node knows the page" },
	{ TPFTL(UINT, node_bytes), 0, 1024, "bytes", "8", "of a node, in addition to its entries" },
	{ TPFTL(UINT, threshold), 1, 1e6, "nodes", "3",
		"more nodes than when selective prefetch was last switched turn it off, so many fewer turn "
		"it on" },
	{ TPFTL(CHOICE, order), 0, 0, "", "hotness",
		"which node is the coldest: hotness = the one with the lowest mean of its entries' last "
		"uses; lru = the one not used for longest",
		tpftl_orders },
	{ TPFTL(BOOL, selective), 0, 1, "", "false", "selective prefetch is on at first" },
	{ TPFTL(BOOL, gc_clean), 0, 1, "", "false",
		"a mapping page that collection writes includes the changes of its node, which is clean "
		"afterwards" },
	{ 0 },
};

static const struct tpftl_settings *tpftl_settings(const struct ftl *f)
{
	return (const struct tpftl_settings *)f->settings;
}

static struct tpftl *tpftl_of(const struct ftl *f)
{
	return (struct tpftl *)f->state;
}

/* ---- nodes ---- */

#define NODES(t) ARRAY_FIELD((t)->node, link)

static uint32_t tpftl_head(const struct tpftl *t)
{
	return t->demand.table.directory->pages;
}

/* Is node a hotter than node b? */
static bool tpftl_is_hotter(const struct tpftl *t, uint32_t a, uint32_t b)
{
	const struct tpftl_node *x = &t->node[a], *y = &t->node[b];

	return x->heat * y->entries > y->heat * x->entries;
}

/* The heat of a node has changed: it moves past nodes that are colder, or hotter. */
static void tpftl_place(struct tpftl *t, uint32_t page)
{
	uint32_t head = tpftl_head(t), next = list_next(NODES(t), page),
		 before = list_previous(NODES(t), page);

	while (next != head && tpftl_is_hotter(t, page, next))
		next = list_next(NODES(t), next);
	if (next == list_next(NODES(t), page)) {
		while (before != head && tpftl_is_hotter(t, before, page))
			before = list_previous(NODES(t), before);
		next = list_next(NODES(t), before);
	}
	if (next == page || next == list_next(NODES(t), page))
		return;
	list_remove(NODES(t), page);
	list_append(NODES(t), next, page);
}

/* A node was made (1) or removed (-1). */
static void tpftl_count_node(struct ftl *f, int change)
{
	struct tpftl *t = f->state;
	int32_t most = (int32_t)tpftl_settings(f)->threshold;

	t->nodes += (uint32_t)change;
	entry_cache_charge(t->cache, change > 0 ? (uint32_t)tpftl_settings(f)->node_bytes : 0,
		change > 0 ? 0 : (uint32_t)tpftl_settings(f)->node_bytes);
	t->balance += change;
	if (t->balance != most && t->balance != -most)
		return;
	if (t->prefetch_selective && t->selective != (t->balance < 0))
		schedule_note(f->flash->schedule, "selective prefetch is %s from now on: %d nodes %s",
			t->selective ? "off" : "on", most, t->selective ? "more" : "fewer");
	t->selective = t->balance < 0;
	t->balance = 0;
}

/* The entry is used now; `before` is its last stamp, 0 for one that enters. */
static void tpftl_stamp(struct ftl *f, uint32_t page, uint32_t element, uint64_t before)
{
	struct tpftl *t = f->state;

	t->stamp[element] = ++t->clock;
	t->node[page].heat += t->clock - before;
	if (tpftl_settings(f)->order == TPFTL_HOTNESS) {
		tpftl_place(t, page);
	} else {
		list_remove(NODES(t), page);
		list_append(NODES(t), tpftl_head(t), page);
	}
}

static void tpftl_enter(struct ftl *f, struct io *io, lpn_t lpn, op_t read)
{
	struct tpftl *t = f->state;
	uint32_t page = lpn / t->demand.per_page;
	uint32_t i = entry_cache_insert(t->cache, io, lpn, (uint32_t)tpftl_settings(f)->entry_bytes, read);

	if (!t->node[page].entries++) {
		list_append(NODES(t), tpftl_head(t), page);
		tpftl_count_node(f, 1);
	}
	tpftl_stamp(f, page, i, 0);
}

/* The element has left DRAM. */
static void tpftl_leave(struct ftl *f, uint32_t page, uint32_t element)
{
	struct tpftl *t = f->state;
	struct tpftl_node *n = &t->node[page];

	n->heat -= t->stamp[element];
	if (--n->entries) {
		if (tpftl_settings(f)->order == TPFTL_HOTNESS)
			tpftl_place(t, page);
		return;
	}
	list_remove(NODES(t), page);
	n->link = (struct link){ 0, 0 };
	tpftl_count_node(f, -1);
}

/* ---- making room ---- */

/* The node that a miss evicts from: the coldest one, but that of the miss only if there is no other. */
static uint32_t tpftl_victim_node(const struct tpftl *t, uint32_t page)
{
	uint32_t coldest = list_next(NODES(t), tpftl_head(t));

	if (coldest == page && t->nodes > 1)
		coldest = list_next(NODES(t), coldest);
	return coldest;
}

/* The entry of the victim node to evict, but none that this miss has loaded; INDEX_NONE: there is none. */
static uint32_t tpftl_victim(const struct tpftl *t, const struct tpftl_miss *m)
{
	uint32_t first = entry_cache_coldest(t->cache, m->victim), i = first;

	if (first == INDEX_NONE || t->stamp[first] > m->began)
		return INDEX_NONE;
	if (!t->clean_first)
		return first;
	for (; i != INDEX_NONE && t->stamp[i] <= m->began; i = entry_cache_next(t->cache, i))
		if (!entry_cache_dirty(t->cache, entry_cache_key(t->cache, i)))
			return i;
	return first;
}

/* Makes room for an entry of the miss.  False: its victim node has no entry left to evict, or the drive is
 * full. */
static bool tpftl_make_room(struct ftl *f, struct io *io, struct tpftl_miss *m)
{
	const struct tpftl_settings *s = tpftl_settings(f);
	struct tpftl *t = f->state;
	uint64_t needed = s->entry_bytes + (t->node[m->page].entries ? 0 : s->node_bytes);

	while (t->cache->used + needed > t->cache->plan.bytes) {
		bool dirty;
		uint32_t i;

		if (m->victim == INDEX_NONE)
			m->victim = tpftl_victim_node(t, m->page);
		i = tpftl_victim(t, m);
		if (i == INDEX_NONE)
			return false;
		dirty = entry_cache_dirty(t->cache, entry_cache_key(t->cache, i));
		if (!entry_cache_evict(t->cache, io, i, &m->wait))
			return false;
		tpftl_leave(f, m->victim, i);
		t->statistics.replaced++;
		t->statistics.dirty_victims += dirty;
		needed = s->entry_bytes + (t->node[m->page].entries ? 0 : s->node_bytes);
	}
	return true;
}

/* ---- look-ups ---- */

/* How many entries right before this one are in DRAM. */
static uint32_t tpftl_predecessors(const struct tpftl *t, lpn_t lpn)
{
	uint32_t first = lpn - lpn % t->demand.per_page, count = 0;

	while (lpn-- > first && entry_cache_element(t->cache, lpn) != INDEX_NONE)
		count++;
	return count;
}

/* The last entry that a miss loads, of the same mapping page. */
static lpn_t tpftl_last(struct ftl *f, lpn_t lpn)
{
	struct tpftl *t = f->state;
	uint32_t page = lpn / t->demand.per_page, before = 0;
	uint64_t most = (page + (uint64_t)1) * t->demand.per_page - 1, last = lpn, longer;
	bool selective = t->prefetch_selective && t->selective && t->node[page].entries;

	if (!directory_in_flash(t->demand.table.directory, page))
		return lpn;
	most = most < f->geometry->logical_pages ? most : f->geometry->logical_pages - 1;
	if (t->prefetch_request && t->demand.last > lpn)
		last = t->demand.last < most ? t->demand.last : most;
	if (selective)
		before = tpftl_predecessors(t, lpn);
	longer = lpn + (uint64_t)before < most ? lpn + (uint64_t)before : most;
	t->statistics.selective += selective && (longer > lpn || last > lpn);
	if (longer > last || last > lpn)
		schedule_note(f->flash->schedule, "mapping page %u is read for entries %u to %u: %s", page,
			lpn, (lpn_t)(longer > last ? longer : last),
			longer > last ? "as many as precede it in DRAM" : "those of the request");
	return (lpn_t)(longer > last ? longer : last);
}

/* Loads the entries behind lpn that are not in DRAM, as long as there is room. */
static void tpftl_prefetch(struct ftl *f, struct io *io, lpn_t lpn, lpn_t last, struct tpftl_miss *m)
{
	struct tpftl *t = f->state;
	struct directory *d = t->demand.table.directory;

	while (lpn++ < last) {
		if (entry_cache_element(t->cache, lpn) != INDEX_NONE)
			continue;
		if (!tpftl_make_room(f, io, m)) {
			schedule_note(
				f->flash->schedule, "there is no room for entry %u: no more are loaded", lpn);
			t->statistics.prefetch_cut++;
			return;
		}
		tpftl_enter(f, io, lpn, directory_ready(d, io, m->page, OP_NONE));
		t->statistics.prefetched++;
	}
}

static op_t tpftl_load(struct ftl *f, struct io *io, lpn_t lpn)
{
	struct tpftl *t = f->state;
	struct tpftl_miss m = { lpn / t->demand.per_page, INDEX_NONE, t->clock, OP_NONE };
	lpn_t last = tpftl_last(f, lpn);
	op_t read;

	if (!tpftl_make_room(f, io, &m))
		return OP_NONE;
	schedule_note(f->flash->schedule, "entry %u enters DRAM, with mapping page %u", lpn, m.page);
	read = directory_read(t->demand.table.directory, io, m.page, CAUSE_MAP, m.wait);
	tpftl_enter(f, io, lpn, read);
	tpftl_prefetch(f, io, lpn, last, &m);
	return read;
}

static op_t tpftl_look_up(struct ftl *f, struct io *io, lpn_t lpn)
{
	struct tpftl *t = f->state;
	uint32_t i = entry_cache_element(t->cache, lpn);

	if (i == INDEX_NONE) {
		directory_count_lookup(t->demand.table.directory, lpn / t->demand.per_page, false);
		return tpftl_load(f, io, lpn);
	}
	tpftl_stamp(f, lpn / t->demand.per_page, i, t->stamp[i]);
	return entry_cache_get(t->cache, io, lpn, 0);
}

/* ---- changes ---- */

static void tpftl_changed(struct ftl *f, struct io *io, lpn_t lpn)
{
	if (io->timed)
		entry_cache_change(tpftl_of(f)->cache, lpn, (uint32_t)tpftl_settings(f)->entry_bytes);
}

static bool tpftl_moved(struct ftl *f, lpn_t lpn)
{
	return entry_cache_moved(tpftl_of(f)->cache, lpn);
}

static void tpftl_updated(struct ftl *f, uint32_t page)
{
	if (tpftl_settings(f)->gc_clean)
		entry_cache_clean_page(tpftl_of(f)->cache, page);
}

static void tpftl_expect(const struct ftl *f, lpn_t lpn, enum prefetch_stage stage)
{
	page_prefetch(f, lpn, stage);
	entry_cache_prefetch(tpftl_of(f)->cache, lpn, stage);
}

static const struct demand_scheme tpftl_scheme = { .reserve = 2,
	.look_up = tpftl_look_up,
	.changed = tpftl_changed,
	.moved = tpftl_moved,
	.updated = tpftl_updated,
	.prefetch = tpftl_expect };

/* ---- the whole ---- */

static bool tpftl_settings_fit(const struct ftl *f, uint64_t bytes, struct fault *fault)
{
	const struct tpftl_settings *s = tpftl_settings(f);

	if (s->policy[strspn(s->policy, "rsbc")])
		return fault_set(fault, "tpftl.policy = \"%s\": use letters of rsbc, or none", s->policy);
	if (f->core->map.load != MAP_LOAD_ENTRY || !f->core->map.batch)
		return fault_set(fault,
			"ftl = tpftl: tpftl.policy says what is loaded and written together; leave map.load "
			"= entry and map.batch = true");
	if (bytes < s->entry_bytes + s->node_bytes)
		return fault_set(fault,
			"map.cache_bytes = %llu does not hold a mapping entry and its node: use %llu or more",
			(unsigned long long)bytes,
			(unsigned long long)s->entry_bytes + (unsigned long long)s->node_bytes);
	return true;
}

static bool tpftl_init(struct ftl *f, struct fault *fault)
{
	const struct tpftl_settings *s = tpftl_settings(f);
	struct tpftl *t = f->state;
	uint64_t bytes = map_budget(&f->core->map, f->geometry);

	if (!tpftl_settings_fit(f, bytes, fault) || !demand_init(f, &tpftl_scheme, fault))
		return false;
	t->prefetch_request = strchr(s->policy, 'r');
	t->prefetch_selective = strchr(s->policy, 's');
	t->clean_first = strchr(s->policy, 'c');
	t->selective = s->selective;
	t->cache = entry_cache_create(
		t->demand.table.directory, (struct entry_cache_plan){ .per_page = t->demand.per_page,
						   .bytes = bytes,
						   .least = (uint32_t)s->entry_bytes,
						   .batch = strchr(s->policy, 'b'),
						   .by_page = true });
	t->stamp = memory_array(t->cache->pool.room, sizeof *t->stamp, "uses of entries");
	t->node = memory_array((size_t)tpftl_head(t) + 1, sizeof *t->node, "nodes of entries");
	list_init(NODES(t), tpftl_head(t));
	return true;
}

static void tpftl_exit(struct ftl *f)
{
	struct tpftl *t = f->state;

	entry_cache_free(t->cache);
	memory_free(t->stamp);
	memory_free(t->node);
	demand_exit(f);
}

static void tpftl_check_node(const struct ftl *f, uint32_t page)
{
	const struct tpftl *t = f->state;
	const struct tpftl_node *n = &t->node[page];
	uint32_t entries = 0, next = n->link.next;
	uint64_t heat = 0, last = 0;

	for (uint32_t i = entry_cache_coldest(t->cache, page); i != INDEX_NONE;
		i = entry_cache_next(t->cache, i)) {
		BUG_ON(t->stamp[i] <= last || t->stamp[i] > t->clock,
			"an entry of node %u was used at %llu of %llu, the one before at %llu", page,
			(unsigned long long)t->stamp[i], (unsigned long long)t->clock,
			(unsigned long long)last);
		last = t->stamp[i];
		heat += last;
		entries++;
	}
	BUG_ON(entries != n->entries || heat != n->heat, "node %u has %u entries, counted are %u", page,
		entries, n->entries);
	BUG_ON(tpftl_settings(f)->order == TPFTL_HOTNESS && entries && next != tpftl_head(t) &&
			tpftl_is_hotter(t, page, next),
		"node %u is hotter than node %u behind it", page, next);
}

static void tpftl_check(const struct ftl *f)
{
	const struct tpftl *t = f->state;
	uint32_t head = tpftl_head(t), with_entries = 0;

	demand_check(f);
	entry_cache_check_beside(t->cache, t->nodes * tpftl_settings(f)->node_bytes);
	BUG_ON(list_length(NODES(t), head, t->nodes) != t->nodes, "there are %u nodes, counted are %u",
		list_length(NODES(t), head, head), t->nodes);
	for (uint32_t page = list_next(NODES(t), head); page != head; page = list_next(NODES(t), page))
		BUG_ON(!t->node[page].entries, "node %u has no entries", page);
	for (uint32_t page = 0; page < head; page++) {
		with_entries += t->node[page].entries > 0;
		tpftl_check_node(f, page);
	}
	BUG_ON(with_entries != t->nodes, "%u mapping pages have entries in DRAM, there are %u nodes",
		with_entries, t->nodes);
}

static const struct state_row tpftl_node_state[] = {
	STATE_NUMBER(struct tpftl_node, link),
	STATE_NUMBER(struct tpftl_node, entries),
	STATE_NUMBER(struct tpftl_node, heat),
	{ 0 },
};

static const struct state_row tpftl_state[] = {
	STATE_FIXED(prefetch_request, prefetch_selective, clean_first),
	STATE_COUNTED(statistics),
	STATE_STRUCT(struct tpftl, demand, demand_state),
	STATE_POINTER(struct tpftl, cache, entry_cache_state),
	STATE_NUMBERS(struct tpftl, stamp),
	STATE_ARRAY(struct tpftl, node, tpftl_node_state),
	STATE_NUMBER(struct tpftl, clock),
	STATE_NUMBER(struct tpftl, nodes),
	STATE_NUMBER(struct tpftl, balance),
	STATE_NUMBER(struct tpftl, selective),
	{ 0 },
};

static void tpftl_print_entry(const struct ftl *f, lpn_t lpn, FILE *out)
{
	const struct tpftl *t = f->state;
	uint32_t page = lpn / t->demand.per_page, colder = 0;

	page_print_entry(f, lpn, out);
	if (!t->node[page].entries) {
		fputs("; not in DRAM", out);
		return;
	}
	for (uint32_t n = list_previous(NODES(t), page); n != tpftl_head(t); n = list_previous(NODES(t), n))
		colder++;
	fputs(entry_cache_find(t->cache, lpn) ? "; in DRAM" : "; not in DRAM", out);
	fputs(entry_cache_dirty(t->cache, lpn) ? ", changed" : "", out);
	fprintf(out, "; node %u has %u entries, %u of %u nodes are colder", page, t->node[page].entries,
		colder, t->nodes);
}

/* ---- statistics ---- */

#define COUNT(field) STAT_COUNT, offsetof(struct tpftl_statistics, field)

static const struct stat_row tpftl_rows[] = {
	{ "replaced", "entries", "evicted", COUNT(replaced) },
	{ "dirty_victims", "entries", "of these changed: a mapping page was written", COUNT(dirty_victims) },
	{ "dirty_share", "share", "the same, of the evicted", STAT_RATIO,
		offsetof(struct tpftl_statistics, dirty_victims),
		offsetof(struct tpftl_statistics, replaced) },
	{ "prefetched", "entries", "loaded with the read for another one", COUNT(prefetched) },
	{ "selective", "misses", "that loaded more than the missing entry while selective prefetch was on",
		COUNT(selective) },
	{ "prefetch_cut", "misses", "whose loading ended because a node had no entry left to evict",
		COUNT(prefetch_cut) },
	{ "entries", "entries", "in DRAM at the end", COUNT(entries) },
	{ "nodes", "nodes", "in DRAM at the end", COUNT(nodes) },
	{ 0 },
};

static void tpftl_gather(void *tpftl)
{
	struct tpftl *t = tpftl;

	t->statistics.nodes = t->nodes;
	t->statistics.entries = t->cache->index.count;
}

static void tpftl_statistics(struct ftl *f, struct stat_list *list)
{
	struct tpftl *t = f->state;

	demand_statistics(f, list);
	entry_cache_statistics(t->cache, list);
	stat_list_add(list, (struct stat_group){ NULL, "tpftl.", tpftl_rows, &t->statistics,
				    sizeof t->statistics, t, NULL, tpftl_gather });
}

static const struct ftl_hints tpftl_hints = { .prefetch = tpftl_expect };
static const struct ftl_words tpftl_words = { .name_owner = demand_name_owner,
	.print_entry = tpftl_print_entry };

const struct ftl_ops ftl_tpftl = {
	.name = "tpftl",
	.brief = "page mapping with the table in flash and entries of it in DRAM by mapping page, with "
		 "prefetch (EuroSys 2015)",
	.size = sizeof(struct tpftl),
	.state = tpftl_state,
	.params = tpftl_params,
	.settings_size = sizeof(struct tpftl_settings),
	.init = tpftl_init,
	.exit = tpftl_exit,
	DEMAND_OPERATIONS,
	.check = tpftl_check,
	.statistics = tpftl_statistics,
	.hints = &tpftl_hints,
	.words = &tpftl_words,
};
