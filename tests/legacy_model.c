#include "tests/legacy_model.h"

#include "base/memory.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NEVER  INT64_MAX
#define NOBODY (-1)

enum { COPYBACK = 2, TWO_PLANE = 4, INTERLEAVE = 8 };

/* Numbers in order; the first is the oldest, the head, the front. */
struct list {
	int *item, count;
	uint32_t room;
};

enum state { WAITS, COMMAND, SENSING, COMPLETE };

struct sub {
	bool read;
	int request, update; /* NOBODY: an update read; a write without one */
	int lpn, ppn, plane, block, page, size;
	uint32_t mask;
	enum state state;
	int64_t time, begin, end; /* the state is entered or left at `time` */
	bool lost;                /* a write that found no page */
};

struct request {
	int64_t arrival, begin, response;
	uint32_t lsn, size;
	int op;
	struct list subs;
};

struct page {
	uint32_t valid, free, lpn;
};

struct block {
	int free_pages, invalid, last_write, erases;
	struct page *page;
};

struct plane {
	int free_pages, active, reading; /* page in its register, NOBODY */
	struct list direct_erase;        /* blocks */
	struct block *block;
};

enum chip_next { IDLE, READ_BUSY, DATA };

struct chip {
	enum chip_next next;
	int64_t time;
	int token;
};

struct channel {
	int64_t time;
	int token;
	struct list reads, writes; /* subs */
	struct list collections;   /* planes */
};

struct node {
	uint32_t lpn, mask;
};

struct counts {
	uint32_t min, max, reads, programs, updates, erases, direct, copy_backs, two_plane, interleaves,
		levels;
	uint32_t gc_copy_backs, writes, waste, interleave_erases, two_plane_erases, both_erases;
	uint32_t read_hits, read_misses, write_hits, write_misses;
	uint32_t done[2];
	int64_t sum[2];
	float size[2];
};

struct map {
	int pn;
	uint32_t state;
};

struct model {
	const struct legacy_parameters *p;
	int C, H, D, PL, B, P, sp, planes;
	uint32_t full, limit, logical;
	bool dynamic, end_of_file;
	int64_t now;
	struct map *map;
	struct plane *plane;
	int *die_token, device_token;
	struct chip *chip;
	struct channel *channel;
	struct list device, queue; /* writes; requests not yet printed */
	struct sub *sub;
	struct request *request;
	uint32_t subs, sub_room, requests, request_room;
	struct node *node; /* buffered pages, the latest first */
	int nodes;
	uint32_t node_room, held, capacity, rt, gc_requests;
	struct counts n;
	struct list taken, done; /* writes of the command at hand: those chosen, those placed */
	int *slot;               /* the write of each plane of the chip at hand, NOBODY */
	uint32_t *need, needs;   /* sectors wanted of each page of the read at hand */
	const char *trace;
	FILE *rows;
	jmp_buf crash;
};

/* ---- lists and places ---- */

static void append(struct list *l, int item)
{
	l->item = memory_grown(l->item, &l->room, (uint32_t)l->count + 1, sizeof *l->item, "model");
	l->item[l->count++] = item;
}

static void take_out(struct list *l, int at)
{
	memmove(l->item + at, l->item + at + 1, (size_t)(--l->count - at) * sizeof *l->item);
}

static void push(struct list *l, int item)
{
	append(l, item);
	memmove(l->item + 1, l->item, (size_t)(l->count - 1) * sizeof *l->item);
	l->item[0] = item;
}

static void forget(struct list *l, int item)
{
	for (int i = 0; i < l->count; i++)
		if (l->item[i] == item) {
			take_out(l, i);
			return;
		}
}

static int ppn_at(const struct model *m, int plane, int block, int page)
{
	return (plane * m->B + block) * m->P + page;
}

static int plane_of(const struct model *m, int ppn)
{
	return ppn / m->P / m->B;
}

static int chip_of(const struct model *m, int plane)
{
	return plane / m->PL / m->D;
}

static struct channel *channel_of(const struct model *m, int plane)
{
	return &m->channel[chip_of(m, plane) / m->H];
}

static struct block *block_of(const struct model *m, int ppn)
{
	return &m->plane[plane_of(m, ppn)].block[ppn / m->P % m->B];
}

static struct page *page_of(const struct model *m, int ppn)
{
	return &block_of(m, ppn)->page[ppn % m->P];
}

static int sectors(uint32_t mask)
{
	return __builtin_popcount(mask);
}

static int step(int *token, int size)
{
	int old = *token;

	*token = (old + 1) % size;
	return old;
}

static bool chip_is_idle(const struct model *m, int chip)
{
	return m->chip[chip].next == IDLE && m->chip[chip].time <= m->now;
}

/* ---- pages ---- */

static bool find_active(struct model *m, int plane)
{
	struct plane *p = &m->plane[plane];

	for (int i = 0; i < m->B; i++) {
		if (p->block[p->active].free_pages)
			return true;
		p->active = (p->active + 1) % m->B;
	}
	return false;
}

static int static_plane(const struct model *m, int x)
{
	int c = m->C, h = m->H, d = m->D, p = m->PL, w = 0, i = 0, j = 0, k = 0;

	switch (m->p->static_allocation) {
	case 0:
		w = x / (p * d * h) % c, i = x % h, j = x / h % d, k = x / (d * h) % p;
		break;
	case 1:
		w = x % c, i = x / c % h, j = x / (h * c) % d, k = x / (d * h * c) % p;
		break;
	case 2:
		w = x % c, i = x / (p * c) % h, j = x / (p * h * c) % d, k = x / c % p;
		break;
	case 3:
		w = x % c, i = x / (d * c) % h, j = x / c % d, k = x / (d * h * c) % p;
		break;
	case 4:
		w = x % c, i = x / (p * d * c) % h, j = x / (p * c) % d, k = x / c % p;
		break;
	case 5:
		w = x % c, i = x / (p * d * c) % h, j = x / c % d, k = x / (d * c) % p;
		break;
	}
	return ((w * h + i) * d + j) * p + k;
}

static void ask_collection(struct model *m, int plane)
{
	float threshold = (float)(m->P * m->B) * m->p->gc_hard_threshold;

	if ((float)m->plane[plane].free_pages < threshold) {
		push(&channel_of(m, plane)->collections, plane);
		m->gc_requests++;
	}
}

static void fill_page(struct model *m, int ppn, uint32_t lpn, uint32_t mask)
{
	*page_of(m, ppn) = (struct page){ mask, ~mask & m->full, lpn };
}

