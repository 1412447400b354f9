#include "ftl/table.h"

#include "base/bits.h"
#include "base/memory.h"

/* In a collection the plane's own reserve; the other planes need theirs. */
static ppn_t take_map_page(void *table, struct io *io, uint32_t id)
{
	struct table *t = table;

	return t->collecting == PLANE_NONE ? store_take(t->store, io, id, t->stream)
					   : space_take(t->store->space, t->collecting, t->stream, true);
}

void table_init(
	struct table *t, struct ftl *f, struct store *store, unsigned stream, uint32_t pages, owner_t base)
{
	*t = (struct table){ .ftl = f, .store = store, .stream = stream, .collecting = PLANE_NONE };
	t->directory = directory_create(&f->core->map, store->space, &f->map, pages, base,
		(struct directory_client){ t, take_map_page });
	t->directory->noted_most = 0;
	t->updates = memory_array(bits_words(pages), sizeof *t->updates, "changed mapping pages");
}

void table_release(struct table *t)
{
	directory_free(t->directory);
	memory_free(t->updates);
}

void table_moved(struct table *t, const struct io *io, uint32_t page, bool in_dram)
{
	if (in_dram) {
		t->gc_lazy += io->timed;
	} else if (io->timed) {
		directory_note(t->directory, page);
		bits_set(t->updates, page);
	}
}

void table_emptied(
	struct table *t, struct io *io, block_t victim, void (*updated)(struct ftl *, uint32_t page))
{
	size_t words = bits_words(t->directory->pages);

	t->collecting = geometry_plane(t->store->space->geometry, victim);
	for (uint32_t page = bits_next(t->updates, words, 0); page != INDEX_NONE;
		page = bits_next(t->updates, words, page)) {
		bits_clear(t->updates, page);
		if (directory_pay(t->directory, io, page) && updated)
			updated(t->ftl, page);
	}
	t->collecting = PLANE_NONE;
}

const struct state_row table_state[] = {
	STATE_FIXED(ftl, store, stream),
	STATE_SCRATCH(updates, collecting),
	STATE_COUNTED(gc_lazy),
	STATE_POINTER(struct table, directory, directory_state),
	{ 0 },
};

static const struct stat_row rows[] = {
	{ "gc_lazy", "entries", "changed by collection in DRAM", STAT_COUNT, 0 },
	{ 0 },
};

void table_statistics(struct table *t, struct stat_list *list)
{
	stat_list_add(list, (struct stat_group){ NULL, "map.", rows, &t->gc_lazy, sizeof t->gc_lazy });
}
