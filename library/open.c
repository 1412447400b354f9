/* uselocale() belongs to POSIX of 2008. */
#include "library/inside.h"

#include "base/version.h"
#include "drive/plugin.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

uint32_t ssdlab_abi(void)
{
	return SSDLAB_ABI;
}

const char *ssdlab_version(void)
{
	return SSD_VERSION;
}

const char *ssdlab_error(const ssdlab_drive *h)
{
	return h ? __atomic_load_n(&h->told, __ATOMIC_ACQUIRE) : "there is no drive: the handle is NULL";
}

/* ---- calls ---- */

void library_fault(struct library_call *c, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(c->h->fault.text, sizeof c->h->fault.text, format, args);
	va_end(args);
	c->status = SSDLAB_MISTAKE;
}

static void library_end_workload(void *handle)
{
	library_close_workload(handle);
}

/* Closes the files of its workload, which a bug of the drive has not touched, and frees its memory. */
static enum ssdlab_status library_break(ssdlab_drive *h, enum guard_end end)
{
	const struct ssdlab_options *o = &h->shared->options;
	struct guard *guard = &h->guard;

	h->fault = guard->fault;
	h->end = end == GUARD_BUG ? SSDLAB_BROKEN : SSDLAB_NO_MEMORY;
	guard_call(guard, library_end_workload, h);
	memory_list_free(&guard->memory);
	h->drive = NULL;
	h->report = NULL;
	if (end == GUARD_BUG)
		o->bug(o->bug_context, guard->file, guard->line, h->fault.text);
	return h->end;
}

/* Can it be called? */
static bool library_is_open(struct library_call *c, enum library_need need)
{
	ssdlab_drive *h = c->h;

	if (need == NEEDS_HANDLE || (h->drive && (need == NEEDS_DRIVE || !h->end)))
		return true;
	h->fault = h->why;
	c->status = h->end ? h->end : SSDLAB_MISTAKE;
	return false;
}

static void library_guarded(struct library_call *c, void (*call)(void *library_call))
{
	ssdlab_drive *h = c->h;
	locale_t before = uselocale(h->locale);
	enum guard_end end = guard_call(&h->guard, call, c);

	uselocale(before);
	if (end != GUARD_DONE)
		c->status = library_break(h, end);
}

static void library_tell(ssdlab_drive *h, const char *text)
{
	__atomic_store_n(&h->told, text, __ATOMIC_RELEASE);
}

