/*
 * Time.  Discrete events over two kinds of unit: a channel's bus and a die with its planes.
 *
 * A read takes the command on the bus, the sense on the die, the data on the bus; a program takes command and
 * data on the bus, then the die; a copy-back and an erase take a command, then the die.  A die serves one
 * command at a time: reads first (up to a limit) or in order of becoming ready; waiting operations of other
 * planes may join it (multi-plane), once all that becomes ready at a moment waits.  Programs and erases of a
 * block keep their order (order.h).  A bus is granted to waiting dies in the order of flash.bus_order, and
 * among equals to the one that asked first; a die that leaves the bus asks for its next command before the
 * bus is passed on.  Events of one instant happen in a fixed order, so a run is repeatable to the byte.
 *
 * Knows operations, dies and channels.  It does not know what a page holds or why it moves.
 */
#ifndef FLASH_SCHEDULE_H
#define FLASH_SCHEDULE_H

#include "flash/flash.h"
#include "observe/accounts.h"
#include "observe/tracer.h"

struct schedule;

struct schedule *schedule_create(struct flash *);
void schedule_free(struct schedule *);

/*
 * For flash.c: a new operation of the request `io`, no copy.
 * A read of a page under copy-back takes place at the source if it is ready before the copy is done; of
 * a page whose program is not done it waits for that.
 */
op_t schedule_op(struct io *, enum op_kind, ppn_t, uint32_t sectors, enum cause cause);

/* The same, a copy, which waits until the page is written, and for `after`.  OP_NONE: the controller's memory
 * holds the page, which need not be read; nothing is made. */
op_t schedule_copy(struct io *, ppn_t from, ppn_t to, enum cause, op_t after);

/* The same where no call will name the copy; false: nothing is made. */
bool schedule_move(struct io *, ppn_t from, ppn_t to, enum cause);

/* The unfinished operation that writes the page, or OP_NONE; `held`: the controller's memory has the page. */
op_t schedule_writer(const struct schedule *, ppn_t, bool *held);

/* A read of a page held for the program `writer`: done when that has what it waits for. */
op_t schedule_forward(struct io *, ppn_t, uint32_t sectors, enum cause, op_t writer);

/* For flash.c: the block has been erased outside time. */
void schedule_forget(struct schedule *, block_t);

void schedule_wait_for(struct schedule *, op_t op, op_t other);

static inline void schedule_wait(struct schedule *s, op_t op, op_t other)
{
	if (other != OP_NONE)
		schedule_wait_for(s, op, other);
}

bool schedule_done(const struct schedule *, op_t);

/*
 * For the drive: a request begins, causes operations, and is submitted; they become ready
 * `delay` ns later.  Its ticket is the small number by which it completes.
 */
void schedule_begin(struct schedule *, struct io *);
void schedule_submit(struct schedule *, struct io *, tick_t delay);

/* From now on the witness is told what happens; NULL: nobody is. */
void schedule_trace(struct schedule *, struct tracer *);

/* For the witness, if there is one: why an FTL does what it does next. */
__attribute__((format(printf, 2, 3))) void schedule_note(struct schedule *, const char *format, ...);

/* From now on the judge of the medium looks on; before the first operation. */
void schedule_be_judged(struct schedule *);

/* From now on it is followed where the time of each request goes; before the first. */
void schedule_keep_accounts(struct schedule *);

/* Where that of a request went that schedule_completed() has just named. */
const struct account *schedule_account(const struct schedule *, uint32_t ticket);

tick_t schedule_now(const struct schedule *);

/* Lets time pass up to and including `until`. */
void schedule_run_until(struct schedule *, tick_t until);

/* Lets time pass until one more request completes; false when nothing is under way. */
bool schedule_run_to_completion(struct schedule *);

/* Lets time pass until nothing is under way, background work included. */
void schedule_drain(struct schedule *);

/* A request that completed, in order of completion; false when there is none. */
bool schedule_completed(struct schedule *, uint32_t *ticket, tick_t *when);

/* State of a run between two events. */
extern const struct state_row schedule_state[];

/* Between two requests: aborts unless the operations in flight are consistent (flash/census.h). */
void schedule_check(const struct schedule *);

/* Aborts unless nothing is left of operations when all have ended. */
void schedule_check_idle(const struct schedule *);

/* For checks of loaded state.  Is this OP_NONE or the handle of an operation that was issued?  INDEX_NONE or the
 * number of one?  How many tickets exist? */
bool schedule_knows(const struct schedule *, op_t);
bool schedule_has_op(const struct schedule *, uint32_t index);
uint32_t schedule_tickets(const struct schedule *);

/* Work that waits for or occupies a die, in ns of die time: the measure of its load. */
uint64_t schedule_load(const struct schedule *, die_t);

/* An order of all dies, that of their numbers at first; nothing is under way. */
void schedule_line_up(struct schedule *, const die_t *);

/* The place in that order of the die with the least load, of equal ones the first at or behind `from`, going
 * round. */
uint32_t schedule_least_loaded(struct schedule *, uint32_t from);

/* Busy time of all dies and buses since the statistics began. */
struct busy {
	uint64_t die_ns, die_background_ns, channel_ns;
	uint64_t multiplane_commands, suspensions;
};
struct busy schedule_busy(const struct schedule *);
void schedule_statistics_start(struct schedule *);

#endif