/* What every write of a page does once the page is chosen. */
static void write_page(struct model *m, struct sub *s, int plane, int block, int page)
{
	struct map *map = &m->map[s->lpn];
	struct block *b = &m->plane[plane].block[block];
	int old = map->pn;

	b->last_write = page;
	b->free_pages--;
	m->plane[plane].free_pages--;
	if (map->state) {
		*page_of(m, old) = (struct page){ 0 };
		if (++block_of(m, old)->invalid == m->P)
			push(&m->plane[plane_of(m, old)].direct_erase, old / m->P % m->B);
	}
	map->pn = s->ppn = ppn_at(m, plane, block, page);
	map->state |= s->mask;
	s->plane = plane;
	s->block = block;
	s->page = page;
	fill_page(m, s->ppn, (uint32_t)s->lpn, s->mask);
	m->n.programs++;
	m->n.writes++;
}

/* A write to the active block of a plane; without a free page it is lost. */
static void get_ppn(struct model *m, struct sub *s, int plane)
{
	int active;

	s->plane = plane;
	s->block = s->page = 0;
	s->lost = !find_active(m, plane);
	if (s->lost) {
		s->ppn = ppn_at(m, plane, 0, 0);
		return;
	}
	active = m->plane[plane].active;
	write_page(m, s, plane, active, m->plane[plane].block[active].last_write + 1);
	if (m->p->active_write == 0)
		ask_collection(m, plane);
}

static void make_same_level(struct model *m, int plane, int block, int aim)
{
	struct block *b = &m->plane[plane].block[block];

	for (int page = b->last_write + 1; page < aim; page++) {
		b->page[page] = (struct page){ 0 };
		b->invalid++;
		b->free_pages--;
		m->plane[plane].free_pages--;
		m->n.waste++;
	}
	b->last_write = aim - 1;
}

static void erase(struct model *m, int plane, int block)
{
	struct block *b = &m->plane[plane].block[block];

	b->free_pages = m->P;
	b->invalid = 0;
	b->last_write = -1;
	b->erases++;
	for (int i = 0; i < m->P; i++)
		b->page[i] = (struct page){ 0, 0xffffffff, 0xffffffff };
	m->plane[plane].free_pages += m->P;
	m->n.erases++;
}

/* ---- before the clock starts ---- */

static void make_aged(struct model *m)
{
	float ratio = m->p->aged_ratio, all = (float)(m->B * m->P), share = (float)m->P * ratio;
	int quota;

	all = all * ratio;
	share = share + 1.0f;
	quota = (int)all;
	for (int plane = 0; plane < m->planes; plane++)
		for (int b = 0, count = 0; b < m->B && count < quota; b++)
			for (int n = 0; (float)n < share; n++, count++) {
				struct block *block = &m->plane[plane].block[b];

				block->page[n] = (struct page){ 0 };
				block->free_pages--;
				block->invalid++;
				block->last_write++;
				m->plane[plane].free_pages--;
			}
}

static int preload_plane(struct model *m, int lpn)
{
	int channel, chip, die;

	if (!m->dynamic)
		return static_plane(m, lpn);
	channel = m->p->dynamic_allocation == 1 ? lpn % m->C : step(&m->device_token, m->C);
	chip = channel * m->H + step(&m->channel[channel].token, m->H);
	die = chip * m->D + step(&m->chip[chip].token, m->D);
	return die * m->PL + step(&m->die_token[die], m->PL);
}

static void preload(struct model *m, int lpn, uint32_t bits)
{
	struct map *map = &m->map[lpn];
	int plane;

	m->n.programs++;
	if (map->state) {
		uint32_t old = page_of(m, map->pn)->lpn;

		map->state |= bits;
		fill_page(m, map->pn, old, map->state);
		return;
	}
	plane = preload_plane(m, lpn);
	*map = (struct map){ 0, bits };
	if (find_active(m, plane)) {
		int active = m->plane[plane].active;
		struct block *b = &m->plane[plane].block[active];

		map->pn = ppn_at(m, plane, active, ++b->last_write);
		b->free_pages--;
		m->plane[plane].free_pages--;
		m->n.writes++;
	}
	fill_page(m, map->pn, (uint32_t)lpn, bits);
}

static const char *read_line(const char *line, int64_t *time, uint32_t *lsn, uint32_t *size, int *op)
{
	long long t;
	const char *end = strchr(line, '\n');

	if (sscanf(line, "%lld %*d %u %u %d", &t, lsn, size, op) != 4)
		abort();
	*time = t;
	return end ? end + 1 : NULL;
}

static void pre_process(struct model *m)
{
	int64_t time;
	uint32_t lsn, size;
	int op;

	for (const char *line = m->trace; line;) {
		line = read_line(line, &time, &lsn, &size, &op);
		for (uint32_t done = 0, piece; op == 1 && done < size; done += piece, lsn += piece) {
			lsn %= m->limit;
			piece = (uint32_t)m->sp - lsn % (uint32_t)m->sp;
			if (done + piece >= size)
				piece = size - done;
			preload(m, (int)(lsn / (uint32_t)m->sp),
				(uint32_t)((((uint64_t)1 << piece) - 1) << lsn % (uint32_t)m->sp));
		}
	}
}

/* ---- sub-requests ---- */

static int new_sub(struct model *m, struct sub s, int request)
{
	m->sub = memory_grown(m->sub, &m->sub_room, m->subs + 1, sizeof *m->sub, "model");
	s.request = request;
	s.begin = m->now;
	m->sub[m->subs] = s;
	if (request != NOBODY)
		append(&m->request[request].subs, (int)m->subs);
	return (int)m->subs++;
}

static void must_exist(struct model *m, uint32_t lpn)
{
	if (lpn >= m->logical)
		longjmp(m->crash, 1);
}

static void create_read(struct model *m, int request, uint32_t lpn, int size)
{
	int ppn, number;
	struct list *queue;

	must_exist(m, lpn);
	ppn = m->map[lpn].pn;
	queue = &channel_of(m, plane_of(m, ppn))->reads;
	number = new_sub(m, (struct sub){ .read = true, .ppn = ppn, .size = size }, request);
	for (int i = 0; i < queue->count; i++)
		if (m->sub[queue->item[i]].ppn == ppn) {
			m->sub[number].state = COMPLETE;
			m->sub[number].time = m->sub[number].end = m->now + 1000;
			return;
		}
	append(queue, number);
}

/* Returns its size. */
static int create_write(struct model *m, int request, uint32_t lpn, uint32_t mask)
{
	struct map *map;
	int update = NOBODY, number, plane;

	must_exist(m, lpn);
	map = &m->map[lpn];
	if (map->state && (mask & map->state) != map->state) {
		m->n.reads++;
		m->n.updates++;
		update = new_sub(m,
			(struct sub){ .read = true, .ppn = map->pn, .size = sectors(map->state ^ mask) },
			NOBODY);
		append(&channel_of(m, plane_of(m, map->pn))->reads, update);
		if (!m->dynamic)
			mask |= map->state;
	}
	plane = m->dynamic ? 0 : static_plane(m, (int)lpn);
	number = new_sub(m,
		(struct sub){ .lpn = (int)lpn,
			.mask = mask,
			.size = sectors(mask),
			.update = update,
			.plane = plane },
		request);
	if (!m->dynamic)
		append(&channel_of(m, plane)->writes, number);
	else if (m->p->dynamic_allocation == 1)
		append(&m->channel[lpn % (uint32_t)m->C].writes, number);
	else
		append(&m->device, number);
	return sectors(mask);
}

