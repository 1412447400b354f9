#include "legacy/legacy.h"

#include "base/memory.h"
#include "legacy/engine.h"
#include "stats/output.h"

#include <stdlib.h>
#include <string.h>

void legacy_stop(struct engine *e, enum quirk quirk, enum legacy_end end, const char *why)
{
	if (e->stopped)
		return;
	e->stopped = true;
	e->end = end;
	fault_set(e->fault, "%s:%llu: %s: SSDsim crashes, hangs or reads behind a table here (%s)",
		e->trace->path, (unsigned long long)e->trace->line, why, quirk_row(quirk)->name);
}

static void create_units(struct engine *e)
{
	const struct layout *l = &e->layout;

	legacy_planes_create(e);
	e->map = records_create(l->logical_pages, l->sectors, "legacy map");
	e->die_token = memory_array((size_t)l->chips_all * l->dies, sizeof *e->die_token, "legacy dies");
	e->chip = memory_array(l->chips_all, sizeof *e->chip, "legacy chips");
	for (uint32_t i = 0; i < l->chips_all; i++) {
		e->chip[i].reads = QUEUE_EMPTY;
		e->chip[i].current = NONE;
	}
	e->channel = memory_array(l->channels, sizeof *e->channel, "legacy channels");
}

static void create_queues(struct engine *e)
{
	const struct layout *l = &e->layout;

	e->requests = pool_create(sizeof(struct request), "legacy requests");
	e->reads = pool_create(sizeof(struct read), "legacy reads");
	e->writes = pool_create(sizeof(struct write), "legacy writes");
	e->queued_reads = hash_create(256, "legacy reads");
	e->lanes = !e->dynamic ? l->planes_all : e->per_channel ? l->channels : 1;
	e->lane = memory_array(e->lanes, sizeof *e->lane, "legacy queues");
	for (uint32_t i = 0; i < e->lanes; i++)
		e->lane[i].writes = QUEUE_EMPTY;
	e->slot = memory_array(l->planes_per_chip, sizeof *e->slot, "legacy queues");
	legacy_buffer_create(&e->buffer, (uint32_t)e->p->dram_bytes);
}

/* Computes everything that does not change during the run. */
static void derive(struct engine *e)
{
	const struct legacy_parameters *p = e->p;

	e->copy_back = p->advanced_command & COMMAND_COPY_BACK;
	e->two_plane = p->advanced_command & COMMAND_TWO_PLANE;
	e->interleave = p->advanced_command & COMMAND_INTERLEAVE;
	e->dynamic = p->allocation == 0;
	e->per_channel = !e->dynamic || p->dynamic_allocation == 1;
	e->gated = !e->per_channel && p->advanced_command_priority2 == 0;
	e->update_blocks = e->dynamic || e->interleave || e->two_plane;
	e->write_ns = 7 * (uint32_t)p->t_wc;
	e->sector_write_ns = (uint32_t)p->sector_bytes * (uint32_t)p->t_wc;
	e->sector_read_ns = (uint32_t)p->sector_bytes * (uint32_t)p->t_rc;
	e->threshold = (float)(e->layout.blocks * e->layout.pages);
	e->exact_threshold = (double)e->threshold * (double)p->gc_hard_threshold;
	e->threshold = e->threshold * p->gc_hard_threshold;
	e->count.min_sector = 0x7fffffff;
}

static void destroy(struct engine *e)
{
	legacy_buffer_free(&e->buffer);
	memory_free(e->slot);
	for (uint32_t i = 0; i < e->lanes; i++)
		memory_free(e->lane[i].unblocked.element);
	memory_free(e->lane);
	hash_free(&e->queued_reads);
	pool_free(&e->requests);
	pool_free(&e->reads);
	pool_free(&e->writes);
	memory_free(e->unblocking.element);
	memory_free(e->due.element);
	memory_free(e->ready.element);
	memory_free(e->channel);
	for (uint32_t i = 0; i < e->layout.chips_all; i++)
		memory_free(e->chip[i].collections.older.bytes);
	memory_free(e->chip);
	memory_free(e->die_token);
	records_free(&e->map);
	legacy_planes_free(e);
}

/* One request from the trace to the queues. */
static void serve(struct engine *e, uint32_t request)
{
	/* One reference of our own, so that it cannot finish before all its sub-requests exist. */
	request_at(e, request)->pending = 1;
	legacy_serve(e, request);
	legacy_subrequest_timed(e, request, 0);
}

/* SSDsim's main loop: one line or one event, one round over the channels, the finished requests. */
static bool simulate(struct engine *e, struct fault *fault)
{
	for (;;) {
		uint32_t request;
		uint64_t steps;

		switch (legacy_admit(e, &request, fault)) {
		case ADMIT_FAILED:
			return false;
		case ENDED:
			return true;
		case ADMITTED:
			serve(e, request);
			break;
		case WAITED:
			break;
		}
		do {
			steps = e->steps;
			legacy_process(e);
			legacy_finish_requests(e);
		} while (e->steps != steps && !e->stopped && !quirk_kept(e, Q34_ONE_PASS_PER_EVENT));
		if (e->stopped)
			return false;
	}
}

