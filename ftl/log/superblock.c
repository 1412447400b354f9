/*
 * Superblock FTL.  Kang, Jo, Kim and Lee, EMSOFT 2006; Jung and others, ACM Transactions on Embedded
 * Computing Systems, 2010.  n adjacent logical blocks form a superblock, which has up to n + m blocks; its
 * pages may be anywhere in them.  Its map is stored in the spare areas of the pages written last, so writing
 * it costs no program, but a map that is not cached costs a read.
 *
 * Pages are appended to the superblock's update block.  When that is full, a block without live pages is
 * erased; else a free block is taken, if the superblock has fewer than n + m and one stays free; else the
 * block with the fewest live pages is compacted: its live pages are copied to the superblock's cold block.
 * If no block of the superblock has an invalid page, the least recently written superblock with more than n
 * blocks is folded into as few as it needs.  The paper has no rule for that; without one the spare blocks
 * end up as update blocks that are hardly filled.
 */
#include "ftl/log/log.h"

struct superblock_settings {
	struct log_settings log;
	uint64_t blocks, more, cached_maps;
};

struct superblock {
	block_t update, cold; /* blocks being filled, with host pages and with copied pages; BLOCK_NONE */
	uint32_t blocks;
	struct link link; /* in the ring of cached maps, the least recently used first */
	/* in the ring of the plane's superblocks with more than n blocks (wide), the least recently written
	 * first */
	struct link wide;
	bool cached, is_wide;
	uint32_t request; /* the last one that looked it up */
};

/* A block of a superblock, or BLOCK_NONE, and its number in the order in which blocks were taken. */
struct member {
	block_t block;
	uint32_t taken;
};

struct superblock_statistics {
	uint64_t compactions, dead, folds;
};

struct superblock_ftl {
	struct log_ftl log;
	/* Followed by an element per plane, the head of its ring of wide superblocks; the first of them is
	 * also the head of the ring of cached maps. */
	struct superblock *super;
	struct member *member; /* `room` of each superblock */
	/* per LPN: index of the member block that holds it; its page is found by searching the owners of the
	 * block's pages */
	uint8_t *holder;
	op_t *map_read; /* read of each superblock's map by the request that looked it up last */
	uint32_t supers, n, m, room;
	uint32_t cached, most_cached;
	uint32_t requests, taken;
	struct divisor per_super;
	struct superblock_statistics count, uncounted;
};

#define OWN(type, field) PARAM(type, struct superblock_settings, field)

static const struct param superblock_params[] = {
	LOG_PARAM_STRIPE,
	{ OWN(UINT, blocks), 1, 127, "blocks", "8", "adjacent logical blocks of a plane in one superblock" },
	{ OWN(UINT, more), 1, 127, "blocks", "4", "further physical blocks that a superblock may use" },
	{ OWN(UINT, cached_maps), 1, 1e9, "superblocks", "16", "superblocks whose maps are cached" },
	{ 0 },
};

static struct superblock_statistics *superblock_counts(struct superblock_ftl *f, const struct io *io)
{
	return io->timed ? &f->count : &f->uncounted;
}

static struct array_field superblock_links(const struct superblock_ftl *f)
{
	return ARRAY_FIELD(f->super, link);
}

static struct array_field superblock_wide_links(const struct superblock_ftl *f)
{
	return ARRAY_FIELD(f->super, wide);
}

/* Head of the ring of wide superblocks in the plane of a superblock. */
static uint32_t superblock_wide_head(const struct superblock_ftl *f, uint32_t super)
{
	return f->supers + super % f->log.geometry->planes;
}

/* The superblock of a page, and the first logical block of one. */
static uint32_t superblock_super_at(const struct superblock_ftl *f, lpn_t lpn)
{
	uint32_t planes = f->log.geometry->planes, lbn = log_place(&f->log, lpn).lbn;

	return divide(divide(lbn, f->log.per_planes), f->per_super) * planes + log_position(&f->log, lbn);
}

