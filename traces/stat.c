#include "base/memory.h"
#include "traces/stat_state.h"

#define DEVICE_BITS    44u /* a page's key: device << 44 | page; both fit (scan.h, devices.h) */
#define EXPECTED_PAGES 16u /* at most prefetched for a request */

struct trace_stat *trace_stat_create(uint64_t entry_bytes)
{
	struct trace_stat *s = memory_array(1, sizeof *s, "trace statistics");

	s->sizes = tally_create("request sizes");
	s->pages = tally_create("pages of the trace");
	s->ends = tally_create("request ends");
	s->residues = tally_create("alignment of regions");
	s->devices = devices_create();
	s->reuse = reuse_create();
	s->rewrites = rewrites_create();
	s->few_regions = lately_create(FEW_REGIONS);
	s->many_regions = lately_create(MANY_REGIONS);
	s->entries = lately_create(ENTRIES);
	s->entry_bits = (unsigned)__builtin_ctzll(entry_bytes);
	s->picture = picture_create();
	return s;
}

void trace_stat_free(struct trace_stat *s)
{
	if (!s)
		return;
	tally_free(s->sizes);
	tally_free(s->pages);
	tally_free(s->ends);
	tally_free(s->residues);
	devices_free(s->devices);
	reuse_free(s->reuse);
	rewrites_free(&s->rewrites);
	lately_free(&s->few_regions);
	lately_free(&s->many_regions);
	lately_free(&s->entries);
	memory_free(s->inflight.element);
	memory_free(s->picture);
	memory_free(s->reach);
	memory_free(s);
}

static struct reach *stat_reach(struct trace_stat *s, uint32_t device)
{
	if (device >= s->reaches) {
		s->reach = memory_resize(s->reach, device + 1u, sizeof *s->reach, "trace devices");
		while (s->reaches <= device)
			s->reach[s->reaches++] = (struct reach){ .low = UINT64_MAX, .last_end = UINT64_MAX };
	}
	return &s->reach[device];
}

static void stat_add_time(struct trace_stat *s, const struct record *r)
{
	tick_t completion;

	if (trace_stat_requests(s) > 1)
		histogram_add(&s->gap, r->time - s->last);
	else
		s->first = r->time;
	s->last = r->time;
	if (r->response == RESPONSE_UNKNOWN)
		return;
	if (__builtin_add_overflow(r->time, r->response, &completion))
		completion = TICK_NEVER;
	histogram_add(&s->type[r->type].response, r->response);
	histogram_add(&s->depth, 1 + inflight_add(&s->inflight, r->time, completion));
}

static void stat_add_place(struct trace_stat *s, struct counts *c, const struct record *r, uint64_t end)
{
	for (unsigned i = 0; i < ACROSS_SIZES; i++) {
		unsigned bits = PAGE_BITS + i;

		c->across[i] += r->bytes <= 1ull << bits && r->offset >> bits != (end - 1) >> bits;
	}
	s->aligned_4k += (r->offset & 4095) == 0;
	s->aligned_8k += (r->offset & 8191) == 0;
	s->size_4k += (r->bytes & 4095) == 0;
	s->off_sector += (r->offset & (SECTOR_BYTES - 1)) != 0;
	c->start_mod16[r->offset / SECTOR_BYTES % 16]++;
}

/* Addresses of different devices have one key with probability 2^-64. */
static uint64_t stat_end_key(uint32_t device, uint64_t address)
{
	return address ^ device * 0x9e3779b97f4a7c15u;
}

static uint64_t stat_page_key(uint32_t device, uint64_t page)
{
	return (uint64_t)device << DEVICE_BITS | page;
}

static uint64_t stat_residue_key(uint32_t device, uint64_t offset)
{
	return stat_page_key(device, offset >> 20) << 3 | (offset / SECTOR_BYTES & 7);
}

/* Sectors touched. */
static uint64_t stat_sectors(const struct record *r)
{
	return (r->offset + r->bytes - 1) / SECTOR_BYTES - r->offset / SECTOR_BYTES + 1;
}

