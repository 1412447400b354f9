/*
 * MSAC (Zeng, "Improve performance of flash-based SSDs through multi-subpage merge and page-level temperature
 * recognition"): LRU with two additions.  A victim that does not fill a page of flash shares it with another
 * buffered page, so that neither is read first (multi-subpage merge).  A victim that was used since it
 * entered is spared if a colder page is near (temperature).  Needs an FTL that can keep parts of a page in
 * several places: ftl/mmap/.
 *
 * An eviction, T being the least recently used page:
 *   1. If T is not full and another page fits into the rest of a page of flash, both are evicted into one
 *      page: the partner is the least recently used page that fits; with max_members > 2 more pages follow as
 *      long as they fit.
 *   2. If T is cold, it is evicted.
 *   3. Otherwise T is spared: of the least recently used pages (the area) the oldest cold one is evicted, or
 *      if there is none and T is hot the oldest warm one, again with a partner if it is not full and
 *      plti_merge is on.  T becomes the newest page or takes the victim's place.
 *   4. If the area has no colder page, T is evicted.
 *
 * The paper does not define temperatures (here: uses since the page entered), the area, what "exchange" does
 * to T, or whether a shared page must be full.  With exchange = swap, its words, T takes the place of an old
 * page, is soon a victim again, and little is gained; with the default it is not, and no page stays forever.
 *
 * Partners and colder pages are found without a search, in lists of pages by sectors and by temperature, each
 * in order of use.
 */
#include "buffer/recency.h"

#include <math.h>

#define MEMBERS_MOST 64u
#define HEAT_MOST    255u

enum temperature { COLD, WARM, HOT, TEMPERATURES };
enum msac_exchange { EXCHANGE_SWAP, EXCHANGE_HEAD };
enum msac_decay { DECAY_HALF, DECAY_ONE, DECAY_NONE };
enum msac_rule { RULE_LE, RULE_EQ };

struct msac_settings {
	bool plti, plti_merge;
	int exchange, decay, rule;
	uint64_t max_members, warm, hot;
	double area;
};

struct msac_statistics {
	uint64_t tried, merges, partners;
	uint64_t exchanged[HOT], tail[TEMPERATURES]; /* by temperature of the victim */
};

struct msac {
	struct recency recency;
	uint32_t size; /* head of pages with one sector, minus 1; heads for two, three, ... sectors follow */
	uint32_t temperature; /* head of cold pages; heads of warm and hot pages follow */
	struct msac_statistics count;
};

struct msac_page {
	struct recency_page recency;
	struct link size, temperature;
	uint32_t heat; /* uses since it entered, reduced by decay */
};

static const char *const exchange_names[] = { "swap", "head", NULL };
static const char *const decay_names[] = { "half", "one", "none", NULL };
static const char *const rule_names[] = { "le", "eq", NULL };

#define MSAC(type, field) PARAM(type, struct msac_settings, field)

static const struct param msac_params[] = {
	{ MSAC(CHOICE, rule), 0, 0, "", "le",
		"pages are merged if their sectors fit into one page (le) or fill it exactly "
		"(eq)",
		rule_names },
	{ MSAC(UINT, max_members), 2, MEMBERS_MOST, "pages", "2", "most pages merged into one" },
	{ MSAC(BOOL, plti), 0, 1, "", "true", "a warm or hot page is spared if the area has a colder one" },
	{ MSAC(BOOL, plti_merge), 0, 1, "", "true", "the page evicted instead is merged, too" },
	{ MSAC(CHOICE, exchange), 0, 0, "", "head",
		"the page that was spared takes the place of the page evicted instead (swap), or becomes the "
		"newest (head)",
		exchange_names },
	{ MSAC(CHOICE, decay), 0, 0, "", "half", "how the temperature of the page that was spared decays",
		decay_names },
	{ MSAC(REAL, area), 0, 1, "share", "0.25",
		"the area: share of the pages, from the least recently used, searched for a colder one" },
	{ MSAC(UINT, warm), 1, HEAT_MOST, "uses", "1", "uses since it entered that make a page warm" },
	{ MSAC(UINT, hot), 1, HEAT_MOST, "uses", "4", "uses that make it hot" },
	{ 0 },
};

static struct msac_page *msac_page_at(const struct buffer *b, uint32_t node)
{
	return buffer_own(b, node);
}

static struct array_field msac_sizes(const struct buffer *b)
{
	return BUFFER_FIELD(b, struct msac_page, size);
}

static struct array_field msac_temperatures(const struct buffer *b)
{
	return BUFFER_FIELD(b, struct msac_page, temperature);
}

static enum temperature msac_temperature_of(const struct buffer *b, uint32_t node)
{
	const struct msac_settings *s = b->settings;
	uint32_t heat = msac_page_at(b, node)->heat;

	return heat >= s->hot ? HOT : heat >= s->warm ? WARM : COLD;
}

static uint32_t msac_sectors_free(const struct buffer *b, uint32_t node)
{
	return b->shape.sectors_per_page - buffer_sectors(b, node);
}

