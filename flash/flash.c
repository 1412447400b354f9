#include "flash/flash.h"

#include "base/bits.h"
#include "base/fault.h"
#include "base/memory.h"
#include "flash/events.h"

#include <string.h>

struct flash *flash_create(
	const struct geometry *g, const struct flash_settings *settings, struct oracle *oracle)
{
	struct flash *f = memory_array(1, sizeof *f, "medium");

	f->geometry = g;
	f->settings = settings;
	f->oracle = oracle;
	f->owner = memory_array(g->pages, sizeof *f->owner, "page owners");
	if (settings->order == ORDER_ASCENDING)
		f->passed_over = memory_array(bits_words(g->pages), sizeof *f->passed_over, "page flags");
	f->block = memory_array(g->blocks, sizeof *f->block, "block table");
	for (block_t b = 0; b < g->blocks; b++)
		f->block[b].gate = f->block[b].last = f->block[b].erase = INDEX_NONE;
	f->schedule = schedule_create(f);
	return f;
}

void flash_set_watched(struct flash *f)
{
	f->watched = f->observers || f->retry || f->lost;
}

void flash_use_slc(struct flash *f, struct slc_times times)
{
	f->slc_times = memory_array(1, sizeof times, "times");
	*f->slc_times = times;
	if (!times.erase_ns)
		f->slc_times->erase_ns = f->settings->erase_ns;
	f->slc = memory_array(bits_words(f->geometry->blocks), sizeof *f->slc, "block modes");
	schedule_choose_copy(f->schedule);
}

bool flash_use_retry(struct flash *f, const struct retry_settings *settings, struct fault *fault)
{
	f->retry = retry_create(settings, f->geometry, fault);
	flash_set_watched(f);
	schedule_choose_copy(f->schedule);
	return f->retry != NULL;
}

bool flash_pass_time(struct flash *f)
{
	bool first = retry_pass_time(f->retry, schedule_now(f->schedule));

	for (block_t b = 0; first && b < f->geometry->blocks; b++)
		if (f->block[b].next)
			retry_prefill(f->retry, b);
	return first;
}

void flash_set_slc(struct flash *f, block_t block, bool slc)
{
	BUG_ON(f->block[block].next, "block %u changes its mode with %u pages programmed", block,
		f->block[block].next);
	if (slc)
		bits_set(f->slc, block);
	else
		bits_clear(f->slc, block);
	TELL(f, mode, (o->context, geometry_first_page(f->geometry, block), slc));
}

/* ---- observers ---- */

void flash_observe(struct flash *f, struct flash_observer *observer)
{
	struct flash_observer **link = &f->observers;

	while (*link)
		link = &(*link)->next;
	*link = observer;
	observer->next = NULL;
	flash_set_watched(f);
	schedule_set_observers(f->schedule);
}

void flash_dismiss(struct flash *f, struct flash_observer *observer)
{
	struct flash_observer **link = &f->observers;

	while (*link && *link != observer)
		link = &(*link)->next;
	if (*link)
		*link = observer->next;
	flash_set_watched(f);
	schedule_set_observers(f->schedule);
}

__attribute__((cold)) void flash_tell_kept(const struct flash *f, ppn_t page, ppn_t from)
{
	TELL(f, kept, (o->context, page, from));
}

__attribute__((cold)) void flash_tell_answers(const struct flash *f, ppn_t page)
{
	TELL(f, answers, (o->context, page));
}

/* Outside time. */
static __attribute__((cold)) void flash_tell_placed(const struct flash *f, ppn_t page, ppn_t from)
{
	TELL(f, placed, (o->context, page, from));
}

void flash_free(struct flash *f)
{
	if (!f)
		return;
	schedule_free(f->schedule);
	memory_free(f->owner);
	memory_free(f->passed_over);
	memory_free(f->block);
	memory_free(f->slc);
	memory_free(f->slc_times);
	retry_free(f->retry);
	memory_free(f);
}

