/*
 * Shared by the files of the library.  Internal to library/.
 *
 *	open.c      drives are opened and closed; calls, guards and bugs
 *	serve.c     preparing, submitting, time, completions
 *	results.c   statistics, checks, blocks
 *	keep.c      saving, loading, forks
 *	policies.c  policies whose decisions are the caller's
 */
#ifndef LIBRARY_INSIDE_H
#define LIBRARY_INSIDE_H

#include "base/guard.h"
#include "base/queue.h"
#include "library/ssdlab.h"
#include "drive/prepare/precondition.h"
#include "drive/run/report.h"
#include "drive/run/run.h"

#include <locale.h>

/* Of a drive and its forks, which may be closed by different threads in any order. */
struct library_settings {
	struct guard guard;            /* what the settings have allocated */
	uint32_t users;                /* counted atomically */
	struct ssdlab_options options; /* its texts are copies */
	struct settings settings;
	struct gc_policy_ops gc_policy; /* calls the caller's function, under the caller's name */
	struct buffer_ops buffer;
};

/* A completion, until the caller takes it. */
struct library_completed {
	uint32_t next; /* in the queue */
	struct ssdlab_completion done;
};

struct ssdlab_drive {
	struct guard guard; /* what the drive has allocated */
	struct fault fault;
	enum ssdlab_status end; /* other than SSDLAB_OK: no more requests, or no more calls, may follow */
	struct fault why;       /* it ended, or was not opened */
	struct guard **user; /* guard_here() of the thread whose call is under way; NULL: none is; atomic */
	const char *told;    /* the last failure: text of the fault, or that a call was under way; atomic */
	locale_t locale;     /* "C", in which numbers are read and written */

	struct library_settings *shared;
	struct drive *drive; /* NULL: it could not be opened, or was lost to a bug or to lack of memory */
	bool prepared;
	struct precondition_result before;
	struct run run;
	struct workload workload; /* the last one, if `run` has one; open for its facts */
	char *workload_name;
	tick_t last_arrival;
	struct windows counted; /* where the statistics began, if ssdlab_reset_statistics() was called */
	bool stopped;           /* the progress function has asked for it */
	uint64_t asked;         /* how often the preparation has asked whether to stop */

	struct drive_observer observer;
	struct ssdlab_completion *in_drive; /* requests, by ticket: what is known of their completions */
	uint32_t tickets, ticket_room;
	struct pool completed; /* struct library_completed */
	struct queue done;
	struct report *report; /* of the present statistics; NULL: not made */
};

/* A pointer that a call cannot do without, and its name. */
struct library_given {
	const void *pointer;
	const char *name;
};

/* Arguments of a call and what came of it. */
struct library_call {
	ssdlab_drive *h;
	enum ssdlab_status status;
	const char *function;
	struct library_given given[4];
	const char *text[3];
	uint64_t number;
	const struct ssdlab_options *options;
	const struct ssdlab_request *rows;
	const struct ssdlab_columns *columns;
	void *out;
	size_t n, *count, done;
};

/* For the arguments of a public function: those that must not be NULL. */
#define GIVEN(pointer)                                                                                       \
	{                                                                                                    \
		pointer, #pointer                                                                            \
	}
#define GIVEN_IF(needed, pointer)                                                                            \
	{                                                                                                    \
		(needed) ? (const void *)(pointer) : "", #pointer                                            \
	}
#define NEEDED(...) .function = __func__, .given = { __VA_ARGS__ }

/* A mistake: status and text are set, unless the call has failed already. */
void library_fault(struct library_call *, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* True: none of them is NULL.  They end with one without a name. */
bool library_has(struct library_call *, const struct library_given *);

/* What a call needs of its drive. */
enum library_need {
	NEEDS_HANDLE,  /* whether its drive is open or not */
	NEEDS_DRIVE,   /* also one that is full */
	NEEDS_SERVING, /* that takes requests */
};

/* Runs the call under the drive's guard, if the drive can be called and all pointers are given.  Returns its
 * status. */
enum ssdlab_status library_enter(struct library_call *, enum library_need, void (*call)(void *library_call));

/* The caller's policies become choices of the settings.  False and a fault: a name is taken or invalid. */
bool library_bring_policies(struct library_settings *, struct fault *);

/* Creates the drive from settings that have been read, which it observes if completions are wanted. */
bool library_make_drive(ssdlab_drive *);

/* A completion by its number in the pool. */
static inline struct ssdlab_completion *library_completion(const ssdlab_drive *h, uint32_t number)
{
	return &((struct library_completed *)pool_at(&h->completed, number))->done;
}

/* Frees the drive, its requests and their completions. */
void library_free_drive(ssdlab_drive *);

/* A handle without a drive; the settings gain a user. */
ssdlab_drive *library_handle(struct library_settings *);

/* The drive has changed: drops the report made of it. */
void library_changed(ssdlab_drive *);

/* Prepares a drive, which must not be prepared yet, for a workload or none.  False: the call has failed. */
bool library_prepare(struct library_call *, const char *workload);

/* Opens the workload of a call as the drive's. */
bool library_open_workload(struct library_call *, const char *name);
void library_close_workload(ssdlab_drive *);

#endif
