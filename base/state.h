/*
 * State as tables.  A room has a row for each field of a struct that it keeps: name, place and kind.  From
 * these rows a drive is saved, loaded and copied, and a file of another layout is recognised.
 * tests/test_state.py finds a field without a row.
 *
 *	static const struct state_row entry_state[] = {
 *		STATE_NUMBER(struct entry, ppn),
 *		STATE_OP(struct entry, load),                    // the handle of an operation
 *		{ 0 },
 *	};
 *
 *	const struct state_row table_state[] = {
 *		STATE_FIXED(geometry),                           // set when the table is created: not saved
 *		STATE_ARRAY(struct table, entry, entry_state),
 *		STATE_NUMBER(struct table, used),
 *		STATE_REBUILT(index),                            // follows from the rest: not saved
 *		STATE_RESTORED(table_index),                     // rebuilds the index
 *		{ 0 },
 *	};
 *
 * Fields are written one by one, arrays as they lie in memory: their elements hold no pointers.  What is
 * loaded is not checked: a file has a checksum (drive/prepare/state_file.h).
 */
#ifndef BASE_STATE_H
#define BASE_STATE_H

#include "base/pool.h"

#include <stdbool.h>

/* Saves, loads or compares state. */
struct state_visitor {
	void (*visit)(struct state_visitor *, void *bytes, size_t size);
	bool running; /* a run: operations are in flight, and their handles keep their meaning */
	bool ended;   /* set by `visit`: nothing more can be visited */
};

enum state_kind {
	/* Values. */
	STATE_IS_NUMBER, /* also an array or a struct of numbers */
	STATE_IS_OP,     /* an operation's handle; OP_NONE outside a run, with nothing in flight */
	STATE_IS_STRUCT, /* `count` structs in a row, each as `rows` say */

	/* Memory behind a pointer. NULL: none, in every drive of the same settings. */
	STATE_IS_POINTER, /* a struct */
	STATE_IS_CHOSEN,  /* the struct of a plug-in; `chosen` returns its rows */
	STATE_IS_ARRAY,   /* of base/memory.h: numbers, or structs as `rows` say */
	STATE_IS_EACH,    /* the same, of structs with unsaved fields: visited one by one, each as an owner */

	/* Containers. */
	/* an array that grows; `used` and `room` locate its length and room in the owner */
	STATE_IS_GROWN,
	STATE_IS_POOL, /* struct pool */
	STATE_IS_HEAP, /* struct heap */

	/* Rows without a place. */
	STATE_IS_NOT_SAVED, /* fields that need not be saved */
	STATE_IS_RESTORED,  /* `restored` is called */
	STATE_IS_ENDED,     /* the same, if there is no run */
	STATE_IS_TABLE,     /* state that a table of another kind describes: `visit` visits it */
	STATE_IS_RUN, /* the rows behind it are state of a run only, in which operations are in flight */
};

#define STATE_FIELD(type, field) ((type *)0)->field

struct state_row {
	const char *name; /* of the field, or of several */
	enum state_kind kind;
	uint32_t offset, bytes; /* of the field; of an element */
	uint32_t count;         /* of structs; or bytes before a plug-in's struct */
	uint32_t used, room;    /* offsets of the length and the room of an array that grows */
	const struct state_row *rows;
	const struct state_row *(*chosen)(const void *owner);
	void (*restored)(void *owner);
	void (*visit)(void *owner, struct state_visitor *);
	uint64_t (*layout)(const void *owner); /* of what `visit` visits: a checksum */
};

/* clang-format off */
#define STATE_PLACE(type, field, value) #field, .kind = STATE_IS_##value, .offset = offsetof(type, field)
#define STATE_VALUE(type, field, value) \
	STATE_PLACE(type, field, value), .bytes = sizeof STATE_FIELD(type, field)
#define STATE_AT(type, field, value) \
	STATE_PLACE(type, field, value), .bytes = sizeof *STATE_FIELD(type, field)

/* One value. */
#define STATE_NUMBER(type, field) { STATE_VALUE(type, field, NUMBER) }
#define STATE_OP(type, field)     { STATE_VALUE(type, field, OP) }

/* A struct, or an array of structs, inside the owner. */
#define STATE_STRUCT(type, field, its_rows) \
	{ STATE_VALUE(type, field, STRUCT), .count = 1, .rows = its_rows }