static bool flash_is_passed_over(const struct flash *f, ppn_t ppn)
{
	return f->passed_over && bits_get(f->passed_over, ppn);
}

/* Pages programmed since the erase, without those passed over. */
static uint32_t flash_programmed_pages(const struct flash *f, block_t block)
{
	uint32_t pages = f->block[block].next;
	ppn_t first = geometry_first_page(f->geometry, block);

	for (ppn_t ppn = first; f->passed_over && ppn < first + f->block[block].next; ppn++)
		pages -= flash_is_passed_over(f, ppn);
	return pages;
}

/* Aborts unless the page is in range and programmed. */
static inline void flash_check_readable(struct flash *f, ppn_t ppn, enum cause cause)
{
	const struct geometry *g = f->geometry;
	block_t block = geometry_block(g, ppn);

	BUG_ON(ppn >= g->pages, "%s reads page %u of %u", cause_name(cause), ppn, g->pages);
	BUG_ON(ppn - geometry_first_page(g, block) >= f->block[block].next,
		"%s reads the free page %u of block %u (%u pages programmed)", cause_name(cause),
		ppn - geometry_first_page(g, block), block, flash_programmed_pages(f, block));
	BUG_ON(flash_is_passed_over(f, ppn), "%s reads page %u of block %u, which was passed over",
		cause_name(cause), ppn - geometry_first_page(g, block), block);
}

/* Sets or clears the marks of pages [from, to), which are empty. */
static void flash_mark_passed_over(struct flash *f, ppn_t from, ppn_t to, bool over)
{
	for (ppn_t ppn = from; ppn < to; ppn++) {
		if (over)
			bits_set(f->passed_over, ppn);
		else
			bits_clear(f->passed_over, ppn);
		f->owner[ppn] = OWNER_NONE;
	}
}

/* ---- for a medium that is watched: kept out of the hot path ---- */

#define WATCHED __attribute__((cold, noinline)) static

/* The page is going to be programmed with data of `from`, or PPN_NONE.  In time the judge sees the
 * operation. */
WATCHED void flash_watch_program(const struct io *io, ppn_t ppn, ppn_t from)
{
	struct flash *f = io->flash;
	block_t block = geometry_block(f->geometry, ppn);

	if (f->observers && !io->timed)
		flash_tell_placed(f, ppn, from);
	if (f->retry && !f->block[block].next)
		retry_note(f->retry, block, RETRY_OPENED);
	if (f->retry && geometry_page(f->geometry, ppn) + 1 == f->geometry->pages_per_block)
		retry_note(f->retry, block, RETRY_FILLED);
}

WATCHED void flash_watch_sense(struct flash *f, ppn_t ppn, op_t op)
{
	block_t block = geometry_block(f->geometry, ppn);
	uint32_t retries =
		f->retry ? retry_read(f->retry, block, f->block[block].erases, flash_is_slc(f, block)) : 0;

	if (retries)
		schedule_repeat_read(f->schedule, op, retries);
}

/* The operation senses the page, perhaps several times. */
static inline void flash_sense(struct flash *f, ppn_t ppn, op_t op)
{
	if (f->watched)
		flash_watch_sense(f, ppn, op);
}

/* ---- operations ---- */

/* Marks the page programmed, with data of `from` or PPN_NONE; aborts unless the rules of NAND flash allow
 * that. */
static inline void flash_occupy(const struct io *io, ppn_t ppn, owner_t owner, ppn_t from, enum cause cause)
{
	struct flash *f = io->flash;
	const struct geometry *g = f->geometry;
	block_t block = geometry_block(g, ppn);
	struct flash_block *b = &f->block[block];
	uint32_t page = ppn - geometry_first_page(g, block);

	BUG_ON(ppn >= g->pages, "%s programs page %u of %u", cause_name(cause), ppn, g->pages);
	BUG_ON(page < b->next, "%s programs page %u of block %u%s", cause_name(cause), page, block,
		flash_is_passed_over(f, ppn) ? ", which was passed over" : " twice without an erase");
	BUG_ON(page > b->next && !f->passed_over,
		"%s programs page %u of block %u out of order, the next one is %u", cause_name(cause), page,
		block, b->next);
	if (page > b->next)
		flash_mark_passed_over(f, ppn - page + b->next, ppn, true);
	if (f->watched)
		flash_watch_program(io, ppn, from);
	b->next = page + 1;
	f->owner[ppn] = owner;
	f->pages_used++;
}

