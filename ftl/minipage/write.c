/*
 * Packing.  The minipages of a request fill flash pages in order, the last one partly.  PM-FTL first writes
 * the logical pages that the request covers, each to one flash page.  Each minipage that is written in part
 * and holds other data costs a read of its own.
 *
 * With pack = buffer, fewer minipages than fill a page are kept in RAM, completed with kept sectors, and
 * packed with those of later requests.  Their old data stays valid until they are programmed; a rewrite of a
 * minipage in RAM costs nothing.
 */
#include "ftl/minipage/minipage.h"

/* ---- RAM ---- */

struct pack_part *mini_waiting(struct mini *m, sub_t sub)
{
	for (uint32_t i = 0; i < m->waits; i++)
		if (m->waiting[i].sub == sub)
			return &m->waiting[i];
	return NULL;
}

void mini_tell(struct ftl *f, sub_t sub, mask_t mask,
	void (*tell)(struct oracle *, enum oracle_holder, struct extent))
{
	const struct mini *m = f->state;
	sector_t first = (sector_t)sub << m->shift;

	for (uint32_t from = 0, end = 0; f->flash->oracle && bits_next_run(mask, &from, &end);)
		tell(f->flash->oracle, HOLDER_FTL, (struct extent){ first + from, first + end });
}

void mini_forget(struct ftl *f, sub_t sub, mask_t mask)
{
	struct mini *m = f->state;
	struct pack_part *part = mini_waiting(m, sub);

	if (!part)
		return;
	mini_tell(f, sub, (part->host | part->kept) & mask, oracle_dram_drop);
	part->host &= ~mask;
	part->kept &= ~mask;
	if (!part->host && !part->kept)
		*part = m->waiting[--m->waits];
}

/* Reads the sectors of a minipage that the host does not write. */
static void mini_read_kept(struct ftl *f, struct io *io, struct pack_part *part)
{
	const struct mini *m = f->state;

	part->kept = mini_written(m, part->sub) & ~part->host;
	if (!part->kept)
		return;
	part->from = mini_ppn(m, part->sub);
	part->read = flash_read(io, part->from, mask_sectors(part->kept), CAUSE_RMW, part->read);
}

/* Reports the complete minipage in RAM to the oracle. */
static void mini_keep_in_ram(struct ftl *f, const struct pack_part *part)
{
	const struct mini *m = f->state;
	sector_t first = (sector_t)part->sub << m->shift;

	mini_tell(f, part->sub, part->host, oracle_dram_store);
	for (uint32_t from = 0, end = 0; f->flash->oracle && bits_next_run(part->kept, &from, &end);)
		oracle_dram_keep(f->flash->oracle, HOLDER_FTL, part->from,
			(struct extent){ first + from, first + end });
}

/* ---- programs ---- */

/* Reports to the oracle that the page now holds the data of the minipage. */
static void mini_hold(struct ftl *f, struct io *io, ppn_t to, const struct pack_part *p, bool from_ram)
{
	const struct mini *m = f->state;
	sector_t first = (sector_t)p->sub << m->shift;
	lpn_t lpn = mini_lpn(m, p->sub);

	if (!from_ram) {
		pages_hold_host(io, to, lpn, mini_page_mask(m, p->sub, p->host));
		pages_hold_kept(io, to, p->from, lpn, mini_page_mask(m, p->sub, p->kept));
		return;
	}
	for (uint32_t from = 0, end = 0; bits_next_run(p->host | p->kept, &from, &end);)
		oracle_page_dram(f->flash->oracle, to, (struct extent){ first + from, first + end });
	mini_tell(f, p->sub, p->host | p->kept, oracle_dram_drop);
}

/* Number of parts, from the first, that are consecutive in their logical page; *written: their sectors. */
static uint32_t mini_run_of(
	const struct mini *m, const struct pack_part *part, uint32_t count, mask_t *written)
{
	uint32_t n = 0;

	*written = 0;
	do {
		*written |= (part[n].host | part[n].kept) << (n << m->shift);
		n++;
	} while (n < count && part[n].sub == part->sub + n && part[n].sub % m->per_lpn);
	return n;
}