static void msac_init(struct buffer *b)
{
	struct msac *m = b->state;

	m->recency = recency_create(b);
	m->size = BUFFER_HEADS(b, struct msac_page, size, b->shape.sectors_per_page) - 1;
	m->temperature = BUFFER_HEADS(b, struct msac_page, temperature, TEMPERATURES);
	b->merges = true;
}

/* ---- lists ---- */

static void msac_join_size(struct buffer *b, uint32_t node)
{
	recency_sort_in(b, msac_sizes(b), ((struct msac *)b->state)->size + buffer_sectors(b, node), node);
}

static void msac_join_lists(struct buffer *b, uint32_t node)
{
	msac_join_size(b, node);
	recency_sort_in(b, msac_temperatures(b),
		((struct msac *)b->state)->temperature + (uint32_t)msac_temperature_of(b, node), node);
}

static void msac_leave_lists(struct buffer *b, uint32_t node)
{
	list_remove(msac_sizes(b), node);
	list_remove(msac_temperatures(b), node);
}

static void msac_inserted(struct buffer *b, uint32_t node, enum request_type type, mask_t mask)
{
	(void)type;
	(void)mask;
	recency_add(&((struct msac *)b->state)->recency, b, node);
	msac_join_lists(b, node);
}

static void msac_removed(struct buffer *b, uint32_t node)
{
	msac_leave_lists(b, node);
	recency_remove(&((struct msac *)b->state)->recency, b, node);
}

static void msac_hit(struct buffer *b, uint32_t node, enum request_type type, mask_t mask)
{
	msac_removed(b, node);
	msac_page_at(b, node)->heat += msac_page_at(b, node)->heat < HEAT_MOST;
	msac_inserted(b, node, type, mask);
}

static void msac_resized(struct buffer *b, uint32_t node, mask_t before)
{
	(void)before;
	list_remove(msac_sizes(b), node);
	msac_join_size(b, node);
}

/* ---- merging ---- */

struct msac_party {
	uint32_t member[MEMBERS_MOST], members;
	uint32_t room; /* sectors of the page that are free */
};

static bool msac_is_member(const struct msac_party *p, uint32_t node)
{
	for (uint32_t i = 0; i < p->members; i++)
		if (p->member[i] == node)
			return true;
	return false;
}

/* The least recently used page that fits: a scan from the oldest page on would find it first. */
static uint32_t msac_partner(const struct buffer *b, const struct msac_party *p)
{
	const struct msac_settings *s = b->settings;
	const struct msac *m = b->state;
	uint32_t best = NODE_NONE;

	for (uint32_t size = s->rule == RULE_EQ ? p->room : 1; size <= p->room; size++) {
		uint32_t node = list_next(msac_sizes(b), m->size + size);

		while (msac_is_member(p, node))
			node = list_next(msac_sizes(b), node);
		if (node != m->size + size &&
			(best == NODE_NONE || recency_used(b, node) < recency_used(b, best)))
			best = node;
	}
	return best;
}

/* Evicts the page together with others.  False: it is full, or no other page fits. */
static bool msac_merge(struct buffer *b, uint32_t node)
{
	const struct msac_settings *s = b->settings;
	struct msac *m = b->state;
	struct msac_party p = { { node }, 1, msac_sectors_free(b, node) };

	m->count.tried += p.room > 0;
	while (p.room && p.members < s->max_members) {
		uint32_t next = msac_partner(b, &p);

		if (next == NODE_NONE)
			break;
		p.room -= buffer_sectors(b, next);
		p.member[p.members++] = next;
	}
	if (p.members == 1)
		return false;
	for (uint32_t i = 0; i < p.members; i++)
		buffer_choose(b, p.member[i], WHOLE_PAGE);
	buffer_merge(b);
	buffer_explain(b, "LPN %u with pages that fit beside it, oldest first", buffer_node(b, node)->lpn);
	m->count.merges++;
	m->count.partners += p.members - 1;
	return true;
}

/* ---- temperature ---- */

/* The oldest page of that temperature if it is in the area, else NODE_NONE. */
static uint32_t msac_oldest_in_area(struct buffer *b, enum temperature t)
{
	const struct msac_settings *s = b->settings;
	struct msac *m = b->state;
	uint32_t node = list_next(msac_temperatures(b), m->temperature + (uint32_t)t);
	uint32_t area = (uint32_t)ceil(s->area * m->recency.pages);

	if (node == m->temperature + (uint32_t)t || !recency_is_last(&m->recency, b, node, area ? area : 1))
		return NODE_NONE;
	return node;
}

/* One page is spared: the other one is evicted instead. */
static void msac_exchange(struct buffer *b, uint32_t spared, uint32_t other)
{
	const struct msac_settings *s = b->settings;
	struct msac_page *page = msac_page_at(b, spared);
	struct msac *m = b->state;

	msac_removed(b, spared);
	page->heat -= s->decay == DECAY_HALF ? (page->heat + 1) / 2 : s->decay == DECAY_ONE;
	if (s->exchange == EXCHANGE_HEAD)
		recency_add(&m->recency, b, spared);
	else
		recency_replace(&m->recency, b, spared, other);
	msac_join_lists(b, spared);
}

