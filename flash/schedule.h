/*
 * Time: a discrete-event simulation of two kinds of resource, the bus of a channel and a die with its planes.
 *
 * A read takes the bus for its command, the die for the sense, the bus for its data; a program takes the bus
 * for command and data, then the die; a copy-back and an erase take the bus for a command, then the die.  A
 * die serves one command at a time, apart from those in its cache register: reads first (up to a limit), or
 * in the order in which operations became ready.  Waiting operations of other planes may join a command
 * (multi-plane); a die is dispatched only when every operation that becomes ready at that time is queued.
 * Programs and erases of a block keep their order (order.h).  A bus is granted to waiting dies in the order
 * of flash.bus_order, and among equals to the first that requested it; a die that leaves the bus requests it
 * for its next command before the bus is passed on.  Events of the same time have a fixed order, so runs are
 * repeatable to the byte.
 *
 * The schedule knows operations, dies and channels, but neither the contents of pages nor why they move.
 */
#ifndef FLASH_SCHEDULE_H
#define FLASH_SCHEDULE_H

#include "flash/flash.h"

struct schedule;

struct schedule *schedule_create(struct flash *);
void schedule_free(struct schedule *);

/* For flash.c: the medium has, or no longer has, a feature of its hardware. */
void schedule_choose_copy(struct schedule *);

/* For flash.c: issue a program or an erase of the request `io`. */
op_t schedule_program(struct io *, ppn_t, uint32_t sectors, enum cause);
op_t schedule_erase(struct io *, ppn_t first, enum cause);

/*
 * For flash.c: issues a read.  `held`: the controller's memory holds the page for a program in flight, and
 * the read is done as soon as that program is ready.  A read of a page under copy-back is served at the
 * source if it becomes ready before the copy is done; a read of another page whose program is in flight waits
 * for the program.
 */
op_t schedule_read(struct io *, ppn_t, uint32_t sectors, enum cause, bool *held);

/* Issues a copy that depends on the program of its source, if in flight, and on `after`.  OP_NONE: nothing is
 * issued, because the controller's memory holds the page and no read is needed. */
op_t schedule_copy(struct io *, ppn_t from, ppn_t to, enum cause, op_t after);

/* The read, or the read of the copy, that was just issued fails `times` times: each time its data leaves the
 * die and is decoded for retry.ecc_ns, and the page is sensed again.  A copy does all this inside the die. */
void schedule_repeat_read(struct schedule *, op_t, uint32_t times);

/* The operation that was issued last. */
op_t schedule_last(const struct io *);

/* schedule_copy() without a handle and without `after`; false: nothing is issued. */
bool schedule_move(struct io *, ppn_t from, ppn_t to, enum cause);

/* Is an operation that writes the page in flight? */
bool schedule_writes(const struct schedule *, ppn_t);

/* Issues the answer to a read of a lost page.  It takes no time; the caller makes it depend on reads of other
 * pages. */
op_t schedule_answer(struct io *, ppn_t, uint32_t sectors, enum cause);

/* For flash.c: the block has been erased outside time; operations in flight no longer concern it. */
void schedule_forget(struct schedule *, block_t);

void schedule_wait_for(struct schedule *, op_t op, op_t other);

static inline void schedule_wait(struct schedule *s, op_t op, op_t other)
{
	if (other != OP_NONE)
		schedule_wait_for(s, op, other);
}

bool schedule_done(const struct schedule *, op_t);

/*
 * For the drive: a request begins, issues operations and is submitted; they are released `delay` ns later.
 * Its ticket is the small number that names it on completion.
 */
void schedule_begin(struct schedule *, struct io *);

/* The same for background work: it is done when all its operations are, of any cause.  No request may have
 * been in the drive for the last idle_ns; the judge checks this. */
void schedule_begin_work(struct schedule *, struct io *, uint64_t idle_ns);

/* The same for operations of no request: they are released on submission, without a delay. */
void schedule_begin_for_nobody(struct schedule *, struct io *);
void schedule_submit(struct schedule *, struct io *, tick_t delay);