/* Begins a call, unless one is under way.  The texts are constants, because the fault belongs to that one. */
static bool library_begin_call(ssdlab_drive *h)
{
	struct guard **user = NULL;

	if (__atomic_compare_exchange_n(
		    &h->user, &user, guard_here(), false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
		return true;
	library_tell(h, user == guard_here() ? "a callback of a drive must not call that drive"
					     : "another thread is in a call of this drive; a drive is used "
					       "by one thread at a time, its forks by others");
	return false;
}

static void library_end_call(const struct library_call *c)
{
	ssdlab_drive *h = c->h;

	if (c->status != SSDLAB_OK) {
		if ((h->end || !h->drive) && !*h->why.text)
			h->why = h->fault;
		library_tell(h, h->fault.text);
	}
	__atomic_store_n(&h->user, NULL, __ATOMIC_RELEASE);
}

bool library_has(struct library_call *c, const struct library_given *given)
{
	for (; given->name; given++)
		if (!given->pointer) {
			library_fault(c, "%s(): %s is NULL", c->function, given->name);
			return false;
		}
	return true;
}

enum ssdlab_status library_enter(
	struct library_call *c, enum library_need need, void (*call)(void *library_call))
{
	ssdlab_drive *h = c->h;

	if (!h || !library_begin_call(h))
		return c->status = SSDLAB_MISTAKE;
	if (library_is_open(c, need) && library_has(c, c->given))
		library_guarded(c, call);
	library_end_call(c);
	return c->status;
}

void library_changed(ssdlab_drive *h)
{
	report_free(h->report);
	h->report = NULL;
}

/* ---- settings, shared by forks ---- */

/* Does this "key=value" set the parameter? */
static bool library_sets(const char *setting, const char *key)
{
	size_t length = strlen(key);

	setting += strspn(setting, " \t");
	return !strncmp(setting, key, length) && setting[length + strspn(setting + length, " \t")] == '=';
}

/* What the caller brings in place of a parameter, which he may not set, too. */
static bool library_is_set_once(struct library_call *c, const char *setting)
{
	const struct ssdlab_options *o = c->options;
	const struct {
		bool brought;
		const char *key, *by;
	} own[] = { { o->gc_pick, "gc.policy", "gc_pick" }, { o->buffer_pick, "buffer", "buffer_pick" },
		{ o->ftl, "ftl", "ftl" } };

	for (size_t i = 0; i < sizeof own / sizeof *own; i++)
		if (own[i].brought && library_sets(setting, own[i].key))
			library_fault(c, "-s %.200s: options.%s is given, too; leave one of them out",
				setting, own[i].by);
	return c->status == SSDLAB_OK;
}

/* Copies the settings.  A named drive folds addresses beyond its end into it, which suits traces of other
 * drives; in a program such an address is a mistake, unless it says otherwise. */
static char **library_settings(struct library_call *c, size_t *n)
{
	const struct ssdlab_options *from = c->options;
	char **setting = memory_array(from->setting_count + 1, sizeof *setting, "settings");

	setting[0] = memory_string("trace.fold=false", "settings");
	for (size_t i = 0; i < from->setting_count && library_is_set_once(c, from->settings[i]); i++)
		setting[i + 1] = memory_string(from->settings[i], "settings");
	*n = from->setting_count + 1;
	return setting;
}

/* Reads the settings; under their own guard. */
static void library_read_settings(void *call)
{
	struct library_call *c = call;
	struct library_settings *s = c->h->shared;
	const struct ssdlab_options *from = c->options;
	char **setting;
	size_t n;

	s->options = *from;
	if (from->parameters)
		s->options.parameters = memory_string(from->parameters, "settings");
	setting = library_settings(c, &n);
	s->options.settings = (const char *const *)setting;
	if (c->status != SSDLAB_OK)
		return;
	if (!settings_init(&s->settings, &c->h->fault) || !library_bring_policies(s, &c->h->fault) ||
		(from->ftl &&
			!settings_bring_ftl(&s->settings, from->ftl, from->ftl_toolbox, &c->h->fault)) ||
		!settings_read(&s->settings, s->options.parameters, setting, n, &c->h->fault))
		c->status = SSDLAB_MISTAKE;
	else if (s->settings.striped->superblock)
		library_fault(c, "striped.superblock: this device model is for `ssd measure`; leave it out");
}

static void library_leave_settings(struct library_settings *s)
{
	if (__atomic_sub_fetch(&s->users, 1, __ATOMIC_ACQ_REL))
		return;
	plugin_close(s->settings.brought.ftl_file);
	memory_list_free(&s->guard.memory);
	free(s);
}

/* ---- handles ---- */

ssdlab_drive *library_handle(struct library_settings *s)
{
	/* Not memory_array(): a handle outlives the memory of its drive, and may be made without a guard. */
	ssdlab_drive *h = calloc(1, sizeof *h);

	if (!h)
		return NULL;
	h->shared = s;
	__atomic_add_fetch(&s->users, 1, __ATOMIC_RELAXED);
	h->guard.aborts = !s->options.bug;
	library_tell(h, h->fault.text);
	h->locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
	h->done = QUEUE_EMPTY;
	return h;
}

/* Inserts it by time of completion: a read whose data has crossed the link may be reported late. */
static void library_queue(ssdlab_drive *h, uint32_t number)
{
	struct array_field next = POOL_FIELD(h->completed, struct library_completed, next);
	uint64_t when = library_completion(h, number)->completion_ns;
	uint32_t *link = &h->done.first;

	if (h->done.first == INDEX_NONE || library_completion(h, h->done.last)->completion_ns <= when) {
		queue_append(&h->done, next, number);
		return;
	}
	while (library_completion(h, *link)->completion_ns <= when)
		link = queue_next(next, *link);
	*queue_next(next, number) = *link;
	*link = number;
}

static void library_keep(ssdlab_drive *h, uint32_t ticket, struct ssdlab_completion known)
{
	if (ticket >= h->tickets) {
		h->tickets = ticket + 1;
		h->in_drive = memory_grown(h->in_drive, &h->ticket_room, h->tickets, sizeof *h->in_drive,
			"requests in the drive");
	}
	h->in_drive[ticket] = known;
}

static void library_entered(void *handle, uint32_t ticket, const struct request *r)
{
	library_keep(handle, ticket, (struct ssdlab_completion){ .tag = r->line });
}

static void library_moves(void *handle, uint32_t ticket, uint32_t next)
{
	ssdlab_drive *h = handle;

	library_keep(h, next, h->in_drive[ticket]);
}

static void library_served(void *handle, uint32_t ticket, const struct account *account)
{
	struct ssdlab_completion *done = &((ssdlab_drive *)handle)->in_drive[ticket];

	done->controller_ns = account->ns[PART_CONTROLLER];
	done->map_ns = account->ns[PART_MAP];
	done->die_ns = account->ns[PART_DIE];
	done->collection_ns = account->ns[PART_COLLECTION];
	done->bus_ns = account->ns[PART_BUS];
	done->cells_ns = account->ns[PART_CELLS];
	done->link_ns = account->until;
}

static void library_completed(void *handle, uint32_t ticket, const struct pending *p, tick_t when)
{
	ssdlab_drive *h = handle;
	uint32_t number = pool_take(&h->completed);
	struct ssdlab_completion *done = library_completion(h, number);

	*done = h->in_drive[ticket];
	done->arrival_ns = p->arrival;
	done->start_ns = p->entered;
	done->completion_ns = when;
	done->sectors = p->sectors;
	done->kind = p->type;
	done->link_ns = h->observer.served ? when - done->link_ns : 0;
	library_queue(h, number);
}

static bool library_is_stopped(void *handle)
{
	enum { EVERY = 4096 };
	ssdlab_drive *h = handle;
	const struct ssdlab_options *o = &h->shared->options;

	if (o->progress && !h->stopped && !(h->asked++ % EVERY))
		h->stopped = o->progress(o->progress_context, 0, -1);
	return h->stopped;
}

bool library_make_drive(ssdlab_drive *h)
{
	const struct ssdlab_options *o = &h->shared->options;

	h->drive = drive_create(&h->shared->settings, o->verify, &h->fault);
	if (!h->drive)
		return false;
	h->run.drive = h->drive;
	h->drive->stops = library_is_stopped;
	h->drive->stops_context = h;
	h->completed = pool_create(sizeof(struct library_completed), "completions");
	h->observer = (struct drive_observer){ .context = h,
		.entered = library_entered,
		.served = o->completions == SSDLAB_PARTS ? library_served : NULL,
		.goes_on = library_moves,
		.completed = library_completed };
	if (o->completions)
		drive_observe(h->drive, &h->observer);
	return true;
}

void library_free_drive(ssdlab_drive *h)
{
	drive_free(h->drive);
	pool_free(&h->completed);
	memory_free(h->in_drive);
}

/* The settings allocate under a guard of their own.  A bug found there is one in the option tables, and
 * aborts. */
static void library_open_drive(struct library_call *c)
{
	struct library_settings *s = c->h->shared;
	enum guard_end end;

	s->guard.aborts = true;
	end = guard_call(&s->guard, library_read_settings, c);
	if (end == GUARD_NO_MEMORY) {
		library_fault(c, "%s", s->guard.fault.text);
		c->status = SSDLAB_NO_MEMORY;
	}
	c->h->guard.aborts = !s->options.bug;
	if (c->status == SSDLAB_OK && !library_make_drive(c->h))
		c->status = SSDLAB_MISTAKE;
}

/* Are the functions there to which contexts and names belong? */
static bool library_is_complete(struct library_call *c)
{
	const struct ssdlab_options *o = c->options;
	const struct {
		const void *of;
		bool function;
		const char *name, *needs;
	} parts[] = { { o->progress_context, o->progress, "progress_context", "progress" },
		{ o->bug_context, o->bug, "bug_context", "bug" },
		{ o->gc_context, o->gc_pick, "gc_context", "gc_pick" },
		{ o->gc_name, o->gc_pick, "gc_name", "gc_pick" },
		{ o->buffer_context, o->buffer_pick, "buffer_context", "buffer_pick" },
		{ o->buffer_name, o->buffer_pick, "buffer_name", "buffer_pick" },
		{ o->ftl_toolbox, o->ftl, "ftl_toolbox", "ftl" } };

	for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
		if (parts[i].of && !parts[i].function)
			library_fault(
				c, "options.%s is given without options.%s", parts[i].name, parts[i].needs);
	return c->status == SSDLAB_OK;
}

static bool library_settings_are_given(struct library_call *c)
{
	const struct ssdlab_options *o = c->options;

	if (o->setting_count && !o->settings) {
		library_fault(c, "options.settings is NULL, options.setting_count %zu", o->setting_count);
		return false;
	}
	for (size_t i = 0; i < o->setting_count; i++)
		if (!o->settings[i]) {
			library_fault(c, "options.settings[%zu] is NULL", i);
			return false;
		}
	return true;
}

static void library_open(void *call)
{
	struct library_call *c = call;
	const struct ssdlab_options *o = c->options;

	if (o->size != sizeof *o)
		library_fault(c, "options.size is not that of struct ssdlab_options: compile the program "
				 "with the header of this library");
	else if (o->completions < 0 || o->completions > SSDLAB_PARTS)
		library_fault(c, "options.completions is none of enum ssdlab_completions");
	else if (library_is_complete(c) && library_settings_are_given(c))
		library_open_drive(c);
}

enum ssdlab_status ssdlab_open(ssdlab_drive **drive, const struct ssdlab_options *options)
{
	struct library_settings *s = drive ? calloc(1, sizeof *s) : NULL;
	struct library_call c = { .options = options, NEEDED(GIVEN(options)) };

	if (!drive)
		return SSDLAB_MISTAKE;
	*drive = c.h = s ? library_handle(s) : NULL;
	if (!c.h) {
		free(s);
		return SSDLAB_NO_MEMORY;
	}
	return library_enter(&c, NEEDS_HANDLE, library_open);
}

static void library_close(void *handle)
{
	ssdlab_drive *h = handle;

	library_close_workload(h);
	library_changed(h);
	library_free_drive(h);
}

enum ssdlab_status ssdlab_close(ssdlab_drive *h)
{
	if (!h)
		return SSDLAB_OK;
	if (!library_begin_call(h))
		return SSDLAB_MISTAKE;
	if (h->drive)
		guard_call(&h->guard, library_close, h);
	memory_list_free(&h->guard.memory);
	if (h->locale)
		freelocale(h->locale);
	library_leave_settings(h->shared);
	free(h);
	return SSDLAB_OK;
}
