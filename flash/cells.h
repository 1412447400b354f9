/*
 * Time in the cells.  Blocks in SLC mode (flash_set_slc()) have times of their own, and a page that is folded
 * from one into a normal block takes several programs.  Internal to flash/.
 */
#ifndef FLASH_CELLS_H
#define FLASH_CELLS_H

#include "flash/schedule_inside.h"
#include "flash/wordline.h"

HOT uint32_t cells_page_ns(const struct schedule *s, const struct tick_list *times, ppn_t ppn)
{
	if (times->count == 1)
		return (uint32_t)times->ns[0];
	return (uint32_t)times->ns[geometry_page(s->geometry, ppn) % times->count];
}

/* How the cells of an operation issued now are used: some of its flags. */
HOT uint8_t cells_mode(const struct schedule *s, ppn_t ppn, ppn_t to, enum cause cause, bool plain)
{
	const struct flash *f = s->flash;

	if (plain || !f->slc)
		return 0;
	return (flash_is_slc(f, geometry_block(s->geometry, ppn)) ? OP_IN_SLC : 0) |
	       (to != PPN_NONE && flash_is_slc(f, geometry_block(s->geometry, to)) ? OP_TO_SLC : 0) |
	       (cause == CAUSE_FOLD ? OP_FOLDS : 0);
}

/* The same of an operation in flight. */
HOT uint8_t cells_mode_of(const struct op *op, bool plain)
{
	return plain ? 0 : op->flags & OP_MODE;
}

HOT uint32_t cells_read_ns(const struct schedule *s, ppn_t ppn, bool slc)
{
	return slc ? (uint32_t)s->flash->slc_times->read_ns : cells_page_ns(s, &s->settings->read_ns, ppn);
}

HOT uint32_t cells_program_ns(const struct schedule *s, ppn_t ppn, bool slc, bool folds)
{
	if (slc)
		return (uint32_t)s->flash->slc_times->program_ns;
	return cells_page_ns(s, &s->settings->program_ns, ppn) *
	       (folds ? (uint32_t)s->flash->slc_times->fold_passes : 1);
}

/* Every operation's time in the cells.  A read takes place at `ppn`; `to` is the target of a copy.  A program
 * that its wordline carries out takes none. */
HOT uint32_t cells_ns(const struct schedule *s, uint32_t kind, ppn_t ppn, ppn_t to, uint8_t mode, bool plain)
{
	switch (kind) {
	case OP_READ:
		return cells_read_ns(s, ppn, mode & OP_IN_SLC);
	case OP_PROGRAM:
		return wordline_takes(s, mode, plain)
			       ? 0
			       : cells_program_ns(s, ppn, mode & OP_IN_SLC, mode & OP_FOLDS);
	case OP_WORDLINE:
		return (uint32_t)s->settings->program_ns.ns[0];
	case OP_SECOND_PASS:
		return (uint32_t)s->settings->program_ns.ns[1];
	case OP_COPY:
		return cells_read_ns(s, ppn, mode & OP_IN_SLC) +
		       cells_program_ns(s, to, mode & OP_TO_SLC, mode & OP_FOLDS);
	case OP_ERASE:
		return (uint32_t)(mode & OP_IN_SLC ? s->flash->slc_times->erase_ns : s->settings->erase_ns);
	default:
		return 0;
	}
}

#endif
