/*
 * A random drive: geometry, numbers, and every option that is a choice of names or a boolean; and random
 * requests for it.
 */
#ifndef TESTS_RANDOM_FIXTURE_H
#define TESTS_RANDOM_FIXTURE_H

#include "tests/any_workload.h"
#include "tests/play_fixture.h"

static inline uint64_t from_environment(const char *name, uint64_t otherwise)
{
	const char *text = getenv(name);

	return text ? strtoull(text, NULL, 0) : otherwise;
}

struct writing {
	struct random random;
	uint64_t seed, stream;
	char *text;
	size_t room;
};

static inline void set(struct writing *w, const char *format, ...)
{
	size_t length = strlen(w->text);
	va_list args;

	va_start(args, format);
	vsnprintf(w->text + length, w->room - length, format, args);
	va_end(args);
	assert_true(strlen(w->text) + 1 < w->room);
}

/* Below n. */
static inline unsigned draw(struct writing *w, unsigned n)
{
	return (unsigned)random_below(&w->random, n);
}

/* Each option has a generator of its own: a new one does not change what is drawn for the others. */
static inline void begin_option(struct writing *w, const char *group, const char *name)
{
	uint64_t digest = w->stream;

	for (; *group; group++)
		digest = (digest ^ (uint64_t)*group) * 0x100000001b3u;
	for (; *name; name++)
		digest = (digest ^ (uint64_t)*name) * 0x100000001b3u;
	random_init(&w->random, w->seed, digest);
}

/* One of the values, which are separated by spaces. */
static inline void draw_value(struct writing *w, const char *group, const char *name, const char *values)
{
	unsigned n = 1;

	begin_option(w, group, name);
	for (const char *c = values; *c; c++)
		n += *c == ' ';
	for (n = draw(w, n); n; n--)
		values = strchr(values, ' ') + 1;
	set(w, "%s%s%s=%.*s ", group, *group ? "." : "", name, (int)strcspn(values, " "), values);
}

