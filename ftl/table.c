#include "ftl/table.h"

#include "base/bits.h"
#include "base/memory.h"

/* During a collection, from the reserve of the victim's plane: other planes need their own. */
static ppn_t table_take_page(void *table, struct io *io, uint32_t id)
{
	struct table *t = table;

	return t->into == PLANE_NONE ? store_take(t->ftl, io, id, t->stream)
				     : space_take(t->ftl->store->space, io, t->into, t->stream, true);
}

void table_init(struct table *t, struct ftl *f, unsigned stream, uint32_t pages, owner_t base)
{
	*t = (struct table){ .ftl = f, .stream = stream, .into = PLANE_NONE };
	t->directory = directory_create(&f->core->map, f->store->space, &f->map, pages, base,
		(struct directory_client){ t, table_take_page });
	t->directory->pending_limit = 0;
	t->changed = memory_array(bits_words(pages), sizeof *t->changed, "changed mapping pages");
}

void table_release(struct table *t)
{
	directory_free(t->directory);
	memory_free(t->changed);
}

void table_moved(struct table *t, const struct io *io, uint32_t page, bool in_dram)
{
	if (in_dram) {
		t->gc_lazy += io->timed;
	} else if (io->timed) {
		directory_defer_update(t->directory, page);
		bits_set(t->changed, page);
	}
}

void table_emptied(
	struct table *t, struct io *io, block_t victim, void (*updated)(struct ftl *, uint32_t page))
{
	size_t words = bits_words(t->directory->pages);

	t->into = geometry_plane(t->ftl->store->space->geometry, victim);
	for (uint32_t page = bits_next(t->changed, words, 0); page != INDEX_NONE;
		page = bits_next(t->changed, words, page)) {
		bits_clear(t->changed, page);
		if (directory_apply_updates(t->directory, io, page) && updated)
			updated(t->ftl, page);
	}
	t->into = PLANE_NONE;
}

const struct state_row table_state[] = {
	STATE_FIXED(ftl, stream),
	STATE_SCRATCH(changed, into),
	STATE_COUNTED(gc_lazy),
	STATE_POINTER(struct table, directory, directory_state),
	{ 0 },
};

static const struct stat_row table_rows[] = {
	{ "gc_lazy", "entries", "changed by collection in DRAM", STAT_COUNT, 0 },
	{ 0 },
};

void table_statistics(struct table *t, struct stat_list *list)
{
	stat_list_add(list, (struct stat_group){ NULL, "map.", table_rows, &t->gc_lazy, sizeof t->gc_lazy });
}
