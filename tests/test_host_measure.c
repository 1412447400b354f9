/*
 * `ssd measure`: the device model of striped superblocks by hand, then both devices of Chardin et al. as they
 * are measured, alone and behind the layer, and what the model of the paper predicts.
 */
#include "drive/striped.h"
#include "tests/program_fixture.h"

#include <math.h>

/* ---- striped superblocks ---- */

/*
 * Superblocks of 8 sectors on 2 chips in stripes of 2: sectors 0, 1, 4 and 5 are one chip's, 2, 3, 6 and 7
 * the other's.  Transfer 10, program 100, copy 50, erase 1000.
 */
static const struct striped_settings small = { .superblock = 8,
	.chips = 2,
	.stripe = 2,
	.sectors = 16,
	.transfer_ns = 10,
	.program_ns = 100,
	.copy_ns = 50,
	.erase_ns = 1000 };

static void assert_times(const struct striped_settings *s, const uint64_t (*writes)[2], size_t n)
{
	struct fault fault = { "" };
	struct striped *d = striped_create(s, &fault);

	for (size_t i = 0; i < n; i++) {
		striped_write(d, writes[i][0]);
		assert_int_equal(striped_now(d), writes[i][1]);
	}
	striped_free(d);
}

static void test_striped_by_hand(void **state)
{
	static const uint64_t writes[][2] = {
		{ 0, 10 },   /* its chip is busy until 110 */
		{ 2, 20 },   /* the other one until 120 */
		{ 1, 120 },  /* waits until 110; 220 */
		{ 5, 230 },  /* waits until 220; copies 4: 380 */
		{ 3, 240 },  /* 340 */
		{ 0, 1390 }, /* behind 5: both erase, the second copies 6 and 7: 1380, 1440; then 1490 */
		{ 8, 2650 }, /* the first copies three, the second four sectors: both 2640 */
	};

	(void)state;
	assert_times(&small, writes, COUNT(writes));
}

/* The chip may have 120 of work left: the second write begins at 10, the third where 210 less 120 is 90. */
static void test_striped_with_slack(void **state)
{
	static const uint64_t writes[][2] = { { 0, 10 }, { 1, 20 }, { 4, 100 }, { 5, 200 }, { 2, 210 } };
	struct striped_settings s = small;

	(void)state;
	s.slack_ns = 120;
	assert_times(&s, writes, COUNT(writes));
}

/* ---- as it is measured ---- */

/* The number that was printed behind this name; NaN: none. */
static double printed(const struct world *w, const char *name)
{
	size_t length = strlen(name);

	for (const char *line = w->out; line; line = strchr(line, '\n'), line = line ? line + 1 : NULL)
		if (!strncmp(line, name, length) && !strncmp(line + length, " = ", 3))
			return strtod(line + length + 3, NULL);
	return NAN;
}

struct expected {
	const char *name;
	double value, share;
};

static void assert_measured(struct world *w, const char *arguments, const struct expected *e, size_t n)
{
	ssd(w, arguments);
	assert_status(w, DONE, arguments);
	for (size_t i = 0; i < n; i++)
		if (!(fabs(printed(w, e[i].name) / e[i].value - 1) <= e[i].share))
			fail_msg("ssd %s: %s = %g, not %g", arguments, e[i].name, printed(w, e[i].name),
				e[i].value);
}

#define SSD_DRIVE "parameters/chardin-ssd.cfg"

/* Rates of an independent model; the paper has 7530, 134 and 256. */
static void test_the_ssd(void **state)
{
	static const struct expected numbers[] = { { "measure.sequential", 7813, 0.001 },
		{ "measure.random", 134.6, 0.01 }, { "measure.ahead.1", 7813, 0.001 },
		{ "measure.ahead.4", 7813, 0.001 }, { "measure.ahead.5", 7331, 0.01 },
		{ "measure.ahead.8", 4647, 0.01 }, { "measure.ahead.16", 2323, 0.01 },
		{ "measure.ahead.32", 1163, 0.01 }, { "measure.ahead.64", 559, 0.01 },
		{ "measure.ahead.128", 274, 0.01 }, { "measure.ahead.256", 136, 0.01 },
		{ "measure.d_max", 256, 0 } };

	assert_measured(*state, "measure --json @/ssd.json " SSD_DRIVE, numbers, COUNT(numbers));
	assert_true(exists(*state, "ssd.json"));
}

