/*
 * DAC (Chiang, Lee, Chang, "Using data clustering to improve cleaning performance for flash memory",
 * Software: Practice and Experience, 1999), as a baseline of placement by class.
 *
 * Each logical page has a class.  A page that the host writes goes to its class, which then rises by one; a
 * page that a collection moves goes to its class, which then falls by one.  docs/classes.md.
 */
#include "ftl/class/class.h"

#include "base/memory.h"

struct dac {
	struct classes classes;
	uint8_t *class; /* per logical page: its class plus 1; 0: never written */
};

static unsigned dac_class(const struct ftl *f, lpn_t lpn)
{
	unsigned class = ((const struct dac *)f->state)->class[lpn];

	return class ? class - 1 : 0;
}

static unsigned dac_of_moved(const struct ftl *f, lpn_t lpn, unsigned from)
{
	(void)from;
	return dac_class(f, lpn);
}

static void dac_written(struct ftl *f, lpn_t lpn)
{
	struct dac *d = f->state;

	d->class[lpn] += d->class[lpn] < DATA_CLASSES;
}

static void dac_moved(struct ftl *f, lpn_t lpn)
{
	struct dac *d = f->state;

	d->class[lpn] -= d->class[lpn] > 1;
}

static void dac_say_why(const struct ftl *f, lpn_t lpn, char *text, size_t bytes)
{
	bool known = ((const struct dac *)f->state)->class[lpn];

	snprintf(text, bytes, known ? "to which its writes and copies have taken it" : "its first write");
}

/* ---- the rest ---- */

static bool dac_init(struct ftl *f, struct fault *fault)
{
	static const struct class_scheme scheme = {
		.host_classes = DATA_CLASSES,
		.mixes = true,
		.of_written = dac_class,
		.of_moved = dac_of_moved,
		.written = dac_written,
		.moved = dac_moved,
		.say_why = dac_say_why,
	};
	struct dac *d = f->state;

	if (!class_init(f, &scheme, fault))
		return false;
	d->class = memory_array(f->geometry->logical_pages, sizeof *d->class, "classes of pages");
	return true;
}

static void dac_exit(struct ftl *f)
{
	memory_free(((struct dac *)f->state)->class);
	page_exit(f);
}

static const struct state_row dac_state[] = {
	STATE_STRUCT(struct dac, classes, class_state),
	STATE_NUMBERS(struct dac, class),
	{ 0 },
};

static void dac_check(const struct ftl *f)
{
	const struct dac *d = f->state;

	page_check(f);
	for (lpn_t lpn = 0; lpn < f->geometry->logical_pages; lpn++)
		BUG_ON(page_map_get(&d->classes.map, lpn).mask && !d->class[lpn], "LPN %u has no class", lpn);
}

static void dac_facts(const struct ftl *f, struct ftl_facts *facts)
{
	page_facts(f, facts);
	facts->map_bytes += f->geometry->logical_pages * sizeof *((struct dac *)f->state)->class;
}

static void dac_print_entry(const struct ftl *f, lpn_t lpn, FILE *out)
{
	if (!page_map_get(page_map_of(f), lpn).mask)
		return;
	page_print_entry(f, lpn, out);
	fprintf(out, "; class %u next", dac_class(f, lpn));
}

static const struct ftl_words dac_words = { .print_entry = dac_print_entry,
	.print_state = class_print_state };

const struct ftl_ops ftl_dac = {
	.name = "dac",
	.brief = "page mapping with data in six classes, one up with a write, one down with a move: DAC",
	.size = sizeof(struct dac),
	.state = dac_state,
	.init = dac_init,
	.exit = dac_exit,
	CLASS_OPERATIONS,
	.host_streams = DATA_CLASSES,
	.check = dac_check,
	.facts = dac_facts,
	.statistics = class_statistics,
	.words = &dac_words,
};
