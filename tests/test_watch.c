/* Requests by hand (-L), and the pictures of `ssd watch`. */
#include "tests/any_workload.h"
#include "tests/program_fixture.h"
#include "tests/tier.h"

#include "cli/watch/watch.h"

/* One plane of tiny.cfg, whose pages have 4 sectors. */
#define PLANE "-s precondition.premap=none -s flash.channels=1 -s flash.planes=1 parameters/tiny.cfg"

/* Pages 0 to 3 fill block 0, of which three die: the collection moves page 3 and erases the block, and is
 * no request. */
static void test_a_collection_by_hand(void **state)
{
	struct world *w = *state;

	ssd(w, "run --verify -L w0+4,w0+2,w2,gc,r3,=r2.1+2 " PLANE);
	assert_status(w, DONE, "run -L");
	assert_int_equal(value_of(w, "run.requests"), 5);
	assert_int_equal(value_of(w, "run.served"), 5);
	assert_int_equal(value_of(w, "gc.collections"), 1);
	assert_int_equal(value_of(w, "gc.moved_pages"), 1);
	assert_int_equal(value_of(w, "flash.erase.gc"), 1);
	assert_int_equal(value_of(w, "request.read.bytes"), 2048 + 1024);
	/* The last two arrive together, 400 ms after the first, and share the die. */
	assert_true(value_of(w, "run.simulated_ns") > 400000000);
	assert_true(value_of(w, "run.simulated_ns") < 400100000);
}

/* Collecting blocks without dead pages would free nothing: nothing happens. */
static void test_a_collection_that_wins_nothing(void **state)
{
	struct world *w = *state;

	ssd(w, "run --verify --explain 2 -L w0+4,gc " PLANE);
	assert_status(w, DONE, "run -L");
	assert_int_equal(value_of(w, "gc.collections"), 0);
	assert_true(says(w, "no block can be reclaimed: each would cost as many pages as it frees"));
}

/* Pages in a list are those of the drive; without a drive, 4 KB. */
static void test_lists_wherever_a_trace_is_taken(void **state)
{
	struct world *w = *state;

	ssd(w, "trace convert --to spc -L w1,=r2.1+3,gc,t4");
	assert_status(w, USER, "trace convert -L"); /* this format has no trims */
	ssd(w, "trace convert --to spc -L w1,=r2.1+3,gc,r4");
	assert_status(w, DONE, "trace convert -L");
	assert_string_equal(
		w->out, "0,8,4096,W,0.000000000\n0,17,1536,R,0.000000000\n0,32,4096,R,0.200000000\n");
	ssd(w, "trace stat -L w1,gc,r4");
	assert_int_equal(value_of(w, "trace.requests"), 2);
	assert_int_equal(value_of(w, "trace.dropped_events"), 1);
	/* Pages are those of SSDsim's parameters, of 4 sectors. */
	shell(w, "tar -xJf tests/legacy/golden.tar.xz -C $d 01_default/page.parameters; cd $d; "
		 "p=01_default/page.parameters; "
		 "printf '0 0 0 4 0\\n100000000 0 8 4 0\\n' >two && $ssd legacy -o a -L w0,w2 $p && "
		 "$ssd legacy -o b $p two && $ssd legacy diff a/statistic10.dat b/statistic10.dat");
	assert_status(w, DONE, "legacy -L");
	put_text(w, "my.list", "# by hand\nw1\n=r2.1+3\n");
	ssd(w, "run -s precondition.mode=trace -s precondition.trace=@/my.list "
	       "-s precondition.used=0.5 -L w5 parameters/tiny.cfg");
	assert_status(w, DONE, "run -L");
	assert_int_equal(value_of(w, "run.requests"), 1);
	assert_int_equal(value_of(w, "precondition.replayed"), 2);
}

