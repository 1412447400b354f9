/*
 * Against public figures and closed forms: programs of dies with and without the cache register, sequential
 * writes of drives, queues of repeated reads, and the cost of refresh.
 */
#include "tests/load_fixture.h"
#include "tests/tier.h"

#define MB 1e6

/* Prints both and asserts that they differ by at most so many percent. */
static void assert_near(const char *what, double value, double expected, double percent)
{
	double off = 100 * (value - expected) / expected;

	print_message("%-58s %9.5g, expected %9.5g, %+.2f %%\n", what, value, expected, off);
	if (fabs(off) > percent)
		fail_msg("%s is %.3f %% off, may be %g", what, off, percent);
}

/* ---- programs ---- */

/* A die of three pages of 16 KiB a wordline in each plane. */
struct die {
	const char *name;
	unsigned planes, program_us, bus_mb_per_s;
	double published; /* MB/s */
};

/* ISSCC of the years 2018 to 2021.  The bus of the first is published, those of the others are assumed. */
static const struct die dies[] = {
	{ "Kioxia, 96 layers", 2, 1725, 533, 57 },
	{ "Kioxia, 128 layers", 4, 1489, 1066, 132 },
	{ "Samsung, 2019", 2, 1199, 1200, 82 },
	{ "SK hynix, 176 layers", 4, 1170, 1600, 168 },
	{ "Kioxia, more than 170 layers", 4, 1229, 2000, 160 },
	{ "Samsung, 7th generation", 4, 1069, 2000, 184 },
};

enum { WORDLINES = 192 };

/* Writes wordlines in order, as many at once as there are; the rate in MB/s. */
static double write_wordlines(const struct die *die, const char *cache)
{
	struct load *l;
	char settings[700];
	uint32_t pages = die->planes * 3;
	double rate;

	snprintf(settings, sizeof settings,
		"flash.channels=1 flash.chips=1 flash.dies=1 flash.planes=%u flash.blocks=64 flash.pages=96 "
		"flash.page_bytes=16K flash.cell_bits=3 flash.program_unit=wordline flash.program_ns=%u000 "
		"flash.copyback=false flash.multiplane=same_offset flash.command_ns=300 "
		"flash.plane_command_ns=300 flash.bus_mb_per_s=%u flash.cache_register=%s "
		"placement.policy=superblock dram.access_ns=0 ",
		die->planes, die->program_us, die->bus_mb_per_s, cache);
	l = load_open(settings, 0);
	l->pages = pages * (WORDLINES + 1);
	stat_list_start(&l->drive->statistics);
	for (int i = 0; i < WORDLINES; i++)
		load_request(l, (struct demand){ 1, true, pages }, 0);
	drive_drain(l->drive);
	rate = (double)WORDLINES * pages * 16384 / MB / ((double)l->drive->last_completion / 1e9);
	load_close(l);
	return rate;
}

/* The published rates are of a die that is loaded while it programs: with the cache register, the bytes of a
 * wordline over its program time; without it the load time is added. */
static void test_rates_of_dies(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof dies / sizeof *dies; i++) {
		const struct die *d = &dies[i];
		double bytes = d->planes * 3 * 16384.0, program = d->program_us * 1000.0;
		double load = d->planes * 3 * (300 + 16384e3 / d->bus_mb_per_s);
		char what[80];

		snprintf(what, sizeof what, "%s: MB/s, as published", d->name);
		assert_near(what, write_wordlines(d, "program"), d->published, 1);
		snprintf(what, sizeof what, "%s: without the cache register", d->name);
		assert_near(what, write_wordlines(d, "off"), bytes / MB / (load + program) * 1e9, 0.1);
	}
}

/* Sequential writes of a drive at a depth, MB/s. */
static double write_drive(const char *settings, uint32_t pages, uint64_t depth)
{
	struct load *l = load_open(settings, 0);
	double page = l->drive->geometry.page_bytes, iops;

	l->pages = l->drive->geometry.logical_pages;
	iops = load_iops(l, (struct demand){ 1, true, pages }, depth, 4000);
	load_close(l);
	return iops * pages * page / MB;
}

