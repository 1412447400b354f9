#include "cli/watch/player.h"

#include "base/bits.h"
#include "base/memory.h"
#include "flash/schedule.h"

#include <string.h>

static bool player_start(struct player *p, struct fault *fault)
{
	struct precondition_result before;

	p->drive = drive_create(p->settings, p->verify, fault);
	if (!p->drive || !precondition(p->drive, &p->workload, &before, fault))
		return false;
	stat_list_start(&p->drive->statistics);
	p->run = (struct run){ .drive = p->drive, .workload = &p->workload };
	p->end = RUN_DONE;
	p->lpns = 0;
	memcpy(p->owner, p->drive->flash->owner, p->drive->geometry.pages * sizeof *p->owner);
	memcpy(p->block, p->drive->flash->block, p->drive->geometry.blocks * sizeof *p->block);
	memory_free(p->programmed);
	memory_free(p->writes);
	p->programmed = memory_array(p->drive->geometry.pages, sizeof *p->programmed, "picture");
	p->writes = memory_array(p->drive->geometry.logical_pages, sizeof *p->writes, "picture");
	run_begin(&p->run, fault);
	return p->run.status != TRACE_BAD;
}

bool player_open(struct player *p, const struct settings *s, char *const names[], size_t n, bool verify,
	struct fault *fault)
{
	struct geometry g;

	*p = (struct player){ .settings = s, .verify = verify };
	if (!geometry_derive(&g, &s->flash, fault) ||
		!workload_open_several(
			&p->workload, names, n, s, (struct workload_opening){ .again = true }, fault))
		return false;
	p->owner = memory_array(g.pages, sizeof *p->owner, "picture");
	p->block = memory_array(g.blocks, sizeof *p->block, "picture");
	p->pending = memory_array(bits_words(g.pages), sizeof *p->pending, "picture");
	return player_start(p, fault);
}

static void player_stop(struct player *p)
{
	explanation_release(&p->explanation);
	p->explanation = (struct explanation){ 0 };
	drive_free(p->drive);
	p->drive = NULL;
}

void player_close(struct player *p)
{
	player_stop(p);
	workload_close(&p->workload);
	memory_free(p->owner);
	memory_free(p->block);
	memory_free(p->pending);
	memory_free(p->programmed);
	memory_free(p->writes);
}

static void player_note_pending(struct player *p)
{
	const struct flash *f = p->drive->flash;
	const struct geometry *g = &p->drive->geometry;

	memset(p->pending, 0, bits_words(g->pages) * sizeof *p->pending);
	for (block_t b = 0; b < g->blocks; b++)
		for (uint32_t page = 0; f->block[b].unfinished && page < f->block[b].next; page++) {
			ppn_t ppn = geometry_first_page(g, b) + page;

			if (schedule_writes(f->schedule, ppn))
				bits_set(p->pending, ppn);
		}
}

static void player_note_programmed(struct player *p)
{
	const struct geometry *g = &p->drive->geometry;

	for (block_t b = 0; b < g->blocks; b++) {
		const struct flash_block *now = &p->drive->flash->block[b], *before = &p->block[b];
		uint32_t page = now->erases == before->erases ? before->next : 0;

		for (; page < now->next; page++)
			p->programmed[geometry_first_page(g, b) + page] = (uint32_t)p->run.requests;
	}
}

static void player_touch(struct player *p, lpn_t lpn)
{
	uint32_t at = 0;

	while (at < p->lpns && p->lpn[at] != lpn)
		at++;
	if (at == p->lpns)
		p->lpns += p->lpns < PLAYER_LPNS;
	for (at = at < PLAYER_LPNS ? at : PLAYER_LPNS - 1; at; at--)
		p->lpn[at] = p->lpn[at - 1];
	p->lpn[0] = lpn;
}

/* The pages of the device that the host layer made of the request. */
static void player_touch_pages(struct player *p)
{
	const struct geometry *g = &p->drive->geometry;
	const struct host *h = p->drive->host;

	for (const struct host_part *part = h->part + h->parts;
		p->explanation.request.sectors && part-- > h->part;)
		for (lpn_t lpn = geometry_lpn(g, part->device.end - 1) + 1;
			lpn-- > geometry_lpn(g, part->device.start);) {
			player_touch(p, lpn);
			p->writes[lpn] += p->explanation.request.type == REQUEST_WRITE;
		}
}

bool player_step(struct player *p, struct fault *fault)
{
	const struct flash *f = p->drive->flash;

	if (!player_more(p))
		return p->run.status != TRACE_BAD;
	explanation_release(&p->explanation);
	p->explanation = (struct explanation){ .number = 1, .tracer = { .hardware = true } };
	explanation_observe(&p->explanation, p->drive);
	memcpy(p->owner, f->owner, p->drive->geometry.pages * sizeof *p->owner);
	memcpy(p->block, f->block, p->drive->geometry.blocks * sizeof *p->block);
	p->end = run_step(&p->run, fault);
	player_note_pending(p);
	player_note_programmed(p);
	player_touch_pages(p);
	p->in_drive = p->drive->in_drive;
	run_wait(&p->run, fault);
	return p->run.status != TRACE_BAD && p->end != RUN_BAD_WORKLOAD;
}

bool player_go(struct player *p, uint64_t step, struct fault *fault)
{
	if (step < p->run.requests) {
		player_stop(p);
		if (!workload_rewind(&p->workload, fault) || !player_start(p, fault))
			return false;
	}
	while (p->run.requests < step && player_more(p))
		if (!player_step(p, fault))
			return false;
	return true;
}

bool player_collected(const struct player *p)
{
	const struct tracer *t = &p->explanation.tracer;

	for (uint32_t i = 0; i < t->ops; i++)
		if (t->op[i].made.kind == OP_ERASE)
			return true;
	return false;
}

bool player_touched(const struct player *p, lpn_t lpn)
{
	const struct geometry *g = &p->drive->geometry;
	const struct host *h = p->drive->host;

	for (const struct host_part *part = h->part;
		p->explanation.request.sectors && part < h->part + h->parts; part++)
		if (geometry_lpn(g, part->device.start) <= lpn &&
			lpn <= geometry_lpn(g, part->device.end - 1))
			return true;
	return false;
}