static void test_mistakes_in_lists(void **state)
{
	static const struct mistake mistakes[] = {
		{ "run -q -L w0,x1 parameters/tiny.cfg",
			"w0,x1:2: \"x1\" should begin with r, w, t, f, a, u or z, or be gc" },
		{ "run -q -L '' parameters/tiny.cfg", "has no request in list format" },
		{ "run -q -L w0,gc -s ftl=block -s flash.order=ascending parameters/tiny.cfg",
			"w0,gc:2: gc: ftl = block has no collector that could be asked to collect" },
		{ "run -q -L w0 parameters/tiny.cfg uniform", "-L takes the place of the trace" },
		{ "run -q -L w0 -s workload.seed=1 parameters/tiny.cfg", "only profiles have settings" },
	};

	assert_mistakes(*state, mistakes, COUNT(mistakes));
}

/* ---- pictures ---- */

/* Page 3 is the only live page of block 0: it moves to block 2, where survivors go. */
static void test_a_picture_of_a_collection(void **state)
{
	static const char expected[] = "3. write of LPN 2: programs 1.2.\n"
				       " plane 0, die 0\n"
				       "  0   x   x  -2   3\n"
				       "  1   0   1  +2   .\n"
				       "  2   .   .   .   .\n"
				       " 13 more blocks in each plane\n"
				       "        0                        105.1 us\n"
				       " bus 0  pp...............................\n"
				       " die 0  .pppppppppppppppppppppppppppppppp\n"
				       " map (block.page)\n"
				       " LPN 2: in 1.2: sectors 0-3\n"
				       " so far: 7 pages programmed, 0 read, 0\n"
				       " blocks erased; 57 of 64 pages free; WAF\n"
				       " 1.000\n"
				       "\n"
				       "4. collection: copies 0.3 to 2.0\n"
				       "(collection), erases block 0 (collection).\n"
				       "Why: plane 0 has 57 of 64 pages free:\n"
				       "greedy takes block 0, 1 of its 4 pages\n"
				       "live.\n"
				       " plane 0, die 0\n"
				       "! 0   .   .   .   .\n"
				       "  1   0   1   2   .\n"
				       "  2  +3   .   .   .\n"
				       " 13 more blocks in each plane\n"
				       "        0                       1110.0 us\n"
				       " die 0  ccceeeeeeeeeeeeeeeeeeeeeeeeeeeeee\n"
				       " so far: 8 pages programmed, 1 read, 1\n"
				       " blocks erased; 60 of 64 pages free; WAF\n"
				       " 1.143\n";
	struct world *w = *state;

	ssd(w, "watch --plain --columns 42 --rows 3 --at 3..4 -L w0+4,w0+2,w2,gc,r3 " PLANE);
	assert_status(w, DONE, "watch");
	assert_string_equal(w->out, expected);
}

/* At the fourth page 57 pages are free, and block 0 is collected, which the fifth page opens again. */
static void test_a_block_erased_and_used_again(void **state)
{
	struct world *w = *state;

	ssd(w, "watch --plain --rows 4 --at 2 -s gc.threshold=0.9 -s wear.lowest=true -L w0+4,w0+5 " PLANE);
	assert_status(w, DONE, "watch");
	assert_true(says(w, "! 0  +4   .   .   .\n  1  +0  +1  +2  +3\n  2  +x   .   .   .\n"));
}

/* On a terminal: forward twice, help, back; to the next erase; to a use of an LPN by its number; to the
 * start. */
static void test_on_a_terminal(void **state)
{
	static const struct {
		const char *keys, *shows;
	} cases[] = {
		{ "  ? bq",
			"1. write of LPN 0 to 3: 4 pages are programmed.\n plane 0, die 0\n  0  +0  +1  +2  "
			"+3\n" },
		{ " cq", "4. collection: copies 0.3 to 2.0 (collection), erases block 0" },
		{ "l3\\rl3\\rq", "5. read of LPN 3: reads 2.0.\n" },
		{ "g9\\rq", "(the last request)\n" },
		{ " %q", "map (block.page)\n  0  +0  +1  +2  +3" },
		{ " vq", "requests since a page was programmed: 256 and more 64 16 4 0\n" },
		{ " vvq", "writes of the LPN so far: none 1 2 4 8 and more\n" },
		/* Two writes of LPN 0 and 1, one of 2 and 3; free pages have no colour. */
		{ "  vv=q", "^[0;38;5;37m  2^[0;0m ^[0;38;5;37m  3^[0m^[K" },
		{ "  vv=q", "^[0;38;5;34m +0^[0;0m ^[0;38;5;34m +1^[0;0m ^[0;2m  .^[0;0m" },
		{ "  0q", "before the first request\n plane 0, die 0\n  0   .   .   .   .\n" },
	};
	struct world *w = *state;
	char line[256];

	for (size_t i = 0; i < COUNT(cases); i++) {
		snprintf(line, sizeof line,
			"tests/in_terminal '%s' 100 24 $ssd watch -L w0+4,w0+2,w2,gc,r3 " PLANE,
			cases[i].keys);
		shell(w, line);
		assert_status(w, DONE, line);
		if (!says(w, cases[i].shows))
			fail_msg("%s: should show \"%s\": %s", line, cases[i].shows, w->out);
		assert_true(says(w, "status 0\nthe terminal is as it was\n"));
	}
}