/* ---- buffer ---- */

static int find_node(const struct model *m, uint32_t lpn)
{
	for (int i = 0; i < m->nodes; i++)
		if (m->node[i].lpn == lpn)
			return i;
	return NOBODY;
}

static void to_head(struct model *m, int at)
{
	struct node node = m->node[at];

	memmove(m->node + 1, m->node, (size_t)at * sizeof node);
	m->node[0] = node;
}

/* Writes the page at the tail to flash; SSDsim crashes if there is none. */
static int evict(struct model *m, int request, uint32_t spared)
{
	struct node *tail = &m->node[m->nodes - 1], swap;
	int size;

	if (m->nodes > 1 && tail->lpn == spared) {
		swap = tail[-1];
		tail[-1] = *tail;
		*tail = swap;
	}
	if (m->nodes == 0 || tail->lpn == spared)
		longjmp(m->crash, 1);
	size = create_write(m, request, tail->lpn, tail->mask);
	m->held -= (uint32_t)size;
	m->nodes--;
	return size;
}

static void insert(struct model *m, int request, uint32_t lpn, uint32_t mask)
{
	int at = find_node(m, lpn);
	uint32_t size = (uint32_t)sectors(mask), free = m->capacity - m->held;

	if (at == NOBODY) {
		int wanted = free < size ? (int)(size - free) : 0;

		m->n.write_misses += (uint32_t)wanted;
		while (wanted > 0)
			wanted -= evict(m, request, UINT32_MAX);
		m->node = memory_grown(
			m->node, &m->node_room, (uint32_t)m->nodes + 1, sizeof *m->node, "model");
		m->node[m->nodes] = (struct node){ lpn, mask };
		to_head(m, m->nodes++);
		m->held += size;
		return;
	}
	for (uint32_t bit = 1; bit && bit <= mask; bit <<= 1) {
		if (!(mask & bit))
			continue;
		at = find_node(m, lpn);
		if (m->node[at].mask & bit) {
			m->n.write_hits++;
		} else {
			m->n.write_misses++;
			if (m->held >= m->capacity)
				evict(m, request, lpn);
			at = find_node(m, lpn);
			m->node[at].mask |= bit;
			m->held++;
		}
		to_head(m, at);
	}
}

static uint32_t part(const struct model *m, const struct request *r, uint32_t page)
{
	uint32_t mask = 0, sp = (uint32_t)m->sp;

	for (uint32_t i = 0; i < sp; i++)
		if (page * sp + i >= r->lsn && page * sp + i < r->lsn + r->size)
			mask |= (uint32_t)1 << i;
	return mask;
}

static void answer(struct model *m, int request)
{
	m->request[request].begin = m->now;
	m->request[request].response = m->now + 1000;
}

/* The table of wanted sectors has 32 / sp pages a word and is walked for as many words as the sectors fill;
 * beyond the pages of the read it holds nothing. */
static void buffered_read(struct model *m, int request, uint32_t first, uint32_t last)
{
	struct request *r = &m->request[request];
	uint32_t sp = (uint32_t)m->sp, cursor = r->lsn, hits = 0, any = 0, pages = last - first + 1;
	uint32_t start = first * sp, end = ((r->lsn + r->size) / sp + 1) * sp, reach;
	uint32_t *need = m->need = memory_grown(m->need, &m->needs, pages, sizeof *need, "model");

	for (uint32_t p = first; p <= last; p++) {
		int at = find_node(m, p);

		need[p - first] = m->full;
		while (at != NOBODY && cursor < (p + 1) * sp && cursor <= r->lsn + r->size - 1) {
			uint32_t offset = cursor++ % sp;

			if (offset > 4 || !(m->node[at].mask >> offset & 1)) {
				m->n.read_misses++;
				continue;
			}
			to_head(m, at);
			at = 0;
			m->n.read_hits++;
			hits++;
			need[p - first] &= ~((uint32_t)1 << offset);
		}
		any |= need[p - first];
	}
	reach = ((end - start) / 32 + 1) * (32 / sp);
	if (!any || hits == r->size)
		answer(m, request);
	else
		for (uint32_t i = 0; i < pages && i < reach; i++) {
			int size = sectors(need[i] & part(m, &m->request[request], first + i));

			if (size)
				create_read(m, request, first + i, size);
		}
}

static void serve(struct model *m, int request)
{
	struct request *r = &m->request[request];
	uint32_t first = r->lsn / (uint32_t)m->sp, last = (r->lsn + r->size - 1) / (uint32_t)m->sp;

	if (m->p->dram_bytes && r->op == 1) {
		buffered_read(m, request, first, last);
		return;
	}
	for (uint32_t p = first; p <= last; p++) {
		if (m->p->dram_bytes) {
			insert(m, request, p, part(m, r, p));
		} else {
			must_exist(m, p);
			if (r->op == 1)
				create_read(m, request, p, sectors(m->map[p].state));
			else
				create_write(m, request, p, part(m, r, p));
		}
	}
	if (m->p->dram_bytes && !r->subs.count)
		answer(m, request);
}

/* ---- admission and output ---- */

static int64_t next_event(const struct model *m)
{
	int64_t event = NEVER;

	for (int c = 0; c < m->C; c++)
		if (m->channel[c].time > m->now && m->channel[c].time < event)
			event = m->channel[c].time;
	for (int h = 0; h < m->C * m->H; h++)
		if (m->chip[h].next != READ_BUSY && m->chip[h].time > m->now && m->chip[h].time < event)
			event = m->chip[h].time;
	return event;
}

/* 1: a request; 0: the trace has ended; -1: the line waits. */
static int admit(struct model *m)
{
	int64_t time, event;
	struct request r = { 0 };
	const char *next;
	int kind;

	if (m->end_of_file)
		return 0;
	next = read_line(m->trace, &time, &r.lsn, &r.size, &r.op);
	if (r.lsn < m->n.min)
		m->n.min = r.lsn;
	if (r.lsn > m->n.max)
		m->n.max = r.lsn;
	event = next_event(m);
	if (event != NEVER && (event < time || m->queue.count >= m->p->queue_length)) {
		m->now = event;
		return -1;
	}
	m->now = time;
	m->trace = next;
	m->end_of_file = !next;
	if (m->end_of_file)
		return 0;
	kind = r.op != 1;
	m->n.size[kind] = m->n.size[kind] * (float)m->n.done[kind];
	m->n.size[kind] = m->n.size[kind] + (float)r.size;
	m->n.size[kind] = m->n.size[kind] / (float)(m->n.done[kind] + 1);
	r.arrival = r.begin = time;
	r.lsn %= m->limit;
	m->request = memory_grown(m->request, &m->request_room, m->requests + 1, sizeof r, "model");
	m->request[m->requests] = r;
	append(&m->queue, (int)m->requests++);
	return 1;
}

