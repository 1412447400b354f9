#include "drive/explain.h"

#include "base/memory.h"
#include "flash/schedule.h"

#include <inttypes.h>
#include <string.h>

void explanation_begin(struct explanation *x, struct drive *d, const struct request *r)
{
	x->seen = true;
	x->request = *r;
	x->taken = schedule_now(d->flash->schedule);
	x->before = d->ftl->map;
	x->diary = d->buffer->diary = open_memstream(&x->evictions, &x->evictions_bytes);
	BUG_ON(!x->diary, "no stream in memory");
	x->watch.open = true;
	schedule_watch(d->flash->schedule, &x->watch);
}

static void name_owner(const struct ftl *f, owner_t owner, char *text, size_t bytes)
{
	if (owner == OWNER_NONE)
		snprintf(text, bytes, "-");
	else if (f->ops->name_owner)
		f->ops->name_owner(f, owner, text, bytes);
	else
		snprintf(text, bytes, "LPN %u", owner);
}

static const char *const type_names[] = { "read", "write", "trim", "collection" };

/* A line for each logical page of a part of a request that changed something. */
static void print_map(const struct drive *d, struct extent e, FILE *out)
{
	lpn_t last = geometry_lpn(&d->geometry, e.end - 1);

	for (lpn_t lpn = geometry_lpn(&d->geometry, e.start); lpn <= last; lpn++) {
		fprintf(out, "# afterwards LPN %u: ", lpn);
		d->ftl->ops->print_entry(d->ftl, lpn, out);
		fputc('\n', out);
	}
}

/* What became of the request behind the host layer, where that is something else, and of the pages it changed. */
static void keep_map(struct explanation *x, const struct drive *d)
{
	FILE *out = open_memstream(&x->map, &x->map_bytes);

	BUG_ON(!out, "no stream in memory");
	for (const struct host_part *p = d->host->part;
		x->request.sectors && p < d->host->part + d->host->parts; p++) {
		if (p->device.start != p->host || extent_sectors(p->device) != x->request.sectors)
			fprintf(out,
				"# behind the host layer: %s of %" PRIu64 " sectors from sector %" PRIu64
				"\n",
				type_names[p->type], extent_sectors(p->device), p->device.start);
		if (d->ftl->ops->print_entry && p->type != REQUEST_READ)
			print_map(d, p->device, out);
	}
	fclose(out);
}

void explanation_taken(struct explanation *x, struct drive *d)
{
	d->buffer->diary = NULL;
	fclose(x->diary);
	x->watch.open = false;
	x->accesses = d->io.accesses;
	x->after = d->ftl->map;
	x->owner = memory_array(x->watch.ops + 1, sizeof *x->owner, "explanation");
	for (uint32_t i = 0; i < x->watch.ops; i++)
		name_owner(d->ftl, x->watch.op[i].owner, x->owner[i], sizeof *x->owner);
	keep_map(x, d);
}

void explanation_release(struct explanation *x, struct drive *d)
{
	schedule_watch(d->flash->schedule, NULL);
	watch_release(&x->watch);
	memory_free(x->owner);
	memory_free(x->map);
	memory_free(x->evictions);
}

/* ---- in words ---- */

static void write_request(const struct explanation *x, const struct drive *d, FILE *out)
{
	const struct geometry *g = &d->geometry;
	const struct request *r = &x->request;
	lpn_t first = geometry_lpn(g, r->start), last = geometry_lpn(g, r->start + r->sectors - 1);

	if (!r->sectors) {
		fprintf(out, "# ---- request %" PRIu64 ": %s ----\n", x->number, type_names[r->type]);
		return;
	}
	fprintf(out, "# ---- request %" PRIu64 ": %s of %u sectors from sector %" PRIu64 " ----\n", x->number,
		type_names[r->type], r->sectors, r->start);
	fprintf(out, "# %s; LPN %u", class_name(drive_classify(g, r)), first);
	if (last != first)
		fprintf(out, " to %u", last);
	fprintf(out, ", from sector %" PRIu64 " of the first page\n",
		r->start - geometry_page_start(g, first));
}