void mini_program(struct ftl *f, struct io *io, const struct pack_page *page)
{
	struct mini *m = f->state;
	const struct pack_part *part = page->part;
	mask_t written;

	pack_program(&m->pack, io, page);
	for (uint32_t i = 0; i < page->count; i++) {
		if (f->flash->oracle)
			mini_hold(f, io, page->to, &part[i],
				page->cause == CAUSE_HOST && part == m->waiting && m->buffered);
		if (mini_written(m, part[i].sub))
			mini_kill(m, part[i].sub);
	}
	for (uint32_t i = 0, run; i < page->count; i += run) {
		run = mini_run_of(m, part + i, page->count - i, &written);
		places_set(&m->places, part[i].sub, run, page->to * m->per_lpn + i, written);
	}
}

/* Programs the gathered minipages. False: the drive is full, and they stay gathered. */
static bool mini_flush(struct ftl *f, struct io *io)
{
	struct mini *m = f->state;
	uint32_t count = m->waits;
	ppn_t to = store_take(f, io, mini_lpn(m, m->waiting[0].sub), MINI_HOST);

	if (to == PPN_NONE)
		return false;
	for (uint32_t i = 0; i < count && !m->buffered; i++)
		mini_read_kept(f, io, &m->waiting[i]);
	mini_program(f, io, &(struct pack_page){ to, m->waiting, count, CAUSE_HOST });
	m->statistics.packed += io->timed && count == m->per_lpn;
	m->statistics.partial += io->timed && count < m->per_lpn;
	m->waits = 0;
	mini_changed(f, io, m->waiting, count, false);
	return !f->failed;
}

/* Adds a minipage of the request to the gathered ones. */
static bool mini_join(struct ftl *f, struct io *io, sub_t sub, mask_t host, op_t ready)
{
	struct mini *m = f->state;
	struct pack_part *part = mini_waiting(m, sub);

	if (part) {
		part->host |= host;
		part->kept &= ~host;
		m->statistics.pack_hits += io->timed;
		mini_tell(f, sub, host, oracle_dram_store);
		return true;
	}
	part = &m->waiting[m->waits++];
	*part = (struct pack_part){ .sub = sub, .length = 1, .host = host, .read = ready };
	if (m->buffered) {
		mini_read_kept(f, io, part);
		mini_keep_in_ram(f, part);
	}
	return m->waits < m->per_lpn || mini_flush(f, io);
}

/* ---- requests ---- */

/* The minipages of the part whose entries are needed: those not in RAM. */
static uint32_t mini_needed(struct mini *m, struct page_part part)
{
	uint32_t bits = 0;

	for (uint32_t i = 0; i < m->per_lpn; i++)
		if (mini_mask(m, part, i) && !mini_waiting(m, part.lpn * m->per_lpn + i))
			bits |= 1u << i;
	return bits;
}

static bool mini_write_minipages(struct ftl *f, struct io *io, struct page_part part)
{
	struct mini *m = f->state;
	uint32_t bits = mini_needed(m, part);
	op_t ready = m->pages && bits ? mini_look_up_page(f, io, part.lpn, bits) : OP_NONE;

	for (uint32_t i = 0; i < m->per_lpn && !f->failed; i++) {
		sub_t sub = part.lpn * m->per_lpn + i;
		mask_t host = mini_mask(m, part, i);

		if (!host)
			continue;
		if (!m->pages && bits >> i & 1)
			ready = mini_look_up(f, io, sub);
		if (f->failed || !mini_join(f, io, sub, host, ready))
			return false;
	}
	return !f->failed;
}