/* Are all parts complete?  Then their times: a begin of 0 counts as none found so far, the newest part
 * first. */
static bool completed(const struct model *m, struct request *r)
{
	int64_t begin = 0, end = 0;

	for (int i = r->subs.count - 1; i >= 0; i--) {
		const struct sub *s = &m->sub[r->subs.item[i]];

		if (s->state != COMPLETE || s->time > m->now)
			return false;
		if (begin == 0 || s->begin < begin)
			begin = s->begin;
		if (s->end > end)
			end = s->end;
	}
	r->begin = begin;
	r->response = end;
	return true;
}

static void output(struct model *m)
{
	for (int i = 0; i < m->queue.count;) {
		struct request *r = &m->request[m->queue.item[i]];
		int kind = r->op != 1;

		if (!r->response && !completed(m, r)) {
			i++;
			continue;
		}
		fprintf(m->rows, "%16lld %10d %6d %2d %16lld %16lld %10lld\n", (long long)r->arrival,
			(int)r->lsn, (int)r->size, r->op, (long long)r->begin, (long long)r->response,
			(long long)(r->response - r->arrival));
		m->n.done[kind]++;
		m->n.sum[kind] += r->response - r->arrival;
		take_out(&m->queue, i);
	}
}

/* ---- reads ---- */

static void sense(struct model *m)
{
	for (int c = 0; c < m->C; c++)
		for (int i = 0; i < m->channel[c].reads.count; i++) {
			struct sub *s = &m->sub[m->channel[c].reads.item[i]];
			struct chip *chip = &m->chip[chip_of(m, plane_of(m, s->ppn))];

			if (s->state != COMMAND || s->time > m->now)
				continue;
			s->state = SENSING;
			s->time = m->now + m->p->t_r;
			*chip = (struct chip){ DATA, s->time, chip->token };
		}
}

static bool read_command(struct model *m, struct channel *channel)
{
	for (int i = 0; i < channel->reads.count; i++) {
		struct sub *s = &m->sub[channel->reads.item[i]];
		int plane = plane_of(m, s->ppn);

		if (s->state != WAITS || !chip_is_idle(m, chip_of(m, plane)))
			continue;
		m->n.reads++;
		s->begin = m->now;
		s->state = COMMAND;
		s->time = channel->time = m->now + 7 * m->p->t_wc;
		m->chip[chip_of(m, plane)].next = READ_BUSY;
		m->plane[plane].reading = s->ppn;
		return true;
	}
	return false;
}

static void data_out(struct model *m, struct channel *channel, int chip)
{
	int plane = chip * m->D * m->PL, i = 0;
	struct sub *s;

	while (m->plane[plane].reading == NOBODY)
		plane++;
	while (m->sub[channel->reads.item[i]].ppn != m->plane[plane].reading)
		i++;
	s = &m->sub[channel->reads.item[i]];
	s->state = COMPLETE;
	s->time = s->end =
		m->now + (int64_t)((uint32_t)s->size * (uint32_t)m->p->sector_bytes * (uint32_t)m->p->t_rc);
	channel->time = s->end;
	m->chip[chip] = (struct chip){ IDLE, s->end, m->chip[chip].token };
	m->plane[plane].reading = NOBODY;
	take_out(&channel->reads, i);
}

static bool read_data(struct model *m, int c)
{
	for (int h = c * m->H; h < (c + 1) * m->H; h++)
		if (m->chip[h].next == DATA && m->chip[h].time <= m->now) {
			data_out(m, &m->channel[c], h);
			return true;
		}
	return false;
}

/* ---- writes ---- */

static bool eligible(const struct model *m, int number)
{
	const struct sub *s = &m->sub[number];
	const struct sub *update = s->update == NOBODY ? NULL : &m->sub[s->update];

	return !update || (update->state == COMPLETE && update->time <= m->now);
}

static uint32_t transfer(const struct model *m, const struct sub *s)
{
	return (uint32_t)s->size * (uint32_t)m->p->sector_bytes * (uint32_t)m->p->t_wc;
}

enum timing { PARALLEL, CHAINED, TWO_PLANES };

static void issue_until(struct model *m, int chip, int number, int64_t end)
{
	struct sub *s = &m->sub[number];

	s->state = COMPLETE;
	s->time = s->end = end;
	forget(&m->device, number);
	for (int c = 0; c < m->C; c++)
		forget(&m->channel[c].writes, number);
	m->channel[chip / m->H].time = end;
	m->chip[chip] = (struct chip){ IDLE, end + m->p->t_prog, m->chip[chip].token };
	if (m->dynamic && m->p->dynamic_allocation == 0 && m->p->advanced_command_priority2 == 0)
		m->rt--;
}

static void issue(struct model *m, int chip, const struct list *subs, enum timing timing)
{
	int64_t end = m->now;

	for (int i = 0; i < subs->count; i++) {
		int64_t start = timing == PARALLEL ? m->now : end;

		if (timing == TWO_PLANES && i)
			start += m->p->t_dbsy;
		end = start + 7 * m->p->t_wc + transfer(m, &m->sub[subs->item[i]]);
		issue_until(m, chip, subs->item[i], end);
	}
}

static void issue_one(struct model *m, int chip, int number)
{
	issue_until(m, chip, number, m->now + 7 * m->p->t_wc + transfer(m, &m->sub[number]));
}

/* Puts `number` beside `base` on `plane`, if the active block there allows it. */
static bool level_on(struct model *m, int base, int number, int plane)
{
	struct sub *b = &m->sub[base];
	int next;

	if (!find_active(m, plane) || m->plane[plane].active != b->block)
		return false;
	next = m->plane[plane].block[b->block].last_write + 1;
	if (next > b->page || (next < b->page && m->p->greed_multi_plane != 1))
		return false;
	make_same_level(m, plane, b->block, b->page);
	write_page(m, &m->sub[number], plane, b->block, b->page);
	return true;
}

static bool level(struct model *m, int base, int number)
{
	int die = m->sub[base].plane / m->PL, *token = &m->die_token[die];

	if (!m->dynamic)
		return level_on(m, base, number, m->sub[number].plane);
	if (m->sub[base].lost)
		longjmp(m->crash, 1);
	for (int i = 0; i < m->PL; i++)
		if (level_on(m, base, number, die * m->PL + step(token, m->PL)))
			return true;
	return false;
}

/* Behind the last page of a block, where a full plane leads, lies foreign memory. */
static bool untouched(struct model *m, int plane, int block, int page)
{
	if (page >= m->P)
		longjmp(m->crash, 1);
	return m->plane[plane].block[block].page[page].free == 0xffffffff;
}

static int next_page(const struct model *m, int plane, int block)
{
	return m->plane[plane].block[block].last_write + 1;
}

