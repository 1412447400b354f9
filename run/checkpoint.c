#include "run/checkpoint.h"

#include "base/version.h"
#include "prepare/kept.h"

static void visit_run(void *checkpoint, struct regions *r)
{
	struct checkpoint *c = checkpoint;
	struct run *run = c->run;

	regions_visit(r, &run->requests, sizeof run->requests);
	regions_visit(r, &run->asides, sizeof run->asides);
	regions_visit(r, &run->sum, sizeof run->sum);
	regions_visit(r, c->before, sizeof *c->before);
	regions_visit(r, &c->series_bytes, sizeof c->series_bytes);
	regions_visit(r, &c->log_bytes, sizeof c->log_bytes);
	drive_regions(run->drive, r);
	if (run->windows)
		windows_regions(run->windows, run->drive, r);
}

static void check_run(void *checkpoint)
{
	drive_check_running(((struct checkpoint *)checkpoint)->run->drive);
}

static void add_setting(void *kept, const struct param_echo *setting)
{
	kept_add(kept, setting->key, setting->value);
}

static struct kept kept_of(struct checkpoint *c)
{
	struct kept k = { "ssdlab run 7", "run", "make one with ssd run --checkpoint FILE", .running = true,
		.visit = visit_run, .check = check_run, .context = c };

	kept_add(&k, "version", SSD_VERSION);
	kept_add(&k, "--warmup", c->warm_up ? c->warm_up : "none");
	kept_add(&k, "--series", c->series ? c->series : "none");
	kept_add(&k, "--log", c->run->drive->journal ? "yes" : "no");
	settings_echo(c->run->drive->settings, add_setting, &k);
	return k;
}

bool checkpoint_save(struct checkpoint *c, const char *path, struct fault *fault)
{
	struct kept k = kept_of(c);
	bool done = kept_save(&k, path, fault);

	kept_release(&k);
	return done;
}

bool checkpoint_load(struct checkpoint *c, const char *path, struct fault *fault)
{
	struct kept k = kept_of(c);
	bool done = kept_load(&k, path, fault);

	kept_release(&k);
	c->run->resumed = done;
	return done;
}
