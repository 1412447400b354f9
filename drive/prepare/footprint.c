#include "drive/prepare/footprint.h"

#include "base/hash.h"
#include "base/memory.h"

static uint64_t *new_bits(uint64_t bits)
{
	return memory_array(bits_words(bits), sizeof(uint64_t), "workload's footprint");
}

void footprint_init(struct footprint *f, const struct drive *d)
{
	int premap = d->settings->precondition.premap;

	f->drive = d;
	f->page = new_bits((uint64_t)host_pages(d) * 2);
	f->by_request = premap == PREMAP_REQUESTS;
	if (premap == PREMAP_SECTORS || f->by_request) {
		f->read = new_bits(d->host->sectors);
		f->written = new_bits(d->host->sectors);
	}
}

void footprint_free(struct footprint *f)
{
	memory_free(f->page);
	memory_free(f->read);
	memory_free(f->written);
	memory_free(f->first_reads);
}

/* ---- reading the workload ---- */

static void footprint_touch(struct footprint *f, lpn_t lpn)
{
	f->pages += !footprint_touches(f, lpn);
	bits_set(f->page, (size_t)lpn * 2);
}

static void footprint_touch_pages(struct footprint *f, struct extent e)
{
	const struct geometry *g = &f->drive->geometry;

	for (lpn_t lpn = geometry_lpn(g, e.start); lpn <= geometry_lpn(g, e.end - 1); lpn++)
		footprint_touch(f, lpn);
}

/* The current request is the first to read this sector; `joins`: also the first to read the sector before. */
static void footprint_add_first_read(struct footprint *f, sector_t s, bool joins)
{
	if (joins) {
		f->first_reads[f->first_count - 1].end++;
		return;
	}
	f->first_reads = memory_grown(
		f->first_reads, &f->first_room, f->first_count + 1, sizeof *f->first_reads, "first reads");
	f->first_reads[f->first_count++] = (struct extent){ s, s + 1 };
}

static void footprint_read_sectors(struct footprint *f, struct extent e)
{
	bool first = false;

	for (sector_t s = e.start; s < e.end; s++) {
		bool joins = first;

		first = !bits_get(f->written, s) && !bits_get(f->read, s);
		if (first && f->by_request)
			footprint_add_first_read(f, s, joins);
		if (!bits_get(f->written, s)) {
			bits_set(f->read, s);
			footprint_touch(f, geometry_lpn(&f->drive->geometry, s));
		}
	}
}

/* Reads of a sector count until it is written or trimmed: later reads return the workload's own data. */
static void footprint_touch_sectors(struct footprint *f, struct extent e, enum request_type type)
{
	if (type == REQUEST_READ) {
		footprint_read_sectors(f, e);
		return;
	}
	for (sector_t s = e.start; s < e.end; s++)
		bits_set(f->written, s);
}

enum trace_status footprint_next_request(
	struct drive *d, struct workload *w, struct request *r, uint64_t *sum, struct fault *fault)
{
	enum trace_status status = workload_next_for(d->host, w, r, fault);
	const uint64_t summed[] = { r->start, r->sectors, r->type };

	if (drive_stops(d))
		return TRACE_BAD;
	if (status == TRACE_OK && sum)
		*sum = hash_bytes(*sum, summed, sizeof summed);
	return status;
}

bool footprint_read(
	struct footprint *f, struct drive *d, struct workload *w, bool reads_only, struct fault *fault)
{
	struct request r;
	enum trace_status status;

	d->past.workload = HASH_NOTHING;
	while ((status = footprint_next_request(d, w, &r, &d->past.workload, fault)) == TRACE_OK)
		if (f->read && request_has_sectors(r.type))
			footprint_touch_sectors(f, request_extent(&r), r.type);
		else if (r.type == REQUEST_READ || (r.type == REQUEST_WRITE && !reads_only))
			footprint_touch_pages(f, request_extent(&r));
	return status == TRACE_END && workload_rewind(w, fault);
}

/* ---- asking ---- */

/* The sectors of a page that are in one of the two sets. */
static mask_t footprint_mask(const struct footprint *f, const uint64_t *set, lpn_t lpn)
{
	const struct geometry *g = &f->drive->geometry;
	sector_t first = geometry_page_start(g, lpn);

	return set[first / BITS_WORD] >> first % BITS_WORD & bits_below(g->sectors_per_page);
}

uint64_t footprint_mark_written(struct footprint *f)
{
	uint64_t pages = 0;

	for (lpn_t lpn = 0; f->written && lpn < host_pages(f->drive); lpn++)
		if (!footprint_touches(f, lpn) && footprint_mask(f, f->written, lpn)) {
			bits_set(f->page, (size_t)lpn * 2 + 1);
			pages++;
		}
	return pages;
}

size_t footprint_runs(const struct footprint *f, lpn_t lpn, struct extent *run)
{
	sector_t first = geometry_page_start(&f->drive->geometry, lpn);
	size_t n = 0;

	for (uint32_t from = 0, end = 0; bits_next_run(footprint_mask(f, f->read, lpn), &from, &end);)
		run[n++] = (struct extent){ first + from, first + end };
	return n;
}
