/*
 * Records the tape (tape.h) of the FTL of this process.  Linked with -Wl,--wrap=NAME for each __wrap_NAME()
 * below: calls from other files arrive here, __real_NAME() is the function itself.
 *
 * It also notices when the program changes settings: they are compared after each call of the FTL, and where
 * the collector decides whether to collect.
 */
#include "base/memory.h"
#include "drive/drive.h"
#include "ftl/store.h"
#include "scripts/course/tape.h"

#include <errno.h>
#include <signal.h>
#include <unistd.h>

#define WRAPS(type, name, ...)                                                                               \
	type __real_##name(__VA_ARGS__);                                                                     \
	type __wrap_##name(__VA_ARGS__)

WRAPS(struct ftl *, ftl_create, const struct ftl_ops *, const void *own, const struct ftl_settings *,
	struct flash *, struct fault *);
WRAPS(struct collector *, collector_create, struct space *, const struct gc_settings *, struct ftl *,
	const struct collector_client *);
WRAPS(bool, collector_make_room_now, struct collector *, struct io *, plane_t, unsigned stream);
WRAPS(void, drive_check, const struct drive *);

WRAPS(op_t, flash_read, struct io *, ppn_t, uint32_t sectors, enum cause, op_t after);
WRAPS(op_t, flash_program, struct io *, ppn_t, owner_t, uint32_t sectors, enum cause, op_t after);
WRAPS(op_t, flash_copy, struct io *, ppn_t from, ppn_t to, enum cause, op_t after);
WRAPS(void, flash_move, struct io *, ppn_t from, ppn_t to, enum cause);
WRAPS(op_t, flash_erase, struct io *, block_t, enum cause);
WRAPS(void, flash_wait, struct io *, op_t op, op_t other);

WRAPS(void, oracle_page_host, struct oracle *, ppn_t, struct extent);
WRAPS(void, oracle_page_kept, struct oracle *, ppn_t, ppn_t from, struct extent);
WRAPS(void, oracle_page_dram, struct oracle *, ppn_t, struct extent);
WRAPS(void, oracle_page_answer, struct oracle *, ppn_t, struct extent);
WRAPS(void, oracle_dram_store, struct oracle *, enum oracle_holder, struct extent);
WRAPS(void, oracle_dram_answer, struct oracle *, enum oracle_holder, struct extent);
WRAPS(void, oracle_dram_keep, struct oracle *, enum oracle_holder, ppn_t from, struct extent);
WRAPS(void, oracle_dram_drop, struct oracle *, enum oracle_holder, struct extent);

/* Functions that are wrapped have no context, and a process has one FTL. */
static struct recorder {
	struct ftl_ops ops; /* those of the FTL, with calls that are recorded */
	const struct ftl_ops *own;
	bool inside; /* the FTL is being called */
	struct tape_record record[2048];
	size_t records; /* not written yet */

	/* As the drive has set them. */
	struct ftl_settings settings;
	void *tool[TOOLS]; /* copies; NULL: it has no settings */
	struct flash_settings flash;
	struct geometry geometry;
	const struct ftl_settings *core;
	const struct gc_settings *gc;
	uint32_t low_water, high_water;
} recorder;

static void recorder_write(void)
{
	const char *at = (const char *)recorder.record,
		   *end = at + recorder.records * sizeof *recorder.record;

	while (at < end) {
		ssize_t written = write(TAPE_DESCRIPTOR, at, (size_t)(end - at));

		if (written < 0 && errno != EINTR)
			_exit(1); /* nobody listens any more */
		at += written > 0 ? written : 0;
	}
	recorder.records = 0;
}

static void record(struct tape_record r)
{
	if (recorder.records == sizeof recorder.record / sizeof *recorder.record)
		recorder_write();
	recorder.record[recorder.records++] = r;
}

/* ---- settings ---- */

static bool recorder_same(const void *now, const void *before, size_t bytes)
{
	return !memcmp(now, before, bytes);
}

static bool recorder_same_tools(const struct ftl_settings *now)
{
	for (int i = 0; i < TOOLS; i++)
		if (recorder.tool[i] &&
			!recorder_same(now->tool[i], recorder.tool[i], store_tools[i]->settings_size))
			return false;
	return true;
}

static void recorder_compare(const struct ftl *f, const struct collector *c)
{
	const struct recorder *r = &recorder;

	if (f->core == r->core && recorder_same(f->core, &r->settings, sizeof r->settings) &&
		recorder_same_tools(f->core) &&
		recorder_same(f->geometry, &r->geometry, sizeof r->geometry) &&
		recorder_same(f->flash->settings, &r->flash, sizeof r->flash) &&
		(!c || (c->settings == r->gc && c->low_water >= r->low_water &&
			       c->high_water >= r->high_water)))
		return;
	record((struct tape_record){ .kind = TAPE_CHANGED });
	recorder_write();
	_exit(1);
}

