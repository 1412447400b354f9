/*
 * `ssd probe`: measures a drive to learn what it is made of: a model (PARAMETERS), or a real drive by job
 * files for fio (--fio).  Fits a parameter file to the results (--fit), which is a script of the source tree.
 */
#include "base/memory.h"
#include "cli/cli.h"
#include "drive/prepare/precondition.h"
#include "cli/probe/probe.h"
#include "stats/output.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- a model ---- */

/* Answers that take no time have no rate. */
static void probe_print_rate(int width, int digits, double value, tick_t ns)
{
	if (ns)
		printf(" %*.*f", width, digits, value / ((double)ns / 1e9));
	else
		printf(" %*s", width, "-");
}

static void probe_print_kind(
	const char *name, const struct probe_job *j, const struct histogram *h, tick_t ns)
{
	if (!h->count)
		return;
	printf("  %-20s", name);
	probe_print_rate(10, 0, (double)h->count, ns);
	probe_print_rate(9, 1, (double)h->count * (double)j->bytes / 1e6, ns);
	printf(" %11.1f %11.1f %11.1f %11.1f\n", histogram_mean(h) / 1e3,
		(double)histogram_percentile(h, 0.5) / 1e3, (double)histogram_percentile(h, 0.99) / 1e3,
		(double)h->max / 1e3);
}

/* Is the series among those asked for? */
static bool probe_is_wanted(const char *only, const struct probe_series *series)
{
	size_t length = strlen(series->name);

	for (const char *at = only; at && (at = strstr(at, series->name)); at++)
		if ((at == only || at[-1] == ' ') && (at[length] == ' ' || !at[length]))
			return true;
	return !only;
}

/* Does every word name a series? */
static bool probe_knows_series(const struct probe_plan *plan, const char *only, struct fault *fault)
{
	char names[200] = "";

	for (uint32_t i = 0; i < plan->jobs; i++)
		if (!i || plan->job[i].series != plan->job[i - 1].series)
			snprintf(names + strlen(names), sizeof names - strlen(names), "%s%s", i ? ", " : "",
				plan->job[i].series->name);
	for (const char *at = only; at && *at; at += strcspn(at, " "), at += strspn(at, " ")) {
		size_t length = strcspn(at, " ");
		uint32_t i = 0;

		while (i < plan->jobs && (strlen(plan->job[i].series->name) != length ||
						 strncmp(plan->job[i].series->name, at, length) != 0))
			i++;
		if (i == plan->jobs)
			return fault_set(fault, "--only: there is no series \"%.*s\"; there are %s",
				(int)length, at, names);
	}
	return true;
}

static void probe_print(
	const struct probe_job *j, const struct probe_result *r, const struct probe_job *before)
{
	bool mixed = r->latency[REQUEST_READ].count && r->latency[REQUEST_WRITE].count;
	char name[64];

	if (!before || before->series != j->series)
		printf("%s%s\n  %-20s %10s %9s %11s %11s %11s %11s\n", before ? "\n" : "", j->series->title,
			"", "1/s", "MB/s", "mean, us", "median", "99 %", "longest");
	snprintf(name, sizeof name, "%s%s", j->name, mixed ? ", reads" : "");
	probe_print_kind(name, j, &r->latency[REQUEST_READ], r->ns);
	snprintf(name, sizeof name, "%s%s", j->name, mixed ? ", writes" : "");
	probe_print_kind(name, j, &r->latency[REQUEST_WRITE], r->ns);
	snprintf(name, sizeof name, "%s, FLUSH", j->name);
	probe_print_kind(name, j, &r->flush, 0);
	fflush(stdout);
}

/* A run of the whole plan. */
struct probe_run {
	const struct settings *settings;
	struct probe_plan plan;
	struct probe_result *result;
	struct random random;
	const char *only;             /* names of series; NULL: all */
	FILE *json;                   /* NULL: none */
	uint32_t done;                /* jobs */
	const struct probe_job *last; /* the one that was printed last; NULL: none */
	bool failed;                  /* the modelled drive */
};