static uint32_t superblock_first_lbn(const struct superblock_ftl *f, uint32_t super)
{
	uint32_t planes = f->log.geometry->planes;

	return super / planes * f->n * planes + super % planes;
}

/* Logical blocks of a superblock; the last one of a plane may have fewer. */
static uint32_t superblock_size_of(const struct superblock_ftl *f, uint32_t super)
{
	uint32_t planes = f->log.geometry->planes, first = super / planes * f->n, all = f->log.lbns / planes;

	return first + f->n <= all ? f->n : all - first;
}

static uint32_t superblock_free_blocks(const struct superblock_ftl *f, uint32_t super)
{
	return blocks_left(f->log.blocks, log_plane(&f->log, superblock_first_lbn(f, super)));
}

/* ---- where pages are ---- */

static struct member *superblock_members(const struct superblock_ftl *f, uint32_t super)
{
	return &f->member[(size_t)super * f->room];
}

/* Index of the block among the superblock's members; with BLOCK_NONE, of an unused member.  There is one. */
static uint32_t superblock_place_of(const struct superblock_ftl *f, uint32_t super, block_t block)
{
	uint32_t i = 0;

	while (superblock_members(f, super)[i].block != block)
		i++;
	return i;
}

static ppn_t superblock_find(const struct log_ftl *l, lpn_t lpn)
{
	const struct superblock_ftl *f = l->ftl->state;
	block_t block = superblock_members(f, superblock_super_at(f, lpn))[f->holder[lpn]].block;
	uint32_t pages = log_next(l, block);

	for (uint32_t page = 0; page < pages; page++)
		if (flash_owner(l->ftl->flash, geometry_first_page(l->geometry, block) + page) == lpn)
			return geometry_first_page(l->geometry, block) + page;
	return PPN_NONE;
}

/* First the place of the page, then the first cache lines of the owners that superblock_find() searches; the
 * processor prefetches the rest. */
static void superblock_prefetch(const struct ftl *ftl, lpn_t lpn, enum prefetch_stage stage)
{
	const struct superblock_ftl *f = ftl->state;
	uint32_t line = 64 / sizeof(owner_t), pages = ftl->geometry->pages_per_block;
	block_t block;

	if (stage == PREFETCH_ENTRY) {
		prefetch(&f->holder[lpn]);
		prefetch(superblock_members(f, superblock_super_at(f, lpn)));
		return;
	}
	block = superblock_members(f, superblock_super_at(f, lpn))[f->holder[lpn]].block;
	if (block == BLOCK_NONE)
		return;
	for (uint32_t page = 0; page < pages && page < 8 * line; page += line)
		flash_prefetch(ftl->flash, geometry_first_page(ftl->geometry, block) + page);
}

static void superblock_moved(struct log_ftl *l, lpn_t lpn, ppn_t ppn)
{
	struct superblock_ftl *f = l->ftl->state;

	f->holder[lpn] = (uint8_t)superblock_place_of(
		f, superblock_super_at(f, lpn), geometry_block(l->geometry, ppn));
}

/* ---- maps in DRAM ---- */

/* The member taken last. */
static block_t superblock_newest(const struct superblock_ftl *f, uint32_t super)
{
	const struct member *best = NULL;

	for (const struct member *m = superblock_members(f, super); m < superblock_members(f, super + 1); m++)
		if (m->block != BLOCK_NONE && (!best || m->taken > best->taken))
			best = m;
	return best ? best->block : BLOCK_NONE;
}

/* The page whose spare area has the map's newest part. */
static ppn_t superblock_map_page(const struct superblock_ftl *f, uint32_t super)
{
	const struct superblock *s = &f->super[super];
	block_t block = s->update != BLOCK_NONE ? s->update : superblock_newest(f, super);

	return geometry_first_page(f->log.geometry, block) + log_next(&f->log, block) - 1;
}