/* The page to be evicted instead of the oldest one, or that page itself.  Without plti all pages are cold. */
static uint32_t msac_spare(struct buffer *b, uint32_t oldest)
{
	const struct msac_settings *s = b->settings;
	struct msac *m = b->state;
	enum temperature own = s->plti ? msac_temperature_of(b, oldest) : COLD;

	for (enum temperature t = COLD; t < own; t++) {
		uint32_t other = msac_oldest_in_area(b, t);

		if (other == NODE_NONE)
			continue;
		buffer_explain(b, "LPN %u is spared, used %u times; LPN %u is colder and near",
			buffer_node(b, oldest)->lpn, msac_page_at(b, oldest)->heat,
			buffer_node(b, other)->lpn);
		m->count.exchanged[t]++;
		msac_exchange(b, oldest, other);
		return other;
	}
	m->count.tail[own]++;
	return oldest;
}

static void msac_evict(struct buffer *b)
{
	const struct msac_settings *s = b->settings;
	uint32_t oldest = recency_oldest(&((struct msac *)b->state)->recency, b), victim;

	if (msac_merge(b, oldest))
		return;
	victim = msac_spare(b, oldest);
	if (victim != oldest && s->plti_merge && msac_merge(b, victim))
		return;
	buffer_explain(b, "LPN %u by itself, used %u times", buffer_node(b, victim)->lpn,
		msac_page_at(b, victim)->heat);
	buffer_choose(b, victim, WHOLE_PAGE);
}

/* ---- statistics and checks ---- */

#define COUNT(field) STAT_COUNT, offsetof(struct msac_statistics, field)

static const struct stat_row msac_stats[] = {
	{ "msm_tried", "pages", "victims that were not full", COUNT(tried) },
	{ "msm_merges", "", "of these, with a partner", COUNT(merges) },
	{ "msm_partners", "pages", "partners, evicted before their turn", COUNT(partners) },
	{ "plti_cold", "pages", "cold, evicted instead of a warm or hot one", COUNT(exchanged[COLD]) },
	{ "plti_warm", "pages", "warm, evicted instead of a hot one", COUNT(exchanged[WARM]) },
	{ "plti_tail_cold", "pages", "evicted in their turn, cold", COUNT(tail[COLD]) },
	{ "plti_tail_warm", "pages", "the same, warm: no colder page was near", COUNT(tail[WARM]) },
	{ "plti_tail_hot", "pages", "the same, hot", COUNT(tail[HOT]) },
	{ 0 },
};

/* Returns the number of pages in a list.  Aborts unless they belong there, in order of use. */
static uint32_t msac_check_list(const struct buffer *b, struct array_field links, uint32_t head, bool by_size)
{
	const struct msac *m = b->state;
	uint64_t used = 0;
	uint32_t pages = 0;

	for (uint32_t i = list_next(links, head); i != head; i = list_next(links, i)) {
		uint32_t own = by_size ? m->size + buffer_sectors(b, i)
				       : m->temperature + (uint32_t)msac_temperature_of(b, i);

		BUG_ON(own != head || recency_used(b, i) <= used, "LPN %u is in a wrong list or out of order",
			buffer_node(b, i)->lpn);
		used = recency_used(b, i);
		pages++;
	}
	return pages;
}

static void msac_check(const struct buffer *b)
{
	const struct msac *m = b->state;
	uint32_t sized = 0, tempered = 0;

	recency_check(&m->recency, b);
	for (uint32_t size = 1; size <= b->shape.sectors_per_page; size++)
		sized += msac_check_list(b, msac_sizes(b), m->size + size, true);
	for (uint32_t t = 0; t < TEMPERATURES; t++)
		tempered += msac_check_list(b, msac_temperatures(b), m->temperature + t, false);
	BUG_ON(sized != m->recency.pages || tempered != m->recency.pages,
		"of %u pages %u are in lists by size, %u by temperature", m->recency.pages, sized, tempered);
}

static const struct state_row msac_state[] = {
	STATE_STRUCT(struct msac, recency, recency_state),
	STATE_FIXED(size, temperature),
	STATE_COUNTED(count),
	{ 0 },
};

static const struct state_row msac_page_state[] = {
	STATE_STRUCT(struct msac_page, recency, recency_page_state),
	STATE_NUMBER(struct msac_page, size),
	STATE_NUMBER(struct msac_page, temperature),
	STATE_NUMBER(struct msac_page, heat),
	{ 0 },
};

const struct buffer_ops buffer_msac = {
	.name = "msac",
	.brief = "LRU that writes parts of pages into one and spares used pages (needs ftl = mmap)",
	.size = sizeof(struct msac),
	.page_size = sizeof(struct msac_page),
	.params = msac_params,
	.settings_size = sizeof(struct msac_settings),
	.init = msac_init,
	.inserted = msac_inserted,
	.hit = msac_hit,
	.resized = msac_resized,
	.removed = msac_removed,
	.evict = msac_evict,
	.statistics = msac_stats,
	.count = offsetof(struct msac, count),
	.count_size = sizeof(struct msac_statistics),
	.check = msac_check,
	.state = msac_state,
	.page_state = msac_page_state,
};
