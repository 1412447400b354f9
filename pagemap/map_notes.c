#include "pagemap/map_notes.h"

#include "base/fault.h"
#include "base/memory.h"
#include "stats/table.h"

/* DRAM for the notes of changes, as a part of the budget; bytes of a note, an entry's number and value. */
#define NOTES_PART 64u
#define NOTE_BYTES 8u

void map_notes_init(struct map_notes *n, struct directory *d)
{
	*n = (struct map_notes){ .directory = d };
	n->noted = memory_array(d->pages, sizeof *n->noted, "notes of changed mapping pages");
	n->link = memory_array((size_t)d->pages + 1, sizeof *n->link, "notes of changed mapping pages");
	list_init(ARRAY_ELEMENTS(n->link), d->pages);
	n->most = map_budget(d->settings, d->space->geometry) / NOTES_PART / NOTE_BYTES;
}

void map_notes_release(struct map_notes *n)
{
	memory_free(n->noted);
	memory_free(n->link);
}

static void await_payment(struct map_notes *n, uint32_t id)
{
	n->total++;
	if (n->noted[id]++)
		return;
	list_append(ARRAY_ELEMENTS(n->link), n->directory->pages, id);
	n->waiting++;
}

void map_notes_add(struct map_notes *n, uint32_t id)
{
	n->statistics.noted++;
	await_payment(n, id);
}

bool map_notes_clear(struct map_notes *n, uint32_t id)
{
	if (!n->noted[id])
		return false;
	n->total -= n->noted[id];
	n->noted[id] = 0;
	list_remove(ARRAY_ELEMENTS(n->link), id);
	n->waiting--;
	return true;
}

void map_notes_settle(struct map_notes *n, struct io *io)
{
	uint32_t most = map_notes_due(n);

	if (!io->timed || n->directory->settings->gc_update == MAP_GC_DEFER)
		return;
	while (most-- && n->total > n->most) {
		uint32_t id = map_notes_oldest(n);
		op_t nobody = OP_NONE;

		map_notes_clear(n, id);
		if (directory_rewrite(n->directory, io, id, CAUSE_GC_UPDATE, OP_NONE, &nobody))
			continue;
		await_payment(n, id);
		return;
	}
}

void map_notes_regions(struct map_notes *n, struct regions *r)
{
	regions_visit(r, n->noted, n->directory->pages * sizeof *n->noted);
	regions_visit(r, n->link, (n->directory->pages + (size_t)1) * sizeof *n->link);
	regions_visit(r, &n->waiting, sizeof n->waiting);
	regions_visit(r, &n->total, sizeof n->total);
}

static const struct stat_row rows[] = {
	{ "gc_updates", "entries", "changed by collection while their mapping page was not in DRAM",
		STAT_COUNT, offsetof(struct map_notes_statistics, noted) },
	{ "pending", "pages", "changed by collection and not yet paid for at the end", STAT_COUNT,
		offsetof(struct map_notes_statistics, waiting) },
	{ 0 },
};

static void gather(void *notes)
{
	struct map_notes *n = notes;

	n->statistics.waiting = n->waiting;
}

void map_notes_statistics(struct map_notes *n, struct stat_list *list)
{
	stat_list_add(list, (struct stat_group){ NULL, "map.", rows, &n->statistics, sizeof n->statistics, n,
				    NULL, gather });
}

void map_notes_check(const struct map_notes *n)
{
	uint32_t waiting = 0;
	uint64_t total = 0;

	for (uint32_t id = 0; id < n->directory->pages; id++) {
		waiting += n->noted[id] != 0;
		total += n->noted[id];
	}
	list_check(ARRAY_ELEMENTS(n->link), n->directory->pages, n->waiting, "mapping pages that wait");
	BUG_ON(waiting != n->waiting || total != n->total,
		"%u mapping pages wait with %llu changes; counted are %u and %llu", waiting,
		(unsigned long long)total, n->waiting, (unsigned long long)n->total);
}