static void superblock_keep_map(struct superblock_ftl *f, uint32_t super)
{
	struct superblock *s = &f->super[super];

	if (!s->cached && f->cached == f->most_cached) {
		uint32_t last = list_next(superblock_links(f), f->supers);

		list_remove(superblock_links(f), last);
		f->super[last].cached = false;
	} else if (!s->cached) {
		f->cached++;
	} else {
		list_remove(superblock_links(f), super);
	}
	s->cached = true;
	list_append(superblock_links(f), f->supers, super);
}

/* A request looks up a superblock's map once.  Only timed requests cache it. */
static op_t superblock_look_up(struct log_ftl *l, struct io *io, lpn_t lpn)
{
	struct superblock_ftl *f = l->ftl->state;
	struct map_statistics *count = ftl_map_count(l->ftl, io);
	uint32_t super = superblock_super_at(f, lpn);
	struct superblock *s = &f->super[super];

	if (s->request == f->requests)
		return f->map_read[super];
	s->request = f->requests;
	f->map_read[super] = OP_NONE;
	count->lookups++;
	count->hits += s->cached;
	count->unwritten += !s->cached && !s->blocks;
	count->misses += !s->cached && s->blocks;
	if (!s->cached && s->blocks)
		f->map_read[super] = flash_read(io, superblock_map_page(f, super), 1, CAUSE_MAP, OP_NONE);
	if (io->timed)
		superblock_keep_map(f, super);
	return f->map_read[super];
}

/* ---- blocks of a superblock ---- */

/* The number of the superblock's blocks has changed: it may have become wide, or no longer be. */
static void superblock_note_width(struct superblock_ftl *f, uint32_t super)
{
	struct superblock *s = &f->super[super];
	bool was_wide = s->is_wide;

	s->is_wide = s->blocks > superblock_size_of(f, super);
	if (s->is_wide && !was_wide)
		list_append(superblock_wide_links(f), superblock_wide_head(f, super), super);
	else if (!s->is_wide && was_wide)
		list_remove(superblock_wide_links(f), super);
}

static block_t superblock_take_block(struct superblock_ftl *f, uint32_t super)
{
	block_t block = log_take(&f->log, superblock_first_lbn(f, super));

	if (block == BLOCK_NONE)
		return block;
	superblock_members(f, super)[superblock_place_of(f, super, BLOCK_NONE)] =
		(struct member){ block, ++f->taken };
	f->super[super].blocks++;
	superblock_note_width(f, super);
	return block;
}

static void superblock_give_block(struct superblock_ftl *f, struct io *io, uint32_t super, block_t block)
{
	superblock_members(f, super)[superblock_place_of(f, super, block)].block = BLOCK_NONE;
	f->super[super].blocks--;
	superblock_note_width(f, super);
	blocks_give(f->log.blocks, io, block, CAUSE_MERGE);
}

static bool superblock_is_full(const struct superblock_ftl *f, block_t block)
{
	return block == BLOCK_NONE || log_next(&f->log, block) == f->log.geometry->pages_per_block;
}

/*
 * The block with the fewest live pages, among equals the oldest, except the update block, the cold block and
 * blocks without an invalid page.  BLOCK_NONE if there is none.
 */
static block_t superblock_choose_block(const struct superblock_ftl *f, uint32_t super)
{
	const struct superblock *s = &f->super[super];
	const uint32_t *live = f->log.live;
	const struct member *best = NULL;

	for (const struct member *m = superblock_members(f, super); m < superblock_members(f, super + 1);
		m++) {
		if (m->block == BLOCK_NONE || m->block == s->update || m->block == s->cold ||
			live[m->block] == f->log.geometry->pages_per_block)
			continue;
		if (!best || live[m->block] < live[best->block] ||
			(live[m->block] == live[best->block] && m->taken < best->taken))
			best = m;
	}
	return best ? best->block : BLOCK_NONE;
}

