/*
 * The conformance suite: every registered FTL with every buffer and host layer on drives small enough to
 * reclaim blocks all the time, under random reads, writes and trims.  The sector oracle compares every sector
 * read; the invariants are checked during the run.  An FTL is under test as soon as its line is in
 * ftl/list.h.
 *
 * All combinations would be millions.  The suite runs enough of them that any two choices meet: FTL and
 * buffer, FTL and page size, page size and placement, and so on.
 *
 *	SEED=n          another random run
 *	OPERATIONS=n    requests of a case (default 500, in `make soak` 4000)
 *	SETTINGS=words  further settings of drives with page mapping: "mine.on=true"
 *
 * An argument runs only the cases whose name contains it: test_ftl skeleton+lru; the tests of the suite
 * itself run without one.  Behind it, -n lists the cases and runs none; a number is a file descriptor to
 * which the name of each case is written that passes.
 */
#include "base/hash.h"
#include "drive/prepare/image.h"
#include "drive/prepare/precondition.h"
#include "tests/any_workload.h"
#include "tests/inside.h"
#include "tests/own_ftls.h"
#include "tests/pairwise_fixture.h"
#include "tests/play_fixture.h"
#include "tests/undeclared.h"

#define FTL(name) extern const struct ftl_ops ftl_##name;
#include "ftl/list.h"
#undef FTL

/* Replaces the program's list of FTLs: the registered ones, and those that the core must support, too. */
const struct ftl_ops *const ftls[] = {
#define FTL(name) &ftl_##name,
#include "ftl/list.h"
#undef FTL
	&ftl_own_log,
	&ftl_own_fixed,
	&ftl_own_groups,
	NULL,
};
const char *const ftl_names[] = {
#define FTL(name) #name,
#include "ftl/list.h"
#undef FTL
	"own_log",
	"own_fixed",
	"own_groups",
	NULL,
};

#define QUICK "flash.read_ns=10000 flash.program_ns=100000 flash.erase_ns=1000000 dram.access_ns=100 "

#define COUNT(array) (sizeof(array) / sizeof *(array))

/* ---- what a drive can be like ---- */

/* A choice without a name is the usual one and left out of the names of cases. */
struct choice {
	const char *name, *settings;
};

static const struct choice page_sizes[] = {
	{ "2K", "flash.page_bytes=2K" },
	{ "4K", "flash.page_bytes=4K" },
	{ "8K", "flash.page_bytes=8K" },
	{ "16K", "flash.page_bytes=16K" },
	{ "32K", "flash.page_bytes=32K" },
};
static const struct choice block_sizes[] = {
	{ "4-pages", "flash.pages=4" },
	{ "6-pages", "flash.pages=6" },
	{ "7-pages", "flash.pages=7" },
	{ "8-pages", "flash.pages=8" },
	{ "16-pages", "flash.pages=16" },
};
static const struct choice layouts[] = {
	{ "1-plane", "flash.channels=1 flash.chips=1 flash.dies=1 flash.planes=1" },
	{ "2x2-planes", "flash.channels=2 flash.chips=1 flash.dies=1 flash.planes=2" },
	{ "4-dies", "flash.channels=1 flash.chips=2 flash.dies=2 flash.planes=1" },
	{ "3x2-dies", "flash.channels=3 flash.chips=1 flash.dies=2 flash.planes=1" },
	{ "3-planes", "flash.channels=1 flash.chips=1 flash.dies=1 flash.planes=3" },
};
static const struct choice placements[] = {
	{ "least-loaded", "placement.policy=least_loaded" },
	{ "round-robin", "placement.policy=round_robin" },
	{ "static", "placement.policy=static" },
	{ "superblock", "placement.policy=superblock" },
};
static const struct choice multiplanes[] = {
	{ "", "" },
	{ "same-offset", "flash.multiplane=same_offset" },
	{ "any-offset", "flash.multiplane=any" },
};
static const struct choice orders[] = {
	{ "", "" },
	{ "passing-over", "flash.order=ascending" },
};
static const struct choice copybacks[] = {
	{ "", "" },
	{ "no-copyback", "flash.copyback=false" },
};
static const struct choice timings[] = {
	{ "", "" },
	{ "suspend", "flash.suspend=program_and_erase" },
	{ "in-turn", "flash.scheduler=fifo flash.interleave=false" },
	{ "tlc", "flash.read_ns=[10000,20000,30000] flash.program_ns=[100000,200000,300000]" },
};
static const struct choice policies[] = {
#define GC_POLICY(name) { #name, "gc.policy=" #name },
#include "gc/list.h"
#undef GC_POLICY
};
static const struct choice collections[] = {
	{ "", "" },
	{ "hysteresis", "gc.hysteresis=0.1" },
	{ "mixed-streams", "gc.separate=false" },
};
static const struct choice wears[] = {
	{ "", "" },
	{ "levelled", "wear.delta=2 wear.period=4" },
	{ "oldest-first", "wear.dynamic=false" },
};
static const struct choice pasts[] = {
	{ "", "" },
	{ "aged", "precondition.mode=aged precondition.used=0.5" },
	{ "synthetic", "precondition.mode=synthetic precondition.used=0.5 precondition.valid=0.2" },
};

