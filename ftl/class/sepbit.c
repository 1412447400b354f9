/*
 * SepBIT (Wang et al., "Separating data via block invalidation time inference for write amplification
 * reduction in log-structured storage", FAST 2022).
 *
 * A page that the host writes goes to class 0 if the data that it overwrites lived for less time than blocks
 * of class 0 on average, else to class 1.  A page moved out of class 0 goes to class 2; all others moved go
 * to classes 3 to 5, by the time since the host wrote them.  Time is counted in pages that the host writes.
 * docs/classes.md.
 */
#include "ftl/class/class.h"

#include "base/memory.h"
#include "flash/schedule.h"

#define SEPBIT_HOST_CLASSES 2u

struct sepbit_settings {
	uint64_t window;
};

struct sepbit_statistics {
	uint64_t means;
	uint64_t lifespans, blocks; /* of the last mean; filled in when read */
};

struct sepbit {
	struct classes classes;
	uint64_t clock;    /* pages that the host has written, ever */
	uint32_t *written; /* per logical page: the clock after its last write, modulo 2^32 */
	uint64_t *opened;  /* per block: the clock when the host's first page went there */
	uint64_t total;    /* sum of the lifespans of blocks of class 0 since the last mean */
	uint64_t blocks;   /* number of these blocks */
	uint64_t sum;      /* the last mean times the window; 0: none yet */
	struct sepbit_statistics statistics;
};

static const struct param sepbit_params[] = {
	{ PARAM(UINT, struct sepbit_settings, window), 1, 1e6, "blocks", "16",
		"collected blocks of class 0 whose mean lifespan divides short-lived data from other" },
	{ 0 },
};

static uint64_t sepbit_window(const struct ftl *f)
{
	return ((const struct sepbit_settings *)f->settings)->window;
}

/* Pages that the host has written since it wrote this one. */
static uint32_t sepbit_age(const struct sepbit *s, lpn_t lpn)
{
	return (uint32_t)s->clock - s->written[lpn];
}

/* Is the age below `means` mean lifespans?  True before there is a mean. */
static bool sepbit_below(const struct ftl *f, lpn_t lpn, unsigned means)
{
	const struct sepbit *s = f->state;

	return !s->sum || sepbit_age(s, lpn) * sepbit_window(f) < means * s->sum;
}

static unsigned sepbit_of_written(const struct ftl *f, lpn_t lpn)
{
	return page_map_get(page_map_of(f), lpn).mask && sepbit_below(f, lpn, 1) ? 0 : 1;
}

static unsigned sepbit_of_moved(const struct ftl *f, lpn_t lpn, unsigned from)
{
	if (from == 0)
		return 2;
	if (sepbit_below(f, lpn, 4))
		return 3;
	return sepbit_below(f, lpn, 16) ? 4 : 5;
}

static void sepbit_written(struct ftl *f, lpn_t lpn)
{
	struct sepbit *s = f->state;
	ppn_t ppn = page_map_get(&s->classes.map, lpn).ppn;
	block_t b = geometry_block(f->geometry, ppn);

	if (ppn == geometry_first_page(f->geometry, b))
		s->opened[b] = s->clock;
	s->written[lpn] = (uint32_t)++s->clock;
}

/* Adds up the lifespan of a collected block of class 0; its pages went to class 2, whatever the mean is. */
static void sepbit_emptied(struct ftl *f, struct io *io, block_t victim, unsigned class)
{
	struct sepbit *s = f->state;

	if (class != 0)
		return;
	s->total += s->clock - s->opened[victim];
	if (++s->blocks < sepbit_window(f))
		return;
	s->sum = s->total;
	s->total = s->blocks = 0;
	s->statistics.means += io->timed;
	schedule_note(f->flash->schedule, "blocks of class 0 live for %llu pages now, on average",
		(unsigned long long)(s->sum / sepbit_window(f)));
}

static void sepbit_say_why(const struct ftl *f, lpn_t lpn, char *text, size_t bytes)
{
	const struct sepbit *s = f->state;

	if (!page_map_get(&s->classes.map, lpn).mask)
		snprintf(text, bytes, "it overwrites nothing");
	else if (!s->sum)
		snprintf(text, bytes, "what it overwrites lived for %u pages; no mean lifespan is known yet",
			sepbit_age(s, lpn));
	else
		snprintf(text, bytes,
			"what it overwrites lived for %u pages, blocks of class 0 for %.1f on average",
			sepbit_age(s, lpn), (double)s->sum / (double)sepbit_window(f));
}

