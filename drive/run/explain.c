#include "drive/run/explain.h"

#include "base/memory.h"
#include "flash/schedule.h"
#include "ftl/store.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

void name_owner(const struct ftl *f, owner_t owner, char *text, size_t bytes)
{
	if (owner == OWNER_NONE)
		snprintf(text, bytes, "-");
	else if (ftl_words(f)->name_owner)
		ftl_words(f)->name_owner(f, owner, text, bytes);
	else
		snprintf(text, bytes, "LPN %u", owner);
}

void name_content(const struct ftl *f, ppn_t ppn, owner_t owner, char *text, size_t bytes)
{
	if (owner == OWNER_NONE && f->store && space_is_parity(f->store->space, ppn))
		snprintf(text, bytes, "parity of unit %u, offset %u", space_block_of(f->store->space, ppn),
			geometry_page(f->geometry, ppn));
	else
		name_owner(f, owner, text, bytes);
}

static const char *const type_names[] = { "read", "write", "trim", "collection", "flush",
	"update of a handle", "command" };

const char *request_name(enum request_type type)
{
	return type_names[type];
}

static const char *const zone_command_names[] = {
	[ZONE_COMMAND_OPEN] = "open", [ZONE_COMMAND_CLOSE] = "close", [ZONE_COMMAND_FINISH] = "finish"
};

/* One line for each logical page of the extent. */
static void explain_print_map(const struct drive *d, struct extent e, FILE *out)
{
	lpn_t last = geometry_lpn(&d->geometry, e.end - 1);

	for (lpn_t lpn = geometry_lpn(&d->geometry, e.start); lpn <= last; lpn++) {
		fprintf(out, "# afterwards LPN %u: ", lpn);
		ftl_words(d->ftl)->print_entry(d->ftl, lpn, out);
		fputc('\n', out);
	}
}

/* Does the part reset a zone that the host layer has cleaned?  Its pages, all empty, are not listed. */
static bool explain_is_reset(const struct explanation *x, const struct drive *d, const struct host_part *p)
{
	return d->geometry.zone_pages && p->type == REQUEST_TRIM && x->request.type != REQUEST_TRIM;
}

/* The parts of the request below the host layer, if they differ from it, and the new mapping entries. */
static void explain_keep_map(struct explanation *x, const struct drive *d)
{
	FILE *out = open_memstream(&x->map, &x->map_bytes);

	BUG_ON(!out, "no stream in memory");
	for (const struct host_part *p = d->host->part;
		x->request.sectors && p < d->host->part + d->host->parts; p++) {
		if (p->device.start != p->host || extent_sectors(p->device) != x->request.sectors)
			fprintf(out,
				"# behind the host layer: %s of %" PRIu64 " sectors from sector %" PRIu64
				"%s\n",
				type_names[p->type], extent_sectors(p->device), p->device.start,
				p->moves ? ", moved there" : "");
		if (ftl_words(d->ftl)->print_entry && p->type != REQUEST_READ && !explain_is_reset(x, d, p))
			explain_print_map(d, p->device, out);
	}
	fclose(out);
}

/* Notes it if the page programmed last in its block waits for others of its wordline. */
static void explain_wordline(const struct drive *d, ppn_t ppn)
{
	uint32_t pages = geometry_program_pages(&d->settings->flash);
	uint32_t lacks = schedule_lacks(d->flash->schedule, geometry_block(&d->geometry, ppn));
	char place[32];

	if (!lacks)
		return;
	name_place(&d->geometry, ppn, place, sizeof place);
	if (lacks % pages)
		schedule_note(d->flash->schedule, "%s waits for its wordline: %u of %u pages made", place,
			pages - lacks % pages, pages);
	else
		schedule_note(
			d->flash->schedule, "%s waits for the next wordline, before its second pass", place);
}

static void explain_wordlines(const struct explanation *x, const struct drive *d)
{
	const struct traced_op *op = x->tracer.op;

	for (uint32_t i = 0; i < x->tracer.ops; i++)
		if (op[i].made.kind == OP_PROGRAM &&
			(i + 1 == x->tracer.ops ||
				!geometry_share_block(&d->geometry, op[i].made.ppn, op[i + 1].made.ppn)))
			explain_wordline(d, op[i].made.ppn);
}

