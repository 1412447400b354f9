#include "library/inside.h"

#include "base/version.h"
#include "flash/schedule.h"
#include "drive/prepare/image.h"
#include "drive/prepare/state_file.h"

#include <stdlib.h>
#include <string.h>

#define MAGIC "ssdlab library"

/* ---- the state of a drive that has served requests ---- */

static const struct state_row completion_state[] = {
	STATE_NUMBER(struct ssdlab_completion, tag),
	STATE_NUMBER(struct ssdlab_completion, arrival_ns),
	STATE_NUMBER(struct ssdlab_completion, start_ns),
	STATE_NUMBER(struct ssdlab_completion, completion_ns),
	STATE_NUMBER(struct ssdlab_completion, sectors),
	STATE_NUMBER(struct ssdlab_completion, kind),
	STATE_NUMBER(struct ssdlab_completion, controller_ns),
	STATE_NUMBER(struct ssdlab_completion, map_ns),
	STATE_NUMBER(struct ssdlab_completion, die_ns),
	STATE_NUMBER(struct ssdlab_completion, collection_ns),
	STATE_NUMBER(struct ssdlab_completion, bus_ns),
	STATE_NUMBER(struct ssdlab_completion, cells_ns),
	STATE_NUMBER(struct ssdlab_completion, link_ns),
	{ 0 },
};

/* Completions that were not taken stay with the drive that is saved or forked. */
static const struct state_row library_state[] = {
	STATE_FIXED(guard, fault, end, why, user, told, locale, shared, prepared, workload, workload_name),
	STATE_FIXED(run, counted, stopped, asked, observer, report, completed, done),
	STATE_NUMBER(struct ssdlab_drive, before),
	STATE_NUMBER(struct ssdlab_drive, run.requests),
	STATE_NUMBER(struct ssdlab_drive, run.commands),
	STATE_NUMBER(struct ssdlab_drive, last_arrival),
	STATE_NUMBER(struct ssdlab_drive, counted.counting),
	STATE_NUMBER(struct ssdlab_drive, counted.counted_from),
	STATE_POINTER(struct ssdlab_drive, drive, drive_state),
	STATE_GROWN(struct ssdlab_drive, in_drive, tickets, ticket_room, completion_state),
	{ 0 },
};

/* ---- files ---- */

static void library_add_setting(void *file, const struct param_echo *setting)
{
	state_file_add(file, setting->key, setting->value);
}

static struct state_file library_file(ssdlab_drive *h)
{
	static const char *const told[] = { "nothing", "times", "parts" };
	struct state_file f = { MAGIC, "drive", "save it again with this version", NULL, true, library_state,
		h };

	state_file_add(&f, "version", SSD_VERSION);
	state_file_add(&f, "verification", h->drive->oracle ? "on" : "off");
	state_file_add(&f, "completions", told[h->shared->options.completions]);
	settings_echo(h->drive->settings, library_add_setting, &f);
	state_file_add_layout(&f);
	return f;
}

static void library_call_save(void *call)
{
	struct library_call *c = call;
	ssdlab_drive *h = c->h;
	struct state_file f;
	bool done;

	if (!h->prepared && !library_prepare(c, NULL))
		return;
	if (h->run.requests) {
		f = library_file(h);
		done = state_file_save(&f, c->text[0], &h->fault);
		state_file_release(&f);
	} else {
		done = image_save(h->drive, c->text[0], &h->fault);
	}
	if (!done)
		c->status = SSDLAB_MISTAKE;
}

enum ssdlab_status ssdlab_save(ssdlab_drive *h, const char *path)
{
	struct library_call c = { .h = h, .text = { path }, NEEDED(GIVEN(path)) };

	return library_enter(&c, NEEDS_DRIVE, library_call_save);
}

static bool library_load_running(ssdlab_drive *h, const char *path)
{
	struct state_file f = library_file(h);
	bool done = state_file_load(&f, path, &h->fault);

	state_file_release(&f);
	return done;
}

/* Is the file of a drive that had served requests?  Any other file is refused by image_load(). */
static bool library_is_running(const char *path)
{
	char line[sizeof MAGIC + 1] = "";
	FILE *file = fopen(path, "rb");

	if (!file)
		return false;
	if (!fgets(line, sizeof line, file))
		*line = 0;
	fclose(file);
	return !strcmp(line, MAGIC "\n");
}

static bool library_load_prepared(struct library_call *c)
{
	ssdlab_drive *h = c->h;
	struct preparation *p;

	if (c->text[1] && !library_open_workload(c, c->text[1]))
		return false;
	if (!h->run.workload && precondition_reads(&h->shared->settings.precondition)) {
		library_fault(c, "name the workload that the drive of %.200s was prepared for", c->text[0]);
		return false;
	}
	p = preparation_read(h->drive, h->run.workload, &h->fault);
	preparation_free(p);
	return p && image_load(h->drive, c->text[0], &h->fault);
}

static void library_call_load(void *call)
{
	struct library_call *c = call;
	ssdlab_drive *h = c->h;
	bool done, running = library_is_running(c->text[0]);

	if (h->prepared) {
		library_fault(c, "the drive has been prepared; load into one that was just opened");
		return;
	}
	done = running ? library_load_running(h, c->text[0]) : library_load_prepared(c);
	library_close_workload(h);
	if (!done) {
		c->status = SSDLAB_MISTAKE;
		return;
	}
	if (!running) {
		stat_list_start(&h->drive->statistics);
		precondition_count(h->drive, &h->before);
	}
	h->prepared = true;
}

enum ssdlab_status ssdlab_load(ssdlab_drive *h, const char *path, const char *workload)
{
	struct library_call c = { .h = h, .text = { path, workload }, NEEDED(GIVEN(path)) };

	return library_enter(&c, NEEDS_SERVING, library_call_load);
}

/* ---- forks ---- */

struct library_fork {
	const ssdlab_drive *from;
	struct state_parts parts;
};

/* Under the guard of the copy, which so owns what it allocates. */
static void library_call_give(void *call)
{
	struct library_call *c = call;
	const struct library_fork *fork = c->out;
	const ssdlab_drive *from = fork->from;
	ssdlab_drive *copy = c->h;

	if (!library_make_drive(copy)) {
		c->status = SSDLAB_MISTAKE;
		return;
	}
	state_give(&fork->parts, library_state, copy, true);
	copy->prepared = from->prepared;
	copy->stopped = from->stopped;
	copy->end = from->end;
	copy->why = from->why;
}

static void library_call_fork(void *call)
{
	struct library_call *c = call;
	struct library_fork fork = { .from = c->h };
	struct library_call give = { .h = library_handle(c->h->shared), .out = &fork };

	*(ssdlab_drive **)c->out = give.h;
	if (!give.h) {
		library_fault(c, "out of memory: a fork");
		c->status = SSDLAB_NO_MEMORY;
		return;
	}
	state_note(&fork.parts, library_state, c->h, true);
	c->status = library_enter(&give, NEEDS_HANDLE, library_call_give);
	if (c->status != SSDLAB_OK)
		c->h->fault = give.h->fault;
	memory_free(fork.parts.part);
}

enum ssdlab_status ssdlab_fork(ssdlab_drive *h, ssdlab_drive **copy)
{
	struct library_call c = { .h = h, .out = copy, NEEDED(GIVEN(copy)) };

	if (copy)
		*copy = NULL;
	return library_enter(&c, NEEDS_DRIVE, library_call_fork);
}
