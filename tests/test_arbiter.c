/*
 * Which tenant is next: orders worked by hand, the same rules written again as a list of queues, and the
 * settings of tenants.
 */
#include "base/random.h"
#include "host/door.h"
#include "tests/drive_fixture.h"

/* A host whose queues are only numbers of commands. */
struct desk {
	struct settings settings;
	struct tenants tenants;
	struct arbiter arbiter;
	uint64_t commands[TENANTS_MOST];
};

static bool desk_read(struct desk *k, const char *settings, struct fault *fault)
{
	*k = (struct desk){ .commands = { 0 } };
	fixture_settings(&k->settings, settings);
	return tenants_read(&k->tenants, &k->settings.host, 1000, 4, fault);
}

static void desk_open(struct desk *k, const char *settings)
{
	struct fault fault = { "" };

	if (!desk_read(k, settings, &fault))
		fail_msg("%s", fault.text);
	arbiter_init(&k->arbiter, &k->tenants, (enum arbitration)k->settings.host.of.arbitration,
		k->settings.host.of.burst);
}

static void desk_close(struct desk *k)
{
	settings_release(&k->settings);
}

static uint64_t desk_waiting(const struct desk *k)
{
	uint64_t waiting = 0;

	for (uint32_t i = 0; i < k->tenants.count; i++)
		waiting |= (uint64_t)(k->commands[i] > 0) << i;
	return waiting;
}

static uint32_t desk_next(struct desk *k)
{
	uint32_t tenant = arbiter_next(&k->arbiter, desk_waiting(k));

	assert_true(tenant < k->tenants.count && k->commands[tenant]);
	k->commands[tenant]--;
	return tenant;
}

/* Each digit is the tenant whose command is next; "+3" between them: a command of tenant 3 arrives. */
static void assert_order(struct desk *k, const char *order)
{
	size_t at = 0;

	for (; order[at]; at++)
		if (order[at] == '+')
			k->commands[order[++at] - '0']++;
		else if (desk_next(k) != (uint32_t)(order[at] - '0'))
			fail_msg("%s: at %zu", order, at);
}

static void assert_order_of(const char *settings, const char *order)
{
	struct desk k;

	desk_open(&k, settings);
	assert_order(&k, order);
	assert_int_equal(desk_waiting(&k), 0);
	desk_close(&k);
}

#define THREE "+0+0+0+0+0+0+0+0+1+1+1+1+2+2"

static void test_round_robin(void **state)
{
	(void)state;
	assert_order_of("host.tenants=3 host.arbitration=round_robin", THREE "01201201010000");
	assert_order_of("host.tenants=3 host.arbitration=round_robin host.burst=3", THREE "00011122000100");
	/* The next one after the tenant served last, not the one that has waited longest. */
	assert_order_of("host.tenants=3 host.arbitration=round_robin", "+0+20+112");
	assert_order_of("host.tenants=3 host.arbitration=round_robin", "+22+1+001");
	/* A tenant without a command when the next slot is filled loses its burst; one that has another
	 * command by then does not. */
	assert_order_of("host.tenants=2 host.arbitration=round_robin host.burst=3", "+0+1+101+010");
	assert_order_of("host.tenants=2 host.arbitration=round_robin host.burst=3", "+0+1+10+0011");
}

static void test_priority(void **state)
{
	(void)state;
	assert_order_of(
		"host.tenants=3 host.arbitration=priority host.classes=L,H,U", THREE "22111100000000");
	/* Tenants of a class take turns. */
	assert_order_of(
		"host.tenants=3 host.arbitration=priority host.classes=L,M,M", THREE "12121100000000");
	/* The burst of a lower class goes on. */
	assert_order_of(
		"host.tenants=2 host.arbitration=priority host.classes=L,U host.burst=3", "+0+0+0+00+10010");
}