static const char *last_component(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* The two result files appear together, and only if the run has ended. */
enum { ROWS, STATISTICS, FILES };

static bool open_result(struct output *out, const char *directory, const char *name, struct fault *fault)
{
	size_t bytes = strlen(directory) + strlen(name) + 2;
	char *path = memory_array(bytes, 1, "path of a result");
	bool ok;

	snprintf(path, bytes, "%s/%s", directory, name);
	ok = output_open(out, path, fault);
	memory_free(path);
	return ok;
}

static void abandon_results(struct output out[FILES])
{
	output_abandon(&out[ROWS]);
	output_abandon(&out[STATISTICS]);
}

static void write_end(const struct engine *e, struct output out[FILES])
{
	for (int i = 0; i < FILES; i++) {
		legacy_write_statistics(e, out[i].stream, i == ROWS);
		if (e->stopped)
			fprintf(out[i].stream, "*** THE RUN ENDED EARLY: %s ***\n", e->fault->text);
	}
}

static void keep_facts(struct engine *e)
{
	struct legacy_result *result = e->result;
	const struct layout *l = &e->layout;
	uint64_t blocks = (uint64_t)l->planes_all * l->blocks;

	result->blank_lines = e->trace->blank;
	result->disordered_lines = e->trace->disordered;
	result->trims = e->trace->trims;
	result->pages = blocks * l->pages;
	result->state_bytes = result->pages * (4 + e->spare.mask_bytes) +
			      (uint64_t)l->logical_pages * (4 + e->map.mask_bytes) +
			      blocks * sizeof *e->block +
			      l->planes_all * (sizeof *e->plane + e->victims.words * sizeof(uint32_t) +
						      e->words_per_plane * sizeof *e->open_blocks);
	if (!e->kind[0].completed || !e->kind[1].completed)
		note(e, Q23_EMPTY_AVERAGE);
	if (l->sectors == 32)
		note(e, Q16_PAGE_OF_32);
}

/* The run proper, with everything open. */
static enum legacy_end run(struct engine *e, struct output out[FILES], const char *trace, struct fault *fault)
{
	bool done;

	for (int i = 0; i < FILES; i++)
		legacy_write_header(e, out[i].stream, last_component(trace));
	if (e->p->aged == 1)
		legacy_age(e);
	if (!legacy_preload(e, fault) || !legacy_trace_rewind(e->trace, fault))
		return LEGACY_REFUSED;
	legacy_write_preload(e, out[ROWS].stream);
	e->rows = out[ROWS].stream;
	done = simulate(e, fault);
	if (!done && (!e->stopped || e->end == LEGACY_REFUSED))
		return LEGACY_REFUSED;
	legacy_check(e);
	keep_facts(e);
	write_end(e, out);
	return done ? LEGACY_DONE : LEGACY_DIED;
}

static enum legacy_end run_and_commit(struct engine *e, const struct legacy_options *o, struct fault *fault)
{
	struct output out[FILES] = { 0 };
	struct fault unwritten;
	enum legacy_end end = LEGACY_REFUSED;

	if (open_result(&out[ROWS], o->directory, "ex.out", fault) &&
		open_result(&out[STATISTICS], o->directory, "statistic10.dat", fault))
		end = run(e, out, o->trace, fault);
	if (end == LEGACY_REFUSED) {
		abandon_results(out);
	} else if (!output_commit(&out[ROWS], &unwritten) || !output_commit(&out[STATISTICS], &unwritten)) {
		abandon_results(out);
		*fault = unwritten;
		end = LEGACY_REFUSED;
	}
	return end;
}

static enum legacy_end run_parameters(const struct legacy_options *o, const struct legacy_parameters *p,
	struct legacy_result *result, struct fault *fault)
{
	struct engine e = { .p = p, .kept = ~o->repaired, .result = result, .fault = fault };
	struct legacy_trace trace;
	enum legacy_end end;

	if (!legacy_parameters_check(p, o->parameters, fault) ||
		!legacy_layout_create(&e.layout, p, e.kept, fault) ||
		!legacy_trace_open(
			&trace, o->trace, o->list, (uint32_t)(p->sectors_per_page * p->sector_bytes), fault))
		return LEGACY_REFUSED;
	e.trace = &trace;
	derive(&e);
	create_units(&e);
	create_queues(&e);
	end = run_and_commit(&e, o, fault);
	destroy(&e);
	legacy_trace_close(&trace);
	return end;
}

enum legacy_end legacy_run(const struct legacy_options *o, struct legacy_result *result, struct fault *fault)
{
	struct legacy_parameters parameters;
	enum legacy_end end;

	*result = (struct legacy_result){ 0 };
	if (!legacy_parameters_read(&parameters, o->parameters, fault))
		return LEGACY_REFUSED;
	result->unknown_keys = parameters.unknown_keys;
	memcpy(result->unknown_key, parameters.unknown_key, sizeof result->unknown_key);
	end = run_parameters(o, &parameters, result, fault);
	legacy_parameters_free(&parameters);
	return end;
}