static inline void draw_numbers(struct writing *w)
{
	static const struct {
		const char *group, *name, *values;
	} numbers[] = {
		{ "", "seed", "1 2 3" },
		{ "flash", "channels", "1 2 3" },
		{ "flash", "chips", "1 2" },
		{ "flash", "dies", "1 2" },
		{ "flash", "planes", "1 2 3" },
		{ "flash", "blocks", "10 11 12 13 14 16 19 24" },
		{ "flash", "pages", "2 3 4 5 6 7 8 11 13 16 17" },
		{ "flash", "page_bytes", "2K 4K 8K 16K 32K" },
		{ "flash", "over_provisioning", "0.12 0.15 0.2 0.22 0.25 0.28 0.31 0.35 0.4 0.5" },
		{ "flash", "read_ns", "10000 [1000,30000]" },
		{ "flash", "program_ns", "100000 [80000,200000,300000]" },
		{ "flash", "erase_ns", "1000000" },
		{ "flash", "command_ns", "0 100 [100,150,80]" },
		{ "flash", "plane_command_ns", "0 100 [30,50,20]" },
		{ "flash", "multiplane_search", "1 2 256" },
		{ "flash", "suspend_ns", "0 4000" },
		{ "flash", "resume_ns", "0 7000" },
		{ "dram", "access_ns", "0 1000" },
		{ "host", "link_ns", "0 0 700" },
		{ "host", "link_mb_per_s", "0 0 300" },
		{ "dram", "buffer_bytes", "1K 5K 30K 200K" },
		{ "host", "write_done", "flash flash memory" },
		{ "host", "write_bytes", "0 0 32K 100K 1M" },
		{ "host", "plp", "false false false true" },
		{ "host", "flush_every", "0 0 0 9" },
		{ "map", "cache_bytes", "0 1K 10K 40K 200K" },
		{ "placement", "order", "CWDP PDWC WCPD DPCW" },
		{ "gc", "threshold", "0 0.05 0.1 0.2 0.3" },
		{ "gc", "hysteresis", "0 0 0.1 0.2" },
		{ "gc", "d", "1 2 5" },
		{ "gc", "soft", "0 0.3 0.5" },
		{ "gc", "copies_per_write", "0 0 0.7 1.25 4" },
		{ "upkeep", "idle_ns", "0 0 20000 1000000" },
		{ "upkeep", "step_pages", "1 3 8" },
		{ "fdp", "handles", "1 1 1 3" },
		{ "fdp", "ranges", "0:1 60:2 0:2,100:1" },
		{ "slc", "density", "2 3 4" },
		{ "slc", "share", "0.05 0.1 0.2 0.4" },
		{ "slc", "idle_ns", "0 0 30000 1000000" },
		{ "slc", "keep", "0 0 1" },
		{ "slc", "erase_ns", "0 400000" },
		{ "slc", "fold_passes", "1 1 2" },
		{ "retry", "pe", "0" },
		{ "retry", "days", "0" },
		{ "retry", "steps", "    0.5 1 2.7" },
		{ "retry", "reads_per_step", "0 0 0 20 200" },
		{ "retry", "max", "24 3" },
		{ "retry", "ecc_ns", "10000 0" },
		{ "refresh", "reads", "0 0 0 0 100 1000" },
		{ "refresh", "days", "0 0 0 0 0 3e-7" },
		{ "refresh", "per_request", "1 0 3" },
		{ "bad", "share", "0 0.03 0.06" },
		{ "bad", "list", "0 5,9 3,17,18" },
		{ "parity", "fail_at", "0 0 1 40 300 1000" },
		{ "parity", "fail_die", "0 1 2" },
		{ "wear", "delta", "0 1 2 3" },
		{ "wear", "period", "1 3 8" },
		{ "zns", "rows", "1 1 1 2" },
		{ "zoned", "share", "0.2 0.4 0.5 0.6 0.7" },
		{ "zoned", "low", "2 2 3 4" },
		{ "indirect", "sector_bytes", "512 2K 4K 4K 16K 32K" },
		{ "indirect", "pool", "0.02 0.1 0.25 1 3" },
		{ "indirect", "async_lag", "0 0 1 7" },
	};

	for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++)
		draw_value(w, numbers[i].group, numbers[i].name, numbers[i].values);
}

/* The choices of names and the booleans of a group. */
static inline void draw_choices(struct writing *w, const struct param_group *group)
{
	for (const struct param *row = group->rows; row && row->name; row++) {
		unsigned names = 0;

		if (row->type == PARAM_BOOL)
			draw_value(w, group->name, row->name, "false true");
		if (row->type != PARAM_CHOICE)
			continue;
		while (row->choices[names])
			names++;
		begin_option(w, group->name, row->name);
		set(w, "%s.%s=%s ", group->name, row->name, row->choices[draw(w, names)]);
	}
}

/* Own numbers of an FTL or a buffer, every other time; values that do not suit the drive are refused with
 * it. */
static inline void draw_own_numbers(struct writing *w, const struct param_group *group)
{
	for (const struct param *row = group->rows; row && row->name; row++) {
		double range = row->max - row->min, most = row->type == PARAM_UINT && range > 64 ? 64 : range;

		begin_option(w, group->name, row->name);
		if (draw(w, 2) || (row->type != PARAM_UINT && row->type != PARAM_REAL))
			continue;
		most *= draw(w, 101) / 100.0;
		set(w, row->type == PARAM_UINT ? "%s.%s=%.0f " : "%s.%s=%g ", group->name, row->name,
			row->min + most);
	}
}