/* What tools of the store say of the request. */
static void explain_ask_tools(struct explanation *x, const struct drive *d)
{
	*x->said = '\0';
	if (d->ftl->store)
		TOOLS_WITH (t, &d->ftl->store->tools, say)
			t->ops->say(t, &d->io, &x->request, x->said, sizeof x->said);
}

/* Notes it if a program waits for room in the memory for writes. */
static void explain_memory(const struct drive *d)
{
	struct schedule *s = d->flash->schedule;
	uint64_t pages = schedule_write_memory(s);

	if (schedule_lacks_room(s))
		schedule_note(s, "waits for room: %" PRIu64 " of %" PRIu64 " pages of memory are taken",
			pages, pages);
}

static void explanation_entering(void *explanation, const struct request *r)
{
	struct explanation *x = explanation;
	struct drive *d = x->drive;

	if (++x->entered != x->number)
		return;
	x->seen = true;
	x->request = *r;
	x->taken = schedule_now(d->flash->schedule);
	x->before = d->ftl->map;
	x->diary = d->buffer->explains = open_memstream(&x->evictions, &x->evictions_bytes);
	BUG_ON(!x->diary, "no stream in memory");
	x->tracer.open = true;
	flash_observe(d->flash, tracer_observer(&x->tracer));
}

static void explanation_issued(void *explanation, uint32_t ticket, const struct request *r)
{
	struct explanation *x = explanation;
	const struct drive *d = x->drive;

	(void)ticket;
	(void)r;
	if (x->entered != x->number)
		return;
	explain_wordlines(x, d);
	explain_memory(d);
	d->buffer->explains = NULL;
	fclose(x->diary);
	x->tracer.open = false;
	x->accesses = d->io.accesses;
	explain_ask_tools(x, d);
	x->after = d->ftl->map;
	x->owner = memory_array(x->tracer.ops + 1, sizeof *x->owner, "explanation");
	for (uint32_t i = 0; i < x->tracer.ops; i++)
		name_content(d->ftl, x->tracer.op[i].made.ppn, x->tracer.op[i].made.owner, x->owner[i],
			sizeof *x->owner);
	explain_keep_map(x, d);
}

void explanation_observe(struct explanation *x, struct drive *d)
{
	x->drive = d;
	x->observer = (struct drive_observer){
		.context = x, .entering = explanation_entering, .issued = explanation_issued
	};
	drive_observe(d, &x->observer);
}

void explanation_release(struct explanation *x)
{
	if (!x->drive)
		return;
	drive_dismiss(x->drive, &x->observer);
	flash_dismiss(x->drive->flash, &x->tracer.observer);
	tracer_release(&x->tracer);
	memory_free(x->owner);
	free(x->map);
	free(x->evictions);
}

/* ---- in words ---- */

static void explain_write_request(const struct explanation *x, const struct drive *d, FILE *out)
{
	const struct geometry *g = &d->geometry;
	const struct request *r = &x->request;
	lpn_t first = geometry_lpn(g, r->start), last = geometry_lpn(g, r->start + r->sectors - 1);

	if (!r->sectors) {
		fprintf(out, "# ---- request %" PRIu64 ": %s ----\n", x->number, type_names[r->type]);
		return;
	}
	fprintf(out, "# ---- request %" PRIu64 ": %s%s of %u sectors from sector %" PRIu64 " ----\n",
		x->number, type_names[r->type], r->flags & REQUEST_FUA ? " with FUA" : "", r->sectors,
		r->start);
	fprintf(out, "# %s; LPN %u", class_name(drive_classify(g, r)), first);
	if (last != first)
		fprintf(out, " to %u", last);
	fprintf(out, ", from sector %" PRIu64 " of the first page", r->start - geometry_page_start(g, first));
	if (*x->said)
		fprintf(out, "; %s", x->said);
	fputc('\n', out);
}