op_t flash_read(struct io *io, ppn_t ppn, uint32_t sectors, enum cause cause, op_t after)
{
	struct flash *f = io->flash;
	bool held;
	op_t op;

	flash_check_readable(f, ppn, cause);
	if (flash_is_lost(f, ppn))
		return flash_read_others(io, ppn, sectors, cause, after);
	oracle_page_read(f->oracle, ppn);
	if (!io->timed)
		return OP_NONE;
	op = schedule_read(io, ppn, sectors, cause, &held);
	if (held) {
		f->forwarded[cause]++;
	} else {
		f->count[OP_READ][cause]++;
		flash_sense(f, ppn, op);
	}
	schedule_wait(f->schedule, op, after);
	return op;
}

static op_t flash_schedule_program(struct io *io, ppn_t ppn, uint32_t sectors, enum cause cause, op_t after)
{
	struct flash *f = io->flash;
	op_t op;

	if (!io->timed) {
		f->untimed[OP_PROGRAM]++;
		return OP_NONE;
	}
	f->count[OP_PROGRAM][cause]++;
	op = schedule_program(io, ppn, sectors, cause);
	schedule_wait(f->schedule, op, after);
	return op;
}

op_t flash_program(struct io *io, ppn_t ppn, owner_t owner, uint32_t sectors, enum cause cause, op_t after)
{
	const struct geometry *g = io->flash->geometry;

	BUG_ON(owner == OWNER_NONE, "%s programs page %u of block %u for nobody", cause_name(cause),
		geometry_page(g, ppn), geometry_block(g, ppn));
	flash_occupy(io, ppn, owner, PPN_NONE, cause);
	return flash_schedule_program(io, ppn, sectors, cause, after);
}

static void flash_program_for_nobody(struct io *io, ppn_t ppn, enum cause cause)
{
	struct flash *f = io->flash;
	bool detached = io->detached;

	flash_occupy(io, ppn, OWNER_NONE, PPN_NONE, cause);
	io->detached = true;
	flash_schedule_program(io, ppn, f->geometry->sectors_per_page, cause, OP_NONE);
	io->detached = detached;
}

void flash_pad(struct io *io, ppn_t ppn)
{
	flash_program_for_nobody(io, ppn, CAUSE_PAD);
}

void flash_program_parity(struct io *io, ppn_t ppn)
{
	flash_program_for_nobody(io, ppn, CAUSE_PARITY);
}

static bool flash_may_copy_back(const struct io *io, ppn_t from, ppn_t to)
{
	const struct flash *f = io->flash;

	return io->timed && f->settings->copyback && !f->by_controller &&
	       geometry_plane_of(f->geometry, from) == geometry_plane_of(f->geometry, to);
}

/* Moves owner and content from one page to another. */
static inline void flash_move_owner(struct io *io, ppn_t from, ppn_t to, enum cause cause)
{
	struct flash *f = io->flash;
	owner_t owner;

	flash_check_readable(f, from, cause);
	owner = f->owner[from];
	BUG_ON(owner == OWNER_NONE, "%s copies the dead page %u", cause_name(cause), from);
	flash_occupy(io, to, owner, from, cause);
	flash_disown(f, from);
	oracle_page_copied(f->oracle, from, to);
}

static inline void flash_count_copy_back(struct flash *f, enum cause cause)
{
	f->count[OP_READ][cause]++;
	f->count[OP_PROGRAM][cause]++;
	f->count[OP_COPY][cause]++;
}