static const struct choice caches[] = {
	{ "", "" },
	{ "small-cache", "map.cache_bytes=4K dftl.entries=5 sftl.buffer_entries=470 tpftl.entry_bytes=64 "
			 "cdftl.entries=5" },
};

/* Spare blocks beyond what the FTL needs in each plane; room of the buffer in half pages. */
static const struct choice spares[] = { { "least-spare", "" }, { "", "" } };
static const unsigned spare_blocks[] = { 0, 3 };
static const struct choice rooms[] = { { "", "" }, { "one-buffered", "" } };
static const unsigned half_pages[] = { 21, 2 };
/* A layer may keep trims to itself: an FTL meets both layers with and without them. */
static const char *const trims[] = { "no-trims", "trims" };

#define FACTOR(rows)                                                                                         \
	{                                                                                                    \
		rows, COUNT(rows)                                                                            \
	}

/* The factors of a drive; FTL, buffer and host layer come before them. */
static const struct factor {
	const struct choice *choice;
	size_t choices;
} factors[] = {
	FACTOR(spares),
	FACTOR(rooms),
	FACTOR(page_sizes),
	FACTOR(block_sizes),
	FACTOR(layouts),
	FACTOR(placements),
	FACTOR(multiplanes),
	FACTOR(orders),
	FACTOR(copybacks),
	FACTOR(timings),
	FACTOR(policies),
	FACTOR(collections),
	FACTOR(wears),
	FACTOR(pasts),
	FACTOR(caches),
};

enum {
	ROW_FTL,
	ROW_BUFFER,
	ROW_LAYER, /* and whether there are trims */
	ROW_SPARE,
	ROW_ROOM,
	ROW_PAGE_SIZE,
	ROW_CHOICES = COUNT(factors) + 3
};

#define USED_BLOCKS 8u /* of each plane, when the drive is full */

#define MOST_SPARE 65u

/* Why a drive was refused, for each reason the first number of spare blocks. */
struct refusals {
	char text[2000];
	struct fault last;
};

static void note_refusal(struct refusals *r, unsigned spare, struct fault fault)
{
	size_t length = strlen(r->text), words = strcspn(fault.text, "0123456789");

	if (strncmp(r->last.text, fault.text, words) != 0)
		snprintf(r->text + length, sizeof r->text - length, "\n  %u spare blocks: %s", spare,
			fault.text);
	r->last = fault;
}

static void set_spare_blocks(struct combination *c, size_t length, unsigned spare)
{
	snprintf(c->settings + length, sizeof c->settings - length,
		" flash.blocks=%u flash.over_provisioning=%.6f", USED_BLOCKS + spare,
		(spare + 0.001) / (USED_BLOCKS + spare));
}

/* Gives each plane as many spare blocks as the FTL needs, and `more`.  Returns the number needed. */
static unsigned set_blocks(struct combination *c, unsigned more)
{
	struct refusals refusals = { "" };
	struct fault fault = { "" };
	size_t length;

	if (has_classes(ftls[c->ftl])) /* moved pages go where the FTL says */
		strcat(c->settings, " gc.separate=true wear.delta=0");
	length = strlen(c->settings);

	for (unsigned spare = 1; spare <= MOST_SPARE; spare++) {
		set_spare_blocks(c, length, spare);
		if (makes_a_drive(c, &fault)) {
			set_spare_blocks(c, length, spare + more);
			return spare;
		}
		note_refusal(&refusals, spare, fault);
	}
	fail_msg("%s refuses a drive of %u blocks of data in each plane and up to %u spare ones:%s\nof: %s",
		ftls[c->ftl]->name, USED_BLOCKS, MOST_SPARE, refusals.text, c->settings);
	return 0;
}

