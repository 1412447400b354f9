/* A collection policy and a buffer whose decisions are made by the caller's functions. */
#include "library/inside.h"

#include "base/memory.h"
#include "gc/candidates.h"
#include "gc/collect.h"

#include <ctype.h>
#include <string.h>

/* ---- collection ---- */

struct library_gc {
	struct candidates candidates;
	struct ssdlab_block *shown; /* room for those of a plane */
};

static void library_gc_init(struct gc_policy *policy)
{
	struct library_gc *g = policy->state;

	candidates_init(policy);
	g->shown = memory_array(policy->space->geometry->blocks_per_plane, sizeof *g->shown,
		"blocks shown to a collection policy");
}

static void library_gc_exit(struct gc_policy *policy)
{
	memory_free(((struct library_gc *)policy->state)->shown);
	candidates_exit(policy);
}

static struct ssdlab_block library_gc_block(const struct gc_policy *policy, plane_t plane, block_t b)
{
	const struct space *s = policy->space;

	return (struct ssdlab_block){ .block = b,
		.plane = plane,
		.pages = s->geometry->pages_per_block,
		.programmed_pages = s->geometry->pages_per_block,
		.valid_pages = space_live(s, b),
		.erases = s->flash->block[b].erases,
		.age = s->handed_out - s->stamp[b] };
}

/* Shows the candidates whose collection frees a page; returns how many.  *fewest: index of the one with the
 * fewest valid pages. */
static size_t library_gc_show(const struct gc_policy *policy, plane_t plane, size_t *fewest)
{
	const struct library_gc *g = policy->state;
	const block_t *list = candidates_of(policy, plane);
	size_t n = 0;

	*fewest = 0;
	for (uint32_t i = 0; i < g->candidates.count[plane]; i++) {
		if (!gc_reclaimable(policy, list[i]))
			continue;
		g->shown[n] = library_gc_block(policy, plane, list[i]);
		if (g->shown[n].valid_pages < g->shown[*fewest].valid_pages)
			*fewest = n;
		n++;
	}
	return n;
}

static block_t library_gc_pick(struct gc_policy *policy, plane_t plane)
{
	const struct library_gc *g = policy->state;
	const struct ssdlab_options *o = policy->settings->own;
	size_t fewest, n = library_gc_show(policy, plane, &fewest), picked;

	if (!n)
		return BLOCK_NONE;
	picked = o->gc_pick(o->gc_context, plane, g->shown, n);
	return g->shown[picked < n ? picked : fewest].block;
}

static const struct state_row library_gc_state[] = {
	STATE_FIXED(shown),
	STATE_STRUCT(struct library_gc, candidates, candidates_state),
	{ 0 },
};

static const struct gc_policy_ops library_gc_ops = {
	.brief = "the caller's",
	.size = sizeof(struct library_gc),
	.ages = true,
	.init = library_gc_init,
	.exit = library_gc_exit,
	.add = candidates_add,
	.remove = candidates_remove,
	.state = library_gc_state,
	.check = candidates_check,
	.pick = library_gc_pick,
};

/* ---- the buffer ---- */

/* Pages in the order of their last use. */
struct library_buffer {
	uint32_t pages; /* head */
	uint64_t clock;
	struct ssdlab_page *shown;
	uint32_t *node; /* of each page shown */
	uint32_t shown_room, node_room;
};

struct library_page {
	struct link link;
	uint64_t entered, used;
	uint32_t hits;
};

static struct array_field library_links(const struct buffer *b)
{
	return BUFFER_FIELD(b, struct library_page, link);
}

static void library_buffer_init(struct buffer *b)
{
	((struct library_buffer *)b->state)->pages = BUFFER_HEADS(b, struct library_page, link, 1);
}

static void library_buffer_exit(struct buffer *b)
{
	struct library_buffer *l = b->state;

	memory_free(l->shown);
	memory_free(l->node);
}

static void library_buffer_use(struct buffer *b, uint32_t node)
{
	struct library_buffer *l = b->state;

	((struct library_page *)buffer_own(b, node))->used = ++l->clock;
	list_append(library_links(b), l->pages, node);
}

static void library_buffer_inserted(struct buffer *b, uint32_t node, enum request_type type, mask_t mask)
{
	struct library_page *page = buffer_own(b, node);

	(void)type;
	(void)mask;
	page->entered = ((struct library_buffer *)b->state)->clock + 1;
	library_buffer_use(b, node);
}

static void library_buffer_removed(struct buffer *b, uint32_t node)
{
	list_remove(library_links(b), node);
}