static bool use(struct model *m, int lower, int block, int page, int *at_block, int *at_page)
{
	if (page >= m->P)
		longjmp(m->crash, 1);
	make_same_level(m, lower, block, page);
	*at_block = block;
	*at_page = page;
	return true;
}

static bool meet_greedy(struct model *m, int a, int b, int *block, int *page)
{
	int ba = m->plane[a].active, bb = m->plane[b].active;
	int pa = next_page(m, a, ba), pb = next_page(m, b, bb);

	if (pa < pb && untouched(m, a, bb, pb))
		return use(m, a, bb, pb, block, page);
	if (pa >= pb && untouched(m, b, ba, pa))
		return use(m, b, ba, pa, block, page);
	for (int i = 0; i < m->B; i++) {
		pa = next_page(m, a, i);
		pb = next_page(m, b, i);
		if (pa >= m->P || pb >= m->P)
			continue;
		if (pa < pb && untouched(m, a, i, pb))
			return use(m, a, i, pb, block, page);
		if (pa >= pb && untouched(m, b, i, pa))
			return use(m, b, i, pa, block, page);
	}
	return false;
}

static bool meet(struct model *m, int a, int b, int *block, int *page)
{
	bool greedy = m->p->greed_multi_plane == 1;
	int ba, bb, pa, pb;

	find_active(m, a);
	find_active(m, b);
	ba = m->plane[a].active;
	bb = m->plane[b].active;
	pa = next_page(m, a, ba);
	pb = next_page(m, b, bb);
	if (ba == bb && (pa == pb || greedy))
		return use(m, pa < pb ? a : b, ba, pa < pb ? pb : pa, block, page);
	if (ba == bb)
		return false;
	if (greedy)
		return meet_greedy(m, a, b, block, page);
	if (pa || pb)
		return false;
	if (untouched(m, a, ba, 0) && untouched(m, b, ba, 0))
		return use(m, a, ba, 0, block, page);
	if (untouched(m, a, bb, 0) && untouched(m, b, bb, 0))
		return use(m, a, bb, 0, block, page);
	return false;
}

static bool pair(struct model *m, int x, int y, int die)
{
	int *token = &m->die_token[die], before = *token, block, page;
	int a = m->sub[x].plane, b = m->sub[y].plane;

	if (m->dynamic) {
		a = *token % 2 ? (*token + 1) % m->PL : *token;
		b = a + 1;
		*token = (*token + (*token % 2 ? 3 : 2)) % m->PL;
		if (b == m->PL)
			longjmp(m->crash, 1);
		a += die * m->PL;
		b += die * m->PL;
	}
	if (!meet(m, a, b, &block, &page)) {
		*token = before;
		return false;
	}
	write_page(m, &m->sub[x], a, block, page);
	write_page(m, &m->sub[y], b, block, page);
	ask_collection(m, a);
	ask_collection(m, b);
	return true;
}

/* A page on the next plane of the next die. */
static void place_by_tokens(struct model *m, int chip, int number)
{
	int die = chip * m->D + step(&m->chip[chip].token, m->D);

	get_ppn(m, &m->sub[number], die * m->PL + step(&m->die_token[die], m->PL));
}

static void dynamic_interleaved(struct model *m, int chip, const struct list *subs)
{
	bool levelled = false;

	m->done.count = 0;
	for (int i = 0; i < subs->count; i++) {
		int number = subs->item[i];

		if (i < m->D) {
			place_by_tokens(m, chip, number);
			append(&m->done, number);
			continue;
		}
		if (level(m, subs->item[i % m->D], number)) {
			append(&m->done, number);
			levelled = true;
		}
		step(&m->chip[chip].token, m->D);
	}
	m->n.interleaves++;
	m->n.levels += levelled;
	issue(m, chip, &m->done, levelled ? PARALLEL : CHAINED);
}

static void dynamic_two_plane(struct model *m, int chip, struct list *subs)
{
	int die = chip * m->D + m->chip[chip].token, i = 2;

	if (m->PL == 1)
		longjmp(m->crash, 1);
	if (!pair(m, subs->item[0], subs->item[1], die)) {
		place_by_tokens(m, chip, subs->item[0]);
		issue_one(m, chip, subs->item[0]);
		return;
	}
	while (i < subs->count && level(m, subs->item[0], subs->item[i]))
		i++;
	subs->count = i;
	step(&m->chip[chip].token, m->D);
	m->n.two_plane++;
	issue(m, chip, subs, TWO_PLANES);
}

static int at_most(int a, int b)
{
	return a < b ? a : b;
}

static bool dynamic_many(struct model *m, int chip, const struct list *queue)
{
	int limit = m->D * m->PL, advanced = m->p->advanced_command, count;
	uint32_t gate = m->rt / (uint32_t)m->C + (m->rt % (uint32_t)m->C != 0);
	struct list *subs = &m->taken;

	subs->count = 0;
	if (m->p->dynamic_allocation == 0 && m->p->advanced_command_priority2 == 0)
		limit = gate < 1 ? 1 : gate < (uint32_t)limit ? (int)gate : limit;
	for (int i = 0; i < queue->count && subs->count < limit; i++)
		if (eligible(m, queue->item[i]))
			append(subs, queue->item[i]);
	count = subs->count;
	if (count == 1) {
		place_by_tokens(m, chip, subs->item[0]);
		issue_one(m, chip, subs->item[0]);
	} else if (count > 1 && advanced & INTERLEAVE) {
		subs->count = advanced & TWO_PLANE ? count : at_most(count, m->D);
		dynamic_interleaved(m, chip, subs);
	} else if (count > 1) {
		subs->count = at_most(count, m->PL);
		dynamic_two_plane(m, chip, subs);
	}
	return count;
}

static bool dynamic_plain(struct model *m, int chip, const struct list *queue)
{
	for (int i = 0; i < queue->count; i++)
		if (eligible(m, queue->item[i])) {
			int number = queue->item[i];

			place_by_tokens(m, chip, number);
			if (m->sub[number].lost)
				longjmp(m->crash, 1);
			issue_one(m, chip, number);
			return true;
		}
	return false;
}

static void write_dynamic(struct model *m, int c)
{
	struct channel *channel = &m->channel[c];
	const struct list *queue = m->p->dynamic_allocation == 1 ? &channel->writes : &m->device;
	bool many = m->p->advanced_command & (TWO_PLANE | INTERLEAVE), issued;

	for (int j = 0; j < m->H && queue->count; j++) {
		int chip = c * m->H + channel->token;

		if (chip_is_idle(m, chip)) {
			issued = (many ? dynamic_many : dynamic_plain)(m, chip, queue);
			if (!issued && !many)
				return;
			if (many)
				step(&m->chip[chip].token, m->D);
			if (issued) {
				step(&channel->token, m->H);
				return;
			}
		}
		step(&channel->token, m->H);
	}
}