/* The drive of a row of choices.  False: its FTL refuses the buffer. */
static bool describe(struct combination *c, const size_t *row)
{
	struct fault fault;

	*c = (struct combination){ .ftl = row[ROW_FTL],
		.layer = layer_for(row[ROW_FTL], row[ROW_LAYER] / COUNT(trims)),
		.trims = row[ROW_LAYER] % COUNT(trims),
		.seed = seed_of_run() };
	snprintf(c->name, sizeof c->name, "%s+%s+%s", ftls[c->ftl]->name, buffers[row[ROW_BUFFER]]->name,
		host_layers[c->layer]->name);
	snprintf(c->settings, sizeof c->settings, QUICK "precondition.premap=none dram.buffer_bytes=%uK",
		half_pages[row[ROW_ROOM]] << row[ROW_PAGE_SIZE]);
	if (ftls[c->ftl] == &ftl_own_fixed)
		strcat(c->settings, " flash.order=ascending");
	if (getenv("SETTINGS") && !strcmp(ftls[c->ftl]->name, "page"))
		strncat(strcat(c->settings, " "), getenv("SETTINGS"), 200);
	for (size_t i = 0; i < COUNT(factors); i++) {
		const struct choice *choice = &factors[i].choice[row[ROW_SPARE + i]];
		size_t name = strlen(c->name), settings = strlen(c->settings);

		if (*choice->name)
			name += (size_t)snprintf(c->name + name, sizeof c->name - name, "/%s", choice->name);
		settings += (size_t)snprintf(
			c->settings + settings, sizeof c->settings - settings, " %s", choice->settings);
		assert_true(name < sizeof c->name && settings < sizeof c->settings);
	}
	/* Last, so that no name is the beginning of another. */
	snprintf(c->name + strlen(c->name), sizeof c->name - strlen(c->name), "/%s", trims[c->trims]);
	if (ftls[c->ftl]->admit) /* enough zones for the layer; filled, as zones can be */
		strcat(c->settings, " zoned.share=0.42 zoned.low=2 precondition.mode=fill");
	set_blocks(c, spare_blocks[row[ROW_SPARE]]);
	c->buffer = row[ROW_BUFFER];
	return makes_a_drive(c, &fault);
}

/* The row with another buffer, or with another FTL: where FTL and buffer of a row refuse each other, its
 * other choices still meet both. */
static void describe_instead(struct combination *c, const size_t *row, size_t factor)
{
	size_t other[ROW_CHOICES];

	memcpy(other, row, sizeof other);
	for (other[factor] = 0; !describe(c, other);)
		other[factor]++;
}

static uint64_t operations(void)
{
	const char *text = getenv("OPERATIONS");

	return text ? strtoull(text, NULL, 0) : amount(500, 4000);
}

/* ---- the conformance run, in a child ---- */

/* Preconditions the drive. */
static void age(struct player *p)
{
	struct precondition_result result;
	struct fault fault = { "" };

	BUG_ON(!precondition(p->drive, NULL, &result, &fault), "%s", fault.text);
}

/* Has the FTL erased a block, in a collection or a merge? */
static bool has_reclaimed(const struct drive *d)
{
	return flash_total(d->flash, OP_ERASE) + d->flash->untimed[OP_ERASE] > 0;
}

static void conform(void *context)
{
	struct player player, *p = &player;
	uint64_t n = operations();

	player_open(p, context);
	age(p);
	BUG_ON(!play_all_pages(p, REQUEST_WRITE), "the drive is full before its last logical page");
	for (uint64_t i = 0; i < n; i++) {
		BUG_ON(!play(p, random_request(p), random_below(&p->random, 8)), "the drive failed");
		if (i % 50 == 0)
			player_check(p);
	}
	for (int i = 0; i < 10 && (i == 0 || !has_reclaimed(p->drive)); i++)
		BUG_ON(!play_all_pages(p, REQUEST_WRITE), "the drive failed when it was filled again");
	BUG_ON(!play_all_pages(p, REQUEST_READ), "the drive failed when it was read");
	drive_drain(p->drive);
	drive_check(p->drive);
	BUG_ON(!has_reclaimed(p->drive), "no block was erased: the case is too easy");
	player_close(p);
}