/* The last job of the stage that is wanted, counted from 1; 0: none.  *end: the last job of the stage. */
static uint32_t probe_last_wanted(const struct probe_run *p, enum probe_stage stage, uint32_t *end)
{
	uint32_t last = 0;

	for (*end = p->done; *end < p->plan.jobs && p->plan.job[*end].series->stage == stage; ++*end)
		if (probe_is_wanted(p->only, p->plan.job[*end].series))
			last = *end + 1;
	return last;
}

static void probe_tell(struct probe_run *p, const struct probe_job *j)
{
	probe_print(j, p->result, p->last);
	if (p->json)
		probe_json_job(p->json, j, p->result, !p->last);
	p->last = j;
}

/* The jobs of a stage, on a new drive, up to the last one asked for. */
static bool probe_run_stage(struct probe_run *p, enum probe_stage stage, struct fault *fault)
{
	uint32_t end, last = probe_last_wanted(p, stage, &end);
	struct precondition_result before;
	struct drive *drive = last ? drive_create(p->settings, false, fault) : NULL;
	bool made = drive && precondition(drive, NULL, &before, fault);

	for (; made && p->done < last && !p->failed; p->done++) {
		const struct probe_job *j = &p->plan.job[p->done];

		p->failed = !probe_measure(drive, j, &p->random, p->result);
		if (probe_is_wanted(p->only, j->series))
			probe_tell(p, j);
	}
	p->done = end;
	if (made)
		drive_check(drive);
	drive_free(drive);
	return made || !last;
}

static bool probe_size(const struct settings *s, uint64_t *bytes, struct fault *fault)
{
	struct drive *drive = drive_create(s, false, fault);

	if (!drive)
		return false;
	*bytes = drive->host->sectors * SECTOR_BYTES;
	drive_free(drive);
	return *bytes >= PROBE_LEAST ||
	       fault_set(fault,
		       "a drive of %.1f MB is too small to be probed; %.0f MB are needed (flash.blocks)",
		       (double)*bytes / 1e6, (double)PROBE_LEAST / 1e6);
}

static int probe_model_with(
	const struct options *o, const struct settings *s, struct output *json, struct fault *fault)
{
	struct probe_run p = { .settings = s, .only = o->only };
	bool works = true;
	uint64_t bytes;

	if (!probe_size(s, &bytes, fault) || (o->json && !output_open(json, o->json, fault)))
		return STATUS_USER;
	random_init(&p.random, s->top.seed, 0x70726f62);
	p.json = json->stream;
	p.result = memory_array(1, sizeof *p.result, "results");
	probe_plan_make(&p.plan, bytes);
	works = probe_knows_series(&p.plan, o->only, fault);
	if (p.json)
		probe_json_begin(p.json, o->operand.text[0]);
	for (int stage = 0; stage < PROBE_STAGES && works && !p.failed; stage++)
		works = probe_run_stage(&p, (enum probe_stage)stage, fault);
	if (p.json)
		probe_json_end(p.json);
	probe_plan_free(&p.plan);
	memory_free(p.result);
	if (!works || (p.json && !output_commit(json, fault)))
		return STATUS_USER;
	return p.failed ? STATUS_DRIVE_FAILED : STATUS_DONE;
}

static int probe_model(const struct options *o, struct fault *fault)
{
	const struct named files[] = { { "the parameters", o->operand.text[0], false },
		{ "--plugin", o->plugin, false }, { "--json", o->json, true } };
	struct output json = { .stream = NULL };
	struct settings settings;
	int status = STATUS_USER;

	if (!cli_distinct(files, 3, fault))
		return STATUS_USER;
	if (!o->json)
		cli_listing();
	if (cli_settings(&settings, o, fault)) {
		settings.precondition.mode = PRECONDITION_NONE;
		settings.precondition.premap = PREMAP_NONE; /* there is no trace */
		if (settings.striped->superblock)
			fault_set(fault,
				"%s: a device of `ssd measure` (striped.superblock) cannot be probed",
				o->operand.text[0]);
		else
			status = probe_model_with(o, &settings, &json, fault);
	}
	output_abandon(&json);
	settings_release(&settings);
	return status;
}