/* The dip of Figure 5 at a distance of 4, if a chip gets a write only when it has no work left. */
static void test_the_ssd_without_slack(void **state)
{
	static const struct expected numbers[] = { { "measure.ahead.1", 7533, 0.001 },
		{ "measure.ahead.2", 5228, 0.001 }, { "measure.ahead.3", 7188, 0.01 },
		{ "measure.ahead.4", 8499, 0.001 }, { "measure.ahead.5", 4345, 0.001 } };

	assert_measured(*state, "measure -s striped.slack_ns=0 -s striped.transfer_ns=50000 " SSD_DRIVE,
		numbers, COUNT(numbers));
}

/* The paper reaches 7796 with 29,000 sectors, 58 times the rate of random writes. */
static void test_the_ssd_behind_its_layer(void **state)
{
	static const struct {
		const char *pool;
		double rate, distance;
	} cases[] = { { "0.05", 3240, 10.67 }, { "0.145", 7630, 4.13 }, { "0.25", 7811, 2.69 } };
	char arguments[200];

	for (size_t i = 0; i < COUNT(cases); i++) {
		struct expected numbers[] = { { "measure.random", cases[i].rate, 0.01 },
			{ "indirect.distance_mean", cases[i].distance, 0.02 } };

		snprintf(arguments, sizeof arguments,
			"measure --random -s host.layer=indirect -s indirect.pool=%s %s", cases[i].pool,
			SSD_DRIVE);
		assert_measured(*state, arguments, numbers, COUNT(numbers));
		assert_true(isnan(printed(*state, "measure.sequential")));
	}
}

/* Fewer blocks: rates depend on shares alone. */
#define USB_DRIVE                                                                                            \
	"-s flash.blocks=320 -s flash.over_provisioning=0.0625 -s indirect.logical_sectors=2400 "            \
	"parameters/chardin-usb.cfg"

/* Rates of an independent model; the paper has 1060, 30 and 32. */
static void test_the_usb_drive(void **state)
{
	static const struct expected numbers[] = { { "measure.sequential", 1060.4, 0.001 },
		{ "measure.random", 30.1, 0.02 }, { "measure.ahead.2", 196.7, 0.001 },
		{ "measure.ahead.3", 166, 0.001 }, { "measure.ahead.4", 143.6, 0.001 },
		{ "measure.ahead.8", 93.2, 0.001 }, { "measure.ahead.16", 54.8, 0.001 },
		{ "measure.ahead.32", 30.0, 0.01 }, { "measure.back.1", 30.1, 0.01 },
		{ "measure.back.16", 30.1, 0.01 }, { "measure.d_max", 32, 0 } };

	assert_measured(*state, "measure " USB_DRIVE, numbers, COUNT(numbers));
}

/* The paper: a pool of half the sectors gives ten times the rate of random writes, one of three times the
 * sectors 95 % of the sequential rate. */
static void test_the_usb_drive_behind_its_layer(void **state)
{
	static const struct {
		const char *pool;
		double rate;
	} cases[] = { { "0.1", 125.3 }, { "0.25", 219.9 }, { "0.5", 340.3 }, { "1", 537.9 }, { "3", 972.2 } };
	char arguments[300];

	for (size_t i = 0; i < COUNT(cases); i++) {
		struct expected random = { "measure.random", cases[i].rate, 0.03 };

		snprintf(arguments, sizeof arguments,
			"measure --random -s host.layer=indirect -s indirect.pool=%s " USB_DRIVE,
			cases[i].pool);
		assert_measured(*state, arguments, &random, 1);
	}
}

/* On an ideal device, every write takes the same time: a page 100000 and 5120 on the bus. */
static void test_a_drive_that_does_not_care(void **state)
{
	static const struct expected numbers[] = { { "measure.sector_bytes", 2048, 0 },
		{ "measure.d_max", 1, 0 }, { "measure.sectors", 192, 0 }, { "measure.back.2", 9513, 0.001 },
		{ "measure.random", 9513, 0.001 } };

	assert_measured(*state,
		"measure --sector 2048 -s ftl=direct -s gc.threshold=0 -s flash.erase_ns=0 "
		"parameters/tiny.cfg",
		numbers, COUNT(numbers));
}