/* The data sheet says 2,700 MB/s: only with the cache register is the model within a tenth of it. */
static void test_writes_of_a_970_pro(void **state)
{
#define PRO                                                                                                  \
	"flash.channels=8 flash.chips=2 flash.dies=1 flash.planes=1 flash.blocks=64 flash.pages=64 "         \
	"flash.page_bytes=32K flash.over_provisioning=0.2 flash.program_ns=185000 flash.bus_mb_per_s=800 "   \
	"flash.command_ns=300 flash.forward_bytes=1G placement.policy=round_robin dram.access_ns=0 "         \
	"gc.threshold=0 trace.limit=0 "
	double bytes = 16 * 32768 / MB;

	(void)state;
	assert_near("970 Pro: MB/s with the cache register",
		write_drive(PRO "flash.cache_register=program ", 4, 64), bytes / 185e-6, 1);
	assert_near("970 Pro: without", write_drive(PRO, 4, 64), bytes / (185e-6 + 300e-9 + 40960e-9), 1);
	assert_near("970 Pro: with, beside its data sheet",
		write_drive(PRO "flash.cache_register=program ", 4, 64), 2700, 6);
}

/* The bus, not the dies, bounds a ZN540 of six pages a wordline, and its link is slower than both: 3,050. */
static void test_writes_of_a_zn540(void **state)
{
#define ZN                                                                                                   \
	"flash.channels=8 flash.chips=4 flash.dies=1 flash.planes=1 flash.blocks=32 flash.pages=96 "         \
	"flash.page_bytes=16K flash.over_provisioning=0.2 flash.cell_bits=6 flash.program_unit=wordline "    \
	"flash.program_ns=561000 flash.copyback=false flash.bus_mb_per_s=450 flash.command_ns=300 "          \
	"placement.policy=round_robin dram.access_ns=0 gc.threshold=0 "
	double bus = 8 * 98304 / MB / (6 * (300e-9 + 16384 / 450e6));

	(void)state;
	assert_near("ZN540: MB/s without a link", write_drive(ZN "flash.cache_register=program ", 6, 256),
		bus, 1);
	assert_near("ZN540: with one of 3,050",
		write_drive(ZN "flash.cache_register=program host.link_mb_per_s=3050 ", 6, 256), 3050, 1);
}

/* ---- repeated reads ---- */

#define READS                                                                                                \
	"flash.channels=1 flash.chips=1 flash.dies=1 flash.planes=1 flash.blocks=1024 flash.pages=96 "       \
	"flash.page_bytes=16K flash.over_provisioning=0.125 flash.read_ns=40000 flash.program_ns=500000 "    \
	"flash.command_ns=300 flash.bus_mb_per_s=1000 flash.forward_bytes=0 dram.access_ns=0 "

enum { READ = 300 + 40000 + 16384, ECC = 10000 };

static void test_rates_of_repeated_reads(void **state)
{
	(void)state;
	for (int n = 0; n <= 2; n++) {
		struct load *l;
		char settings[600], what[60];

		snprintf(settings, sizeof settings, READS "retry.pe=0 retry.days=0 retry.steps=%d ", n);
		l = load_open(settings, 9600);
		snprintf(what, sizeof what, "reads a second of a die, %d repeated", n);
		assert_near(what, load_iops(l, (struct demand){ 0, false, 1 }, 4, 4000),
			1e9 / ((n + 1) * READ + n * ECC), 0.1);
		load_close(l);
	}
}

/*
 * Half of the data is 100 days old and needs two further senses, the other half none: a queue of the mean
 * service E and the mean of its square, F.  Pollaczek and Khinchine: a read waits rate x F / 2 (1 - load).
 */