static const char *program; /* how this one was called */
static int passed = -1;     /* descriptor for the names of cases that pass; -1: none */

static void run_case(struct combination *c, void (*act)(void *))
{
	char repeat[320];

	snprintf(repeat, sizeof repeat, "OPERATIONS=%llu %s %s", (unsigned long long)operations(), program,
		c->name);
	run_combination(c, act, repeat);
}

static void test_conforms(void **state)
{
	run_case(*state, conform);
}

/* ---- the end of a drive ---- */

/* Blocks wear out one by one until no page can be written: the FTL reports it, and its data is still intact.
 * The bound is the number of pages that all blocks together can take. */
static void wear_out(void *context)
{
	struct player player, *p = &player;
	const struct geometry *g;
	uint64_t writes = 0, bound;
	block_t worn = 0;

	player_open(p, context);
	age(p);
	g = &p->drive->geometry;
	bound = (uint64_t)g->blocks * (p->settings.flash.endurance + 1) * g->pages_per_block;
	while (play(p, random_request(p), 4)) {
		BUG_ON(writes > 100 * bound, "the drive never wears out");
		writes++;
	}
	BUG_ON(!p->drive->ftl->failed, "a write was refused, the FTL is not marked failed");
	for (block_t block = 0; block < g->blocks; block++)
		worn += flash_worn_out(p->drive->flash, block);
	BUG_ON(!worn, "the drive failed with no block worn out");
	BUG_ON(flash_total(p->drive->flash, OP_PROGRAM) + p->drive->flash->untimed[OP_PROGRAM] > bound,
		"more pages were programmed than the blocks can take");
	drive_drain(p->drive);
	drive_check(p->drive);
	player_close(p);
}

static void test_wears_out(void **state)
{
	struct combination worn = *(struct combination *)*state;

	strcat(worn.settings, " flash.endurance=6");
	/* An FTL that rewrites a block for a page would wear out during preconditioning. */
	if (!has_a_store(worn.ftl))
		strcat(worn.settings, " precondition.mode=none");
	run_case(&worn, wear_out);
}

/* ---- spare blocks, of FTLs alone ---- */

static void keep_full(void *context)
{
	struct player player, *p = &player;

	player_open(p, context);
	BUG_ON(!play_all_pages(p, REQUEST_WRITE), "the drive is full before its last logical page");
	for (uint64_t i = 0; i < 5 * operations(); i++)
		BUG_ON(!play(p, random_request(p), 0), "the drive failed after %llu requests",
			(unsigned long long)i);
	player_check(p);
	player_close(p);
}

/* Too few spare blocks are refused before anything is written. */
static void test_spare_blocks_suffice(void **state)
{
	struct combination c = *(struct combination *)*state;
	struct fault fault = { "" };
	struct settings s;
	struct drive *d;

	strcpy(c.settings, PAPER_DRIVE "flash.over_provisioning=0.1");
	fixture_settings(&s, c.settings);
	s.top.ftl = (int)c.ftl;
	s.host.layer = (int)c.layer;
	d = drive_create(&s, true, &fault);
	drive_free(d);
	settings_release(&s);
	if (d)
		run_case(&c, keep_full);
	else if (!*fault.text)
		fail_msg("%s refuses a drive and does not say why: its init should call fault_set()",
			ftls[c.ftl]->name);
}

/*
 * Static wear levelling keeps a block open in each plane.  One plane of 8 blocks of data, full all the time:
 * the FTL's spare blocks are enough without it; with it, the FTL requires one more, and with that one no
 * drive fails while its blocks are good.
 */
static void test_spare_block_for_wear_levelling(void **state)
{
	static const char plane[] = QUICK "flash.channels=1 flash.chips=1 flash.dies=1 flash.planes=1 "
					  "flash.pages=8 flash.page_bytes=2K ";
	struct combination c = *(struct combination *)*state;
	unsigned without, with;

	if (!has_a_store(c.ftl) || has_classes(ftls[c.ftl]))
		return;
	strcpy(c.settings, plane);
	without = set_blocks(&c, 0);
	run_case(&c, keep_full);
	snprintf(c.settings, sizeof c.settings, "%swear.delta=1 wear.period=1", plane);
	with = set_blocks(&c, 0);
	run_case(&c, keep_full);
	if (with != without + 1)
		fail_msg("%s needs %u spare blocks in a plane, and %u with static wear levelling "
			 "(wear.delta=1), which keeps one more block open: it should need %u",
			ftls[c.ftl]->name, without, with, without + 1);
}