/* ---- the rest ---- */

static bool sepbit_init(struct ftl *f, struct fault *fault)
{
	static const struct class_scheme scheme = {
		.host_classes = SEPBIT_HOST_CLASSES,
		.of_written = sepbit_of_written,
		.of_moved = sepbit_of_moved,
		.written = sepbit_written,
		.emptied = sepbit_emptied,
		.say_why = sepbit_say_why,
	};
	struct sepbit *s = f->state;

	if (!class_init(f, &scheme, fault))
		return false;
	s->written = memory_array(f->geometry->logical_pages, sizeof *s->written, "times of writes");
	s->opened = memory_array(f->geometry->blocks, sizeof *s->opened, "times of blocks");
	return true;
}

static void sepbit_exit(struct ftl *f)
{
	struct sepbit *s = f->state;

	memory_free(s->written);
	memory_free(s->opened);
	page_exit(f);
}

static const struct state_row sepbit_state[] = {
	STATE_STRUCT(struct sepbit, classes, class_state),
	STATE_NUMBER(struct sepbit, clock),
	STATE_NUMBERS(struct sepbit, written),
	STATE_NUMBERS(struct sepbit, opened),
	STATE_NUMBER(struct sepbit, total),
	STATE_NUMBER(struct sepbit, blocks),
	STATE_NUMBER(struct sepbit, sum),
	STATE_COUNTED(statistics),
	{ 0 },
};

static void sepbit_check(const struct ftl *f)
{
	const struct sepbit *s = f->state;

	page_check(f);
	for (block_t b = 0; b < f->geometry->blocks; b++)
		BUG_ON(s->opened[b] > s->clock, "block %u was opened after the last page was written", b);
	BUG_ON(s->blocks >= sepbit_window(f), "%llu lifespans are added up, for a mean of %llu",
		(unsigned long long)s->blocks, (unsigned long long)sepbit_window(f));
}

static void sepbit_facts(const struct ftl *f, struct ftl_facts *facts)
{
	page_facts(f, facts);
	facts->map_bytes += f->geometry->logical_pages * sizeof *((struct sepbit *)f->state)->written;
}

static void sepbit_print_entry(const struct ftl *f, lpn_t lpn, FILE *out)
{
	if (!page_map_get(page_map_of(f), lpn).mask)
		return;
	page_print_entry(f, lpn, out);
	fprintf(out, "; age in pages: %u", sepbit_age(f->state, lpn));
}

#define COUNT(field) offsetof(struct sepbit_statistics, field)

static const struct stat_row sepbit_rows[] = {
	{ "means", "", "times that the mean lifespan of class 0 was renewed", STAT_COUNT, COUNT(means) },
	{ "mean_lifespan", "pages", "of the last blocks of class 0, in pages that the host wrote", STAT_RATIO,
		COUNT(lifespans), COUNT(blocks) },
	{ 0 },
};

static void sepbit_gather(void *ftl)
{
	const struct ftl *f = ftl;
	struct sepbit *s = f->state;

	s->statistics.lifespans = s->sum;
	s->statistics.blocks = s->sum ? sepbit_window(f) : 0;
}

static void sepbit_statistics(struct ftl *f, struct stat_list *list)
{
	struct sepbit *s = f->state;

	class_statistics(f, list);
	stat_list_add(list, (struct stat_group){ NULL, "sepbit.", sepbit_rows, &s->statistics,
				    sizeof s->statistics, f, NULL, sepbit_gather });
}

static const struct ftl_words sepbit_words = { .print_entry = sepbit_print_entry,
	.print_state = class_print_state };

const struct ftl_ops ftl_sepbit = {
	.name = "sepbit",
	.brief = "page mapping with data placed in six classes by inferred lifespans: SepBIT (FAST 2022)",
	.size = sizeof(struct sepbit),
	.state = sepbit_state,
	.params = sepbit_params,
	.settings_size = sizeof(struct sepbit_settings),
	.init = sepbit_init,
	.exit = sepbit_exit,
	CLASS_OPERATIONS,
	.host_streams = SEPBIT_HOST_CLASSES,
	.check = sepbit_check,
	.facts = sepbit_facts,
	.statistics = sepbit_statistics,
	.words = &sepbit_words,
};