/* Copies the live pages of a block to the cold block, then erases the block. */
static bool superblock_compact(struct superblock_ftl *f, struct io *io, uint32_t super, block_t block)
{
	struct log_ftl *l = &f->log;
	struct superblock *s = &f->super[super];
	ppn_t first = geometry_first_page(l->geometry, block);

	for (uint32_t page = 0; l->live[block]; page++) {
		if (flash_owner(l->ftl->flash, first + page) == OWNER_NONE)
			continue;
		if (superblock_is_full(f, s->cold))
			s->cold = superblock_take_block(f, super);
		if (s->cold == BLOCK_NONE)
			return false;
		log_copy(l, io, first + page,
			geometry_first_page(l->geometry, s->cold) + log_next(l, s->cold));
	}
	superblock_give_block(f, io, super, block);
	superblock_counts(f, io)->compactions++;
	return true;
}

/* Folds the plane's least recently written wide superblock.  False: there is none, or no free block. */
static bool superblock_fold(struct superblock_ftl *f, struct io *io, uint32_t home)
{
	uint32_t super = list_next(superblock_wide_links(f), superblock_wide_head(f, home));
	block_t block;

	if (super == superblock_wide_head(f, home))
		return false;
	superblock_counts(f, io)->folds++;
	f->super[super].update = f->super[super].cold = BLOCK_NONE;
	while ((block = superblock_choose_block(f, super)) != BLOCK_NONE)
		if (!superblock_compact(f, io, super, block))
			return false;
	return true;
}

/* Makes sure that the update block has a free page. */
static bool superblock_make_room(struct superblock_ftl *f, struct io *io, uint32_t super)
{
	struct superblock *s = &f->super[super];

	while (superblock_is_full(f, s->update)) {
		block_t block;

		s->update = BLOCK_NONE;
		block = superblock_choose_block(f, super);
		if (block != BLOCK_NONE && !f->log.live[block]) {
			superblock_give_block(f, io, super, block);
			superblock_counts(f, io)->dead++;
			s->update = superblock_take_block(f, super);
			if (s->update == BLOCK_NONE)
				return false;
		} else if (s->blocks < superblock_size_of(f, super) + f->m &&
			   superblock_free_blocks(f, super) > 1) {
			s->update = superblock_take_block(f, super);
		} else if (block != BLOCK_NONE ? !superblock_compact(f, io, super, block)
					       : !superblock_fold(f, io, super)) {
			f->log.ftl->failed = true;
			return false;
		}
	}
	return true;
}

static bool superblock_write_page(struct ftl *ftl, struct io *io, struct page_part part)
{
	struct superblock_ftl *f = ftl->state;
	struct log_ftl *l = &f->log;
	uint32_t super = superblock_super_at(f, part.lpn);
	struct superblock *s = &f->super[super];

	superblock_look_up(l, io, part.lpn);
	if (!superblock_make_room(f, io, super))
		return false;
	if (s->is_wide) {
		list_remove(superblock_wide_links(f), super);
		list_append(superblock_wide_links(f), superblock_wide_head(f, super), super);
	}
	log_program(l, io, part, geometry_first_page(l->geometry, s->update) + log_next(l, s->update),
		INDEX_NONE);
	return true;
}

static bool superblock_init(struct ftl *ftl, struct fault *fault)
{
	struct superblock_ftl *f = ftl->state;
	const struct superblock_settings *s = ftl->settings;
	uint32_t planes = ftl->geometry->planes;

	if (!log_init(&f->log, ftl, 0, 0, fault))
		return false;
	f->log.find = superblock_find;
	f->log.moved = superblock_moved;
	f->log.look_up = superblock_look_up;
	f->log.write_page = superblock_write_page;
	f->n = (uint32_t)s->blocks;
	f->m = (uint32_t)s->more;
	f->room = f->n + f->m + 1;
	f->most_cached = (uint32_t)s->cached_maps;
	f->per_super = divisor_of(f->n);
	f->supers = (f->log.lbns / planes + f->n - 1) / f->n * planes;
	f->super = memory_array(f->supers + planes, sizeof *f->super, "superblocks");
	f->member = memory_array((size_t)f->supers * f->room, sizeof *f->member, "superblocks");
	f->holder = memory_array(ftl->geometry->logical_pages, sizeof *f->holder, "page table");
	f->map_read = memory_array(f->supers, sizeof *f->map_read, "superblocks");
	for (uint32_t i = 0; i < f->supers; i++)
		f->super[i].update = f->super[i].cold = BLOCK_NONE;
	for (struct member *m = f->member; m < superblock_members(f, f->supers); m++)
		m->block = BLOCK_NONE;
	for (uint32_t p = 0; p < planes; p++)
		list_init(superblock_wide_links(f), f->supers + p);
	list_init(superblock_links(f), f->supers);
	return true;
}