static void test_weighted(void **state)
{
	(void)state;
	assert_order_of(
		"host.tenants=3 host.arbitration=weighted host.classes=H,M,L", THREE "00001120000112");
	/* The rest of a turn is lost when there is no command. */
	assert_order_of(
		"host.tenants=3 host.arbitration=weighted host.classes=H,M,L", "+0+0+1+1+1+2001+0+0+0120001");
	/* An urgent command leaves the turn as it is. */
	assert_order_of("host.tenants=3 host.arbitration=weighted host.classes=H,M,U host.weights=2,1,1",
		"+0+0+00+2+12010");
	/* A burst ends with the turn. */
	assert_order_of("host.tenants=3 host.arbitration=weighted host.classes=H,H,L host.burst=3",
		"+0+0+0+0+0+1+1+1+1+1+2+2000120011211");
	/* A class alone has one turn after another. */
	assert_order_of("host.tenants=2 host.arbitration=weighted host.classes=L,L", "+0+0+1+10101");
}

/* ---- the rules written again ---- */

/* Each class is a list of tenants, the least recently served first. */
struct clerk {
	uint32_t list[TENANT_CLASSES][TENANTS_MOST], length[TENANT_CLASSES];
	uint64_t quota[TENANT_CLASSES]; /* left of the turn of a class */
	int turn;
	uint32_t serves;
	uint64_t more; /* commands left of its burst */
};

static void clerk_open(struct clerk *c, const struct desk *k)
{
	*c = (struct clerk){ .turn = TENANT_URGENT };
	for (uint32_t i = 0; i < k->tenants.count; i++) {
		int class = k->arbiter.arbitration == ARBITRATION_ROUND_ROBIN ? 0 : k->tenants.of[i].rank;

		c->list[class][c->length[class]++] = i;
	}
}

static bool clerk_has(const struct clerk *c, const struct desk *k, int class)
{
	for (uint32_t i = 0; i < c->length[class]; i++)
		if (k->commands[c->list[class][i]])
			return true;
	return false;
}

/* Moves the first tenant of the list with a command, and those before it, to the end. */
static uint32_t clerk_turn_list(struct clerk *c, const struct desk *k, int class)
{
	uint32_t *list = c->list[class], last = c->length[class] - 1, tenant;

	do {
		tenant = list[0];
		for (uint32_t i = 0; i < last; i++)
			list[i] = list[i + 1];
		list[last] = tenant;
	} while (!k->commands[tenant]);
	return tenant;
}

static int clerk_class(struct clerk *c, const struct desk *k)
{
	int class = TENANT_URGENT;

	if (k->arbiter.arbitration != ARBITRATION_WEIGHTED || clerk_has(c, k, TENANT_URGENT)) {
		while (!clerk_has(c, k, class))
			class ++;
		return class;
	}
	if (c->turn != TENANT_URGENT && c->quota[c->turn] && clerk_has(c, k, c->turn))
		return c->turn;
	for (int step = 1; step <= 3; step++) {
		class = c->turn == TENANT_URGENT ? step : (c->turn - 1 + step) % 3 + 1;
		if (clerk_has(c, k, class))
			break;
	}
	c->turn = class;
	c->quota[class] = k->tenants.weight[class];
	return class;
}

static uint32_t clerk_next(struct clerk *c, const struct desk *k)
{
	bool weighs = k->arbiter.arbitration == ARBITRATION_WEIGHTED;

	if (!c->more || !k->commands[c->serves]) {
		int class = clerk_class(c, k);

		c->serves = clerk_turn_list(c, k, class);
		c->more = k->settings.host.of.burst;
		if (weighs && class != TENANT_URGENT && c->quota[class] < c->more)
			c->more = c->quota[class];
	}
	c->more--;
	if (weighs && k->tenants.of[c->serves].rank != TENANT_URGENT)
		c->quota[c->turn]--;
	return c->serves;
}