/* Programs the logical page, whose part has sectors in every minipage, as one flash page. */
static bool mini_write_page(struct ftl *f, struct io *io, struct page_part part)
{
	struct mini *m = f->state;
	struct pack_part packed[MINI_MOST];
	op_t ready = mini_look_up_page(f, io, part.lpn, (uint32_t)bits_below(m->per_lpn));
	ppn_t to = f->failed ? PPN_NONE : store_take(f, io, part.lpn, MINI_HOST);

	if (to == PPN_NONE)
		return false;
	for (uint32_t i = 0; i < m->per_lpn; i++) {
		packed[i] = (struct pack_part){ .sub = part.lpn * m->per_lpn + i,
			.length = 1,
			.host = mini_mask(m, part, i),
			.read = ready };
		mini_forget(f, packed[i].sub, m->full);
		mini_read_kept(f, io, &packed[i]);
	}
	mini_program(f, io, &(struct pack_page){ to, packed, m->per_lpn, CAUSE_HOST });
	m->statistics.full += io->timed;
	mini_changed(f, io, packed, m->per_lpn, true);
	return !f->failed;
}

static bool mini_has_waited(const struct mini *m, sub_t sub)
{
	for (uint32_t i = 0; i < m->waited_count; i++)
		if (m->waited[i] == sub)
			return true;
	return false;
}

/* Is the part written as a page, not as minipages?  `merged`: its sectors are to share a flash page, so it is
 * if it has sectors in every minipage and none of them was in RAM when the request began.  The answer stays
 * the same throughout the request, whatever is programmed meanwhile. */
static bool mini_is_whole(const struct mini *m, const struct ftl *f, struct page_part part, bool merged)
{
	if (!m->pages || !merged)
		return m->pages && part.mask == f->geometry->full_page;
	for (uint32_t i = 0; i < m->per_lpn; i++)
		if (!mini_mask(m, part, i) || mini_has_waited(m, part.lpn * m->per_lpn + i))
			return false;
	return true;
}

static bool mini_write_parts(struct ftl *f, struct io *io, struct page_walk walk, bool whole, bool merged)
{
	struct mini *m = f->state;
	struct page_part part;

	while (page_walk_next(&walk, &part))
		if (mini_is_whole(m, f, part, merged) == whole &&
			!(whole ? mini_write_page : mini_write_minipages)(f, io, part))
			return false;
	return true;
}

/* Counts the sectors that a power failure would lose now. */
static void mini_count_volatile(struct mini *m)
{
	struct mini_statistics *s = &m->statistics;

	s->volatile_sectors = 0;
	for (uint32_t i = 0; i < m->waits; i++)
		s->volatile_sectors += mask_sectors(m->waiting[i].host);
	if (s->volatile_sectors > s->volatile_most)
		s->volatile_most = s->volatile_sectors;
}

static void mini_write_all(struct ftl *f, struct io *io, const struct extent *extents, size_t n, bool merged)
{
	struct mini *m = f->state;
	struct page_walk walk = page_walk_start(f->geometry, extents, n);

	m->last = (sub_t)((extents[n - 1].end - 1) >> m->shift);
	for (m->waited_count = 0; m->waited_count < m->waits; m->waited_count++)
		m->waited[m->waited_count] = m->waiting[m->waited_count].sub;
	if (m->cache)
		directory_flush_updates(m->table.directory, io);
	if (mini_write_parts(f, io, walk, true, merged) && mini_write_parts(f, io, walk, false, merged) &&
		m->waits && (!m->buffered || !io->timed || merged))
		mini_flush(f, io);
	if (!m->buffered)
		m->waits = 0; /* the drive is full */
	mini_count_volatile(m);
}

void mini_write(struct ftl *f, struct io *io, const struct extent *extents, size_t n)
{
	mini_write_all(f, io, extents, n, false);
}

void mini_write_merged(struct ftl *f, struct io *io, const struct extent *extents, size_t n)
{
	mini_write_all(f, io, extents, n, true);
}