/* Programs by wordline, every third time, with the other settings that they need. */
static inline void draw_wordlines(struct writing *w)
{
	begin_option(w, "flash", "program_unit");
	if (draw(w, 3)) {
		set(w, "flash.program_unit=page ");
		return;
	}
	set(w, "flash.program_unit=wordline flash.copyback=false flash.order=consecutive ");
	draw_value(w, "flash", "cell_bits", "1 2 2 3 3");
	draw_value(w, "flash", "pages", "6 6 12 18");
	draw_value(w, "flash", "wordline_wait_ns", "0 0 1 70000 1000000");
	begin_option(w, "flash", "passes");
	set(w, draw(w, 3) ? "flash.program_ns=300000 " : "flash.passes=2 flash.program_ns=[90000,250000] ");
}

static inline void draw_settings(struct combination *c, uint64_t stream)
{
	static const char *const shaping[] = { "flash", "placement", "gc", "wear", "map", "fdp", "slc",
		"retry", "bad", "parity" };
	struct writing w = {
		.seed = c->seed, .stream = stream, .text = c->settings, .room = sizeof c->settings
	};
	struct settings s;
	struct fault fault;

	c->settings[0] = 0;
	random_init(&w.random, c->seed, stream);
	c->trims = draw(&w, 2);
	draw_numbers(&w);
	assert_true(settings_init(&s, &fault));
	for (size_t i = 0; i < s.groups; i++) {
		bool own = !strcmp(s.group[i].name, ftls[c->ftl]->name) ||
			   !strcmp(s.group[i].name, buffer_group(buffers[c->buffer]));
		bool shapes = own || !strcmp(s.group[i].name, host_layers[c->layer]->name);

		for (size_t k = 0; k < sizeof shaping / sizeof shaping[0]; k++)
			shapes |= !strcmp(s.group[i].name, shaping[k]);
		if (shapes)
			draw_choices(&w, &s.group[i]);
		if (own)
			draw_own_numbers(&w, &s.group[i]);
	}
	draw_wordlines(&w);
	settings_release(&s);
}

/* Does the FTL take its blocks from a store, and does collecting them take time? */
static inline bool has_collector(const struct combination *c)
{
	struct combination plain = { .ftl = c->ftl,
		.layer = layer_for(c->ftl, c->layer),
		.settings = PAPER_DRIVE "flash.blocks=64 flash.pages=16" };
	struct fault fault;
	struct settings s;
	struct drive *d;
	bool has;

	fixture_settings(&s, plain.settings);
	s.top.ftl = (int)plain.ftl;
	s.host.layer = (int)plain.layer;
	d = drive_create(&s, false, &fault);
	has = d && d->ftl->store && !d->ftl->ops->collects_untimed;
	drive_free(d);
	settings_release(&s);
	return has;
}

/* Features that exclude each other or need more spare blocks than the drives drawn have. */
enum { WITH_SLC = 1, WITH_HANDLES = 2, WITH_UNITS = 4, WITH_WORDLINES = 8, WITH_BAD = 16, WITH_PARITY = 32 };

/* Environment variable WITH, e.g. "slc handles": features that the drive must have, among others. */
static inline unsigned features_wanted(void)
{
	static const char *const names[] = { "slc", "handles", "units", "wordlines", "bad", "parity" };
	const char *wanted = getenv("WITH");
	unsigned features = 0;

	for (unsigned i = 0; wanted && i < sizeof names / sizeof *names; i++)
		features |= strstr(wanted, names[i]) ? 1u << i : 0;
	return features;
}

#define PARITY (WITH_PARITY | WITH_UNITS)