/* A copy over the bus: a read and a program. */
static op_t flash_copy_over_bus(struct io *io, ppn_t from, ppn_t to, enum cause cause, op_t after)
{
	struct flash *f = io->flash;
	uint32_t sectors = f->geometry->sectors_per_page;
	op_t program;

	after = flash_read(io, from, sectors, cause, after);
	program = flash_schedule_program(io, to, sectors, cause, after);
	if (io->timed)
		TELL(f, copied, (o->context, to, from));
	return program;
}

op_t flash_copy(struct io *io, ppn_t from, ppn_t to, enum cause cause, op_t after)
{
	op_t copy = OP_NONE;

	flash_move_owner(io, from, to, cause);
	if (flash_may_copy_back(io, from, to))
		copy = schedule_copy(io, from, to, cause, after);
	if (copy == OP_NONE)
		return flash_copy_over_bus(io, from, to, cause, after);
	flash_sense(io->flash, from, copy);
	flash_count_copy_back(io->flash, cause);
	return copy;
}

void flash_move(struct io *io, ppn_t from, ppn_t to, enum cause cause)
{
	flash_move_owner(io, from, to, cause);
	if (!flash_may_copy_back(io, from, to) || !schedule_move(io, from, to, cause)) {
		flash_copy_over_bus(io, from, to, cause, OP_NONE);
		return;
	}
	flash_count_copy_back(io->flash, cause);
	flash_sense(io->flash, from, schedule_last(io));
}

static void flash_check_erasable(const struct flash *f, block_t block, enum cause cause)
{
	const struct geometry *g = f->geometry;
	ppn_t first = geometry_first_page(g, block);

	BUG_ON(block >= g->blocks, "%s erases block %u of %u", cause_name(cause), block, g->blocks);
	for (uint32_t page = 0; page < f->block[block].next; page++)
		BUG_ON(f->owner[first + page] != OWNER_NONE,
			"%s erases block %u, whose page %u belongs to %u", cause_name(cause), block, page,
			f->owner[first + page]);
}

op_t flash_erase(struct io *io, block_t block, enum cause cause)
{
	struct flash *f = io->flash;
	const struct geometry *g = f->geometry;
	struct flash_block *b = &f->block[block];
	ppn_t first = geometry_first_page(g, block);
	uint32_t pages;

	flash_check_erasable(f, block, cause);
	oracle_page_erased(f->oracle, first, g->pages_per_block);
	pages = flash_programmed_pages(f, block);
	f->pages_used -= pages;
	f->pages_erased += pages;
	if (pages != b->next)
		flash_mark_passed_over(f, first, first + b->next, false);
	b->next = 0;
	b->erases++;
	if (f->retry)
		retry_note(f->retry, block, RETRY_ERASED);
	if (!io->timed) {
		f->untimed[OP_ERASE]++;
		TELL(f, cleared, (o->context, first));
		schedule_forget(f->schedule, block);
		return OP_NONE;
	}
	f->count[OP_ERASE][cause]++;
	return schedule_erase(io, first, cause);
}

void flash_wait(struct io *io, op_t op, op_t other)
{
	if (op != OP_NONE)
		schedule_wait(io->flash->schedule, op, other);
}

/* No operation is in flight. */
static bool flash_block_is_idle(const struct flash_block *b)
{
	return !b->unfinished && b->gate == INDEX_NONE && b->last == INDEX_NONE && b->erase == INDEX_NONE;
}

void flash_check_idle(const struct flash *f)
{
	for (block_t b = 0; b < f->geometry->blocks; b++)
		BUG_ON(!flash_block_is_idle(&f->block[b]), "operations of block %u never finish", b);
	schedule_check_idle(f->schedule);
}

static const struct state_row flash_block_state[] = {
	STATE_NUMBER(struct flash_block, next),
	STATE_NUMBER(struct flash_block, erases),
	STATE_NUMBER(struct flash_block, unfinished),
	STATE_NUMBER(struct flash_block, gate),
	STATE_NUMBER(struct flash_block, last),
	STATE_NUMBER(struct flash_block, erase),
	{ 0 },
};

