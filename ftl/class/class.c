#include "ftl/class/class.h"

#include "flash/schedule.h"

/* The streams are the classes. */
static const char *const class_names[DATA_CLASSES] = { "class 0", "class 1", "class 2", "class 3", "class 4",
	"class 5" };

#define CLASS_RESERVE 4u

static struct classes *classes_of(const struct ftl *f)
{
	return (struct classes *)f->state;
}

/* ---- where pages go ---- */

unsigned class_of_written(struct ftl *f, struct io *io, lpn_t lpn)
{
	struct classes *c = classes_of(f);
	unsigned class = c->scheme->of_written(f, lpn);
	char why[96] = "";

	c->count[class].host_pages += io->timed;
	if (schedule_is_traced(f->flash->schedule)) {
		c->scheme->say_why(f, lpn, why, sizeof why);
		schedule_note(f->flash->schedule, "LPN %u goes to class %u: %s", lpn, class, why);
	}
	return class;
}

static unsigned class_of_moved(const struct ftl *f, owner_t owner, unsigned from)
{
	return classes_of(f)->scheme->of_moved(f, owner, from);
}

static void class_relocate(struct ftl *f, struct io *io, owner_t owner, ppn_t from, ppn_t to)
{
	struct classes *c = classes_of(f);
	const struct space *space = f->store->space;
	unsigned class = space->block[space_block_of(space, to)].stream;

	page_relocate(f, io, owner, from, to);
	c->count[class].gc_pages += io->timed;
	c->moved[class]++;
	if (c->scheme->moved)
		c->scheme->moved(f, owner);
}

/* "12 to class 3, 4 to class 4" */
static void class_tell_moved(const struct ftl *f, block_t victim, unsigned from)
{
	const struct classes *c = classes_of(f);
	char text[160] = "";
	int length = 0;

	for (unsigned i = 0; i < DATA_CLASSES; i++)
		if (c->moved[i])
			length += snprintf(text + length, sizeof text - (size_t)length, "%s%u to class %u",
				length ? ", " : "", c->moved[i], i);
	schedule_note(f->flash->schedule, "block %u is of class %u; its live pages go: %s", victim, from,
		length ? text : "there are none");
}

static void class_emptied(struct ftl *f, struct io *io, block_t victim)
{
	struct classes *c = classes_of(f);
	unsigned class = f->store->space->block[victim].stream;

	c->count[class].victims += io->timed;
	if (schedule_is_traced(f->flash->schedule))
		class_tell_moved(f, victim, class);
	memset(c->moved, 0, sizeof c->moved);
	if (c->scheme->emptied)
		c->scheme->emptied(f, io, victim, class);
}

/*
 * Why the live pages of a victim, at most a block of them less one, have room.  Moved pages enter n classes,
 * whose open blocks and k free blocks together have n blocks of free pages.  The open blocks then have n - k
 * blocks of free pages, none of them a whole block, so that any k + 1 of them have more room than the victim
 * has live pages: at most k classes need a new block.  The reserve ensures the n blocks of free pages, unless
 * the host fills these open blocks, too: then this function does.
 */
static void class_keep_room(struct ftl *f)
{
	collector_keep_free(f->store->collector, DATA_CLASSES * f->geometry->pages_per_block);
}

bool class_init(struct ftl *f, const struct class_scheme *scheme, struct fault *fault)
{
	const struct collector_client client = { .relocate = class_relocate,
		.emptied = class_emptied,
		.stream_of = class_of_moved,
		.prefetch = page_prefetch };
	struct stream streams[DATA_CLASSES + 1] = { 0 };

	for (unsigned i = 0; i < DATA_CLASSES; i++)
		streams[i] = (struct stream){ class_names[i], .survivors = (uint8_t)i,
			.host = i < scheme->host_classes };
	classes_of(f)->scheme = scheme;
	if (!page_create(f,
		    &(struct store_plan){ .streams = streams, .client = client, .reserve = CLASS_RESERVE },
		    fault))
		return false;
	if (scheme->mixes)
		class_keep_room(f);
	return true;
}

/* ---- requests ---- */

void class_write(struct ftl *f, struct io *io, const struct extent *extents, size_t n)
{
	const struct class_scheme *scheme = classes_of(f)->scheme;
	struct page_walk walk = page_walk_start(f->geometry, extents, n);
	struct page_part part;

	while (page_walk_next(&walk, &part)) {
		if (!part.mask && !page_map_get(page_map_of(f), part.lpn).mask)
			continue; /* there is nothing to pad */
		ftl_count_lookup(f, io);
		if (!page_write_part(f, io, io, part, OP_NONE))
			return;
		if (scheme->written)
			scheme->written(f, part.lpn);
	}
}

/* ---- the rest ---- */

const struct state_row class_state[] = {
	STATE_FIXED(scheme),
	STATE_SCRATCH(moved),
	STATE_COUNTED(count),
	STATE_STRUCT(struct classes, map, page_map_state),
	{ 0 },
};

void class_print_state(const struct ftl *f, FILE *out)
{
	const struct space *s = f->store->space;
	uint32_t blocks[DATA_CLASSES] = { 0 }, live[DATA_CLASSES] = { 0 };

	for (block_t b = 0; b < s->geometry->blocks; b++)
		if (s->block[b].state != BLOCK_FREE && s->block[b].state != BLOCK_RETIRED) {
			blocks[s->block[b].stream]++;
			live[s->block[b].stream] += s->block[b].valid;
		}
	for (unsigned i = 0; i < DATA_CLASSES; i++)
		if (blocks[i])
			fprintf(out, "blocks of class %u: %u, with %u valid pages\n", i, blocks[i], live[i]);
}

#define COUNT(field) STAT_COUNT, offsetof(struct class_count, field)

static const struct stat_row class_rows[] = {
	{ "host_pages", "pages", "of the host, written into this class", COUNT(host_pages) },
	{ "gc_pages", "pages", "moved into it by collection", COUNT(gc_pages) },
	{ "victims", "blocks", "of this class, collected", COUNT(victims) },
	{ 0 },
};

void class_statistics(struct ftl *f, struct stat_list *list)
{
	static const char *const prefix[DATA_CLASSES] = { "class.0.", "class.1.", "class.2.", "class.3.",
		"class.4.", "class.5." };
	struct classes *c = classes_of(f);

	for (unsigned i = 0; i < DATA_CLASSES; i++)
		stat_list_add(list, (struct stat_group){ i ? NULL : "placement by class", prefix[i],
					    class_rows, &c->count[i], sizeof c->count[i] });
}

const struct ftl_hints class_hints = { .prefetch = page_prefetch };