static void copy_back_write(struct model *m, int chip, int number)
{
	struct sub *s = &m->sub[number];
	int old = m->map[s->lpn].pn, plane = s->plane;
	int64_t end = m->now + 19 * m->p->t_wc + m->p->t_r + transfer(m, s);

	m->n.reads++;
	m->n.updates++;
	get_ppn(m, s, plane);
	if (m->p->greed_copy_back == 1) {
		while ((s->ppn ^ old) & 1 && !s->lost) {
			get_ppn(m, s, plane);
			m->n.programs--;
			m->n.writes--;
			m->n.waste++;
		}
		if (s->lost)
			longjmp(m->crash, 1);
		m->n.copy_backs++;
	} else if ((s->ppn ^ old) & 1) {
		end = m->now + 7 * m->p->t_wc + m->p->t_r + transfer(m, s) +
		      (uint32_t)sectors(m->map[s->lpn].state) * (uint32_t)m->p->t_rc;
	} else {
		m->n.copy_backs++;
	}
	issue_until(m, chip, number, end);
}

static void static_write(struct model *m, int chip, int number)
{
	struct sub *s = &m->sub[number];
	const struct map *map = &m->map[s->lpn];
	uint32_t late = map->state & ~s->mask ? map->state ^ s->mask : 0;

	if (!late) {
		get_ppn(m, s, s->plane);
		issue_one(m, chip, number);
	} else if (m->p->advanced_command & COPYBACK) {
		copy_back_write(m, chip, number);
	} else {
		m->n.reads++;
		m->n.updates++;
		get_ppn(m, s, s->plane);
		issue_until(m, chip, number,
			m->now + 7 * m->p->t_wc + m->p->t_r + (uint32_t)sectors(late) * (uint32_t)m->p->t_rc +
				transfer(m, s));
	}
}

static bool static_plain(struct model *m, int chip, const struct list *queue)
{
	for (int die = chip * m->D; die < (chip + 1) * m->D; die++)
		for (int i = 0; i < queue->count; i++)
			if (m->sub[queue->item[i]].plane / m->PL == die) {
				static_write(m, chip, queue->item[i]);
				return true;
			}
	return false;
}

static void static_normal(struct model *m, int chip, int number)
{
	get_ppn(m, &m->sub[number], m->sub[number].plane);
	issue_one(m, chip, number);
}

static int in_die(const struct model *m, const int *slot, int die)
{
	int count = 0;

	for (int p = 0; p < m->PL; p++)
		count += slot[die * m->PL + p] != NOBODY;
	return count;
}

static int first_in(const struct model *m, const int *slot, int die)
{
	for (int p = 0; p < m->PL; p++)
		if (slot[die * m->PL + p] != NOBODY)
			return slot[die * m->PL + p];
	return NOBODY;
}

/* The first occupied plane of a die from its token on, which moves behind it; *tries: planes looked at
 * before. */
static int probe(struct model *m, const int *slot, int chip, int die, int *tries)
{
	for (*tries = 0; *tries < m->PL; ++*tries) {
		int plane = step(&m->die_token[chip * m->D + die], m->PL);

		if (slot[die * m->PL + plane] != NOBODY)
			return plane;
	}
	return NOBODY;
}

static void static_level(struct model *m, int chip, const int *slot)
{
	bool levelled = false;

	m->done.count = 0;
	for (int die = 0; die < m->D; die++) {
		int base = first_in(m, slot, die);

		for (int i = die * m->PL; i < (die + 1) * m->PL; i++) {
			if (slot[i] == NOBODY)
				continue;
			if (slot[i] == base)
				get_ppn(m, &m->sub[base], m->sub[base].plane);
			else if (level(m, base, slot[i]))
				levelled = true;
			else
				continue;
			append(&m->done, slot[i]);
		}
	}
	m->n.levels += levelled;
	issue(m, chip, &m->done, levelled ? PARALLEL : CHAINED);
}

static void static_interleaved(struct model *m, int chip, int *slot)
{
	struct list *done = &m->done;

	done->count = 0;
	for (int die = 0, tries; die < m->D; die++) {
		int found = probe(m, slot, chip, die, &tries);

		if (found == NOBODY)
			continue;
		if (tries < m->PL - 1)
			slot[die * m->PL + (found + 1) % m->PL] = NOBODY;
		append(done, first_in(m, slot, die));
	}
	if (done->count > 1)
		m->n.interleaves++;
	for (int i = 0; i < done->count; i++)
		get_ppn(m, &m->sub[done->item[i]], m->sub[done->item[i]].plane);
	issue(m, chip, done, CHAINED);
}

static void static_pairs(struct model *m, int chip, const int *slot, int die)
{
	int base = first_in(m, slot, die);
	struct list *done = &m->done;

	done->count = 0;
	append(done, base);
	for (int i = die * m->PL; i < (die + 1) * m->PL; i++) {
		if (slot[i] == NOBODY || slot[i] == base)
			continue;
		if (done->count == 1 ? pair(m, base, slot[i], chip * m->D + die) : level(m, base, slot[i]))
			append(done, slot[i]);
	}
	if (done->count > 1) {
		m->n.two_plane++;
		issue(m, chip, done, TWO_PLANES);
	} else {
		static_normal(m, chip, base);
	}
}

static void static_two_plane(struct model *m, int chip, const int *slot)
{
	int *token = &m->chip[chip].token, number = NOBODY, tries;

	for (int i = 0; i < m->D; i++) {
		int die = step(token, m->D);

		if (in_die(m, slot, die) > 1) {
			static_pairs(m, chip, slot, die);
			return;
		}
	}
	for (int i = 0; i < m->D; i++) {
		int die = step(token, m->D),
		    plane = in_die(m, slot, die) ? probe(m, slot, chip, die, &tries) : NOBODY;

		if (plane != NOBODY)
			number = slot[die * m->PL + plane];
	}
	static_normal(m, chip, number);
}

static void static_single(struct model *m, int chip, const int *slot)
{
	int die, tries;

	do
		die = step(&m->chip[chip].token, m->D);
	while (!in_die(m, slot, die));
	static_normal(m, chip, slot[die * m->PL + probe(m, slot, chip, die, &tries)]);
}

static bool static_many(struct model *m, int chip, const struct list *queue)
{
	int *slot = m->slot, count = 0;
	int advanced = m->p->advanced_command;
	bool copy_back = advanced & COPYBACK;

	for (int i = 0; i < m->D * m->PL; i++)
		slot[i] = NOBODY;
	for (int i = 0; i < queue->count; i++) {
		int plane = m->sub[queue->item[i]].plane, *at = &slot[plane % (m->D * m->PL)];

		if (chip_of(m, plane) != chip || *at != NOBODY || !eligible(m, queue->item[i]))
			continue;
		*at = queue->item[i];
		count++;
	}
	if (count == 1 && copy_back)
		static_level(m, chip, slot);
	else if (count == 1)
		static_single(m, chip, slot);
	else if (count && (copy_back || (advanced & (TWO_PLANE | INTERLEAVE)) == (TWO_PLANE | INTERLEAVE)))
		static_level(m, chip, slot);
	else if (count && advanced & INTERLEAVE)
		static_interleaved(m, chip, slot);
	else if (count)
		static_two_plane(m, chip, slot);
	return count;
}

