/* fio's formats: its job files, and the part of its JSON that has latencies and rates. */
#include "base/version.h"
#include "cli/probe/probe.h"

#include <inttypes.h>
#include <string.h>

static const double probe_percent[] = { 1, 5, 10, 25, 50, 75, 90, 95, 99, 99.9 };

enum { PROBE_PERCENTILES = sizeof probe_percent / sizeof *probe_percent };

/* fio's word for what the job does. */
static const char *probe_rw(const struct probe_series *s)
{
	if (s->in_order)
		return s->reads ? "read" : "write";
	return s->reads == 100 ? "randread" : s->reads ? "randrw" : "randwrite";
}

/* ---- job files ---- */

static const char *const probe_stage_about[PROBE_STAGES] = {
	"1 of 5: reads of a drive that was never written, which tell what an answer costs without flash.",
	"2 of 5: writes to an empty drive.",
	"3 of 5: writes to the same places again, and bursts: what the drive keeps in its memory.",
	"4 of 5: first writes with FLUSH, and in order to half of the drive: its SLC cache, if it has one.",
	"5 of 5: the drive is filled, read and overwritten.  This writes more than 1.5 times its capacity.",
};

/* The path as fio's filename= needs it, with ":" and "\" escaped. */
static void probe_write_path(FILE *out, const char *path)
{
	for (; *path; path++)
		fprintf(out, *path == ':' || *path == '\\' ? "\\%c" : "%c", *path);
}

static void probe_write_job(FILE *out, const struct probe_job *j, unsigned number)
{
	const struct probe_series *s = j->series;

	fprintf(out, "\n[%s]\nrw=%s\nbs=%" PRIu64 "\niodepth=%" PRIu64 "\n", j->name, probe_rw(s), j->bytes,
		j->depth);
	fprintf(out, "offset=%" PRIu64 "\nsize=%" PRIu64 "\nio_size=%" PRIu64 "\n", j->offset, j->region,
		j->requests * j->bytes);
	fprintf(out, "randseed=%u\n", number + 1);
	if (s->reads && s->reads < 100)
		fprintf(out, "rwmixread=%u\n", s->reads);
	if (s->flushes)
		fputs("fsync=1\n", out);
	if (j->burst)
		fprintf(out,
			"thinktime=%" PRIu64 "\nthinktime_blocks=%" PRIu64 "\nthinktime_blocks_type=issue\n",
			PROBE_PAUSE_NS / 1000, j->burst);
}

void probe_write_fio(FILE *out, const struct probe_plan *p, enum probe_stage stage, const char *target)
{
	fprintf(out,
		"# Probing a drive, %s\n"
		"#\n"
		"# THIS DESTROYS WHAT THE DRIVE OR FILE HOLDS.  Empty a drive first, with blkdiscard.\n"
		"#   fio --output-format=json --output=result-%d.json THIS-FILE\n"
		"# Then: ssd probe --fit result-*.json > mine.cfg\n"
		"\n[global]\nfilename=",
		probe_stage_about[stage], stage + 1);
	probe_write_path(out, target);
	fputs("\nioengine=libaio\ndirect=1\nthread=1\nstonewall\nnorandommap\npercentile_list=", out);
	for (int i = 0; i < PROBE_PERCENTILES; i++)
		fprintf(out, "%s%g", i ? ":" : "", probe_percent[i]);
	fputs("\n", out);
	for (uint32_t i = 0; i < p->jobs; i++)
		if (p->job[i].series->stage == stage)
			probe_write_job(out, &p->job[i], i);
}

/* ---- results ---- */

/* An empty histogram has no percentiles. */
static void probe_json_times(FILE *out, const char *name, const struct histogram *h)
{
	fprintf(out, "        \"%s\" : {\n", name);
	fprintf(out, "          \"min\" : %" PRIu64 ",\n          \"max\" : %" PRIu64 ",\n",
		h->count ? h->min : 0, h->max);
	fprintf(out, "          \"mean\" : %.6f,\n          \"stddev\" : %.6f,\n", histogram_mean(h),
		histogram_deviation(h));
	fprintf(out, "          \"N\" : %" PRIu64, h->count);
	for (int i = 0; i < PROBE_PERCENTILES && h->count; i++)
		fprintf(out, "%s            \"%.6f\" : %" PRIu64,
			i ? ",\n" : ",\n          \"percentile\" : {\n", probe_percent[i],
			histogram_percentile(h, probe_percent[i] / 100));
	fprintf(out, "%s\n        }\n      }", h->count ? "\n          }" : "");
}

static void probe_json_kind(
	FILE *out, const char *kind, const struct probe_job *j, const struct histogram *h, tick_t ns)
{
	double seconds = (double)ns / 1e9, count = (double)h->count;

	fprintf(out, "      \"%s\" : {\n        \"io_bytes\" : %" PRIu64 ",\n", kind, h->count * j->bytes);
	fprintf(out, "        \"bw_bytes\" : %.0f,\n", ns ? count * (double)j->bytes / seconds : 0);
	fprintf(out, "        \"iops\" : %.6f,\n", ns ? count / seconds : 0);
	fprintf(out, "        \"total_ios\" : %" PRIu64 ",\n", h->count);
	probe_json_times(out, "clat_ns", h);
}

void probe_json_begin(FILE *out, const char *source)
{
	fprintf(out, "{\n  \"fio version\" : \"none: ssd %s, a model\",\n  \"source\" : \"", SSD_VERSION);
	for (const char *c = source; *c; c++)
		fprintf(out,
			(unsigned char)*c < ' '   ? "\\u%04x"
			: *c == '"' || *c == '\\' ? "\\%c"
						  : "%c",
			*c);
	fputs("\",\n  \"jobs\" : [", out);
}

void probe_json_job(FILE *out, const struct probe_job *j, const struct probe_result *r, bool first)
{
	fprintf(out, "%s\n    {\n      \"jobname\" : \"%s\",\n      \"job options\" : {\n", first ? "" : ",",
		j->name);
	fprintf(out,
		"        \"rw\" : \"%s\",\n        \"bs\" : \"%" PRIu64
		"\",\n        \"iodepth\" : \"%" PRIu64 "\"\n      },\n",
		probe_rw(j->series), j->bytes, j->depth);
	probe_json_kind(out, "read", j, &r->latency[REQUEST_READ], r->ns);
	fputs(",\n", out);
	probe_json_kind(out, "write", j, &r->latency[REQUEST_WRITE], r->ns);
	if (j->series->flushes) {
		fprintf(out, ",\n      \"sync\" : {\n        \"total_ios\" : %" PRIu64 ",\n", r->flush.count);
		probe_json_times(out, "lat_ns", &r->flush);
	}
	fputs("\n    }", out);
}

void probe_json_end(FILE *out)
{
	fputs("\n  ]\n}\n", out);
}
