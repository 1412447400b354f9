/* Settings that do not go together: for each row of the table, a drive that is refused with the
 * row's message in one line. */
#include "drive/refusals.h"
#include "tests/drive_fixture.h"

#define SLC           "slc.mode=dynamic slc.density=2 flash.over_provisioning=0.3 "
#define DATA_BY_CLASS "ftl=sepbit flash.blocks=64 flash.over_provisioning=0.6 "
#define UNITS         "placement.policy=superblock placement.superblock=unit "

static const struct {
	const char *settings, *message;
} cases[] = {
	{ "ftl=bast upkeep.idle_ns=1",
		"upkeep.idle_ns = 1: ftl = bast has no collections that could be made ahead" },
	{ "ftl=direct gc.copies_per_write=2",
		"gc.copies_per_write = 2: ftl = direct has no collections that could be made ahead" },
	{ "ftl=block fdp.handles=2",
		"fdp.handles = 2: ftl = block places pages itself or collects in no time; handles need an "
		"FTL "
		"such as page, across or dftl" },
	{ "ftl=minipage minipage.pack=buffer fdp.handles=2 flash.over_provisioning=0.5",
		"fdp.handles = 2: ftl = minipage packs data of several requests into a page; set its "
		"`pack` to "
		"request" },
	{ "ftl=leaftl fdp.handles=2 flash.blocks=64 flash.over_provisioning=0.6",
		"fdp.handles = 2: ftl = leaftl writes pages of all requests in one order" },
	{ UNITS "ftl=fast",
		"placement.superblock = unit: ftl = fast places pages itself or collects in no time; "
		"units need an FTL such as page, across or dftl" },
	{ UNITS "wear.delta=4",
		"placement.superblock = unit: wear.delta = 4 levels blocks; a unit is levelled as a "
		"whole or not at all: set wear.delta = 0" },
	{ UNITS "gc.together=die",
		"placement.superblock = unit: gc.together = die collects planes; a unit is "
		"collected as a whole: set gc.together = plane" },
	{ SLC "ftl=last",
		"slc.mode = dynamic: ftl = last places pages itself or collects in no time; an SLC cache "
		"needs an FTL such as page, across or dftl" },
	{ SLC "ftl=mrsm",
		"slc.mode = dynamic: ftl = mrsm keeps parts of pages; an SLC cache needs an FTL such as "
		"page, across or dftl" },
	{ SLC UNITS,
		"slc.mode = dynamic: placement.superblock = unit opens the blocks of all planes together, "
		"which are of one mode; set placement.superblock = drive" },
	{ SLC "fdp.handles=2 fdp.isolation=persistently",
		"slc.mode = dynamic: fdp.isolation = persistently keeps handles apart, and the cache mixes "
		"them; "
		"set fdp.isolation = initially" },
	{ "ftl=bast refresh.reads=1000",
		"refresh.reads = 1000: ftl = bast places pages itself or collects in no time; refresh needs "
		"an FTL such as page, across or dftl" },
	{ "ftl=zns host.layer=zoned precondition.premap=none refresh.days=30",
		"refresh.days = 30: ftl = zns places pages itself or collects in no time; refresh needs an "
		"FTL such as page, across or dftl" },
	{ "ftl=direct retry.reads_per_step=1000",
		"retry.max = 24: ftl = direct is the ideal device, whose reads never fail; repeated reads "
		"need another, such as page" },
	{ "ftl=mmap buffer=msac fdp.handles=2 flash.over_provisioning=0.3",
		"fdp.handles = 2: buffer = msac writes parts of pages of several handles into one" },
	{ "fdp.handles=2 gc.separate=false flash.over_provisioning=0.3",
		"fdp.handles = 2: gc.separate = false mixes what is moved with what is written; set "
		"gc.separate "
		"= true" },
	{ "fdp.handles=2 fdp.isolation=persistently wear.delta=9 flash.over_provisioning=0.3",
		"fdp.isolation = persistently: wear.delta = 9 moves cold data of all handles into the same "
		"blocks; set wear.delta = 0" },
	{ DATA_BY_CLASS "fdp.handles=2",
		"fdp.handles = 2: ftl = sepbit decides where data goes; set fdp.handles = 1" },
	{ DATA_BY_CLASS "slc.mode=dynamic slc.density=2",
		"slc.mode = dynamic: ftl = sepbit decides where data goes; set slc.mode = off" },
	{ DATA_BY_CLASS UNITS, "placement.superblock = unit: ftl = sepbit opens blocks of a plane; set "
			       "placement.superblock = drive" },
	{ DATA_BY_CLASS "gc.separate=false",
		"gc.separate = false: ftl = sepbit decides where moved pages go; set gc.separate = true" },
	{ DATA_BY_CLASS "wear.delta=4",
		"wear.delta = 4: ftl = sepbit decides where moved pages go; set wear.delta = 0" },
	{ "ftl=zns host.layer=indirect",
		"host.layer = indirect: ftl = zns takes writes at write pointers only; use zoned or direct" },
	{ "ftl=zns buffer=lru", "buffer = lru: ftl = zns takes pages in the order of the host; use none" },
	{ "ftl=zns precondition.mode=aged",
		"precondition.mode = aged: ftl = zns ages as its host has it; use none, fill or trace" },
	{ "ftl=zns", "precondition.premap = pages: ftl = zns is filled by its host, zone by zone; set "
		     "precondition.premap = none, or host.layer = zoned" },
	{ "ftl=fast bad.list=3",
		"bad.list = 3: ftl = fast places pages itself or collects in no time; bad blocks need an FTL "
		"such as page, across or dftl" },
	{ "ftl=fast bad.share=0.01",
		"bad.share = 0.01: ftl = fast places pages itself or collects in no time; bad blocks need an "
		"FTL such as page, across or dftl" },
	{ "ftl=fast parity.on=true",
		"parity.on = true: ftl = fast places pages itself or collects in no time; parity needs an "
		"FTL such as page, across or dftl" },
	{ "ftl=mrsm parity.on=true flash.page_bytes=8192",
		"parity.on = true: ftl = mrsm keeps parts of pages; parity needs an FTL such as page, across "
		"or dftl" },
	{ "ftl=leaftl parity.on=true flash.over_provisioning=0.5",
		"parity.on = true: ftl = leaftl expects pages beside each other; parity needs an FTL such as "
		"page, across or dftl" },
	{ SLC "parity.on=true",
		"parity.on = true: slc.mode = dynamic does not go with it; set slc.mode = off" },
	{ "parity.on=true flash.copyback=false flash.program_unit=wordline",
		"parity.on = true: flash.program_unit = wordline does not go with it yet; set "
		"flash.program_unit = page" },
	{ "parity.on=true placement.policy=static",
		"parity.on = true: placement.policy = static fills the planes one by one; set "
		"placement.policy = superblock and placement.superblock = unit" },
	{ "parity.on=true placement.policy=superblock placement.superblock=drive",
		"parity.on = true: placement.superblock = drive fills the dies one by one; set "
		"placement.superblock = unit" },
	{ "ftl=fast flash.copyback=false flash.program_unit=wordline",
		"flash.program_unit = wordline: ftl = fast places pages itself" },
	{ "ftl=dftl flash.copyback=false flash.program_unit=wordline map.blocking=true",
		"flash.program_unit = wordline: map.blocking = true waits for the program of a single "
		"mapping page" },
	{ SLC "flash.cell_bits=4",
		"slc.density = 2: flash.cell_bits = 4 makes wordlines of another size; an SLC block has one "
		"page for each: set both alike" },
	{ UNITS "flash.copyback=false flash.program_unit=wordline",
		"flash.program_unit = wordline: placement.superblock = unit does not go with it yet" },
};

static void test_every_row_is_met(void **state)
{
	size_t rows = 0;

	(void)state;
	for (size_t i = 0; refusals_table(i); i++)
		for (const struct refusal *r = refusals_table(i); r->key; r++)
			rows++;
	assert_int_equal(
		sizeof cases / sizeof *cases, rows + 1); /* and one that gc/tools/slc.c refuses itself */
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
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