static void write_look_ups(const struct explanation *x, const struct drive *d, FILE *out)
{
	fprintf(out,
		"# look-ups: %u page-level, %" PRIu64 " ns; of mapping pages %" PRIu64 ", %" PRIu64
		" not in DRAM; %" PRIu64 " entries touched\n",
		x->accesses, x->accesses * d->settings->dram.access_ns, x->after.lookups - x->before.lookups,
		x->after.misses - x->before.misses + x->after.unwritten - x->before.unwritten,
		x->after.accesses - x->before.accesses);
}

/* The operations that number `index` waited for, by number. */
static void write_waits(const struct watch *w, uint32_t index, FILE *out)
{
	const char *between = "";

	for (uint32_t i = 0; i < w->waits; i++) {
		if (w->wait[i].op != index)
			continue;
		if (w->wait[i].other == WATCHED_EARLIER)
			fprintf(out, "%sa request before", between);
		else
			fprintf(out, "%s%u", between, w->wait[i].other + 1);
		between = ", ";
	}
	fputs(*between ? "" : "-", out);
}

/* Times count from the request's arrival. */
static void write_time(tick_t when, tick_t from, FILE *out)
{
	if (when == TICK_NEVER)
		fprintf(out, "%12s", "never");
	else
		fprintf(out, "%12" PRIu64, when - from);
}

static void write_place(const struct geometry *g, ppn_t ppn, FILE *out)
{
	block_t block = geometry_block(g, ppn);
	die_t die = geometry_plane(g, block) / g->planes_per_die;
	char text[40];

	snprintf(text, sizeof text, "%u.%u (ch %u, die %u)", block, ppn - geometry_first_page(g, block),
		die / g->dies_per_channel, die);
	fprintf(out, "  %-26s", text);
}

static void write_op(const struct explanation *x, const struct drive *d, uint32_t index, FILE *out)
{
	static const char *const kinds[] = { "read", "program", "copy", "erase", "forward" };
	const struct watched_op *op = &x->watch.op[index];

	fprintf(out, "# %3u  %-8s%-7s", index + 1, kinds[op->kind], cause_name(op->cause));
	write_place(&d->geometry, op->kind == OP_COPY ? op->to : op->ppn, out);
	fprintf(out, "%-22s%8u", x->owner[index], op->sectors);
	write_time(op->ready, x->request.arrival, out);
	write_time(op->start, x->request.arrival, out);
	write_time(op->done, x->request.arrival, out);
	fputs("  ", out);
	write_waits(&x->watch, index, out);
	fputs(op->detached ? "  (the request does not wait for it)\n" : "\n", out);
}

/* Each before the operation that was made next. */
static void write_ops(const struct explanation *x, const struct drive *d, FILE *out)
{
	const struct watch *w = &x->watch;
	uint32_t note = 0;

	if (w->ops)
		fprintf(out, "# %3s  %-8s%-7s  %-26s%-22s%8s%12s%12s%12s  %s\n", "op", "what", "for",
			"block.page", "which holds", "sectors", "ready ns", "starts", "done", "waits for");
	for (uint32_t i = 0; i <= w->ops; i++) {
		for (; note < w->notes && w->note[note].ops == i; note++)
			fprintf(out, "#      %s\n", w->note[note].text);
		if (i < w->ops)
			write_op(x, d, i, out);
	}
}

static tick_t completion(const struct explanation *x, const struct drive *d)
{
	tick_t last = x->taken + x->accesses * d->settings->dram.access_ns;

	for (uint32_t i = 0; i < x->watch.ops; i++) {
		const struct watched_op *op = &x->watch.op[i];

		if (!op->detached && op->done != TICK_NEVER && op->done > last)
			last = op->done;
	}
	return last;
}

void explanation_write(const struct explanation *x, const struct drive *d, FILE *out)
{
	if (!x->seen)
		return;
	write_request(x, d, out);
	fprintf(out, "# arrived at %" PRIu64 " ns, entered the drive %" PRIu64 " ns later\n",
		x->request.arrival, x->taken - x->request.arrival);
	write_look_ups(x, d, out);
	fputs(x->evictions, out);
	write_ops(x, d, out);
	fprintf(out, "# completed %" PRIu64 " ns after its arrival%s\n",
		completion(x, d) - x->request.arrival,
		host_has_link(d->host->settings) ? ", but for the host's link" : "");
	fprintf(out, "%s\n", x->map ? x->map : "");
}