struct collector *__wrap_collector_create(struct space *space, const struct gc_settings *settings,
	struct ftl *f, const struct collector_client *client)
{
	struct collector *c = __real_collector_create(space, settings, f, client);

	recorder.gc = settings;
	recorder.low_water = c->low_water;
	recorder.high_water = c->high_water;
	recorder_compare(f, c);
	return c;
}

bool __wrap_collector_make_room_now(struct collector *c, struct io *io, plane_t plane, unsigned stream)
{
	recorder_compare(c->ftl, c);
	return __real_collector_make_room_now(c, io, plane, stream);
}

/* ---- calls of the FTL ---- */

static void recorder_begin(enum tape_kind call, const struct extent *extents, size_t n)
{
	record((struct tape_record){ .kind = call, .page = (uint32_t)n });
	for (size_t i = 0; i < n; i++)
		record((struct tape_record){
			.kind = TAPE_EXTENT, .from = extents[i].start, .end = extents[i].end });
	recorder.inside = true;
}

/* `before`: as it was when the FTL was called. */
static void recorder_end(const struct ftl *f, const struct io *io, const struct io *before)
{
	recorder.inside = false;
	recorder_compare(f, f->store ? f->store->collector : NULL);
	record((struct tape_record){ .kind = TAPE_END,
		.page = f->failed,
		.sectors = io->accesses - before->accesses,
		.from = io->controller_ns - before->controller_ns });
}

static void recorder_read(struct ftl *f, struct io *io, const struct extent *extents, size_t n)
{
	struct io before = *io;

	recorder_begin(TAPE_CALL_READ, extents, n);
	recorder.own->read(f, io, extents, n);
	recorder_end(f, io, &before);
}

static void recorder_write_extents(struct ftl *f, struct io *io, const struct extent *extents, size_t n)
{
	struct io before = *io;

	recorder_begin(TAPE_CALL_WRITE, extents, n);
	recorder.own->write(f, io, extents, n);
	recorder_end(f, io, &before);
}

static void recorder_trim(struct ftl *f, struct io *io, struct extent e)
{
	struct io before = *io;

	recorder_begin(TAPE_CALL_TRIM, &e, 1);
	recorder.own->trim(f, io, e);
	recorder_end(f, io, &before);
}

static void recorder_flush(struct ftl *f, struct io *io)
{
	struct io before = *io;

	recorder_begin(TAPE_CALL_FLUSH, NULL, 0);
	recorder.own->flush(f, io);
	recorder_end(f, io, &before);
}

static void recorder_place_map(struct ftl *f, struct io *io)
{
	struct io before = *io;

	recorder_begin(TAPE_CALL_PLACE_MAP, NULL, 0);
	recorder.own->place_map(f, io);
	recorder_end(f, io, &before);
}

struct ftl *__wrap_ftl_create(const struct ftl_ops *ops, const void *own, const struct ftl_settings *settings,
	struct flash *flash, struct fault *fault)
{
	struct recorder *r = &recorder;

	signal(SIGXFSZ, SIG_DFL); /* a program that writes without end is ended, although ssd goes on */
	r->own = ops;
	r->ops = *ops;
	r->ops.read = recorder_read;
	r->ops.write = recorder_write_extents;
	r->ops.trim = recorder_trim;
	r->ops.flush = ops->flush ? recorder_flush : NULL;
	r->ops.place_map = ops->place_map ? recorder_place_map : NULL;
	r->core = settings;
	memcpy(&r->settings, settings, sizeof r->settings);
	for (int i = 0; i < TOOLS; i++)
		if (settings->tool[i])
			r->tool[i] = memcpy(memory_array(1, store_tools[i]->settings_size, "settings"),
				settings->tool[i], store_tools[i]->settings_size);
	memcpy(&r->flash, flash->settings, sizeof r->flash);
	memcpy(&r->geometry, flash->geometry, sizeof r->geometry);
	return __real_ftl_create(&r->ops, own, settings, flash, fault);
}

void __wrap_drive_check(const struct drive *d)
{
	__real_drive_check(d);
	if (tape_reads_all())
		drive_check_sectors((struct drive *)d);
	for (uint32_t kind = 0; kind < OP_KINDS; kind++)
		for (uint32_t cause = 0; cause < CAUSES; cause++)
			record((struct tape_record){ .kind = TAPE_COUNT,
				.page = kind,
				.cause = (uint8_t)cause,
				.from = d->flash->count[kind][cause] });
	record((struct tape_record){ .kind = TAPE_MAP_BYTES, .from = ftl_facts(d->ftl).map_bytes });
	recorder_write();
}

