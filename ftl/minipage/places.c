#include "ftl/minipage/places.h"

#include "base/bits.h"

static const char *const what = "minipage table";

void places_init(struct places *p, const struct geometry *g, uint32_t shift)
{
	uint32_t sub_shift = g->sector_shift - shift, per_lpn = 1u << sub_shift;

	*p = (struct places){ .lpns = g->logical_pages,
		.count = g->pages * per_lpn,
		.per_lpn = per_lpn,
		.sub_shift = sub_shift,
		.shift = shift,
		.full = bits_below(1u << shift),
		.page = g->full_page };
	p->entry = memory_array(p->lpns, sizeof *p->entry, what);
	p->apart =
		pool_create((per_lpn + (g->sectors_per_page + 31) / 32) * (uint32_t)sizeof(uint32_t), what);
}

void places_release(struct places *p)
{
	memory_free(p->entry);
	pool_free(&p->apart);
}

/* The entry's places in the side table; an entry outside is moved there with its present places. */
static uint32_t *mini_places_enter_apart(struct places *p, lpn_t lpn)
{
	uint32_t before = p->entry[lpn], *place;

	if (before > p->count)
		return places_apart(p, before);
	p->entry[lpn] = pool_take(&p->apart) + p->count + 1;
	place = places_apart(p, p->entry[lpn]);
	for (uint32_t i = 0; i < p->per_lpn; i++)
		place[i] = before ? before - 1 + i : 0;
	return place;
}

static void mini_places_leave_apart(struct places *p, lpn_t lpn, uint32_t entry)
{
	if (p->entry[lpn] > p->count)
		pool_give(&p->apart, p->entry[lpn] - p->count - 1);
	p->entry[lpn] = entry;
}

/* The value that an entry takes when it leaves the side table; the entry itself if it has to stay there. */
static uint32_t mini_places_outside(const struct places *p, lpn_t lpn)
{
	uint32_t entry = p->entry[lpn];
	const uint32_t *place = places_apart(p, entry);
	mask_t page = places_page(p, lpn);

	for (uint32_t i = 1; i < p->per_lpn && page; i++)
		if (place[i] != place[0] + i)
			return entry;
	if (page && page != p->page)
		return entry;
	return page ? place[0] + 1 : 0;
}

void places_set(struct places *p, sub_t first, uint32_t count, uint32_t place, mask_t written)
{
	lpn_t lpn = first >> p->sub_shift;
	uint32_t i = first & (p->per_lpn - 1), sector = i << p->shift, entry, *word;
	mask_t page = places_page(p, lpn) & ~(bits_below(count << p->shift) << sector);

	page |= written << sector;
	if (count == p->per_lpn && page == p->page) {
		mini_places_leave_apart(p, lpn, place + 1);
		return;
	}
	word = mini_places_enter_apart(p, lpn);
	for (uint32_t n = 0; n < count; n++)
		word[i + n] = place + n;
	word[p->per_lpn] = (uint32_t)page;
	if (p->page >> 32)
		word[p->per_lpn + 1] = (uint32_t)(page >> 32);
	entry = mini_places_outside(p, lpn);
	if (entry <= p->count)
		mini_places_leave_apart(p, lpn, entry);
}

const struct state_row places_state[] = {
	STATE_FIXED(lpns, count, per_lpn, sub_shift, shift, full, page),
	STATE_NUMBERS(struct places, entry),
	STATE_POOL(struct places, apart, NULL),
	{ 0 },
};

void places_check(const struct places *p)
{
	uint32_t apart = pool_count_free(&p->apart);

	for (lpn_t lpn = 0; lpn < p->lpns; lpn++) {
		if (p->entry[lpn] <= p->count)
			continue;
		apart++;
		BUG_ON(mini_places_outside(p, lpn) != p->entry[lpn],
			"LPN %u has places apart and does not need them", lpn);
	}
	BUG_ON(apart != p->apart.used, "%u of %u entries for places apart are known", apart, p->apart.used);
}
