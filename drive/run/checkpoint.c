#include "drive/run/checkpoint.h"

#include "base/version.h"
#include "drive/prepare/state_file.h"

static const struct state_row run_state[] = {
	STATE_FIXED(workload, keep_going, ask_every, context, from, keeps_sum, resumed),
	STATE_REBUILT(source, next, status), /* the workload is read again */
	STATE_NUMBER(struct run, requests),
	STATE_NUMBER(struct run, commands),
	STATE_NUMBER(struct run, sum),
	STATE_POINTER(struct run, drive, drive_state),
	STATE_POINTER(struct run, windows, windows_state),
	STATE_POINTER(struct run, journal, journal_state),
	{ 0 },
};

static const struct state_row precondition_result_state[] = {
	STATE_NUMBER(struct precondition_result, used_pages),
	STATE_NUMBER(struct precondition_result, valid_pages),
	STATE_NUMBER(struct precondition_result, footprint_pages),
	STATE_NUMBER(struct precondition_result, replayed),
	{ 0 },
};

static const struct state_row checkpoint_state[] = {
	STATE_FIXED(warm_up, series),
	STATE_POINTER(struct checkpoint, run, run_state),
	STATE_POINTER(struct checkpoint, before, precondition_result_state),
	STATE_NUMBER(struct checkpoint, series_bytes),
	STATE_NUMBER(struct checkpoint, log_bytes),
	{ 0 },
};

static void checkpoint_add_setting(void *file, const struct param_echo *setting)
{
	state_file_add(file, setting->key, setting->value);
}

static struct state_file checkpoint_file(struct checkpoint *c)
{
	struct state_file f = { "ssdlab run", "run", "make one with ssd run --checkpoint FILE", NULL, true,
		checkpoint_state, c };

	state_file_add(&f, "version", SSD_VERSION);
	state_file_add(&f, "--warmup", c->warm_up ? c->warm_up : "none");
	state_file_add(&f, "--series", c->series ? c->series : "none");
	state_file_add(&f, "--log", c->run->journal ? "yes" : "no");
	settings_echo(c->run->drive->settings, checkpoint_add_setting, &f);
	state_file_add_layout(&f);
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
