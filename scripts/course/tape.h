/*
 * A tape: what a program of the course asks of its drive, in order.  The program runs in a process of its
 * own, which records the tape (recorder.c); the judge's process plays it on a drive that the program cannot
 * reach (player.c).  There the medium enforces its rules, oracle and judge follow data and time, and
 * operations are counted.
 *
 * Both processes simulate the same requests on the same drive, so operations have the same handles in both.
 * The player trusts nothing that a tape says.
 */
#ifndef COURSE_TAPE_H
#define COURSE_TAPE_H

#include "ftl/ftl.h"

#include <stdlib.h>

#define TAPE_DESCRIPTOR 3 /* that the recorder writes to; the player reads its standard input */

enum tape_kind {
	/* The drive calls the FTL; `page`: number of extents, which follow.  A call ends with TAPE_END. */
	TAPE_CALL_READ,
	TAPE_CALL_WRITE,
	TAPE_CALL_TRIM,
	TAPE_CALL_FLUSH,
	TAPE_CALL_PLACE_MAP,
	TAPE_EXTENT,
	/* `page`: has the FTL failed?  `sectors`, `from`: accesses and controller time that it added. */
	TAPE_END,

	/* The FTL calls the medium. */
	TAPE_READ,
	TAPE_PROGRAM,
	TAPE_COPY,
	TAPE_MOVE,
	TAPE_ERASE,
	TAPE_WAIT,

	/* The FTL calls the oracle. */
	TAPE_HOLDS_HOST,
	TAPE_HOLDS_KEPT,
	TAPE_HOLDS_DRAM,
	TAPE_ANSWERS,
	TAPE_DRAM_STORE,
	TAPE_DRAM_ANSWER,
	TAPE_DRAM_KEEP,
	TAPE_DRAM_DROP,

	/* At the end: the number, `from`, of operations of kind `page` with this cause; the map's bytes. */
	TAPE_COUNT,
	TAPE_MAP_BYTES,

	TAPE_CHANGED /* the program has changed settings that are not its own */
};

struct tape_record {
	uint8_t kind, cause;
	uint8_t timed, detached; /* as in struct io */
	uint32_t sectors;
	uint32_t page, other; /* or a block; the owner, or a second page */
	uint64_t from, end;   /* an extent; or the handles of an operation and of one it waits for */
};

/* Are all sectors read at the end of the run, outside time?  If READ_ALL is set. */
static inline bool tape_reads_all(void)
{
	return getenv("READ_ALL");
}

#endif