/*
 * Mapping pages that do not fit in DRAM lie beside the data: the fewest spare blocks that an FTL accepts
 * hold them, too, on blocks so small that a page more or less decides.
 */
static void test_spare_blocks_hold_mapping_pages(void **state)
{
	static const char *const planes[] = {
		"flash.planes=1 flash.pages=2 flash.page_bytes=8K mrsm.node_bytes=64 map.cache_bytes=1K",
		"flash.planes=3 flash.pages=2 flash.page_bytes=16K mrsm.node_bytes=32 map.cache_bytes=2K",
		"flash.planes=2 flash.pages=3 flash.page_bytes=2K mrsm.node_bytes=64 map.cache_bytes=1K "
		"mrsm.cache_model=lru",
		"flash.planes=1 flash.pages=2 flash.page_bytes=2K map.cache_bytes=1K wear.delta=1 "
		"wear.period=1 "
		"mrsm.node_bytes=64 mrsm.cache_model=lru",
	};
	struct combination c = *(struct combination *)*state;

	for (size_t i = 0; i < COUNT(planes) && has_a_store(c.ftl); i++) {
		snprintf(c.settings, sizeof c.settings,
			QUICK "flash.channels=1 flash.chips=1 flash.dies=1 %s", planes[i]);
		set_blocks(&c, 0);
		run_case(&c, keep_full);
	}
}

/* ---- saved in the middle, continued as if nothing had happened ---- */

/* Writes and trims outside time, as preconditioning does. */
static void prepare(struct player *p, uint64_t n)
{
	for (uint64_t i = 0; i < n; i++) {
		struct request r = random_request(p);

		if (r.type == REQUEST_TRIM)
			drive_discard(p->drive, request_extent(&r));
		else if (request_has_sectors(r.type))
			BUG_ON(!drive_place(p->drive, request_extent(&r)), "the drive failed");
	}
}

/* NULL: nothing does. */
static const char *what_differs(const struct player *a, const struct player *b)
{
	const struct flash *f = a->drive->flash, *g = b->drive->flash;

	if (a->digest != b->digest)
		return "completion times differ";
	if (memcmp(f->count, g->count, sizeof f->count))
		return "operation counts differ";
	if (memcmp(f->owner, g->owner, f->geometry->pages * sizeof *f->owner))
		return "page owners differ";
	if (memcmp(a->drive->count->request, b->drive->count->request, sizeof a->drive->count->request))
		return "latencies differ";
	return NULL;
}

static void finish_both(struct player *a, struct player *b)
{
	for (uint64_t i = 0; i < operations() / 2; i++) {
		play(a, random_request(a), 3);
		play(b, random_request(b), 3);
	}
	drive_drain(a->drive);
	drive_drain(b->drive);
}

/* Names state without a row, for a run that aborts after the load. */
static char undeclared[512];

static void blame_undeclared(int signal_number)
{
	static const char start[] = "it may be state without a row: ";

	(void)signal_number;
	if (write(STDERR_FILENO, start, strlen(start)) > 0 &&
		write(STDERR_FILENO, undeclared, strlen(undeclared)) > 0)
		signal(SIGABRT, SIG_DFL);
}

/* Saves drive `a` and loads it into `b`. */
static void save_and_load(struct player *a, struct player *b)
{
	struct fault fault = { "" };
	char path[TEMPORARY_PATH];
	int file = temporary_file(path);
	bool loaded;

	BUG_ON(file < 0 || !image_save(a->drive, path, &fault), "%s", fault.text);
	loaded = image_load(b->drive, path, &fault);
	unlink(path);
	close(file);
	stat_list_start(&a->drive->statistics);
	stat_list_start(&b->drive->statistics);
	undeclared_state(a->drive->ftl, b->drive->ftl, undeclared, sizeof undeclared);
	BUG_ON(!loaded && *undeclared, "a drive that was saved is refused; without a row: %s; %s", undeclared,
		fault.text);
	BUG_ON(!loaded, "%s", fault.text);
	if (*undeclared)
		signal(SIGABRT, blame_undeclared);
}