/* An abort, as by a wrong FTL, must leave the terminal as it was. */
static void test_an_abort_on_a_terminal(void **state)
{
	struct world *w = *state;

	shell(w, "ulimit -c 0; tests/in_terminal ' !' 100 24 $ssd watch -L w0,w1,w2 " PLANE);
	assert_status(w, DONE, "in_terminal");
	assert_true(says(w, "status -6\nthe terminal is as it was\n"));
}

/* A signal from elsewhere leaves the terminal as it was, too. */
static void test_a_signal_on_a_terminal(void **state)
{
	struct world *w = *state;

	shell(w, "tests/in_terminal ' ^' 100 24 $ssd watch -L w0,w1,w2 " PLANE);
	assert_status(w, DONE, "in_terminal");
	assert_true(says(w, "status 143\nthe terminal is as it was\n"));
}

/* The layer rewrites a sector in another place each time: the picture shows pages of the device. */
static void test_behind_a_layer(void **state)
{
	struct world *w = *state;

	ssd(w, "watch --plain --rows 2 --at 2 -s host.layer=indirect -s indirect.sector_bytes=2K "
	       "-s indirect.logical_sectors=40 -L w0,w0 parameters/tiny.cfg");
	assert_status(w, DONE, "watch");
	assert_true(says(w, "2. write of LPN 0: programs 48.0.\n"));
	assert_true(says(w, " map (block.page)\n LPN 41: in 48.0: sectors 0-3\n so far"));
}

/* Of 64 planes those with changes are shown, wherever they are, and of their blocks those with changes. */
static void test_a_large_drive(void **state)
{
	struct world *w = *state;

	ssd(w, "watch --plain --rows 2 --at 2 -s flash.channels=32 -s placement.policy=static -L "
	       "w0+39,w39,r39 "
	       "parameters/tiny.cfg");
	assert_true(says(w, " +39 "));
	assert_true(says(w, " plane 15, die 7\n"));
	assert_true(says(w, " 14 more blocks in each plane   56 more planes\n"));
}

/* States and write pointers below the blocks; commands for zones, and why pages are programmed. */
static void test_zones_in_the_picture(void **state)
{
	struct world *w = *state;

	ssd(w, "watch --plain --rows 2 --at 5 -s ftl=zns -s precondition.premap=none -L "
	       "w0+10,w10.0+2,zo1,a16+3,zf0,w32 parameters/tiny.cfg");
	assert_status(w, DONE, "watch");
	assert_true(says(w, "5. command to finish zone 0: programs 16.2, 5 pages are programmed (padding).\n"
			    "Why: zone 0 is finished with 10 of 16 pages.\n"));
	assert_true(says(w, " 12 zones of 16 pages: 10 empty, 1 full; zone 1 open by command, at page 3\n"));
	ssd(w, "watch --plain --columns 100 --rows 2 --at 3 -s ftl=zns -s zns.open=1 -s "
	       "precondition.premap=none -L w0+3,w3.0+1,w16,w32 parameters/tiny.cfg");
	assert_true(says(w, "Why: zone 0, used least recently, is closed: zns.open = 1.\n"));
	assert_true(says(w, "; zone 0 closed, at page 3.1; zone 1 open, at page 1\n"));
}