static void explain_write_look_ups(const struct explanation *x, const struct drive *d, FILE *out)
{
	fprintf(out,
		"# look-ups: %u page-level, %" PRIu64 " ns; of mapping pages %" PRIu64 ", %" PRIu64
		" not in DRAM; %" PRIu64 " entries touched\n",
		x->accesses, x->accesses * d->settings->dram.access_ns, x->after.lookups - x->before.lookups,
		x->after.misses - x->before.misses + x->after.unwritten - x->before.unwritten,
		x->after.accesses - x->before.accesses);
}

/* The dependencies of operation `index`. */
static void explain_write_waits(const struct tracer *t, uint32_t index, FILE *out)
{
	const char *between = "";

	for (uint32_t i = 0; i < t->waits; i++) {
		if (t->wait[i].op != index)
			continue;
		if (t->wait[i].other == TRACED_EARLIER)
			fprintf(out, "%sa request before", between);
		else
			fprintf(out, "%s%u", between, t->wait[i].other + 1);
		between = ", ";
	}
	fputs(*between ? "" : "-", out);
}

/* Times are relative to the arrival of the request. */
static void explain_write_time(tick_t when, tick_t from, FILE *out)
{
	if (when == TICK_NEVER)
		fprintf(out, "%12s", "never");
	else
		fprintf(out, "%12" PRIu64, when - from);
}

void name_place(const struct geometry *g, ppn_t ppn, char *text, size_t bytes)
{
	snprintf(text, bytes, "%u.%u", geometry_block(g, ppn), geometry_page(g, ppn));
}

static void explain_write_place(const struct geometry *g, ppn_t ppn, FILE *out)
{
	die_t die = geometry_die(g, geometry_plane(g, geometry_block(g, ppn)));
	char place[24], text[64];

	name_place(g, ppn, place, sizeof place);
	snprintf(text, sizeof text, "%s (ch %u, die %u)", place, die / g->dies_per_channel, die);
	fprintf(out, "  %-26s", text);
}

/* Contents of the page; for a copy also its source. */
static void explain_write_held(const struct explanation *x, const struct drive *d, uint32_t index, FILE *out)
{
	const struct traced_op *op = &x->tracer.op[index];
	char text[80], place[24];

	name_place(&d->geometry, op->made.ppn, place, sizeof place);
	snprintf(text, sizeof text, op->made.kind == OP_COPY ? "%s from %s" : "%s", x->owner[index], place);
	fprintf(out, "%-22s", text);
}

static const char *explain_name_op(const struct made_op *made)
{
	return made->rebuilt ? "rebuild" : op_name(made->kind);
}

static void explain_write_op(const struct explanation *x, const struct drive *d, uint32_t index, FILE *out)
{
	const struct traced_op *op = &x->tracer.op[index];

	fprintf(out, "# %3u  %-8s%-7s", index + 1, explain_name_op(&op->made), cause_name(op->made.cause));
	if (op->made.kind == OP_FLUSH) {
		fprintf(out, "  %-26s%-22s", "-", "-");
	} else {
		explain_write_place(&d->geometry, op->made.kind == OP_COPY ? op->made.to : op->made.ppn, out);
		explain_write_held(x, d, index, out);
	}
	fprintf(out, "%8u", op->made.sectors);
	explain_write_time(op->ready, x->request.arrival, out);
	explain_write_time(op->start, x->request.arrival, out);
	explain_write_time(op->done, x->request.arrival, out);
	fputs("  ", out);
	explain_write_waits(&x->tracer, index, out);
	if (!op->made.awaited)
		fputs("  (the request does not wait for it)", out);
	else if (op->until != TICK_NEVER && op->until != op->done)
		fprintf(out, "  (has room at %" PRIu64 ", the request waits no longer)",
			op->until - x->request.arrival);
	fputc('\n', out);
}