static void continue_both(struct player *a, struct player *b)
{
	const char *what;

	age(a);
	prepare(a, operations() / 2);
	save_and_load(a, b);
	b->random = a->random;
	drive_check(b->drive);
	finish_both(a, b);
	what = what_differs(a, b);
	signal(SIGABRT, SIG_DFL);
	BUG_ON(what && *undeclared, "state without a row changed the run after loading: %s (%s)", undeclared,
		what);
	BUG_ON(what, "%s", what);
	drive_check(b->drive);
}

/* Players lie in memory that is watched, too. */
static struct player *two_players(void)
{
	undeclared_watch();
	return memory_array(2, sizeof(struct player), "players");
}

static void save_and_continue(void *context)
{
	struct player *p = two_players();

	player_open(&p[0], context);
	player_open(&p[1], context);
	continue_both(&p[0], &p[1]);
	player_close(&p[0]);
	player_close(&p[1]);
	memory_free(p);
}

static void test_saved_drive_continues_identically(void **state)
{
	run_case(*state, save_and_continue);
}

/* All rows of an FTL except that of this field. */
static const struct state_row *rows_without(const struct ftl_ops *ops, const char *field)
{
	static struct state_row rows[16];
	size_t n = 0;

	for (const struct state_row *row = ops->state; row->name; row++)
		if (strcmp(row->name, field))
			rows[n++] = *row;
	rows[n].name = NULL;
	return rows;
}

static void continue_forgetfully(const struct combination *c, const struct ftl_ops *ops)
{
	struct player *p = two_players();

	for (size_t i = 0; i < 2; i++) {
		player_open(&p[i], c);
		p[i].drive->ftl->ops = ops;
	}
	continue_both(&p[0], &p[1]);
}

static void forget_whose_turn_it_is(void *context)
{
	struct ftl_ops ops = ftl_own_log;

	ops.state = rows_without(&ftl_own_log, "plane");
	continue_forgetfully(context, &ops);
}

static void forget_the_page_table(void *context)
{
	struct ftl_ops ops = ftl_skeleton;

	ops.state = rows_without(&ftl_skeleton, "map");
	continue_forgetfully(context, &ops);
}

static void test_state_without_a_row_is_named(void **state)
{
	struct combination c = { .name = "forgetful", .seed = seed_of_run() };

	(void)state;
	strcpy(c.settings, PAPER_DRIVE "precondition.premap=none");
	while (ftls[c.ftl] != &ftl_own_log)
		c.ftl++;
	assert_aborts(forget_whose_turn_it_is, &c,
		"state without a row changed the run after loading: bytes 48..48 of the FTL's "
		"state (");
	for (c.ftl = 0; ftls[c.ftl] != &ftl_skeleton;)
		c.ftl++;
	assert_aborts(forget_the_page_table, &c, "without a row: bytes 0..");
}

/* A drive may be loaded with another placement than it was saved with: its cursor means something else there.
 * The drive is refused or continues, but the cursor never exceeds the number of dies. */
static void load_with_another_placement(void *context)
{
	struct player a, b;
	struct fault fault = { "" };
	char path[TEMPORARY_PATH];
	int file = temporary_file(path);

	player_open(&a, context);
	player_open(&b, context);
	b.settings.ftl.placement.policy = PLACE_LEAST_LOADED;
	drive_free(b.drive);
	b.drive = drive_create(&b.settings, true, &fault);
	prepare(&a, 7);
	BUG_ON(file < 0 || !image_save(a.drive, path, &fault), "%s", fault.text);
	if (image_load(b.drive, path, &fault)) {
		prepare(&b, 50);
		BUG_ON(b.drive->ftl->store->placement.cursor >= b.drive->geometry.dies,
			"die %u of %u is next", b.drive->ftl->store->placement.cursor,
			b.drive->geometry.dies);
	}
	unlink(path);
	close(file);
	player_close(&a);
	player_close(&b);
}