/* Blocks 0 and 1 are in SLC mode, with 2 of 6 pages; LPN 0 waits for the older one to be folded. */
static void test_an_slc_cache_in_the_picture(void **state)
{
	struct world *w = *state;

	ssd(w, "watch --plain --rows 5 --at 2 -s precondition.mode=none -s flash.pages=6 -s gc.threshold=0 "
	       "-s slc.mode=dynamic -s slc.share=0.15 -s slc.when_full=fold -L w4+4,w0 " PLANE);
	assert_status(w, DONE, "watch");
	assert_true(says(w, "programs 3.0. Why: folded block 0 of the cache: 2 of 2 pages live.\n"));
	assert_true(says(w, "\n  1s   6   7\n  2   +4  +5   .   .   .   .\n  3s  +0   .\n  4    .   ."));
	assert_true(says(w, "\n SLC cache: 2 of 2 blocks in use; next to be folded: block 1\n"));
}

/* Blocks of each handle, which is named behind their numbers; an update fills one up. */
static void test_handles_in_the_picture(void **state)
{
#define HANDLES                                                                                              \
	"-s precondition.mode=none -s gc.threshold=0 -s flash.over_provisioning=0.4 -s fdp.handles=2 "       \
	"-L w0+14,w20@1,u1,w5.1+2@1 "
	struct world *w = *state;

	shell(w, "$ssd watch --plain --rows 3 --at 3..4 " HANDLES PLANE);
	assert_status(w, DONE, "watch");
	assert_null(strstr(w->err, "overlap")); /* of devices that are handles */
	assert_true(says(w, "3. update of a handle: programs 4.1, 4.2 and 4.3 (padding). Why: handle 1 goes\n"
			    "on in new blocks.\n"));
	assert_true(says(w, "\n  3@0  12  13   .   .\n  4@1  20  +x  +x  +x\n"));
	assert_true(says(w, "4. write of LPN 5, sectors 1 to 2 with placement handle 1: reads 1.1 "));
	assert_true(says(w, "\n  5@1  +5   .   .   .\n"));
	shell(w, "$ssd run --explain 4 " HANDLES PLANE);
	assert_true(says(w, "LPN 5, from sector 1 of the first page; placement handle 1\n"));
#undef HANDLES
}

/* A rule of zones is broken: the picture ends with the message. */
static void test_mistakes_with_zones(void **state)
{
	struct world *w = *state;

	ssd(w, "watch --plain -s ftl=zns -s precondition.premap=none -L w0+3,w9,w5 parameters/tiny.cfg");
	assert_status(w, USER, "watch");
	assert_string_equal(w->err,
		"ssd: w0+3,w9,w5:2: request 2 writes zone 0 at page 9, its write pointer is at page 3\n");
	ssd(w, "watch --plain -s ftl=zns -s precondition.premap=none -L w0+3,t0+3 parameters/tiny.cfg");
	assert_true(says(w, "2. trim of LPN 0 to 2: no zone with data is trimmed as a whole, flash"));
	ssd(w, "measure -s ftl=zns -s precondition.premap=none parameters/tiny.cfg");
	assert_status(w, USER, "measure");
	assert_string_equal(
		w->err, "ssd: measure: writes go anywhere, which ftl = zns takes with host.layer = zoned\n");
}

/* A zone that the layer cleans: reads, copies that wait for them, the reset that waits for all. */
static void test_cleaning_explained(void **state)
{
	struct world *w = *state;

	ssd(w, "run --verify --explain 33 -s ftl=zns -s host.layer=zoned -s zoned.low=2 -s "
	       "zoned.share=0.5 -s flash.over_provisioning=0 -s flash.blocks=8 -s precondition.mode=fill -s "
	       "workload.write_share=1 -s trace.limit=60 parameters/tiny.cfg uniform");
	assert_status(w, DONE, "run --explain");
	assert_true(says(w, "345483     1570843     1675963  4\n"));
	/* The reset waits for those of the six copies that are the last in their blocks. */
	assert_true(says(w, "#      zone 0, with 16 pages, is reset\n#  13  erase   host     0.0 "));
	assert_true(says(w, "9, 10, 11, 12\n#  14  erase"));
	assert_true(says(w, "# behind the host layer: read of 4 sectors from sector 60\n"
			    "# behind the host layer: write of 4 sectors from sector 488, moved there\n"));
	assert_true(says(w, "# behind the host layer: trim of 64 sectors from sector 0\n"
			    "# behind the host layer: write of 8 sectors from sector 0\n"));
}