#define STATE_STRUCTS(type, field, its_rows) { STATE_AT(type, field, STRUCT), .rows = its_rows, \
	.count = sizeof STATE_FIELD(type, field) / sizeof *STATE_FIELD(type, field) }

/* Memory behind a pointer: a struct, the struct of a plug-in, or an array of numbers or structs. */
#define STATE_POINTER(type, field, its_rows) /* the struct may be opaque */ \
	{ #field, .kind = STATE_IS_POINTER, .offset = offsetof(type, field), .rows = its_rows }
#define STATE_CHOSEN(type, field, which) \
	{ #field, .kind = STATE_IS_CHOSEN, .offset = offsetof(type, field), .chosen = which }
#define STATE_NUMBERS(type, field)         { STATE_AT(type, field, ARRAY) }
#define STATE_ARRAY(type, field, its_rows) { STATE_AT(type, field, ARRAY), .rows = its_rows }
#define STATE_EACH(type, field, its_rows)  { STATE_AT(type, field, EACH), .rows = its_rows }

/* Containers. */
#define STATE_GROWN(type, field, used_field, room_field, its_rows) \
	{ STATE_AT(type, field, GROWN), .rows = its_rows, \
	  .used = offsetof(type, used_field), .room = offsetof(type, room_field) }
#define STATE_POOL(type, field, its_rows) { STATE_VALUE(type, field, POOL), .rows = its_rows }
/* The same for objects that end with a plug-in's struct, after `behind` bytes: `which` returns its rows. */
#define STATE_POOL_TAILED(type, field, its_rows, which, behind) \
	{ STATE_VALUE(type, field, POOL), .rows = its_rows, .chosen = which, .count = behind }
#define STATE_HEAP(type, field, object, its_rows) \
	{ STATE_PLACE(type, field, HEAP), .bytes = sizeof(object), .rows = its_rows }

/* Fields without a row of their own: set when the struct is created; rebuilt by STATE_RESTORED; without
 * meaning between two requests; saved with the statistics; a flexible array, saved with its element. */
#define STATE_UNSAVED(names) { names, .kind = STATE_IS_NOT_SAVED }
#define STATE_FIXED(...)     STATE_UNSAVED(#__VA_ARGS__)
#define STATE_REBUILT(...)   STATE_UNSAVED(#__VA_ARGS__)
#define STATE_SCRATCH(...)   STATE_UNSAVED(#__VA_ARGS__)
#define STATE_COUNTED(...)   STATE_UNSAVED(#__VA_ARGS__)
#define STATE_TAIL(...)      STATE_UNSAVED(#__VA_ARGS__)

#define STATE_RESTORED(call)  { #call, .kind = STATE_IS_RESTORED, .restored = call }
#define STATE_ENDED(call)     { #call, .kind = STATE_IS_ENDED, .restored = call }
#define STATE_TABLE(type, field, visit_it, sum_it) \
	{ STATE_PLACE(type, field, TABLE), .visit = visit_it, .layout = sum_it }
#define STATE_OF_RUN          { "run", .kind = STATE_IS_RUN }
/* clang-format on */

/* Of struct ranks (base/ranks.h) and struct min_tree (base/min_tree.h). */
extern const struct state_row ranks_state[], min_tree_state[];

/* Visits the state of the owner and of all it leads to, in the order of the rows. */
void state_visit(struct state_visitor *, const struct state_row *, void *owner);

/* For `visit` of a row: visits some bytes, unless the visitor has ended. */
void state_visit_bytes(struct state_visitor *, void *bytes, size_t size);

/* The places in memory of an owner's state.  Starts zeroed; the user frees `part`. */
struct state_parts {
	struct state_part *part;
	uint32_t parts, room;
};

/* state_note() notes the places of an owner's state; state_give() copies the state to another owner of the
 * same rows, which was created like the first.  The first must not change in between. */
void state_note(struct state_parts *, const struct state_row *, void *owner, bool running);
void state_give(const struct state_parts *, const struct state_row *, void *owner, bool running);

/* A checksum of names, kinds and places of all rows that the owner's state has, and of the lengths of its
 * arrays: two programs whose checksums agree read each other's files. */
uint64_t state_layout(const struct state_row *, const void *owner, bool running);

#endif
