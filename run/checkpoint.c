#include "run/checkpoint.h"

#include "base/version.h"
#include "prepare/state_file.h"

static void checkpoint_visit(void *checkpoint, struct regions *r)
{
	struct checkpoint *c = checkpoint;
	struct run *run = c->run;

	regions_visit(r, &run->requests, sizeof run->requests);
	regions_visit(r, &run->gc_commands, sizeof run->gc_commands);
	regions_visit(r, &run->sum, sizeof run->sum);
	regions_visit(r, c->before, sizeof *c->before);
	regions_visit(r, &c->series_bytes, sizeof c->series_bytes);
	regions_visit(r, &c->log_bytes, sizeof c->log_bytes);
	drive_regions(run->drive, r);
	if (run->windows)
		windows_regions(run->windows, run->drive, r);
}

static void checkpoint_check(void *checkpoint)
{
	drive_check_running(((struct checkpoint *)checkpoint)->run->drive);
}

static void checkpoint_add_setting(void *file, const struct param_echo *setting)
{
	state_file_add(file, setting->key, setting->value);
}

static struct state_file checkpoint_file(struct checkpoint *c)
{
	struct state_file f = { "ssdlab run 7", "run", "make one with ssd run --checkpoint FILE",
		.running = true, .visit = checkpoint_visit, .check = checkpoint_check, .context = c };

	state_file_add(&f, "version", SSD_VERSION);
	state_file_add(&f, "--warmup", c->warm_up ? c->warm_up : "none");
	state_file_add(&f, "--series", c->series ? c->series : "none");
	state_file_add(&f, "--log", c->run->drive->journal ? "yes" : "no");
	settings_echo(c->run->drive->settings, checkpoint_add_setting, &f);
	return f;
}

bool checkpoint_save(struct checkpoint *c, const char *path, struct fault *fault)
{
	struct state_file f = checkpoint_file(c);
	bool done = state_file_save(&f, path, fault);

	state_file_release(&f);
	return done;
}

bool checkpoint_load(struct checkpoint *c, const char *path, struct fault *fault)
{
	struct state_file f = checkpoint_file(c);
	bool done = state_file_load(&f, path, fault);

	state_file_release(&f);
	c->run->resumed = done;
	return done;
}