/* A player on tiny.cfg with these settings, serving this profile. */
struct stage {
	struct settings settings;
	struct fault fault;
	struct player player;
	struct screen screen;
};

static void stage_open(struct stage *s, char **assignments, size_t n, const char *workload)
{
	char *names[] = { (char *)workload };

	*s = (struct stage){ .fault = { "" } };
	assert_true(settings_init(&s->settings, &s->fault));
	assert_true(settings_read(&s->settings, "parameters/tiny.cfg", assignments, n, &s->fault));
	assert_true(set_any_workload(&s->settings, &s->fault));
	assert_true(player_open(&s->player, &s->settings, names, 1, true, &s->fault));
}

static void stage_close(struct stage *s)
{
	screen_release(&s->screen);
	player_close(&s->player);
	settings_release(&s->settings);
}

/* The picture, to be freed. */
static char *drawn(struct stage *s)
{
	const struct picture_shape shape = { 120, UINT32_MAX, UINT32_MAX };
	char *text;
	size_t bytes;
	FILE *out = open_memstream(&text, &bytes);

	picture_draw(&s->screen, &s->player, shape);
	screen_print(&s->screen, 0, false, out);
	fclose(out);
	return text;
}

static void ftl_setting(const struct ftl_ops *ftl, char *text)
{
	sprintf(text, "ftl=%s", ftl->name);
}

/* Going on and back shows what was there, with every FTL. */
static void test_back(void **state)
{
	char name[64],
		*assignments[] = { name, "flash.order=ascending", "flash.blocks=24", "trace.limit=100" };
	struct stage s;

	(void)state;
	for (size_t i = 0; ftls[i]; i++) {
		char *there, *again;

		ftl_setting(ftls[i], name);
		stage_open(&s, assignments, COUNT(assignments), "uniform");
		assert_true(player_go(&s.player, 2, &s.fault));
		there = drawn(&s);
		assert_true(player_go(&s.player, 40, &s.fault));
		assert_true(player_go(&s.player, 2, &s.fault));
		assert_int_equal(s.player.run.requests, 2);
		again = drawn(&s);
		assert_string_equal(there, again);
		free(there);
		free(again);
		stage_close(&s);
	}
}

/* The cells drawn as live pages are as many as the FTL says. */
static void test_live_cells_are_live_pages(void **state)
{
	char name[64],
		*assignments[] = { name, "flash.order=ascending", "flash.blocks=24", "trace.limit=100" };
	struct stage s;

	(void)state;
	for (size_t i = 0; ftls[i]; i++) {
		struct ftl_facts facts;
		uint32_t live = 0;

		ftl_setting(ftls[i], name);
		stage_open(&s, assignments, COUNT(assignments), "mixed");
		assert_true(player_go(&s.player, 60, &s.fault));
		facts = ftl_facts(s.player.drive->ftl);
		screen_clear(&s.screen, 400);
		picture_blocks(
			&s.screen, &s.player, (struct picture_shape){ 400, UINT32_MAX, UINT32_MAX }, 0);
		for (uint32_t at = 1; at < s.screen.rows * s.screen.columns; at++) {
			uint8_t look = s.screen.look[at];

			live += (look == LOOK_LIVE || look == LOOK_NEW || look == LOOK_PENDING) &&
				(look != s.screen.look[at - 1] || s.screen.text[at - 1] == ' ' ||
					strchr("+~", s.screen.text[at])) &&
				s.screen.text[at] != ' ';
		}
		if (live != facts.live_pages)
			fail_msg("%s: %u cells are live, %llu pages", ftls[i]->name, live,
				(unsigned long long)facts.live_pages);
		stage_close(&s);
	}
}

