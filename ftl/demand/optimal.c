/*
 * "optimal": an unlimited cache of the table (Jiang et al., "S-FTL", MSST 2011): the bound of the family.
 * Its mapping pages are in flash like those of the others and are never used.
 */
#include "ftl/demand/demand.h"

static op_t optimal_look_up(struct ftl *f, struct io *io, lpn_t lpn)
{
	struct demand *d = f->state;

	(void)io;
	directory_count_lookup(d->table.directory, lpn / d->per_page, true);
	return OP_NONE;
}

static bool optimal_moved(struct ftl *f, lpn_t lpn)
{
	(void)f;
	(void)lpn;
	return true;
}

static bool optimal_init(struct ftl *f, struct fault *fault)
{
	static const struct demand_scheme scheme = {
		.reserve = 1, .look_up = optimal_look_up, .moved = optimal_moved, .prefetch = page_prefetch
	};

	return demand_init(f, &scheme, fault);
}

static void optimal_statistics(struct ftl *f, struct stat_list *list)
{
	demand_statistics(f, list);
	directory_statistics(demand_of(f)->table.directory, list);
}

static const struct ftl_hints optimal_hints = { .prefetch = page_prefetch };
static const struct ftl_words optimal_words = { .name_owner = demand_name_owner,
	.print_entry = page_print_entry };

const struct ftl_ops ftl_optimal = {
	.name = "optimal",
	.brief = "page mapping with an unlimited cache of its table, counted like dftl and sftl: their bound",
	.size = sizeof(struct demand),
	.state = demand_state,
	.init = optimal_init,
	.exit = demand_exit,
	DEMAND_OPERATIONS,
	.check = demand_check,
	.statistics = optimal_statistics,
	.hints = &optimal_hints,
	.words = &optimal_words,
};