static void write_static(struct model *m, int c)
{
	bool many = m->p->advanced_command & (TWO_PLANE | INTERLEAVE);
	const struct list *queue = &m->channel[c].writes;

	for (int chip = c * m->H; chip < (c + 1) * m->H && queue->count; chip++)
		if (chip_is_idle(m, chip) && (many ? static_many : static_plain)(m, chip, queue))
			return;
}

/* ---- collection ---- */

static void erase_front(struct model *m, int plane)
{
	int block = m->plane[plane].direct_erase.item[0];

	take_out(&m->plane[plane].direct_erase, 0);
	erase(m, plane, block);
	m->n.direct++;
}

static int front(const struct model *m, int plane)
{
	return m->plane[plane].direct_erase.count ? m->plane[plane].direct_erase.item[0] : NOBODY;
}

static void erase_in_die(struct model *m, int die, int own, bool two_plane)
{
	int first = die * m->PL, end = first + m->PL, at = die == own / m->PL ? own : first, like;

	while (at < end && front(m, at) == NOBODY)
		at++;
	if (at == end)
		return;
	like = front(m, at);
	if (!two_plane)
		erase_front(m, at);
	for (int p = first; two_plane && p < end; p++)
		if (front(m, p) == like)
			erase_front(m, p);
}

static void direct_erase(struct model *m, struct channel *channel, int own)
{
	const struct legacy_parameters *p = m->p;
	bool two = p->advanced_command & TWO_PLANE && m->PL > 1;
	bool dies = p->advanced_command & INTERLEAVE && m->D > 1;
	int first = dies ? chip_of(m, own) * m->D : own / m->PL;
	int64_t *chip = &m->chip[chip_of(m, own)].time;

	for (int die = first; die < first + (dies ? m->D : 1); die++)
		erase_in_die(m, die, own, two);
	if (two && dies) {
		m->n.both_erases++;
		channel->time = m->now + 18 * p->t_wc + p->t_wb;
		*chip = channel->time - 9 * p->t_wc + p->t_bers;
	} else if (two || dies) {
		m->n.two_plane_erases += two;
		m->n.interleave_erases += dies;
		channel->time = m->now + 14 * p->t_wc;
		*chip = channel->time + p->t_bers;
	} else {
		channel->time = m->now + 5 * p->t_wc;
		*chip = channel->time + p->t_wb + p->t_bers;
	}
}

static int take_page(struct model *m, int plane)
{
	struct block *b;

	if (!find_active(m, plane))
		longjmp(m->crash, 1);
	b = &m->plane[plane].block[m->plane[plane].active];
	b->free_pages--;
	m->plane[plane].free_pages--;
	return ppn_at(m, plane, m->plane[plane].active, ++b->last_write);
}

/* Returns the sectors that cross the channel. */
static int move_page(struct model *m, int plane, int old)
{
	bool copy_back = m->p->advanced_command & COPYBACK, greedy = copy_back && m->p->greed_copy_back == 1;
	struct page moved = *page_of(m, old);
	int to = take_page(m, plane), size = sectors(moved.valid);

	if (greedy && (old ^ to) & 1) {
		*page_of(m, to) = (struct page){ 0 };
		block_of(m, to)->invalid++;
		m->n.waste++;
		to = take_page(m, plane);
		if ((old ^ to) & 1)
			longjmp(m->crash, 1);
	}
	m->n.programs++;
	m->n.writes++;
	if (copy_back && !((old ^ to) & 1)) {
		m->n.copy_backs++;
		m->n.gc_copy_backs++;
		size = 0;
	}
	*page_of(m, to) = moved;
	*page_of(m, old) = (struct page){ 0 };
	block_of(m, old)->invalid++;
	if (m->map[moved.lpn].pn == old)
		m->map[moved.lpn].pn = to;
	return size;
}

static int victim_of(const struct model *m, const struct plane *p)
{
	int victim = NOBODY, most = 0;

	for (int i = 0; i < m->B; i++)
		if (i != p->active && p->block[i].invalid > most) {
			victim = i;
			most = p->block[i].invalid;
		}
	return victim;
}

/* False: the request stays. */
static bool collect_plane(struct model *m, struct channel *channel, int plane)
{
	const struct legacy_parameters *p = m->p;
	uint32_t moves = 0, size = 0;
	int victim;

	if (!find_active(m, plane))
		return false;
	victim = victim_of(m, &m->plane[plane]);
	if (victim == NOBODY)
		return true;
	for (int i = 0; i < m->P; i++)
		if (m->plane[plane].block[victim].page[i].valid) {
			size += (uint32_t)move_page(m, plane, ppn_at(m, plane, victim, i));
			moves++;
		}
	erase(m, plane, victim);
	if (p->advanced_command & COPYBACK && p->greed_copy_back != 1)
		return true;
	channel->time = m->now + (int64_t)(moves * (uint32_t)(14 * p->t_wc + p->t_r + p->t_prog));
	if (!(p->advanced_command & COPYBACK))
		channel->time += (int64_t)(size * 512 * (uint32_t)(p->t_wc + p->t_rc));
	m->chip[chip_of(m, plane)].time = channel->time + p->t_bers;
	return true;
}

static void run_gc(struct model *m, struct channel *channel)
{
	struct list *l = &channel->collections;

	for (int i = 0; i < l->count; i++) {
		int plane = l->item[i];

		if (!chip_is_idle(m, chip_of(m, plane)))
			continue;
		if (m->plane[plane].direct_erase.count)
			direct_erase(m, channel, plane);
		else if (!collect_plane(m, channel, plane))
			return;
		take_out(l, i);
		m->gc_requests--;
		return;
	}
}

/* ---- the loop ---- */

static void serve_channel(struct model *m, int c)
{
	struct channel *channel = &m->channel[c];
	bool fixed = !m->dynamic || m->p->dynamic_allocation == 1;

	if (channel->collections.count && !(fixed && (channel->reads.count || channel->writes.count))) {
		run_gc(m, channel);
		return;
	}
	if (read_command(m, channel) || read_data(m, c))
		return;
	if (m->dynamic)
		write_dynamic(m, c);
	else
		write_static(m, c);
}

static void process(struct model *m)
{
	int queued = m->device.count, start = (int)(m->n.programs % (uint32_t)m->C);

	for (int c = 0; c < m->C; c++)
		queued += m->channel[c].reads.count + m->channel[c].writes.count;
	if (queued)
		sense(m);
	for (int i = 0; i < m->C; i++) {
		int c = queued ? (start + i) % m->C : i;

		if (m->channel[c].time > m->now)
			continue;
		if (queued)
			serve_channel(m, c);
		else if (m->gc_requests)
			run_gc(m, &m->channel[c]);
	}
}