/* Operations in order of issue, each after the notes that precede it. */
static void explain_write_ops(const struct explanation *x, const struct drive *d, FILE *out)
{
	const struct tracer *t = &x->tracer;
	uint32_t note = 0;

	if (t->ops)
		fprintf(out, "# %3s  %-8s%-7s  %-26s%-22s%8s%12s%12s%12s  %s\n", "op", "what", "for",
			"block.page", "which holds", "sectors", "ready ns", "starts", "done", "waits for");
	for (uint32_t i = 0; i <= t->ops; i++) {
		for (; note < t->notes && t->note[note].ops == i; note++)
			fprintf(out, "#      %s\n", t->note[note].text);
		if (i < t->ops)
			explain_write_op(x, d, i, out);
	}
}

tick_t explanation_completion(const struct explanation *x, const struct drive *d)
{
	tick_t last = x->taken + x->accesses * d->settings->dram.access_ns;

	for (uint32_t i = 0; i < x->tracer.ops; i++) {
		const struct traced_op *op = &x->tracer.op[i];

		if (op->until != TICK_NEVER && op->until > last)
			last = op->until;
	}
	return last;
}

void explanation_write(const struct explanation *x, const struct drive *d, FILE *out)
{
	if (!x->seen)
		return;
	explain_write_request(x, d, out);
	if (d->host->door)
		fprintf(out, "# tenant %u\n", x->request.device);
	fprintf(out, "# arrived at %" PRIu64 " ns, entered the drive %" PRIu64 " ns later\n",
		x->request.arrival, x->taken - x->request.arrival);
	explain_write_look_ups(x, d, out);
	fputs(x->evictions, out);
	explain_write_ops(x, d, out);
	fprintf(out, "# completed %" PRIu64 " ns after its arrival%s\n",
		explanation_completion(x, d) - x->request.arrival,
		host_has_link(d->host->settings) ? ", but for the host's link" : "");
	fprintf(out, "%s\n", x->map ? x->map : "");
}

/* ---- in a sentence ---- */

#define OP_REBUILT (OP_FLUSH + 1)

#define TOLD_MOST 3u /* up to so many operations of a kind are listed by place */

static const struct {
	const char *one, *many;
} verbs[] = {
	[OP_READ] = { "reads", "pages are read" },
	[OP_PROGRAM] = { "programs", "pages are programmed" },
	[OP_COPY] = { "copies", "pages are copied" },
	[OP_ERASE] = { "erases block", "blocks are erased" },
	[OP_FORWARD] = { "takes from the controller's memory",
		"pages are taken from the controller's memory" },
	[OP_REBUILT] = { "makes anew", "pages are made anew" },
};

/* A rebuilt page is a kind of its own, not one taken from the controller's memory (OP_FORWARD). */
static int explain_kind(const struct made_op *made)
{
	return made->rebuilt ? OP_REBUILT : (int)made->kind;
}

static const char *const purposes[CAUSES] = {
	[CAUSE_HOST] = "",
	[CAUSE_RMW] = " (sectors that are kept)",
	[CAUSE_MAP] = " (mapping)",
	[CAUSE_MERGE] = " (merge)",
	[CAUSE_PAD] = " (padding)",
	[CAUSE_GC] = " (collection)",
	[CAUSE_GC_MAP] = " (collection of mapping pages)",
	[CAUSE_GC_UPDATE] = " (entries of what moved)",
	[CAUSE_WEAR] = " (wear levelling)",
	[CAUSE_FOLD] = " (folding)",
	[CAUSE_REFRESH] = " (refresh)",
	[CAUSE_PARITY] = " (parity)",
	[CAUSE_SEARCH] = " (search)",
};

static uint32_t explain_count_ops(const struct tracer *t, uint32_t from, int kind, enum cause cause)
{
	uint32_t count = 0;

	for (uint32_t i = from; i < t->ops; i++)
		count += explain_kind(&t->op[i].made) == kind && t->op[i].made.cause == cause;
	return count;
}

static void explain_tell_op(const struct geometry *g, const struct traced_op *op, FILE *out)
{
	char place[24], to[24];

	name_place(g, op->made.ppn, place, sizeof place);
	if (op->made.kind == OP_ERASE)
		fprintf(out, "%u", geometry_block(g, op->made.ppn));
	else if (op->made.kind != OP_COPY)
		fputs(place, out);
	else {
		name_place(g, op->made.to, to, sizeof to);
		fprintf(out, "%s to %s", place, to);
	}
}

