#include "buffer/ghosts.h"

enum { REMEMBERED, FREE, HEADS };

struct ghosts ghosts_create(uint32_t room)
{
	struct ghosts g = { .room = room, .index = hash_create(room, "ghosts") };

	g.ghost = memory_array((size_t)room + HEADS, sizeof *g.ghost, "ghosts");
	list_init(ARRAY_FIELD(g.ghost, link), REMEMBERED);
	list_init(ARRAY_FIELD(g.ghost, link), FREE);
	for (uint32_t i = 0; i < room; i++)
		list_append(ARRAY_FIELD(g.ghost, link), FREE, HEADS + i);
	return g;
}

void ghosts_free(struct ghosts *g)
{
	hash_free(&g->index);
	memory_free(g->ghost);
}

static void ghosts_forget(struct ghosts *g, uint32_t i)
{
	hash_remove(&g->index, HASHED(g->ghost, lpn, chain), i);
	list_remove(ARRAY_FIELD(g->ghost, link), i);
	list_prepend(ARRAY_FIELD(g->ghost, link), FREE, i);
}

void ghosts_add(struct ghosts *g, lpn_t lpn)
{
	struct array_field links = ARRAY_FIELD(g->ghost, link);
	uint32_t i;

	if (!ghosts_take(g, lpn) && list_empty(links, FREE))
		ghosts_forget(g, list_next(links, REMEMBERED));
	i = list_next(links, FREE);
	list_remove(links, i);
	list_append(links, REMEMBERED, i);
	g->ghost[i].lpn = lpn;
	hash_add(&g->index, HASHED(g->ghost, lpn, chain), i);
}

bool ghosts_take(struct ghosts *g, lpn_t lpn)
{
	uint32_t i = hash_find(&g->index, HASHED(g->ghost, lpn, chain), lpn);

	if (i == INDEX_NONE)
		return false;
	ghosts_forget(g, i);
	return true;
}

static void ghosts_restored(void *ghosts)
{
	struct ghosts *g = ghosts;
	struct array_field links = ARRAY_FIELD(g->ghost, link);

	hash_clear(&g->index);
	for (uint32_t i = list_next(links, REMEMBERED); i != REMEMBERED; i = list_next(links, i))
		hash_add(&g->index, HASHED(g->ghost, lpn, chain), i);
}

static const struct state_row ghost_state[] = {
	STATE_NUMBER(struct ghost, lpn),
	STATE_REBUILT(chain),
	STATE_NUMBER(struct ghost, link),
	{ 0 },
};

const struct state_row ghosts_state[] = {
	STATE_FIXED(room),
	STATE_ARRAY(struct ghosts, ghost, ghost_state),
	STATE_REBUILT(index),
	STATE_RESTORED(ghosts_restored),
	{ 0 },
};
