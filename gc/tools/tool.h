/*
 * Tools of the store: optional features of a drive with a collector, as tables of functions.  Placement
 * handles, the SLC cache, collection in idle time, refresh and wear levelling are such tools.  A tool is a
 * file in this folder and a line in list.h.
 *
 * A tool claims streams and blocks before the space is made, chooses where pages of the host go, hears of
 * blocks, works when room is made, after a collection and in idle time, and reports.  The store asks only
 * those that are on; nothing is asked for each page unless a tool has `stream` or `page`.
 */
#ifndef GC_TOOL_H
#define GC_TOOL_H

#include "base/fault.h"
#include "base/param.h"
#include "gc/collect.h"
#include "gc/space/units.h"
#include "stats/table.h"

#include <stdio.h>

enum {
#define TOOL(name) TOOL_##name,
#include "gc/tools/list.h"
#undef TOOL
	TOOLS
};

/* What tools want of the drive that is made for them. */
struct tool_wants {
	struct slc_times slc;  /* blocks in SLC mode; program_ns 0: none */
	uint32_t host_streams; /* that divide the data of the host; 0: none */
	bool history;          /* the medium counts senses and knows the ages of blocks */
	bool devices_apart;    /* devices of a trace share one address space and stay apart */
	enum free_order order; /* in which free blocks are opened */
};

/* What the tools need of the space, added up; the streams are those of the FTL first. */
struct tool_needs {
	const struct geometry *geometry, *device;  /* of the layout, if there is one; of the drive */
	struct units *units;                       /* NULL: none */
	struct layout *layout;                     /* a tool may put its own in place of it; NULL: none */
	const char *order;                         /* placement.order */
	const struct bad_blocks *bad, *device_bad; /* of the space: never taken; of the drive */
	const struct gc_settings *gc;
	struct flash *flash;
	uint32_t reserve, map_pages; /* of the plan of the FTL's store */
	struct stream *streams;
	unsigned count;       /* of streams */
	uint32_t open_blocks; /* of each plane, that they fill beside those of a drive without tools */
	uint32_t cold_blocks; /* of these, those that are never full of live pages */
	uint32_t pool_blocks; /* the last ones of each plane, which are theirs alone */
};

/* How many values of a request's device and hint are told apart; 0: nothing reads it. */
struct tool_labels {
	uint32_t devices, hints;
};

struct tool {
	const struct store_tool *ops;
	const void *settings;
	struct collector *collector;
	struct space *space;
	void *state; /* ops->size bytes */
	bool due;    /* it acts before the request that enters */
};

#define TOOL_TAG 3

struct store_tool {
	const char *name; /* of its group of parameters, if it has any */
	const struct param *params;
	size_t settings_size;
	bool stateless;                 /* of all its parameters */
	const struct refusal *refusals; /* count if it is on */
	size_t size;                    /* of the private state; NULL rows: none is saved */
	const struct state_row *state;

	/* All are optional. */

	/* NULL: it is always on. */
	bool (*is_on)(const void *settings);
	void (*wants)(const void *settings, struct tool_wants *);
	/* False and a fault: the settings do not fit. */
	bool (*claim)(struct tool *, struct tool_needs *, struct fault *);
	/* All tools have claimed what they need: is the drive large enough?  False and a fault: no. */
	bool (*fits)(const struct tool *, const struct tool_needs *, struct fault *);
	void (*init)(struct tool *); /* collector and space are there */
	void (*exit)(struct tool *); /* also if the drive was refused before `init` */

	/* Before a request or command enters.  True: it acts first, with an io of no request. */
	bool (*is_due)(struct tool *);
	void (*act)(struct tool *, struct io *);
	/* A request or a command enters; `first`: no time has passed before. */
	void (*enter)(struct tool *, struct io *, const struct request *, bool first);
	enum request_type takes; /* with `command`: a command for this tool */
	void (*command)(struct tool *, struct io *, const struct request *);
	/* It sets io->handle, which buffered data keeps.  Returns what it reads of a request of this type. */
	struct tool_labels (*labels)(const void *settings, enum request_type);

	/* For a page of the host: the stream it goes to, and then a page in that plane that is not of a
	 * stream of the store, or PPN_NONE.  `own`: it was such a page. */
	unsigned (*stream)(const struct tool *, const struct io *, lpn_t, unsigned stream);
	ppn_t (*page)(struct tool *, struct io *, plane_t);
	void (*placed)(struct tool *, const struct io *, unsigned stream, bool own);

	void (*heard)(struct tool *, block_t, enum block_event);
	/* The plane needs room.  True: the tool made some; nothing is collected yet. */
	bool (*make_room)(struct tool *, struct io *, plane_t);
	/* The collector, or collector_clear(), has erased a block of the plane. */
	void (*collected)(struct tool *, struct io *, plane_t);

	/* Work in idle time.  How long the drive must be idle, of upkeep.idle_ns; NULL: so long; 0: never. */
	uint64_t (*wait)(const void *settings);
	void (*round)(struct tool *); /* a round begins: the medium knows the time */
	/* Works in the plane; FTLs permitting, moves at most `pages`.  False: there was nothing to do. */
	bool (*idle)(struct tool *, struct io *, plane_t, uint32_t pages, uint64_t *moved);

	/* What to say of the request, which has just been taken in: "placement handle 2"; "": nothing. */
	void (*say)(const struct tool *, const struct io *, const struct request *, char *text, size_t bytes);

	void (*check)(const struct tool *);
	void (*statistics)(struct tool *, struct stat_list *);
	bool (*tag)(const struct tool *, block_t, char tag[TOOL_TAG]);
	uint32_t tag_columns;
	void (*print)(const struct tool *, FILE *);
};

extern const struct store_tool *const store_tools[TOOLS + 1];

/* Those that are on. */
struct tools {
	struct tool tool[TOOLS];
	uint32_t count;
	bool enters, directs, acts; /* one of them has `enter`; `stream` or `page`; `act` */
	unsigned takes;             /* bit per type of request: one of them has `command` for it */
};

extern const struct state_row tools_state[];

/* `settings`: per tool, or NULL. */
void tools_create(struct tools *, const void *const settings[TOOLS]);
void tools_release(struct tools *);
bool tools_claim(struct tools *, struct tool_needs *, struct fault *);
bool tools_fit(const struct tools *, const struct tool_needs *, struct fault *);
void tools_init(struct tools *, struct collector *);
struct tool_wants tools_wants(const void *const settings[TOOLS]);

static inline bool tool_is_on(const struct store_tool *t, const void *settings)
{
	return !t->is_on || (settings && t->is_on(settings));
}

/* Each tool that is on and has the function. */
#define TOOLS_WITH(t, list, function)                                                                        \
	for (const struct tools *of_##t = (list); of_##t; of_##t = NULL)                                     \
		for (struct tool *t = (struct tool *)of_##t->tool; t < of_##t->tool + of_##t->count; t++)    \
			if (t->ops->function)

#endif