static void library_buffer_hit(struct buffer *b, uint32_t node, enum request_type type, mask_t mask)
{
	(void)type;
	(void)mask;
	((struct library_page *)buffer_own(b, node))->hits++;
	library_buffer_removed(b, node);
	library_buffer_use(b, node);
}

static struct ssdlab_page library_buffer_page(const struct buffer *b, uint32_t node)
{
	const struct buffer_node *n = buffer_node(b, node);
	const struct library_page *page = buffer_own(b, node);

	return (struct ssdlab_page){ .page = n->lpn,
		.sectors = mask_sectors(n->stored),
		.dirty_sectors = mask_sectors(n->dirty),
		.entered = page->entered,
		.used = page->used,
		.hits = page->hits };
}

static void library_buffer_evict(struct buffer *b)
{
	struct library_buffer *l = b->state;
	const struct ssdlab_options *o = b->settings;
	uint32_t n = 0, picked;
	size_t choice;

	for (uint32_t at = list_next(library_links(b), l->pages); at != l->pages;
		at = list_next(library_links(b), at)) {
		l->shown = memory_grown(l->shown, &l->shown_room, n + 1, sizeof *l->shown, "pages shown");
		l->node = memory_grown(l->node, &l->node_room, n + 1, sizeof *l->node, "pages shown");
		l->shown[n] = library_buffer_page(b, at);
		l->node[n++] = at;
	}
	choice = o->buffer_pick(o->buffer_context, l->shown, n);
	picked = choice < n ? (uint32_t)choice : 0;
	buffer_explain(b, "the caller's choice of %u", n);
	buffer_choose(b, l->node[picked], WHOLE_PAGE);
}

static const struct state_row library_buffer_state[] = {
	STATE_FIXED(pages),
	STATE_SCRATCH(shown, node, shown_room, node_room),
	STATE_NUMBER(struct library_buffer, clock),
	{ 0 },
};

static const struct state_row library_page_state[] = {
	STATE_NUMBER(struct library_page, link),
	STATE_NUMBER(struct library_page, entered),
	STATE_NUMBER(struct library_page, used),
	STATE_NUMBER(struct library_page, hits),
	{ 0 },
};

static const struct buffer_ops library_buffer_ops = {
	.brief = "the caller's",
	.size = sizeof(struct library_buffer),
	.page_size = sizeof(struct library_page),
	.init = library_buffer_init,
	.exit = library_buffer_exit,
	.inserted = library_buffer_inserted,
	.hit = library_buffer_hit,
	.removed = library_buffer_removed,
	.evict = library_buffer_evict,
	.state = library_buffer_state,
	.page_state = library_page_state,
};

/* ---- names ---- */

static bool library_name_is_free(const char *name, const char *const *choices, struct fault *fault)
{
	bool named = *name;

	for (; *choices; choices++)
		if (!strcmp(*choices, name))
			return fault_set(fault, "\"%s\" is a policy of ssdlab; name yours otherwise", name);
	for (const char *c = name; *c; c++)
		named = named && (isalnum((unsigned char)*c) || *c == '_');
	if (!named)
		return fault_set(
			fault, "a policy is named \"%.60s\"; letters, digits and _ make a name", name);
	return true;
}

static const char *const library_gc_names[] = {
#define GC_POLICY(name) #name,
#include "gc/list.h"
#undef GC_POLICY
	NULL,
};

static const char *const library_buffer_names[] = {
#define BUFFER(name)              #name,
#define BUFFER_CALLED(name, text) text,
#include "buffer/list.h"
#undef BUFFER
#undef BUFFER_CALLED
	NULL,
};

bool library_bring_policies(struct library_settings *s, struct fault *fault)
{
	const struct ssdlab_options *o = &s->options;
	const char *gc = o->gc_name ? o->gc_name : "callback";
	const char *buffer = o->buffer_name ? o->buffer_name : "callback";

	if (!library_name_is_free(gc, library_gc_names, fault) ||
		!library_name_is_free(buffer, library_buffer_names, fault))
		return false;
	s->gc_policy = library_gc_ops;
	s->gc_policy.name = memory_string(gc, "name of a policy");
	s->buffer = library_buffer_ops;
	s->buffer.name = memory_string(buffer, "name of a policy");
	if (o->gc_pick)
		settings_bring_policy(&s->settings, &s->gc_policy, o);
	if (o->buffer_pick)
		settings_bring_buffer(&s->settings, &s->buffer, o);
	return true;
}