/* tests/trace_events checks the rules of the format, and sums of slices. */
static void test_timelines(void **state)
{
	static const char *const drives[] = { "-L w0+8,=r3,=w3.1,=r0+4,gc,t2,r2", "mixed",
		"-s flash.suspend=program_and_erase -s flash.suspend_ns=5000 -s flash.resume_ns=7000 mixed",
		"-s flash.multiplane=any -s flash.dies=2 -s flash.interleave=false mixed",
		("-s ftl=dftl -s dftl.entries=8 -s buffer=lru -s dram.buffer_bytes=16K "
		 "-s dram.access_ns=1000 zipf"),
		"-s ftl=fast -s flash.order=ascending -s flash.blocks=24 uniform",
		"-s flash.cache_register=both -s host.mode=open mixed",
		"-s flash.cache_register=both -s retry.reads_per_step=30 -s refresh.reads=90 mixed" };
	struct world *w = *state;
	char line[512];

	for (size_t i = 0; i < COUNT(drives); i++)
		for (int page = 0; page < 2; page++) {
			const char *ending = page ? "html" : "json";

			if (is_for_soak(i + (size_t)page, 3))
				continue;
			snprintf(line, sizeof line,
				"$ssd run -q --timeline 1..300 $d/t.%s --json $d/s -s trace.limit=300 "
				"parameters/tiny.cfg %s && tests/trace_events $d/t.%s $d/s 2>&1",
				ending, drives[i], ending);
			shell(w, line);
			if (w->status != DONE)
				fail_msg("%s: %s%s", line, w->out, w->err);
		}
}

/* A timeline of requests in the middle shows no others; other work of the dies is not shown as theirs. */
static void test_a_timeline_of_some(void **state)
{
	struct world *w = *state;
	char *text;

	ssd(w, "run -q --timeline 3..4 @/t.json -L w0,=w1,=r0,=w2,w5 " PLANE);
	assert_status(w, DONE, "run --timeline");
	text = text_of(w, "t.json");
	assert_non_null(strstr(text, "\"name\":\"write LPN 2\""));
	assert_null(strstr(text, "\"name\":\"write LPN 1\""));
	assert_null(strstr(text, "\"ts\":100")); /* the fifth comes after 100 ms */
	assert_non_null(strstr(text, "\"name\":\"program host\",\"cat\":\"host\",\"args\":{\"planes\":1}}"));
	memory_free(text);
}

/* An explanation, a timeline and a log of the same run: each is what it is alone, to the byte, whichever
 * begins first. */
static void test_several_observe_a_run(void **state)
{
	static const char *const ranges[][2] = { { "250", "100..300" }, { "100", "250..300" },
		{ "300", "300..300" }, { "7", "1..300" } };
	static const char *const drives[] = { "parameters/tiny.cfg mixed",
		"--warmup 90 -s ftl=sepbit -s flash.blocks=64 parameters/tiny.cfg zipf",
		"-s buffer=lru -s dram.buffer_bytes=16K -s host.link_ns=500 parameters/tiny.cfg mixed" };
	struct world *w = *state;
	char line[512];

	for (size_t i = 0; i < COUNT(ranges); i++)
		for (size_t k = 0; k < COUNT(drives); k++) {
			snprintf(line, sizeof line,
				"run() { $ssd run -q -s trace.limit=400 \"$@\" %s; }; x='--explain %s'; "
				"t='--timeline %s'; run $x > $d/x && run $t $d/t && run --log $d/l && "
				"run --verify $x $t $d/t2 --log $d/l2 > $d/x2 && test -s $d/x && "
				"for f in x t l; do cmp $d/$f $d/${f}2 || exit 1; done",
				drives[k], ranges[i][0], ranges[i][1]);
			shell(w, line);
			if (w->status != DONE)
				fail_msg("%s: %s%s", line, w->out, w->err);
		}
}

static void test_mistakes_in_timelines(void **state)
{
	static const struct mistake mistakes[] = {
		{ "run -q -L w0 parameters/tiny.cfg --timeline 1..2",
			"option --timeline needs a value: --timeline FROM..TO FILE" },
		{ "run -q --timeline 0..3 @/t -L w0 parameters/tiny.cfg",
			"should be numbers of requests, FROM..TO, from 1" },
		{ "run -q --timeline 1..3 /no/where -L w0 parameters/tiny.cfg", "/no/where" },
	};

	assert_mistakes(*state, mistakes, COUNT(mistakes));
	assert_false(exists(*state, "t"));
}