/* SSDsim hangs if the trace ends while requests are in flight: its clock stands still. */
static void simulate(struct model *m)
{
	for (;;) {
		bool ended = m->end_of_file;
		int r = admit(m);

		if (ended)
			longjmp(m->crash, 1);
		if (r == 1)
			serve(m, m->queue.item[m->queue.count - 1]);
		process(m);
		output(m);
		if (r == 0 && !m->queue.count)
			return;
	}
}

/* ---- start and end ---- */

static void write_counts(const struct model *m, FILE *out)
{
	const struct counts *n = &m->n;
	const struct {
		const char *label;
		uint32_t value;
	} row[] = { { "the read operation leaded by un-covered update count", n->updates },
		{ "erase count", n->erases }, { "direct erase count", n->direct },
		{ "copy back count", n->copy_backs }, { "multi-plane program count", n->two_plane },
		{ "multi-plane read count", 0 }, { "interleave count", n->interleaves },
		{ "interleave read count", 0 }, { "interleave two plane and one program count", 0 },
		{ "interleave two plane count", n->levels }, { "gc copy back count", n->gc_copy_backs },
		{ "write flash count", n->writes }, { "waste page count", n->waste },
		{ "interleave erase count", n->interleave_erases },
		{ "multiple plane erase count", n->two_plane_erases },
		{ "interleave multiple plane erase count", n->both_erases },
		{ "read request count", n->done[0] }, { "write request count", n->done[1] } };

	fprintf(out, "min lsn: %13d\nmax lsn: %13d\nread count: %13d\n", (int)n->min, (int)n->max,
		(int)n->reads);
	fprintf(out, "program count: %13d%24sinclude the flash write count leaded by read requests\n",
		(int)n->programs, "");
	for (size_t i = 0; i < sizeof row / sizeof *row; i++)
		fprintf(out, "%s: %13d\n", row[i].label, (int)row[i].value);
}

static void write_statistics(const struct model *m, FILE *out)
{
	const struct counts *n = &m->n;
	int sum = 0;

	for (int plane = 0; plane < m->planes; plane++) {
		int erases = 0;

		if (chip_of(m, plane) % m->H)
			continue;
		for (int b = 0; b < m->B; b++)
			erases += m->plane[plane].block[b].erases;
		fprintf(out, "the %d channel, %d chip, %d die, %d plane has : %13d erase operations\n",
			chip_of(m, plane) / m->H, plane / m->PL % m->D, plane % m->PL, m->B, erases);
		sum += erases;
	}
	fprintf(out, "\n\n---------------------------statistic data---------------------------\n");
	write_counts(m, out);
	fprintf(out, "read request average size: %13f\n", (double)n->size[0]);
	fprintf(out, "write request average size: %13f\n", (double)n->size[1]);
	fprintf(out, "read request average response time: %lld\n",
		(long long)(n->done[0] ? n->sum[0] / n->done[0] : 0));
	fprintf(out, "write request average response time: %lld\n",
		(long long)(n->done[1] ? n->sum[1] / n->done[1] : 0));
	fprintf(out, "buffer read hits: %13d\nbuffer read miss: %13d\nbuffer write hits: %13d\n",
		(int)n->read_hits, (int)n->read_misses, (int)n->write_hits);
	fprintf(out, "buffer write miss: %13d\nerase: %13d\n", (int)n->write_misses, sum);
}

static void create(struct model *m)
{
	const struct legacy_parameters *p = m->p;
	float exported;

	m->C = p->channels, m->H = p->chips[0], m->D = p->dies, m->PL = p->planes;
	m->B = p->blocks, m->P = p->pages, m->sp = p->sectors_per_page;
	m->planes = m->C * m->H * m->D * m->PL;
	m->full = (uint32_t)(((uint64_t)1 << m->sp) - 1);
	m->logical = (uint32_t)(p->chip_number * m->D * m->PL * m->B * m->P);
	exported = (float)(m->logical * (uint32_t)m->sp);
	exported = exported * (1.0f - p->overprovide);
	m->limit = (uint32_t)exported;
	m->dynamic = p->allocation == 0;
	m->capacity = (uint32_t)p->dram_bytes / 512;
	m->n.min = 0x7fffffff;
	m->map = memory_array(m->logical, sizeof *m->map, "model");
	m->plane = memory_array((size_t)m->planes, sizeof *m->plane, "model");
	m->die_token = memory_array((size_t)m->planes, sizeof *m->die_token, "model");
	m->chip = memory_array((size_t)(m->C * m->H), sizeof *m->chip, "model");
	m->channel = memory_array((size_t)m->C, sizeof *m->channel, "model");
	m->slot = memory_array((size_t)(m->D * m->PL), sizeof *m->slot, "model");
	for (int i = 0; i < m->planes; i++) {
		m->plane[i].reading = NOBODY;
		m->plane[i].block = memory_array((size_t)m->B, sizeof *m->plane->block, "model");
		for (int b = 0; b < m->B; b++) {
			m->plane[i].block[b].page = memory_array((size_t)m->P, sizeof(struct page), "model");
			erase(m, i, b);
			m->plane[i].block[b].erases = 0;
		}
	}
	m->n.erases = 0;
}

static void destroy(struct model *m)
{
	for (int i = 0; i < m->planes; i++) {
		for (int b = 0; b < m->B; b++)
			memory_free(m->plane[i].block[b].page);
		memory_free(m->plane[i].block);
		memory_free(m->plane[i].direct_erase.item);
	}
	for (int c = 0; c < m->C; c++) {
		memory_free(m->channel[c].reads.item);
		memory_free(m->channel[c].writes.item);
		memory_free(m->channel[c].collections.item);
	}
	for (uint32_t i = 0; i < m->requests; i++)
		memory_free(m->request[i].subs.item);
	memory_free(m->taken.item);
	memory_free(m->done.item);
	memory_free(m->slot);
	memory_free(m->need);
	memory_free(m->request);
	memory_free(m->sub);
	memory_free(m->node);
	memory_free(m->device.item);
	memory_free(m->queue.item);
	memory_free(m->map);
	memory_free(m->plane);
	memory_free(m->die_token);
	memory_free(m->chip);
	memory_free(m->channel);
}

enum model_end model_run(const struct legacy_parameters *p, const char *trace, struct model_result *result)
{
	struct model *m = memory_array(1, sizeof *m, "model");
	enum model_end end = MODEL_CRASHED;
	size_t bytes;
	FILE *statistics;

	m->p = p;
	m->trace = trace;
	m->rows = open_memstream(&result->rows, &bytes);
	create(m);
	if (!setjmp(m->crash)) {
		if (p->aged == 1)
			make_aged(m);
		pre_process(m);
		simulate(m);
		end = MODEL_DONE;
	}
	fclose(m->rows);
	statistics = open_memstream(&result->statistics, &bytes);
	write_statistics(m, statistics);
	fclose(statistics);
	destroy(m);
	memory_free(m);
	return end;
}