/* schedule_make_durable(), before the operations of a request are issued: it completes when its data is in
 * flash, not when there is room for it in memory.  schedule_flush(), after they are issued: it also waits for
 * every unfinished program with cause host. */
void schedule_make_durable(struct schedule *, struct io *);
void schedule_flush(struct schedule *, struct io *);

/* A write completes when it is in the controller's memory, which has room for `pages` pages (write_memory.h);
 * with 0, the default, when it is in flash.  Before the first operation. */
void schedule_use_write_memory(struct schedule *, uint64_t pages);
uint64_t schedule_write_memory(const struct schedule *);

/* Does the program that is next in line wait for room in it?  Not before its request is released. */
bool schedule_lacks_room(const struct schedule *);

/* Adds the statistics of that memory to the list, if there is one. */
void schedule_statistics(struct schedule *, struct stat_list *);

/* Tells those that observe the reason for the FTL's next operations. */
__attribute__((format(printf, 2, 3))) void schedule_note(struct schedule *, const char *format, ...);

/* Does anyone hear that?  To be asked before a costly note is composed. */
bool schedule_is_traced(const struct schedule *);

/* The list of observers has changed. */
void schedule_set_observers(struct schedule *);

tick_t schedule_now(const struct schedule *);

/* Processes events up to and including `until`, or stops at schedule_pad_due(). */
void schedule_run_until(struct schedule *, tick_t until);

/* The same, but stops when a request completes.  False: none has. */
bool schedule_run_to_completion(struct schedule *, tick_t until);

/* Processes events until nothing is in flight, background work included. */
void schedule_drain(struct schedule *);

/* Takes the next completed request, in order of completion; false: there is none. */
bool schedule_completed(struct schedule *, uint32_t *ticket, tick_t *when);

/*
 * Programs by wordline, for the caller that fills up blocks with flash_pad().  Waits of wordlines end one by
 * one: while schedule_pad_due() is not later than now, schedule_next_to_pad() removes one and returns its
 * block if the wordline is still open, else BLOCK_NONE.
 */
tick_t schedule_pad_due(const struct schedule *);
block_t schedule_next_to_pad(struct schedule *);

/* Pages still to be programmed in the block before all data issued there can be programmed; 0: none.  Outside
 * time: before the next wordline begins. */
uint32_t schedule_lacks(const struct schedule *, block_t);

/* Do these missing pages hold up a program of the request?  INDEX_NONE: any program with cause host? */
bool schedule_holds_up(const struct schedule *, block_t, uint32_t ticket);

/* Will anything happen without new operations? */
bool schedule_goes_on(const struct schedule *);

/* Does everything in flight wait for wordlines to be filled up? */
bool schedule_is_stuck(const struct schedule *);

/* State of a run between two events. */
extern const struct state_row schedule_state[];

/* Between two requests: aborts unless the operations in flight are consistent. */
void schedule_check(const struct schedule *);

/* Aborts if anything is in flight. */
void schedule_check_idle(const struct schedule *);

/* Is this OP_NONE or the handle of an operation that was issued? */
bool schedule_knows(const struct schedule *, op_t);

/* Load of a die: queued and running work in ns of cell time. */
uint64_t schedule_load(const struct schedule *, die_t);

/* Sets the order of the dies for schedule_least_loaded(), by default that of their numbers.  Only while
 * nothing is in flight. */
void schedule_line_up(struct schedule *, const die_t *);

/* Place in that order of the least loaded die; of several, the first from `from` on, cyclically. */
uint32_t schedule_least_loaded(struct schedule *, uint32_t from);

/* Busy time of all dies and buses since the statistics began. */
struct busy {
	uint64_t die_ns, die_background_ns, channel_ns;
	uint64_t multiplane_commands, suspensions;
	uint64_t cache_reads, cache_programs; /* commands that begin while their die serves another */
};
struct busy schedule_busy(const struct schedule *);
void schedule_statistics_start(struct schedule *);

#endif