/* ---- quiz ---- */

/* Puts the answers of --answers into a file, one line each, as a user would type them. */
static void put_answers(struct world *w)
{
	char *answers = memory_string(w->out, "answers"), *out = answers;

	for (char *line = strtok(w->out, "\n"); line; line = strtok(NULL, "\n")) {
		char *answer = strstr(line, ".  ") + 3, *end = strstr(answer, "  ");

		out += sprintf(out, "%.*s\n", (int)(end - answer), answer);
	}
	put_text(w, "typed", answers);
	memory_free(answers);
}

/* The answers of the sheet of solutions are all right; 77 is always wrong. */
static void test_quiz(void **state)
{
	static const struct {
		const char *drive, *asks;
	} cases[] = {
		{ "parameters/tiny.cfg", "A block is collected first.  Its number: " },
		{ "-s seed=5 -s ftl=fast docs/log-block.cfg", "Four numbers" },
		{ "-s ftl=dftl -s dftl.entries=24 parameters/tiny.cfg", "map in DRAM?" },
		{ "-s ftl=across -s buffer=lru -s dram.buffer_bytes=64K parameters/tiny.cfg",
			"write buffer?" },
	};
	struct world *w = *state;
	char line[256];

	for (size_t i = 0; i < COUNT(cases); i++) {
		snprintf(line, sizeof line, "quiz --answers --questions 12 %s", cases[i].drive);
		ssd(w, line);
		assert_status(w, DONE, line);
		put_answers(w);
		snprintf(line, sizeof line, "$ssd quiz --questions 12 %s < $d/typed", cases[i].drive);
		shell(w, line);
		assert_status(w, DONE, line);
		assert_true(says(w, "12 of 12 right\n"));
		assert_true(says(w, cases[i].asks));
		assert_true(says(w, "write amplification"));
		snprintf(line, sizeof line, "yes 77 | $ssd quiz --questions 12 %s", cases[i].drive);
		shell(w, line);
		assert_true(says(w, "0 of 12 right\n"));
		assert_true(says(w, "No, it is "));
	}
}

/* Pictures, verdicts and reasons are as wide as asked for; the first line of a verdict follows the
 * question on its line, as no return was typed. */
static void test_a_narrow_quiz(void **state)
{
	struct world *w = *state;

	shell(w, "yes 77 | $ssd quiz --questions 12 --columns 50 parameters/tiny.cfg >$d/asked && "
		 "grep -q ': No, it is' $d/asked && "
		 "sed 's/.*: No, it is/No, it is/; /^How many/d; /^The next/d; /^Before/d' $d/asked | "
		 "awk 'length > 50 { print; exit 1 }'");
	assert_status(w, DONE, "a narrow quiz");
}

/* The picture shows the page of the question where the solution says. */
static void test_the_picture_has_the_answer(void **state)
{
	struct world *w = *state;
	uint32_t lpn, block, page;
	char row[32], expected[16], *line;

	ssd(w, "quiz --answers --questions 1 " PLANE);
	assert_int_equal(sscanf(w->out, "1.  %u.%u  read of LPN %u:", &block, &page, &lpn), 3);
	ssd(w, "quiz --paper --questions 1 " PLANE);
	snprintf(row, sizeof row, "\n%3u ", block);
	line = strstr(w->out, row);
	assert_non_null(line);
	snprintf(expected, sizeof expected, "%3u", lpn);
	assert_memory_equal(line + 1 + 4 + 4 * page, expected, 3);
	assert_true(says(w, "From which page is it read?  BLOCK.PAGE: ____"));
}

/* An answer of another form costs nothing the first time: the question is asked again. */
static void test_a_quiz_mistyped(void **state)
{
	struct world *w = *state;

	ssd(w, "quiz --answers --questions 12 parameters/tiny.cfg");
	put_answers(w);
	shell(w, "sed 's/^/a\\n/' $d/typed | $ssd quiz --questions 12 parameters/tiny.cfg");
	assert_status(w, DONE, "a quiz with mistypes");
	assert_true(says(w, "12 of 12 right\n"));
	assert_true(says(w, "Its number: This is no answer of that form; again: Right."));
	shell(w, "yes a | $ssd quiz --questions 3 parameters/tiny.cfg");
	assert_true(says(w, "0 of 3 right\n"));
}