/* Operations grouped by kind and cause, in the order of the first of each group. */
static void explain_tell_ops(const struct explanation *x, const struct geometry *g, FILE *out)
{
	const struct tracer *t = &x->tracer;
	const char *between = "";

	for (uint32_t i = 0; i < t->ops; i++) {
		const struct traced_op *op = &t->op[i];
		int kind = explain_kind(&op->made);
		uint32_t all = explain_count_ops(t, 0, kind, op->made.cause);

		if (op->made.kind == OP_FLUSH || explain_count_ops(t, i, kind, op->made.cause) < all)
			continue;
		fputs(between, out);
		between = ", ";
		if (all > TOLD_MOST) {
			fprintf(out, "%u %s%s", all, verbs[kind].many, purposes[op->made.cause]);
			continue;
		}
		fprintf(out, "%s%s ", verbs[kind].one, kind == OP_ERASE && all > 1 ? "s" : "");
		for (uint32_t told = 0, k = i; told < all; k++)
			if (explain_kind(&t->op[k].made) == kind && t->op[k].made.cause == op->made.cause) {
				fputs(!told ? "" : told + 1 < all ? ", " : " and ", out);
				told++;
				explain_tell_op(g, &t->op[k], out);
			}
		fputs(purposes[op->made.cause], out);
	}
}

/* Why there are no flash operations. */
static const char *explain_without_ops(const struct explanation *x, const struct drive *d)
{
	if (x->request.type == REQUEST_TRIM && d->ftl->ops->admit && d->host->ops->order != HOST_ZONES)
		return "no zone with data is trimmed as a whole, flash is not touched";
	if (x->request.type == REQUEST_TRIM)
		return "the map forgets it, flash is not touched";
	if (x->request.type == REQUEST_FLUSH)
		return "memory survives a loss of power, nothing is waited for";
	if (!request_has_sectors(x->request.type))
		return "nothing is done";
	if (x->request.type == REQUEST_READ && x->after.unmapped_reads > x->before.unmapped_reads)
		return "nothing was written there: zeros, flash is not touched";
	return d->buffer->ops->evict ? "the write buffer has it, flash is not touched"
				     : "flash is not touched";
}

void request_tell(const struct geometry *g, const struct request *r, FILE *out)
{
	lpn_t first = geometry_lpn(g, r->start), last = geometry_lpn(g, r->start + r->sectors - 1);
	uint32_t sector = (uint32_t)(r->start - geometry_page_start(g, first));

	fputs(type_names[r->type], out);
	if (r->flags & REQUEST_FUA && r->type == REQUEST_WRITE)
		fputs(" with FUA", out);
	if (r->type == REQUEST_ZONE)
		fprintf(out, " to %s zone %" PRIu64, zone_command_names[r->hint], r->start);
	if (r->sectors)
		fprintf(out, " of LPN %u", first);
	if (r->sectors && last != first)
		fprintf(out, " to %u", last);
	else if (r->sectors && r->sectors < g->sectors_per_page)
		fprintf(out, r->sectors > 1 ? ", sectors %u to %u" : ", sector %u", sector,
			sector + r->sectors - 1);
}

void explanation_tell(const struct explanation *x, const struct drive *d, FILE *out)
{
	if (d->host->door)
		fprintf(out, "tenant %u: ", x->request.device);
	request_tell(&d->geometry, &x->request, out);
	if (*x->said)
		fprintf(out, " with %s", x->said);
	fputs(": ", out);
	if (x->tracer.ops && x->tracer.op[0].made.kind == OP_FLUSH && x->tracer.ops == 1)
		fputs("flash is not touched", out);
	else if (x->tracer.ops)
		explain_tell_ops(x, &d->geometry, out);
	else
		fputs(explain_without_ops(x, d), out);
	for (uint32_t i = 0; i < x->tracer.notes; i++)
		fprintf(out, "%s%s", i ? "; " : ". Why: ", x->tracer.note[i].text);
	fputc('.', out);
}