static void test_loaded_with_another_placement(void **state)
{
	struct combination c = { .name = "loaded-with-another-placement", .seed = seed_of_run() };

	(void)state;
	strcpy(c.settings, PAPER_DRIVE "flash.channels=1 flash.chips=1 flash.dies=1 flash.planes=8 "
				       "placement.policy=round_robin");
	run_case(&c, load_with_another_placement);
}

/* ---- two drives in one process ---- */

static void run_two(void *context)
{
	struct player alone, a, b;

	player_open(&alone, context);
	player_open(&a, context);
	player_open(&b, context);
	age(&alone);
	age(&a);
	age(&b);
	random_init(&b.random, seed_of_run() + 1, 8);
	for (uint64_t i = 0; i < operations() / 2; i++)
		play(&alone, random_request(&alone), 3);
	drive_drain(alone.drive);
	finish_both(&a, &b);
	BUG_ON(what_differs(&alone, &a), "%s", what_differs(&alone, &a));
	BUG_ON(a.digest == b.digest, "two different drives ran alike");
	player_close(&alone);
	player_close(&a);
	player_close(&b);
}

static void test_two_drives_do_not_disturb_each_other(void **state)
{
	run_case(*state, run_two);
}

/* ---- the list of cases ---- */

static size_t length_of(const void *const *list)
{
	size_t n = 0;

	while (list[n])
		n++;
	return n;
}

static void count_choices(size_t choices[ROW_CHOICES], size_t scale)
{
	choices[ROW_FTL] = scale * length_of((const void *const *)ftls);
	choices[ROW_BUFFER] = scale * length_of((const void *const *)buffers);
	choices[ROW_LAYER] = scale * length_of((const void *const *)host_layers) * COUNT(trims);
	for (size_t i = 0; i < COUNT(factors); i++)
		choices[ROW_SPARE + i] = factors[i].choices;
}

static bool meet(const struct pairwise *p, size_t f, size_t i, size_t g, size_t j)
{
	for (const size_t *row = p->row; row < p->row + p->rows * p->factors; row += p->factors)
		if (row[f] == i && row[g] == j)
			return true;
	return false;
}

/* Every pair is looked for in the rows themselves.  Returns the most pairs that two factors have. */
static size_t assert_all_meet(const struct pairwise *p)
{
	size_t most = 0;

	for (size_t f = 0; f < p->factors; f++)
		for (size_t g = f + 1; g < p->factors; g++) {
			size_t pairs = p->choices[f] * p->choices[g];

			for (size_t pair = 0; pair < pairs; pair++)
				if (!meet(p, f, pair % p->choices[f], g, pair / p->choices[f]))
					fail_msg("pair %zu of factors %zu and %zu is in no row", pair, f, g);
			most = pairs > most ? pairs : most;
		}
	return most;
}

/* Of today's lists and of lists several times as long.  Two factors alone need a row for each of their pairs;
 * at most twice as many rows are made. */
static void test_any_two_choices_meet(void **state)
{
	size_t choices[ROW_CHOICES];
	struct pairwise p;

	(void)state;
	for (size_t scale = 1; scale < 5; scale++) {
		count_choices(choices, scale);
		pairwise_make(&p, choices, ROW_CHOICES);
		assert_true(p.rows <= 2 * assert_all_meet(&p));
		pairwise_free(&p);
	}
}

/* The first one is tried on the drive of every row; of the others, `make test` tries one. */
static const struct act {
	const char *name;
	CMUnitTestFunction function;
} acts[] = {
	{ "conforms", test_conforms },
	{ "wears-out", test_wears_out },
	{ "saved", test_saved_drive_continues_identically },
	{ "two-drives", test_two_drives_do_not_disturb_each_other },
};

static const struct act spares_of[] = {
	{ "suffice", test_spare_blocks_suffice },
	{ "wear-levelling", test_spare_block_for_wear_levelling },
	{ "mapping-pages", test_spare_blocks_hold_mapping_pages },
};

/* The drives of a row.  Returns their number, one or two. */
static size_t describe_row(struct combination c[2], const size_t *row)
{
	if (describe(c, row))
		return 1;
	describe_instead(c, row, ROW_BUFFER);
	describe_instead(c + 1, row, ROW_FTL);
	return 2;
}

static void test_and_record(void **state)
{
	const struct combination *c = *state;

	c->test(state); /* returns only if it passes */
	if (passed >= 0)
		dprintf(passed, "%s\n", c->name);
}

