#include "ftl/deps.h"

#include "base/fault.h"

void deps_add(struct deps *d, op_t op)
{
	if (op == OP_NONE)
		return;
	for (uint32_t i = 0; i < d->count; i++)
		if (d->op[i] == op)
			return;
	BUG_ON(d->count == DEPS_MOST, "an operation waits for more than %u others", d->count);
	d->op[d->count++] = op;
}

void deps_add_all(struct deps *d, const struct deps *more)
{
	for (uint32_t i = 0; i < more->count; i++)
		deps_add(d, more->op[i]);
}

static op_t deps_first(const struct deps *d)
{
	return d->count ? d->op[0] : OP_NONE;
}

static op_t deps_wait_for_others(struct io *io, op_t op, const struct deps *d)
{
	for (uint32_t i = 1; i < d->count; i++)
		flash_wait(io, op, d->op[i]);
	return op;
}

op_t deps_read(struct io *io, ppn_t ppn, uint32_t sectors, enum cause cause, const struct deps *d)
{
	return deps_wait_for_others(io, flash_read(io, ppn, sectors, cause, deps_first(d)), d);
}

op_t deps_program(
	struct io *io, ppn_t ppn, owner_t owner, uint32_t sectors, enum cause cause, const struct deps *d)
{
	return deps_wait_for_others(io, flash_program(io, ppn, owner, sectors, cause, deps_first(d)), d);
}
