/*
 * Plays a tape (tape.h) on a drive: the FTL `handed_in` does what the tape says, and nothing of the program
 * that recorded it is in this process.  A tape that asks for something impossible ends in a message.
 */
#include "base/memory.h"
#include "drive/drive.h"
#include "flash/schedule.h"
#include "scripts/course/tape.h"

/* Linked with -Wl,--wrap=drive_check, as the recorder. */
void __real_drive_check(const struct drive *);
void __wrap_drive_check(const struct drive *);

#define PLAYER_END UINT8_MAX

struct player {
	FILE *tape;
	struct tape_record next; /* kind PLAYER_END: there is none */
	uint8_t *cause;          /* per page: of its program */
	op_t *issued;            /* by the present call */
	uint32_t issues, issue_room;
	uint64_t map_bytes;
};

static void player_fetch(struct player *p)
{
	if (fread(&p->next, sizeof p->next, 1, p->tape) != 1)
		p->next = (struct tape_record){ .kind = PLAYER_END };
}

static struct tape_record player_take(struct player *p)
{
	struct tape_record r = p->next;

	BUG_ON(r.kind == PLAYER_END, "it ended before its last request");
	BUG_ON(r.kind == TAPE_CHANGED, "it changes the drive's settings");
	player_fetch(p);
	return r;
}

static bool player_init(struct ftl *f, struct fault *fault)
{
	struct player *p = f->state;

	(void)fault;
	p->tape = stdin;
	p->cause = memory_array(f->geometry->pages, sizeof *p->cause, "causes of programs");
	player_fetch(p);
	return true;
}

static void player_exit(struct ftl *f)
{
	struct player *p = f->state;

	memory_free(p->cause);
	memory_free(p->issued);
}

/* ---- calls of the medium ---- */

static void player_check(const struct ftl *f, const struct tape_record *r)
{
	const struct geometry *g = f->geometry;
	const struct schedule *s = f->flash->schedule;

	BUG_ON(r->cause >= CAUSES || r->sectors > g->sectors_per_page, "an operation of %u sectors, cause %u",
		r->sectors, r->cause);
	BUG_ON(r->page >= (r->kind == TAPE_ERASE ? g->blocks : g->pages), "there is no %s %u",
		r->kind == TAPE_ERASE ? "block" : "page", r->page);
	BUG_ON((r->kind == TAPE_COPY || r->kind == TAPE_MOVE) && r->other >= g->pages, "there is no page %u",
		r->other);
	BUG_ON(!schedule_knows(s, r->end), "it waits for an operation that was never issued");
}

static void player_issued(struct player *p, op_t op)
{
	p->issued = memory_grown(p->issued, &p->issue_room, p->issues + 1, sizeof *p->issued, "operations");
	p->issued[p->issues++] = op;
}

static void player_erase(struct ftl *f, struct io *io, const struct tape_record *r)
{
	ppn_t first = geometry_first_page(f->geometry, r->page);

	/* What is dead only the FTL knows.  Data that is lost is missing when it is read, at the latest at
	 * the end of the run. */
	for (ppn_t ppn = first; ppn < first + f->geometry->pages_per_block; ppn++)
		flash_disown(f->flash, ppn);
	player_issued(f->state, flash_erase(io, r->page, (enum cause)r->cause));
}

static void player_operate(struct ftl *f, struct io *io, const struct tape_record *r)
{
	struct player *p = f->state;
	enum cause cause = (enum cause)r->cause;

	player_check(f, r);
	BUG_ON(r->timed != io->timed, "it does work that takes no time, and so would not be counted");
	io->detached = r->detached;
	switch (r->kind) {
	case TAPE_READ:
		player_issued(p, flash_read(io, r->page, r->sectors, cause, r->end));
		break;
	case TAPE_PROGRAM:
		player_issued(p, flash_program(io, r->page, r->other, r->sectors, cause, r->end));
		p->cause[r->page] = r->cause;
		break;
	case TAPE_COPY:
		player_issued(p, flash_copy(io, r->page, r->other, cause, r->end));
		break;
	case TAPE_MOVE:
		flash_move(io, r->page, r->other, cause);
		break;
	default:
		player_erase(f, io, r);
	}
}

/* Number of operations of this call up to and including this one; 0: it is none of them. */
static uint32_t player_place(const struct player *p, op_t op)
{
	uint32_t place = p->issues;

	while (place && p->issued[place - 1] != op)
		place--;
	return place;
}

/* Operations of this call wait for earlier ones. */
static void player_wait(struct ftl *f, struct io *io, const struct tape_record *r)
{
	uint32_t place = player_place(f->state, r->from);

	if (r->from == OP_NONE)
		return;
	BUG_ON(!place || player_place(f->state, r->end) >= place ||
			!schedule_knows(f->flash->schedule, r->end),
		"an operation of another request waits, or one waits for a later one");
	flash_wait(io, r->from, r->end);
}

/* ---- calls of the oracle ---- */

