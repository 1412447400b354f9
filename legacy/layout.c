#include "legacy/engine.h"

/* SSDsim's capacity in sectors, rounded at every step.  Separate statements: no step may be fused. */
static uint32_t capacity_single(uint32_t sectors, float overprovide)
{
	float all = (float)sectors;
	float share = 1.0f - overprovide;
	float limit = all * share;

	return limit >= 0x1p32f ? UINT32_MAX : (uint32_t)limit;
}

/* Consecutive pages go to the next unit of the order's first kind, and so on. */
static void lay_stripes(struct layout *l, const char *order)
{
	static const char kinds[] = "CWDP";
	const uint32_t sizes[] = { l->channels, l->chips, l->dies, l->planes };
	const uint32_t planes[] = { l->chips * l->planes_per_chip, l->planes_per_chip, l->planes, 1 };
	uint32_t below = 1;

	for (int i = 0; i < 4; i++) {
		size_t kind = (size_t)(strchr(kinds, order[i]) - kinds);

		l->stripe[i] = (struct stripe){ below, sizes[kind], planes[kind] };
		below *= sizes[kind];
	}
}

/* The map is sized by `chip number`, the flash by the chips of the channels. */
bool legacy_layout_create(
	struct layout *l, const struct legacy_parameters *p, quirk_set kept, struct fault *fault)
{
	uint32_t raw;

	*l = (struct layout){
		.channels = (uint32_t)p->channels,
		.chips = (uint32_t)p->chips[0],
		.dies = (uint32_t)p->dies,
		.planes = (uint32_t)p->planes,
		.blocks = (uint32_t)p->blocks,
		.pages = (uint32_t)p->pages,
		.sectors = (uint32_t)p->sectors_per_page,
	};
	l->chips_all = l->channels * l->chips;
	l->planes_per_chip = l->dies * l->planes;
	l->planes_all = l->chips_all * l->planes_per_chip;
	l->pages_per_chip = l->planes_per_chip * l->blocks * l->pages;
	l->logical_pages = (uint32_t)p->chip_number * l->planes_per_chip * l->blocks * l->pages;
	l->full = (uint32_t)bits_below(l->sectors);
	if (p->allocation == 1)
		lay_stripes(l, legacy_striping[p->static_allocation]);
	raw = l->logical_pages * l->sectors;
	if (kept & QUIRK_BIT(Q17_SINGLE_PRECISION))
		l->limit = capacity_single(raw, p->overprovide);
	else
		l->limit = (uint32_t)((double)raw * (1.0 - (double)p->overprovide));
	if (!l->limit)
		return fault_set(fault, "'overprovide' %g leaves no capacity", (double)p->overprovide);
	return true;
}

uint32_t legacy_static_plane(const struct engine *e, uint32_t lpn)
{
	uint32_t plane = 0;

	for (const struct stripe *s = e->layout.stripe; s < e->layout.stripe + 4; s++)
		plane += lpn / s->below % s->size * s->planes;
	return plane;
}

uint32_t legacy_dynamic_plane(struct engine *e, uint32_t lpn)
{
	const struct layout *l = &e->layout;
	uint32_t channel, chip, die;

	if (e->p->dynamic_allocation == 1)
		channel = lpn % l->channels;
	else
		channel = advance(&e->device_token, l->channels);
	chip = channel * l->chips + advance(&e->channel[channel].token, l->chips);
	die = chip * l->dies + advance(&e->chip[chip].token, l->dies);
	return die * l->planes + advance(&e->die_token[die], l->planes);
}

uint32_t legacy_logical_page(const struct engine *e, uint32_t page)
{
	uint32_t exported = (e->layout.limit + e->layout.sectors - 1) / e->layout.sectors;

	if (quirk_kept(e, Q29_REQUEST_NOT_WRAPPED))
		return page;
	return page % exported;
}
