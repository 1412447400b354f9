/*
 * "optimal": an unlimited cache of the table (Jiang et al., "S-FTL", MSST 2011): what no FTL of the family can exceed.
 * Its mapping pages are in flash like theirs and are never used.
 */
#include "ftl/demand/demand.h"

static op_t look_up(struct ftl *f, struct io *io, lpn_t lpn)
{
	struct demand *d = f->state;

	(void)io;
	directory_count_lookup(d->directory, lpn / d->per_page, true);
	return OP_NONE;
}

static bool moved(struct ftl *f, lpn_t lpn)
{
	(void)f;
	(void)lpn;
	return true;
}

static bool optimal_init(struct ftl *f, struct fault *fault)
{
	static const struct demand_scheme scheme = {
		.reserve = 1, .expect = page_expect, .look_up = look_up, .moved = moved
	};

	return demand_init(f, &scheme, fault);
}

static void optimal_statistics(struct ftl *f, struct stat_list *list)
{
	demand_statistics(f, list);
	directory_statistics(((struct demand *)f->state)->directory, list);
}

static const struct ftl_hints optimal_hints = { .expect = page_expect, .expect_next = page_expect_next };
static const struct ftl_words optimal_words = { .name_owner = demand_name_owner,
	.print_entry = page_print_entry };

const struct ftl_ops ftl_optimal = {
	.name = "optimal",
	.brief = "page mapping with an unlimited cache of its table, counted like dftl and sftl: their bound",
	.size = sizeof(struct demand),
	.init = optimal_init,
	.exit = demand_exit,
	.read = demand_read,
	.write = demand_write,
	.trim = demand_trim,
	.place_map = demand_place_map,
	.check = demand_check,
	.state = demand_state,
	.facts = demand_facts,
	.statistics = optimal_statistics,
	.hints = &optimal_hints,
	.words = &optimal_words,
};