const struct state_row flash_state[] = {
	STATE_FIXED(geometry, settings, oracle, observers, slc_times, lost, watched, by_controller),
	STATE_COUNTED(total),
	STATE_NUMBERS(struct flash, owner),
	STATE_ARRAY(struct flash, block, flash_block_state),
	STATE_NUMBER(struct flash, pages_used),
	STATE_NUMBERS(struct flash, passed_over),
	STATE_NUMBERS(struct flash, slc),
	STATE_OF_RUN,
	STATE_POINTER(struct flash, retry, retry_state),
	STATE_POINTER(struct flash, schedule, schedule_state),
	STATE_NUMBER(struct flash, count),
	STATE_NUMBER(struct flash, forwarded),
	STATE_NUMBER(struct flash, transferred_sectors),
	STATE_NUMBER(struct flash, pages_used_before),
	STATE_NUMBER(struct flash, untimed),
	STATE_NUMBER(struct flash, pages_erased),
	STATE_NUMBER(struct flash, erases_before),
	STATE_NUMBER(struct flash, wordlines),
	STATE_NUMBER(struct flash, wordline_stalls),
	STATE_NUMBER(struct flash, wordline_pads),
	STATE_NUMBER(struct flash, forwarded_early),
	{ 0 },
};

static uint64_t flash_sum_of_causes(const uint64_t *count)
{
	uint64_t sum = 0;

	for (int cause = 0; cause < CAUSES; cause++)
		sum += count[cause];
	return sum;
}

uint64_t flash_total(const struct flash *f, enum op_kind kind)
{
	return flash_sum_of_causes(f->count[kind]);
}

uint64_t flash_forwarded(const struct flash *f)
{
	return flash_sum_of_causes(f->forwarded);
}

uint64_t flash_erases(const struct flash *f)
{
	uint64_t erases = 0;

	for (block_t b = 0; b < f->geometry->blocks; b++)
		erases += f->block[b].erases;
	return erases;
}

/* Pages passed over have no owner and are below `next`; free pages are empty. */
static void flash_check_block(const struct flash *f, block_t b)
{
	const struct geometry *g = f->geometry;
	ppn_t first = geometry_first_page(g, b);

	for (uint32_t page = 0; f->passed_over && page < g->pages_per_block; page++)
		BUG_ON(flash_is_passed_over(f, first + page) &&
				(page >= f->block[b].next || f->owner[first + page] != OWNER_NONE),
			"page %u of block %u was passed over and has an owner, or is free", page, b);
	BUG_ON(f->oracle && !oracle_holds_nothing(f->oracle, first + f->block[b].next,
				    g->pages_per_block - f->block[b].next),
		"a free page of block %u holds data", b);
}

void flash_check_books(const struct flash *f)
{
	uint64_t programs = flash_total(f, OP_PROGRAM) + f->untimed[OP_PROGRAM];
	uint64_t erases = flash_total(f, OP_ERASE) + f->untimed[OP_ERASE], used = 0;

	for (block_t b = 0; b < f->geometry->blocks; b++) {
		flash_check_block(f, b);
		used += flash_programmed_pages(f, b);
	}
	BUG_ON(used != f->pages_used, "the blocks hold %llu pages, the medium counted %llu",
		(unsigned long long)used, (unsigned long long)f->pages_used);
	BUG_ON(programs + f->pages_used_before != f->pages_used + f->pages_erased,
		"%llu programs and %llu pages before are not %llu pages now and %llu erased",
		(unsigned long long)programs, (unsigned long long)f->pages_used_before,
		(unsigned long long)f->pages_used, (unsigned long long)f->pages_erased);
	BUG_ON(flash_erases(f) - f->erases_before != erases, "the blocks count %llu erases, the medium %llu",
		(unsigned long long)(flash_erases(f) - f->erases_before), (unsigned long long)erases);
}