static void superblock_exit(struct ftl *ftl)
{
	struct superblock_ftl *f = ftl->state;

	memory_free(f->super);
	memory_free(f->member);
	memory_free(f->holder);
	memory_free(f->map_read);
	log_exit(&f->log);
}

static void superblock_read(struct ftl *ftl, struct io *io, const struct extent *extents, size_t n)
{
	((struct superblock_ftl *)ftl->state)->requests++;
	log_read(ftl, io, extents, n);
}

static void superblock_write(struct ftl *ftl, struct io *io, const struct extent *extents, size_t n)
{
	((struct superblock_ftl *)ftl->state)->requests++;
	log_write(ftl, io, extents, n);
}

static void superblock_trim(struct ftl *ftl, struct io *io, struct extent e)
{
	((struct superblock_ftl *)ftl->state)->requests++;
	log_trim(ftl, io, e);
}

static const struct state_row super_state[] = {
	STATE_NUMBER(struct superblock, update),
	STATE_NUMBER(struct superblock, cold),
	STATE_NUMBER(struct superblock, blocks),
	STATE_NUMBER(struct superblock, link),
	STATE_NUMBER(struct superblock, wide),
	STATE_NUMBER(struct superblock, cached),
	STATE_NUMBER(struct superblock, is_wide),
	STATE_NUMBER(struct superblock, request),
	{ 0 },
};

static const struct state_row member_state[] = {
	STATE_NUMBER(struct member, block),
	STATE_NUMBER(struct member, taken),
	{ 0 },
};

static const struct state_row superblock_state[] = {
	STATE_FIXED(supers, n, m, room, per_super),
	STATE_SCRATCH(map_read),
	STATE_COUNTED(most_cached, count, uncounted),
	STATE_STRUCT(struct superblock_ftl, log, log_state),
	STATE_ARRAY(struct superblock_ftl, super, super_state),
	STATE_ARRAY(struct superblock_ftl, member, member_state),
	STATE_NUMBERS(struct superblock_ftl, holder),
	STATE_NUMBER(struct superblock_ftl, taken),
	STATE_NUMBER(struct superblock_ftl, cached),
	STATE_NUMBER(struct superblock_ftl, requests),
	{ 0 },
};

/* Every block belongs to one superblock, in its plane.  The update and the cold block are among them. */
static uint32_t superblock_check_super(const struct superblock_ftl *f, uint32_t i, uint64_t *claimed)
{
	const struct superblock *s = &f->super[i];
	bool update = s->update == BLOCK_NONE, cold = s->cold == BLOCK_NONE;
	uint32_t blocks = 0;

	for (const struct member *m = superblock_members(f, i); m < superblock_members(f, i + 1); m++) {
		log_claim(&f->log, claimed, m->block, log_plane(&f->log, superblock_first_lbn(f, i)));
		blocks += m->block != BLOCK_NONE;
		update |= m->block == s->update;
		cold |= m->block == s->cold;
	}
	BUG_ON(blocks != s->blocks, "superblock %u has %u blocks, %u are counted", i, blocks, s->blocks);
	BUG_ON(!update || !cold, "superblock %u fills blocks %u and %u, one of which it does not have", i,
		s->update, s->cold);
	return s->blocks;
}