static void draw_desk(char *text, size_t bytes, struct random *random)
{
	static const char *const kinds[] = { "round_robin", "weighted", "priority" };
	uint32_t tenants = 2 + (uint32_t)random_below(random, random_below(random, 4) ? 5 : 63);
	size_t at = (size_t)snprintf(text, bytes,
		"host.tenants=%u host.arbitration=%s host.burst=%u host.weights=%u,%u,%u host.classes=",
		tenants, kinds[random_below(random, 3)], 1 + (uint32_t)random_below(random, 5),
		1 + (uint32_t)random_below(random, 9), 1 + (uint32_t)random_below(random, 4),
		1 + (uint32_t)random_below(random, 3));

	for (uint32_t i = 0; i < tenants; i++)
		at += (size_t)snprintf(
			text + at, bytes - at, "%s%c", i ? "," : "", "UHML"[random_below(random, 4)]);
}

static void test_the_rules_written_again(void **state)
{
	struct random random;

	(void)state;
	random_init(&random, seed_of_run(), 3);
	for (uint64_t i = 0; i < amount(1000, 30000); i++) {
		char settings[512];
		struct desk k;
		struct clerk c;

		draw_desk(settings, sizeof settings, &random);
		desk_open(&k, settings);
		clerk_open(&c, &k);
		for (int step = 0; step < 400; step++) {
			k.commands[random_below(&random, k.tenants.count)] += random_below(&random, 3);
			if (desk_waiting(&k)) {
				uint32_t right = clerk_next(&c, &k), next = desk_next(&k);

				if (next != right)
					fail_msg("%s: step %d: tenant %u, not %u", settings, step, next,
						right);
			}
		}
		desk_close(&k);
	}
}

/* ---- settings ---- */

static void test_tenants_one_by_one(void **state)
{
	struct desk k;

	(void)state;
	desk_open(&k,
		"host.tenants=3 host.mode=closed host.classes=U,M,L host.weights=9,5,2 host.depths=1,32,4 "
		"host.modes=closed,open,closed host.time_scales=1,0.5,2 host.seeds=7,0,3 host.alone=1 "
		"host.ranges=0..0.25,0.25..1,0..1");
	assert_int_equal(k.tenants.count, 3);
	assert_int_equal(k.tenants.of[0].rank, TENANT_URGENT);
	assert_int_equal(k.tenants.of[2].rank, TENANT_LOW);
	assert_int_equal(k.tenants.weight[TENANT_HIGH], 9);
	assert_int_equal(k.tenants.weight[TENANT_LOW], 2);
	assert_int_equal(k.tenants.of[1].depth, 32);
	assert_true(!k.tenants.of[0].is_open && k.tenants.of[1].is_open);
	assert_true(k.tenants.of[1].time_scale == 0.5);
	assert_int_equal(k.tenants.of[0].seed, 7);
	assert_true(k.tenants.of[0].is_absent && !k.tenants.of[1].is_absent && k.tenants.of[2].is_absent);
	/* A quarter of 250 pages of 4 sectors: 62 whole pages, 248 sectors. */
	assert_int_equal(k.tenants.of[0].range.end, 248);
	assert_int_equal(k.tenants.of[1].range.start, 248);
	assert_int_equal(k.tenants.of[1].range.end, 1000);
	desk_close(&k);
}

static void test_tenants_without_lists(void **state)
{
	struct desk k;

	(void)state;
	desk_open(&k, "host.tenants=3 host.queue_depth=5 host.time_scale=3 host.ranges=apart");
	for (uint32_t i = 0; i < 3; i++) {
		assert_int_equal(k.tenants.of[i].rank, TENANT_MEDIUM);
		assert_int_equal(k.tenants.of[i].depth, 5);
		assert_int_equal(k.tenants.of[i].seed, i);
		assert_true(k.tenants.of[i].is_open && k.tenants.of[i].time_scale == 3);
	}
	assert_int_equal(k.tenants.of[0].range.start, 0);
	assert_int_equal(k.tenants.of[0].range.end, 332);
	assert_int_equal(k.tenants.of[1].range.start, 332);
	assert_int_equal(k.tenants.of[1].range.end, 664);
	assert_int_equal(k.tenants.of[2].range.end, 1000);
	desk_close(&k);
}