/* The cases of a suite whose names contain `only`. */
struct suite {
	const char *only; /* NULL: all */
	struct combination *c;
	struct CMUnitTest *test;
	size_t cases, tests;
};

static void add_tests(struct suite *s, size_t cases, CMUnitTestFunction function)
{
	for (; cases; cases--, s->cases++) {
		struct combination *c = &s->c[s->cases];

		c->test = function;
		if (!s->only || strstr(c->name, s->only))
			s->test[s->tests++] = (struct CMUnitTest){
				.name = c->name, .test_func = test_and_record, .initial_state = c
			};
	}
}

/* Acts on every drive. */
static void add_rows(struct suite *s, const struct pairwise *p)
{
	struct combination drives[2];

	for (size_t row = 0; row < p->rows; row++) {
		size_t n = describe_row(drives, p->row + row * p->factors);

		for (size_t i = 0; i < COUNT(acts); i++) {
			if (i && !s->only && is_for_check(row + i, COUNT(acts) - 1))
				continue;
			for (size_t k = 0; k < n; k++) {
				struct combination *c = &s->c[s->cases + k];

				*c = drives[k];
				assert_true(strlen(drives[k].name) <= 200);
				snprintf(c->name, sizeof c->name, "%s:%.200s", acts[i].name, drives[k].name);
			}
			add_tests(s, n, acts[i].function);
		}
	}
}

static void add_spares(struct suite *s)
{
	for (size_t ftl = 0; ftls[ftl]; ftl++)
		for (size_t i = 0; i < COUNT(spares_of); i++) {
			struct combination *c = &s->c[s->cases];

			*c = (struct combination){
				.ftl = ftl, .layer = layer_for(ftl, 0), .seed = seed_of_run()
			};
			snprintf(c->name, sizeof c->name, "spare:%s+%s", ftls[ftl]->name, spares_of[i].name);
			add_tests(s, 1, spares_of[i].function);
		}
}

static int suite_run(const struct suite *s)
{
	if (!s->tests)
		print_error("test_ftl: no case has \"%s\" in its name\n", s->only);
	return s->tests ? _cmocka_run_group_tests("FTLs", s->test, s->tests, NULL, NULL) : 1;
}

static int suite_list(const struct suite *s)
{
	for (size_t i = 0; i < s->tests; i++)
		puts(s->test[i].name);
	return 0;
}

static int suite_make(const char *only, int (*then)(const struct suite *))
{
	size_t choices[ROW_CHOICES], most;
	struct suite s = { .only = only };
	struct pairwise p;
	int failed;

	count_choices(choices, 1);
	pairwise_make(&p, choices, ROW_CHOICES);
	most = 2 * p.rows * COUNT(acts) + COUNT(spares_of) * choices[ROW_FTL];
	s.c = memory_array(most, sizeof *s.c, "cases");
	s.test = memory_array(most, sizeof *s.test, "cases");
	add_rows(&s, &p);
	add_spares(&s);
	failed = then(&s);
	memory_free(s.test);
	memory_free(s.c);
	pairwise_free(&p);
	return failed;
}

/* Prints with what options a drive of the FTL takes any workload, for `make check-ftl`. */
static int print_options(const char *name)
{
	for (size_t i = 0; ftls[i]; i++)
		if (strcmp(ftls[i]->name, name) == 0)
			return puts(any_workload_options(ftls[i])) == EOF;
	print_error("there is no FTL %s; make new-ftl NAME=%s begins one\n", name, name);
	return 2;
}

int main(int argc, char **argv)
{
	const struct CMUnitTest others[] = {
		cmocka_unit_test(test_any_two_choices_meet),
		cmocka_unit_test(test_loaded_with_another_placement),
		cmocka_unit_test(test_state_without_a_row_is_named),
	};

	program = argv[0];
	if (argc > 2 && strcmp(argv[1], "--options") == 0)
		return print_options(argv[2]);
	if (argc > 2 && !strcmp(argv[2], "-n"))
		return suite_make(argv[1], suite_list);
	if (argc > 2)
		passed = (int)strtol(argv[2], NULL, 10);
	if (argc > 1)
		return suite_make(argv[1], suite_run);
	return suite_make(NULL, suite_run) +
	       cmocka_run_group_tests_name("FTLs, single cases", others, NULL, NULL);
}