/* Blocks wear out after some passes: what was measured before is printed, the rest is not. */
static void test_a_drive_that_fails(void **state)
{
	static const char arguments[] = "measure -s flash.endurance=5 parameters/tiny.cfg";

	ssd(*state, arguments);
	assert_status(*state, DRIVE_FAILED, arguments);
	assert_true(printed(*state, "measure.sequential") > 0);
	assert_true(isnan(printed(*state, "measure.back.2")));
}

static void test_mistakes(void **state)
{
	static const struct mistake cases[] = {
		{ "measure", "PARAMETERS" },
		{ "measure --sector 100 parameters/tiny.cfg", "--sector" },
		{ "measure --sector 1000 parameters/tiny.cfg",
			"--sector 1000 is not a multiple of the device's sectors of 512 bytes" },
		{ "measure --sector 2048 " SSD_DRIVE,
			"--sector 2048 is not a multiple of the device's sectors of 4096 bytes" },
		{ "measure --sector 131072 parameters/tiny.cfg",
			"a drive of 3 sectors of 131072 bytes is too small to be measured" },
		{ "measure -s striped.sector_bytes=1000 " SSD_DRIVE,
			"striped.sector_bytes = 1000 is not a power of two" },
		{ "measure -s striped.stripe=3 " SSD_DRIVE, "8 x 3 sectors, 256 and 262144 are not" },
		{ "measure -s striped.sectors=262145 " SSD_DRIVE, "the device whole superblocks" },
		{ "measure -s host.layer=indirect -s indirect.pool=1 " SSD_DRIVE,
			"200000 sectors of 4096 bytes and a pool of 200000 do not fit on a device of "
			"262144" },
		{ "run " SSD_DRIVE " uniform",
			"striped.superblock = 256: this device model is for `ssd measure`" },
	};

	assert_mistakes(*state, cases, COUNT(cases));
}

/* ---- the model of the paper ---- */

/* Mean distances by equation (1) and as measured; the rates that follow with costs that grow linearly up to
 * d_max. */
static void test_the_model(void **state)
{
	static const struct {
		const char *arguments, *says;
	} cases[] = {
		{ "--logical 200000 --sequential 7530 --random 134 --d-max 256 29000 50000",
			"29000\t0.145\t7.896\t3020.8\t4.130\t4488.6\n"
			"50000\t0.25\t5.000\t4035.9\t2.693\t5510.9\n" },
		{ "--logical 100000 --sequential 1060 --random 30 --d-max 32 50000 300000",
			"50000\t0.5\t3.000\t329.7\t1.716\t591.3\n300000\t3\t1.333\t774.2\t1.020\t1036.8\n" },
		/* Two free sectors among the three ahead: the next is one of them with 2/3. */
		{ "--logical 2 --sequential 1 --random 0.5 --d-max 2 2", "2\t1\t1.333\t0.8\t" },
	};
	char line[300];

	for (size_t i = 0; i < COUNT(cases); i++) {
		snprintf(line, sizeof line, "scripts/chardin/model %s", cases[i].arguments);
		shell(*state, line);
		assert_status(*state, DONE, line);
		if (!says(*state, cases[i].says))
			fail_msg("%s says %s", line, ((struct world *)*state)->out);
	}
}

/* With measured costs, both distances predict a lower rate than the layer reaches, the paper's the lowest. */
static void test_the_model_with_measured_costs(void **state)
{
	static const char model[] =
		"scripts/chardin/model --logical 200000 --costs $d/ssd.json 29000 | tail -1";
	double rate, rate_u;

	ssd(*state, "measure --json @/ssd.json " SSD_DRIVE);
	shell(*state, model);
	assert_status(*state, DONE, model);
	assert_int_equal(sscanf(((struct world *)*state)->out, "%*d %*f %*f %lf %*f %lf", &rate, &rate_u), 2);
	assert_true(30 * 134.6 < rate && rate < rate_u && rate_u < 7630);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_striped_by_hand),
		TEST(test_striped_with_slack),
		TEST(test_the_ssd),
		TEST(test_the_ssd_without_slack),
		TEST(test_the_ssd_behind_its_layer),
		TEST(test_the_usb_drive),
		TEST(test_the_usb_drive_behind_its_layer),
		TEST(test_a_drive_that_does_not_care),
		TEST(test_a_drive_that_fails),
		TEST(test_mistakes),
		TEST(test_the_model),
		TEST(test_the_model_with_measured_costs),
	};

	return cmocka_run_group_tests_name("measure", tests, NULL, NULL);
}