/* ---- a real drive ---- */

/* Size in bytes of a file, or of a block device as Linux reports it; 0 and a fault. */
static uint64_t probe_target_bytes(const char *target, bool *is_file, struct fault *fault)
{
	const char *name = strrchr(target, '/');
	char path[300], text[32] = "";
	struct stat about;
	FILE *file;

	if (stat(target, &about)) {
		fault_set(fault,
			"%s: %s; name a drive of this machine, or a file made before, as large as it may be",
			target, strerror(errno));
		return 0;
	}
	*is_file = S_ISREG(about.st_mode);
	if (*is_file)
		return (uint64_t)about.st_size;
	snprintf(path, sizeof path, "/sys/class/block/%s/size", name ? name + 1 : target);
	file = S_ISBLK(about.st_mode) ? fopen(path, "r") : NULL;
	if (!file || !fgets(text, sizeof text, file))
		fault_set(fault, "%s: neither a file nor a drive whose size can be read", target);
	if (file)
		fclose(file);
	return strtoull(text, NULL, 10) * SECTOR_BYTES;
}

static bool probe_write_stage(const char *folder, const struct probe_plan *plan, enum probe_stage stage,
	const char *target, struct fault *fault)
{
	static const char *const names[] = { "/1-empty.fio", "/2-fresh.fio", "/3-memory.fio", "/4-cache.fio",
		"/5-full.fio" };
	char *path = cli_joined(folder, names[stage], "");
	struct output file;
	bool done = output_open(&file, path, fault);

	if (done) {
		probe_write_fio(file.stream, plan, stage, target);
		done = output_commit(&file, fault);
		if (done)
			printf("%s\n", path);
	}
	memory_free(path);
	return done;
}

static int probe_fio(const char *folder, const char *target, struct fault *fault)
{
	struct probe_plan plan;
	bool done, is_file;
	uint64_t bytes = probe_target_bytes(target, &is_file, fault);

	if (!bytes)
		return STATUS_USER;
	if (bytes < PROBE_LEAST)
		return cli_status(
			fault_set(fault, "%s: %.1f MB are too small to be probed; %.0f MB are needed", target,
				(double)bytes / 1e6, (double)PROBE_LEAST / 1e6));
	probe_plan_make(&plan, bytes);
	done = cli_make_folder(folder, fault);
	/* Not for a file: reads of an empty one would be answered by the file system. */
	for (int stage = is_file ? PROBE_FRESH : PROBE_EMPTY; stage < PROBE_STAGES && done; stage++)
		done = probe_write_stage(folder, &plan, (enum probe_stage)stage, target, fault);
	probe_plan_free(&plan);
	return cli_status(done);
}

/* ---- back ---- */

static int probe_fit(const struct words *results, struct fault *fault)
{
	char **words = memory_array(results->count + 2, sizeof *words, "words"), name[] = "probe --fit";

	words[0] = name;
	memcpy(words + 1, results->text, results->count * sizeof *words);
	cli_become("scripts/probe/fit", words, fault);
	memory_free(words);
	return STATUS_USER;
}

int cli_probe(const struct options *o, struct fault *fault)
{
	if (o->fit && (o->fio || o->json || o->only || o->setting.count))
		return cli_status(fault_set(fault, "probe: --fit takes results alone"));
	if (o->fio && (o->json || o->only || o->setting.count))
		return cli_status(fault_set(fault, "probe: --fio takes a drive or file alone"));
	if (o->fit)
		return probe_fit(&o->operand, fault);
	if (o->operand.count > 1)
		return cli_status(fault_set(
			fault, "probe: one thing at a time: \"%s\" is too many", o->operand.text[1]));
	return o->fio ? probe_fio(o->fio, o->operand.text[0], fault) : probe_model(o, fault);
}
