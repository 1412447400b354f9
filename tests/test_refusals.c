/* Settings that do not go together: each row of the table is met by a drive that is told so in one line. */
#include "drive/refusals.h"
#include "tests/drive_fixture.h"

static const struct {
	const char *settings, *message;
} cases[] = {
	{ "ftl=bast upkeep.idle_ns=1",
		"upkeep.idle_ns = 1: ftl = bast has no collections that could be made ahead" },
	{ "ftl=direct gc.copies_per_write=2",
		"gc.copies_per_write = 2: ftl = direct has no collections that could be made ahead" },
};

static void test_every_row_is_met(void **state)
{
	size_t rows = 0;

	(void)state;
	while (refusals[rows].key)
		rows++;
	assert_int_equal(sizeof cases / sizeof *cases, rows);
	for (size_t i = 0; i < rows; i++) {
		struct settings s;
		struct fault fault = { "" };

		fixture_settings(&s, cases[i].settings);
		assert_null(drive_create(&s, false, &fault));
		assert_string_equal(fault.text, cases[i].message);
		settings_release(&s);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_every_row_is_met),
	};

	return cmocka_run_group_tests_name("refusals", tests, NULL, NULL);
}