static void test_a_mixture_of_reads_is_a_queue(void **state)
{
	const tick_t day = 86400000000000;
	const double once = READ, thrice = 3 * READ + 2 * ECC, mean = (once + thrice) / 2;
	const double squares = (once * once + thrice * thrice) / 2;
	const uint64_t requests = amount(60000, 600000);
	struct fault fault;
	struct load *l = load_open(READS "retry.pe=0 retry.days=0 retry.steps=0 ", 0);

	(void)state;
	drive_free(l->drive);
	assert_true(params_set("retry.days=0 50", l->settings.group, l->settings.groups, &fault));
	assert_true(params_set("retry.steps=0 2", l->settings.group, l->settings.groups, &fault));
	l->drive = drive_create(&l->settings, false, &fault);
	l->pages = 9600;
	for (int half = 0; half < 2; half++) {
		drive_run_until(l->drive, (tick_t)half * 100 * day);
		for (int i = 0; i < 50; i++)
			load_request(l, (struct demand){ 1, true, 96 }, load_now(l));
	}
	for (int heavy = 0; heavy < 2; heavy++) {
		const tick_t hour = day / 24;
		double load = heavy ? 0.6 : 0.3, rate = load / mean,
		       arrival = (double)(schedule_now(l->drive->flash->schedule) + hour);
		char what[80];

		drive_run_until(l->drive, (tick_t)arrival);
		drive_count_from_here(l->drive);
		for (uint64_t i = 0; i < requests; i++) {
			arrival += -log(1 - random_unit(&l->random)) / rate;
			drive_run_until(l->drive, (tick_t)arrival);
			load_request(l, (struct demand){ 0, false, 1 }, (tick_t)arrival);
		}
		drive_drain(l->drive);
		snprintf(what, sizeof what, "reads of once and thrice, load %.1f: mean latency, ns", load);
		assert_near(what, histogram_mean(&l->drive->count->request[REQUEST_READ].latency),
			mean + rate * squares / 2 / (1 - load), is_soak() ? 1 : 4);
	}
	load_close(l);
}

/* More than three further senses a read after 3,000 erases; less than 0.003 if a read begins with what last
 * worked for its block: three for each block. */
static void test_history_saves_senses(void **state)
{
	const uint64_t reads = amount(100000, 1100000);

	(void)state;
	for (int history = 0; history < 2; history++) {
		struct load *l;
		char settings[700];
		double steps, pages;

		snprintf(settings, sizeof settings,
			READS "retry.pe=0 retry.days=0 retry.steps=3 retry.erases=3000 retry.history=%s ",
			history ? "true" : "false");
		l = load_open(settings, 860 * 96);
		load_iops(l, (struct demand){ 0, false, 1 }, 1, reads);
		steps = statistic_in(&l->drive->statistics, "retry.steps");
		pages = statistic_in(&l->drive->statistics, "retry.senses") - steps;
		if (history)
			assert_near("further senses, three for each block", steps, 3 * 860, 0);
		else
			assert_near("further senses of a read", steps / pages, 3, 0);
		if (history && is_soak())
			assert_true(steps / pages < 0.003);
		load_close(l);
	}
}

/* 256 pages are programmed for 100,000 senses of a block. */
static void test_refresh_of_what_is_read(void **state)
{
	const uint64_t senses = amount(2000, 100000);
	char settings[700];
	double programs, reads;
	struct load *l;

	(void)state;
	snprintf(settings, sizeof settings,
		READS "flash.blocks=16 flash.pages=256 flash.over_provisioning=0.3 gc.threshold=0.02 "
		      "refresh.reads=%d ",
		(int)senses);
	l = load_open(settings, 4 * 256);
	load_iops(l, (struct demand){ 0, true, 16 }, 1, 10 * senses);
	programs = statistic_in(&l->drive->statistics, "flash.program.refresh");
	reads = statistic_in(&l->drive->statistics, "flash.read.host");
	assert_near("programs of refresh for a read", programs / reads, 256.0 / (double)senses, 3);
	load_close(l);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_rates_of_dies),
		cmocka_unit_test(test_writes_of_a_970_pro),
		cmocka_unit_test(test_writes_of_a_zn540),
		cmocka_unit_test(test_rates_of_repeated_reads),
		cmocka_unit_test(test_a_mixture_of_reads_is_a_queue),
		cmocka_unit_test(test_history_saves_senses),
		cmocka_unit_test(test_refresh_of_what_is_read),
	};

	return cmocka_run_group_tests_name("public figures", tests, NULL, NULL);
}