static void player_move_data(struct ftl *f, struct io *io, const struct tape_record *r)
{
	struct player *p = f->state;
	struct oracle *o = f->flash->oracle;
	struct extent e = { r->from, r->end };
	bool of_page = r->kind <= TAPE_ANSWERS,
	     from_page = r->kind == TAPE_HOLDS_KEPT || r->kind == TAPE_DRAM_KEEP;

	BUG_ON((of_page && r->page >= f->geometry->pages) || (from_page && r->other >= f->geometry->pages),
		"there is no page %u", from_page ? r->other : r->page);
	BUG_ON((r->kind == TAPE_HOLDS_HOST || r->kind == TAPE_HOLDS_DRAM) && p->cause[r->page] != CAUSE_HOST,
		"page %u holds data of the host, and its program was counted as %s", r->page,
		cause_name(p->cause[r->page]));
	if (r->kind == TAPE_HOLDS_HOST)
		flash_holds_host(io, r->page, e);
	else if (r->kind == TAPE_HOLDS_KEPT)
		flash_holds_kept(io, r->page, r->other, e);
	else if (r->kind == TAPE_HOLDS_DRAM)
		oracle_page_dram(o, r->page, e);
	else if (r->kind == TAPE_ANSWERS)
		flash_answers(io, r->page, e);
	else if (r->kind == TAPE_DRAM_STORE)
		oracle_dram_store(o, HOLDER_FTL, e);
	else if (r->kind == TAPE_DRAM_ANSWER)
		oracle_dram_answer(o, HOLDER_FTL, e);
	else if (r->kind == TAPE_DRAM_KEEP)
		oracle_dram_keep(o, HOLDER_FTL, r->other, e);
	else
		oracle_dram_drop(o, HOLDER_FTL, e);
}

/* ---- calls of the FTL ---- */

static void player_call(struct ftl *f, struct io *io, enum tape_kind call, const struct extent *e, size_t n)
{
	struct player *p = f->state;
	struct tape_record r = player_take(p);
	bool detached = io->detached;

	p->issues = 0;
	BUG_ON(r.kind != call || r.page != n, "it was not asked for what the host asks");
	for (size_t i = 0; i < n; i++) {
		r = player_take(p);
		BUG_ON(r.kind != TAPE_EXTENT || r.from != e[i].start || r.end != e[i].end,
			"it was not asked for the sectors that the host asks for");
	}
	for (r = player_take(p); r.kind != TAPE_END; r = player_take(p)) {
		BUG_ON(r.kind < TAPE_READ || r.kind > TAPE_DRAM_DROP, "it ended in the middle of a request");
		if (r.kind >= TAPE_HOLDS_HOST)
			player_move_data(f, io, &r);
		else if (r.kind == TAPE_WAIT)
			player_wait(f, io, &r);
		else
			player_operate(f, io, &r);
	}
	io->detached = detached;
	io->accesses += r.sectors;
	io->controller_ns += r.from;
	f->failed = r.page;
}

static void player_read(struct ftl *f, struct io *io, const struct extent *extents, size_t n)
{
	player_call(f, io, TAPE_CALL_READ, extents, n);
}

static void player_write(struct ftl *f, struct io *io, const struct extent *extents, size_t n)
{
	player_call(f, io, TAPE_CALL_WRITE, extents, n);
}

static void player_trim(struct ftl *f, struct io *io, struct extent e)
{
	player_call(f, io, TAPE_CALL_TRIM, &e, 1);
}

/* An FTL without these functions is not called. */
static void player_flush(struct ftl *f, struct io *io)
{
	if (((struct player *)f->state)->next.kind == TAPE_CALL_FLUSH)
		player_call(f, io, TAPE_CALL_FLUSH, NULL, 0);
}

static void player_place_map(struct ftl *f, struct io *io)
{
	if (((struct player *)f->state)->next.kind == TAPE_CALL_PLACE_MAP)
		player_call(f, io, TAPE_CALL_PLACE_MAP, NULL, 0);
}

/* ---- the end of the run ---- */

/* The program's simulator must have counted the same operations. */
void __wrap_drive_check(const struct drive *d)
{
	struct player *p = d->ftl->state;

	__real_drive_check(d);
	if (tape_reads_all())
		drive_check_sectors((struct drive *)d);
	while (p->next.kind == TAPE_COUNT) {
		struct tape_record r = player_take(p);

		BUG_ON(r.page >= OP_KINDS || r.cause >= CAUSES || d->flash->count[r.page][r.cause] != r.from,
			"it changes the counts of the simulator");
	}
	BUG_ON(p->next.kind != TAPE_MAP_BYTES, "it ended before its last request");
	p->map_bytes = p->next.from;
}

static void player_check_nothing(const struct ftl *f)
{
	(void)f;
}

static void player_facts(const struct ftl *f, struct ftl_facts *facts)
{
	facts->map_bytes = ((const struct player *)f->state)->map_bytes;
}

static const struct state_row player_state[] = {
	STATE_FIXED(tape),
	STATE_SCRATCH(next, cause, issued, issues, issue_room, map_bytes),
	{ 0 },
};

const struct ftl_ops ftl_handed_in = {
	.name = "handed_in",
	.brief = "what another process does with the same requests",
	.size = sizeof(struct player),
	.state = player_state,
	.init = player_init,
	.exit = player_exit,
	.read = player_read,
	.write = player_write,
	.trim = player_trim,
	.check = player_check_nothing,
	.facts = player_facts,
	.map_in_dram = true,
	.flush = player_flush,
	.place_map = player_place_map,
};