static void stat_add_order(
	struct trace_stat *s, struct counts *c, const struct record *r, uint32_t device, uint64_t end)
{
	struct reach *reach = stat_reach(s, device);

	c->sequential += reach->last_end == r->offset;
	c->continuing += tally_find(s->ends, stat_end_key(device, r->offset)) != NULL;
	tally_add(s->ends, stat_end_key(device, end), 0);
	reach->last_end = end;
	if (r->offset < reach->low)
		reach->low = r->offset;
	if (end > reach->high)
		reach->high = end;
	if (end > s->max_end)
		s->max_end = end;
}

static void stat_add_pages(
	struct trace_stat *s, struct counts *c, const struct record *r, uint32_t device, uint64_t end)
{
	uint64_t last = (end - 1) >> PAGE_BITS;

	for (uint64_t page = r->offset >> PAGE_BITS; page <= last; page++) {
		uint64_t key = stat_page_key(device, page);

		tally_add(s->pages, key, r->type == REQUEST_WRITE);
		reuse_add(s->reuse, key);
		c->pages++;
	}
}

/* Hits of caches of mapping pages and of single entries. */
static void stat_add_lately(struct trace_stat *s, const struct record *r, uint32_t device, uint64_t end)
{
	uint64_t region = stat_page_key(device, r->offset >> REGION_BITS);

	lately_add(&s->few_regions, region);
	lately_add(&s->many_regions, region);
	for (uint64_t page = r->offset >> s->entry_bits; page <= (end - 1) >> s->entry_bits; page++)
		lately_add(&s->entries, stat_end_key(device, page));
}

void trace_stat_add(struct trace_stat *s, const struct record *r)
{
	struct counts *c = &s->type[r->type];
	uint64_t end = r->offset + r->bytes;
	uint32_t device = devices_note(s->devices, r);

	s->fua += r->type == REQUEST_WRITE && r->flags & REQUEST_FUA;
	c->requests++;
	c->bytes += r->bytes;
	s->hint[r->hint]++;
	if (r->type != REQUEST_TRIM)
		tally_add(s->sizes, r->bytes, r->type == REQUEST_WRITE);
	stat_add_time(s, r);
	stat_add_place(s, c, r, end);
	tally_add(s->residues, stat_residue_key(device, r->offset), 0);
	stat_add_order(s, c, r, device, end);
	if (r->type != REQUEST_TRIM) {
		stat_add_pages(s, c, r, device, end);
		stat_add_lately(s, r, device, end);
	}
	if (r->type == REQUEST_WRITE)
		rewrites_add(&s->rewrites, device, r->offset / SECTOR_BYTES, stat_sectors(r));
	picture_add(s->picture, r->time - s->first, r->offset, r->type);
}

void trace_stat_add_flush(struct trace_stat *s)
{
	s->flushes++;
}

void trace_stat_expect(struct trace_stat *s, const struct record *r)
{
	uint64_t end = r->offset + r->bytes, page = r->offset >> PAGE_BITS;
	uint32_t device = devices_note(s->devices, r);

	tally_expect(s->ends, stat_end_key(device, r->offset));
	tally_expect(s->ends, stat_end_key(device, end));
	tally_expect(s->residues, stat_residue_key(device, r->offset));
	if (r->type == REQUEST_WRITE)
		rewrites_expect(&s->rewrites, device, r->offset / SECTOR_BYTES, stat_sectors(r));
	for (unsigned i = 0; i < EXPECTED_PAGES && page <= (end - 1) >> PAGE_BITS; i++, page++) {
		tally_expect(s->pages, stat_page_key(device, page));
		reuse_expect(s->reuse, stat_page_key(device, page));
	}
}

uint64_t trace_stat_requests(const struct trace_stat *s)
{
	uint64_t n = 0;

	for (int type = 0; type < REQUEST_TYPES; type++)
		n += s->type[type].requests;
	return n;
}