static void test_wrong_lists(void **state)
{
	static const struct {
		const char *settings, *message;
	} cases[] = {
		{ "host.tenants=3 host.classes=H,M", "host.tenants = 3, host.classes = \"H,M\" names 2" },
		{ "host.tenants=2 host.classes=H,X", "host.classes: \"X\" should be U, H, M or L" },
		{ "host.tenants=2 host.classes=H,", "host.classes: \"\" should be U, H, M or L" },
		{ "host.tenants=2 host.modes=open,half", "host.modes: \"half\" should be open or closed" },
		{ "host.tenants=2 host.depths=1,0", "host.depths: \"0\" should be a whole number from 1" },
		{ "host.tenants=2 host.time_scales=1,-1",
			"host.time_scales: \"-1\" should be a number from 0" },
		{ "host.tenants=2 host.ranges=0..0.5,0.5", "host.ranges: \"0.5\" should be two ascending" },
		{ "host.tenants=2 host.ranges=0..0.5,0.5..0.5", "host.ranges: \"0.5..0.5\" should be two" },
		{ "host.tenants=2 host.ranges=0..0.5,0.5..1.5", "host.ranges: \"0.5..1.5\" should be two" },
		{ "host.tenants=2 host.seeds=1,x", "host.seeds: \"x\" should be a whole number" },
		{ "host.tenants=2 host.weights=1,2", "host.weights = \"1,2\" should be the weights of" },
		{ "host.tenants=2 host.weights=1,2,0",
			"host.weights: \"0\" should be a whole number from 1" },
		{ "host.tenants=2 host.alone=2",
			"host.alone = \"2\" should be the number of a tenant, 0 to 1" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct fault fault = { "" };
		struct desk k;

		assert_false(desk_read(&k, cases[i].settings, &fault));
		if (!strstr(fault.text, cases[i].message))
			fail_msg("%s: \"%s\"", cases[i].settings, fault.text);
		desk_close(&k);
	}
}

/* Requests that may be in the drive. */
static void test_slots(void **state)
{
	static const struct {
		const char *settings;
		uint64_t slots;
	} cases[] = {
		{ "host.queue_limit=9", 9 },
		{ "host.queue_limit=0", UINT64_MAX },
		{ "host.queue_limit=9 host.slots=4", 9 },
		{ "host.mode=closed host.queue_depth=5", 10 },
		{ "host.mode=closed host.queue_depth=5 host.slots=4", 4 },
		{ "host.mode=closed host.depths=1,32", 33 },
		{ "host.modes=open,closed host.queue_limit=9 host.queue_depth=5", 14 },
		{ "host.modes=open,closed host.queue_limit=9 host.slots=4", 4 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		char settings[256];
		struct desk k;
		struct door *door;

		snprintf(settings, sizeof settings, "host.tenants=2 %s", cases[i].settings);
		desk_open(&k, settings);
		door = door_create(&k.tenants, &k.settings.host);
		if (door->slots != cases[i].slots)
			fail_msg("%s: %llu slots", settings, (unsigned long long)door->slots);
		door_free(door);
		desk_close(&k);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_round_robin),
		cmocka_unit_test(test_priority),
		cmocka_unit_test(test_weighted),
		cmocka_unit_test(test_the_rules_written_again),
		cmocka_unit_test(test_tenants_one_by_one),
		cmocka_unit_test(test_tenants_without_lists),
		cmocka_unit_test(test_wrong_lists),
		cmocka_unit_test(test_slots),
	};

	return cmocka_run_group_tests_name("arbiter", tests, NULL, NULL);
}