/* ---- calls of the medium ---- */

static void record_op(const struct io *io, struct tape_record r)
{
	r.timed = io->timed;
	r.detached = io->detached;
	if (recorder.inside)
		record(r);
}

op_t __wrap_flash_read(struct io *io, ppn_t ppn, uint32_t sectors, enum cause cause, op_t after)
{
	record_op(io, (struct tape_record){ .kind = TAPE_READ,
			      .cause = (uint8_t)cause,
			      .sectors = sectors,
			      .page = ppn,
			      .end = after });
	return __real_flash_read(io, ppn, sectors, cause, after);
}

op_t __wrap_flash_program(
	struct io *io, ppn_t ppn, owner_t owner, uint32_t sectors, enum cause cause, op_t after)
{
	record_op(io, (struct tape_record){ .kind = TAPE_PROGRAM,
			      .cause = (uint8_t)cause,
			      .sectors = sectors,
			      .page = ppn,
			      .other = owner,
			      .end = after });
	return __real_flash_program(io, ppn, owner, sectors, cause, after);
}

op_t __wrap_flash_copy(struct io *io, ppn_t from, ppn_t to, enum cause cause, op_t after)
{
	record_op(io, (struct tape_record){ .kind = TAPE_COPY,
			      .cause = (uint8_t)cause,
			      .page = from,
			      .other = to,
			      .end = after });
	return __real_flash_copy(io, from, to, cause, after);
}

void __wrap_flash_move(struct io *io, ppn_t from, ppn_t to, enum cause cause)
{
	record_op(io, (struct tape_record){
			      .kind = TAPE_MOVE, .cause = (uint8_t)cause, .page = from, .other = to });
	__real_flash_move(io, from, to, cause);
}

op_t __wrap_flash_erase(struct io *io, block_t block, enum cause cause)
{
	record_op(io, (struct tape_record){ .kind = TAPE_ERASE, .cause = (uint8_t)cause, .page = block });
	return __real_flash_erase(io, block, cause);
}

void __wrap_flash_wait(struct io *io, op_t op, op_t other)
{
	record_op(io, (struct tape_record){ .kind = TAPE_WAIT, .from = op, .end = other });
	__real_flash_wait(io, op, other);
}

/* ---- calls of the oracle ---- */

static void record_data(enum tape_kind kind, ppn_t ppn, ppn_t from, struct extent e)
{
	if (recorder.inside)
		record((struct tape_record){
			.kind = kind, .page = ppn, .other = from, .from = e.start, .end = e.end });
}

void __wrap_oracle_page_host(struct oracle *o, ppn_t ppn, struct extent e)
{
	record_data(TAPE_HOLDS_HOST, ppn, PPN_NONE, e);
	__real_oracle_page_host(o, ppn, e);
}

void __wrap_oracle_page_kept(struct oracle *o, ppn_t ppn, ppn_t from, struct extent e)
{
	record_data(TAPE_HOLDS_KEPT, ppn, from, e);
	__real_oracle_page_kept(o, ppn, from, e);
}

void __wrap_oracle_page_dram(struct oracle *o, ppn_t ppn, struct extent e)
{
	record_data(TAPE_HOLDS_DRAM, ppn, PPN_NONE, e);
	__real_oracle_page_dram(o, ppn, e);
}

void __wrap_oracle_page_answer(struct oracle *o, ppn_t ppn, struct extent e)
{
	record_data(TAPE_ANSWERS, ppn, PPN_NONE, e);
	__real_oracle_page_answer(o, ppn, e);
}

void __wrap_oracle_dram_store(struct oracle *o, enum oracle_holder holder, struct extent e)
{
	record_data(TAPE_DRAM_STORE, PPN_NONE, PPN_NONE, e);
	__real_oracle_dram_store(o, holder, e);
}

void __wrap_oracle_dram_answer(struct oracle *o, enum oracle_holder holder, struct extent e)
{
	record_data(TAPE_DRAM_ANSWER, PPN_NONE, PPN_NONE, e);
	__real_oracle_dram_answer(o, holder, e);
}

void __wrap_oracle_dram_keep(struct oracle *o, enum oracle_holder holder, ppn_t from, struct extent e)
{
	record_data(TAPE_DRAM_KEEP, PPN_NONE, from, e);
	__real_oracle_dram_keep(o, holder, from, e);
}

void __wrap_oracle_dram_drop(struct oracle *o, enum oracle_holder holder, struct extent e)
{
	record_data(TAPE_DRAM_DROP, PPN_NONE, PPN_NONE, e);
	__real_oracle_dram_drop(o, holder, e);
}