/* None of them, one, or a pair that goes together; work in idle time and buffers are drawn with all. */
static inline unsigned draw_features(const struct combination *c)
{
	static const unsigned sets[] = { 0, 0, 0, 0, 0, 0, WITH_SLC, WITH_SLC, WITH_HANDLES, WITH_UNITS,
		WITH_WORDLINES, WITH_WORDLINES, WITH_SLC | WITH_HANDLES, WITH_HANDLES | WITH_UNITS,
		WITH_HANDLES | WITH_WORDLINES, WITH_BAD, WITH_BAD | WITH_SLC, WITH_BAD | WITH_UNITS, PARITY,
		PARITY, PARITY | WITH_HANDLES, PARITY | WITH_BAD, WITH_SLC | WITH_WORDLINES };
	struct random random;

	if (!has_collector(c) || has_classes(ftls[c->ftl]))
		return 0;
	random_init(&random, c->seed, 5000);
	return sets[random_below(&random, sizeof sets / sizeof *sets)];
}

/* Sets these features and no other, with the other settings that they need. */
static inline void set_features(struct combination *c, unsigned features)
{
	char *to = c->settings;

	if (!(features & WITH_SLC))
		strcat(to, "slc.mode=off ");
	if (!(features & WITH_HANDLES))
		strcat(to, "fdp.handles=1 ");
	if (!(features & WITH_UNITS))
		strcat(to, "placement.superblock=drive ");
	if (!(features & WITH_WORDLINES))
		strcat(to, "flash.program_unit=page flash.passes=1 flash.cell_bits=1 ");
	if (!(features & WITH_WORDLINES) && strstr(to, "flash.program_ns=[90000"))
		strcat(to, "flash.program_ns=100000 ");
	if (!(features & WITH_BAD))
		strcat(to, "bad.share=0 bad.list= ");
	if (features & (WITH_SLC | WITH_HANDLES | WITH_UNITS | WITH_BAD))
		strcat(to, "flash.blocks=32 flash.over_provisioning=0.65 gc.threshold=0.05 ");
	if (features & WITH_SLC)
		strcat(to,
			c->seed % 2 ? "slc.mode=static flash.pages=12 " : "slc.mode=dynamic flash.pages=12 ");
	if (features & WITH_HANDLES)
		strcat(to, "fdp.handles=3 gc.separate=true wear.delta=0 ");
	if (features & WITH_UNITS)
		strcat(to, "placement.policy=superblock placement.superblock=unit wear.delta=0 "
			   "gc.together=plane ");
	strcat(to, features & WITH_PARITY ? "parity.on=true flash.over_provisioning=0.8 flash.channels=3 "
					    "placement.order=CWDP "
					  : "parity.on=false ");
	if (features & WITH_SLC && features & WITH_HANDLES)
		strcat(to, "fdp.isolation=initially ");
	if (features & WITH_WORDLINES && !strstr(to, "flash.program_unit=wordline"))
		strcat(to, "flash.program_unit=wordline flash.copyback=false flash.order=consecutive "
			   "flash.cell_bits=3 flash.pages=12 flash.passes=1 flash.program_ns=300000 ");
	if (features & WITH_SLC && features & WITH_WORDLINES)
		strcat(to, "flash.cell_bits=3 slc.density=3 ");
	if (has_classes(ftls[c->ftl]))
		strcat(to, "gc.separate=true wear.delta=0 flash.blocks=24 flash.over_provisioning=0.6 ");
	if (!has_collector(c))
		strcat(to, "upkeep.idle_ns=0 gc.copies_per_write=0 refresh.reads=0 refresh.days=0 ");
	c->features = features;
}

/* Draws until a drive is not refused, for lack of spare blocks.  After 39 drives it draws without features:
 * the FTL or the buffer may refuse them whatever the drive. */
static inline void draw_drive(struct combination *c)
{
	struct fault fault;
	unsigned features = draw_features(c);
	uint64_t stream = 100;

	do {
		draw_settings(c, stream++);
		set_features(c, stream < 140 ? features : 0);
		assert_true(stream < 1000);
	} while (!makes_a_drive(c, &fault));
}

/* Does the FTL refuse the buffer whatever the drive? */
static inline bool refuses(size_t ftl, size_t buffer)
{
	struct combination c = {
		.ftl = ftl, .layer = layer_for(ftl, 0), .settings = PAPER_DRIVE "flash.blocks=64"
	};
	struct fault fault;
	bool made = makes_a_drive(&c, &fault);

	c.buffer = buffer;
	return made && !makes_a_drive(&c, &fault);
}