/* Without answers the quiz ends. */
static void test_a_quiz_left_alone(void **state)
{
	struct world *w = *state;

	shell(w, "$ssd quiz parameters/tiny.cfg < /dev/null");
	assert_status(w, DONE, "quiz");
	assert_true(says(w, "Question 1"));
	assert_false(says(w, "Question 2"));
}

/* Pictures as text are as wide as COLUMNS says, where --columns does not: from 40 to 400. */
static void test_columns_of_the_environment(void **state)
{
	static const char *const same[][2] = {
		{ "COLUMNS=47 $ssd watch --plain", "$ssd watch --plain --columns 47" },
		{ "COLUMNS=47 $ssd watch --plain --columns 90", "$ssd watch --plain --columns 90" },
		{ "COLUMNS=30 $ssd watch --plain", "$ssd watch --plain --columns 40" },
		{ "COLUMNS=1000 $ssd watch --plain", "$ssd watch --plain --columns 400" },
		{ "COLUMNS= $ssd watch --plain", "$ssd watch --plain --columns 80" },
		{ "COLUMNS=47 $ssd quiz --paper", "$ssd quiz --paper --columns 47" },
	};
	struct world *w = *state;
	char line[512];

	for (size_t i = 0; i < COUNT(same); i++) {
		bool quiz = strstr(same[i][0], "quiz");
		const char *of = quiz ? "--questions 2" : "--rows 3 --at 3 -L w0+4,w0+2,w2";

		snprintf(line, sizeof line, "%s %s " PLANE " >$d/a && %s %s " PLANE " >$d/b && cmp $d/a $d/b",
			same[i][0], of, same[i][1], of);
		shell(w, line);
		assert_status(w, DONE, line);
	}
}

static void test_mistakes_in_watching(void **state)
{
	static const struct mistake mistakes[] = {
		{ "watch --at x -L w0 parameters/tiny.cfg",
			"--at x: should be the number of a request, or FROM..TO" },
		{ "watch --at 3 -L w0,w1 parameters/tiny.cfg", "there is no request 3, the last one is 2" },
		{ "watch --at 5..3 -L w0 parameters/tiny.cfg", "--at 5..3: should be" },
		{ "watch -L w999 -s trace.fold=false parameters/tiny.cfg", "lie beyond the drive" },
		{ "watch -s flash.pages=128 -L w0 parameters/tiny.cfg",
			"a block of 128 pages does not fit into 80 columns; a smaller one does, -s "
			"flash.pages=72" },
	};

	assert_mistakes(*state, mistakes, COUNT(mistakes));
}

int main(void)
{
	const struct CMUnitTest tests[] = { TEST(test_a_collection_by_hand), TEST(test_on_a_terminal),
		TEST(test_a_large_drive), TEST(test_an_abort_on_a_terminal),
		TEST(test_a_signal_on_a_terminal), TEST(test_behind_a_layer), TEST(test_zones_in_the_picture),
		TEST(test_an_slc_cache_in_the_picture), TEST(test_handles_in_the_picture),
		TEST(test_cleaning_explained), TEST(test_mistakes_with_zones), TEST(test_timelines),
		TEST(test_quiz), TEST(test_a_narrow_quiz), TEST(test_the_picture_has_the_answer),
		TEST(test_columns_of_the_environment), TEST(test_a_quiz_mistyped),
		TEST(test_a_quiz_left_alone), TEST(test_a_timeline_of_some), TEST(test_several_observe_a_run),
		TEST(test_mistakes_in_timelines), TEST(test_a_picture_of_a_collection),
		TEST(test_a_block_erased_and_used_again), cmocka_unit_test(test_back),
		cmocka_unit_test(test_live_cells_are_live_pages), TEST(test_mistakes_in_watching),
		TEST(test_a_collection_that_wins_nothing), TEST(test_lists_wherever_a_trace_is_taken),
		TEST(test_mistakes_in_lists) };

	return cmocka_run_group_tests_name("seeing a drive", tests, NULL, NULL);
}