/* Maps in the ring are cached, and no others. */
static void superblock_check_cached(const struct superblock_ftl *f)
{
	uint32_t flagged = 0, listed = list_length(superblock_links(f), f->supers, f->supers), right = 0;

	for (uint32_t i = 0; i < f->supers; i++)
		flagged += f->super[i].cached;
	for (uint32_t i = list_next(superblock_links(f), f->supers); right < listed && i < f->supers;
		i = list_next(superblock_links(f), i))
		right += f->super[i].cached;
	BUG_ON(f->cached > f->most_cached || listed != f->cached || flagged != f->cached ||
			right != f->cached,
		"%u maps are in DRAM, %u are listed and %u flagged", f->cached, listed, flagged);
}

/* The rings hold the wide superblocks of their planes, and no others. */
static void superblock_check_wide(const struct superblock_ftl *f)
{
	uint32_t planes = f->log.geometry->planes, wide = 0, right = 0;

	for (uint32_t i = 0; i < f->supers; i++) {
		BUG_ON(f->super[i].is_wide != (f->super[i].blocks > superblock_size_of(f, i)),
			"superblock %u has %u blocks", i, f->super[i].blocks);
		wide += f->super[i].is_wide;
	}
	for (uint32_t p = 0; p < planes; p++) {
		uint32_t head = f->supers + p;

		BUG_ON(list_length(superblock_wide_links(f), head, f->supers) == INDEX_NONE,
			"the ring of plane %u is broken", p);
		for (uint32_t i = list_next(superblock_wide_links(f), head); i != head;
			i = list_next(superblock_wide_links(f), i)) {
			BUG_ON(i >= f->supers || !f->super[i].is_wide || i % planes != p,
				"superblock %u is in the ring of plane %u", i, p);
			right++;
		}
	}
	BUG_ON(right != wide, "%u superblocks are wide, %u listed", wide, right);
}

static void superblock_check(const struct ftl *ftl)
{
	const struct superblock_ftl *f = ftl->state;
	uint64_t *claimed = memory_array(bits_words(ftl->geometry->blocks), sizeof *claimed, "blocks in use");
	uint64_t blocks = blocks_left_in_all(f->log.blocks) + f->log.blocks->retired;

	log_check(ftl);
	for (uint32_t i = 0; i < f->supers; i++)
		blocks += superblock_check_super(f, i, claimed);
	BUG_ON(blocks != ftl->geometry->blocks, "%llu of %u blocks are in use, free or retired",
		(unsigned long long)blocks, ftl->geometry->blocks);
	superblock_check_cached(f);
	superblock_check_wide(f);
	memory_free(claimed);
}

#define COUNT(name) STAT_COUNT, offsetof(struct superblock_statistics, name)

static const struct stat_row rows[] = {
	{ "superblock.compactions", "blocks", "emptied into the cold block of their superblock",
		COUNT(compactions) },
	{ "superblock.dead", "blocks", "erased without a copy", COUNT(dead) },
	{ "superblock.folds", "superblocks", "brought to fewer blocks, to make room for another",
		COUNT(folds) },
	{ 0 },
};

static void superblock_add_statistics(struct ftl *ftl, struct stat_list *list)
{
	struct superblock_ftl *f = ftl->state;

	stat_list_add(list, (struct stat_group){ "superblocks", NULL, rows, &f->count, sizeof f->count });
}

static const struct ftl_hints superblock_hints = { .prefetch = superblock_prefetch };

const struct ftl_ops ftl_superblock = {
	.name = "superblock",
	.brief = "pages anywhere in the blocks of n adjacent logical blocks; maps in spare areas",
	.size = sizeof(struct superblock_ftl),
	.map_in_dram = true,
	.params = superblock_params,
	.settings_size = sizeof(struct superblock_settings),
	.init = superblock_init,
	.exit = superblock_exit,
	.read = superblock_read,
	.write = superblock_write,
	.trim = superblock_trim,
	.check = superblock_check,
	.state = superblock_state,
	.facts = log_facts,
	.statistics = superblock_add_statistics,
	.hints = &superblock_hints,
	.words = &log_words,
};