/* Of the rows of random_trace(). */
#define RANDOM_COLUMNS "time_us,op,offset_bytes,size_bytes,hint,device,flags"

/* Half of the requests on an eighth of the addresses, in bursts; a quarter of them have up to `most`
 * sectors. */
static inline char *random_trace(
	struct random *random, int requests, const struct combination *c, unsigned most)
{
	static const char *const ops[] = { "R", "W", "D" };
	char *text = NULL;
	size_t bytes;
	FILE *out = open_memstream(&text, &bytes);
	uint64_t now = 0;

	for (int i = 0; i < requests; i++) {
		uint64_t kind = random_below(random, 100), start = random_below(random, 1 << 12);

		now += random_below(random, 4) ? random_below(random, 50) : random_below(random, 4000);
		if (c->features & WITH_HANDLES && kind == 30)
			fprintf(out, "%llu,U,,,%d,%d,\n", (unsigned long long)now, (int)(start % 4),
				(int)(start / 4 % 3));
		fprintf(out, "%llu,%s,%llu,%llu,%d,%d,%s\n", (unsigned long long)now,
			ops[kind < 30                    ? 0
				: kind < 95 || !c->trims ? 1
							 : 2],
			512 * (unsigned long long)(random_below(random, 2) ? start : start / 8),
			512 * (1 + (unsigned long long)random_below(
					   random, random_below(random, 4) ? 12 : most)),
			(int)(start % 4), (int)(start / 4 % 3),
			start % 19 == 3   ? "FUA"
			: start % 23 == 7 ? "FLUSH"
					  : "");
	}
	fclose(out);
	return text;
}

/* The devices of random_trace() are tenants, every third time. */
static inline void add_tenants(struct combination *c)
{
	static const char *const kinds[] = { "fifo", "round_robin", "weighted", "priority" };
	static const char *const modes[] = { "", "open,closed,open", "closed,closed,open" };
	static const char *const classes[] = { "", "U,M,L", "H,H,M", "M,U,M" };
	size_t length = strlen(c->settings);
	struct random random;

	random_init(&random, c->seed, 77);
	if (random_below(&random, 3))
		return;
	snprintf(c->settings + length, sizeof c->settings - length,
		" host.tenants=3 host.arbitration=%s host.modes=%s host.classes=%s host.burst=%d "
		"host.slots=%d host.depths=%d,%d,%d host.ranges=%s",
		kinds[random_below(&random, 4)], modes[random_below(&random, 3)],
		classes[random_below(&random, 4)], 1 + (int)random_below(&random, 4),
		(int)(random_below(&random, 2) * (1 + random_below(&random, 9))),
		1 + (int)random_below(&random, 9), 1 + (int)random_below(&random, 9),
		1 + (int)random_below(&random, 9), random_below(&random, 2) ? "" : "apart");
}

/* The queue depth is at most `depth`; the queue limit is 0 (none), half of it or all of it. */
static inline void add_of_host(struct combination *c, struct random *random, unsigned depth)
{
	static const char *const modes[] = { "none", "fill", "aged", "synthetic" };
	size_t length = strlen(c->settings);
	bool zones = ftls[c->ftl]->admit;

	snprintf(c->settings + length, sizeof c->settings - length,
		"trace.fold=true host.mode=%s host.queue_depth=%d host.queue_limit=%d precondition.mode=%s "
		"precondition.used=0.6 precondition.valid=0.3",
		random_below(random, 2) ? "open" : "closed", 1 + (int)random_below(random, depth),
		(int)(random_below(random, 3) * (depth / 2)), modes[random_below(random, zones ? 2 : 4)]);
	add_tenants(c);
}

#endif
