/*
 * The legacy engine on two loads that were measured with SSDsim 2.1, too: its sample trace, repeated to a
 * million requests, and a million random writes on an aged drive of 8 GB.  Result files are written as
 * always.
 */
#include "base/memory.h"
#include "base/random.h"
#include "tests/bench/bench.h"
#include "legacy/legacy.h"

#include <archive.h>
#include <archive_entry.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define ARCHIVE    "tests/legacy/golden.tar.xz"
#define REQUESTS   1000000u
#define TEXT_BYTES (1u << 20)

/* A file of the archive of reference runs, as text. */
static char *reference(const char *name)
{
	char *text = memory_array(TEXT_BYTES, 1, "bench");
	struct archive *a = archive_read_new();
	struct archive_entry *entry;
	bool found = false;

	archive_read_support_format_tar(a);
	archive_read_support_filter_xz(a);
	if (archive_read_open_filename(a, ARCHIVE, 1 << 16) != ARCHIVE_OK)
		bench_give_up(archive_error_string(a));
	while (!found && archive_read_next_header(a, &entry) == ARCHIVE_OK)
		found = !strcmp(archive_entry_pathname(entry), name);
	if (!found || archive_read_data(a, text, TEXT_BYTES - 1) < 0)
		bench_give_up(ARCHIVE ": no such file");
	archive_read_free(a);
	return text;
}

/* The sample over and over, each time behind the one before.  SSDsim drops the last line of a trace. */
static void repeat_sample(FILE *out)
{
	char *sample = reference("traces/example.ascii");
	unsigned written = 0;
	long long start = 0, time = 0;

	while (written < REQUESTS) {
		const char *line = sample, *end;

		for (; written < REQUESTS && (end = strchr(line, '\n')); line = end + 1, written++) {
			const char *rest = strchr(line, ' ');

			time = start + strtoll(line, NULL, 10);
			fprintf(out, "%lld%.*s", time, (int)(end + 1 - rest), rest);
		}
		start = time + 1000000;
	}
	fprintf(out, "%lld 0 0 4 0", start + 1000000000000);
	memory_free(sample);
}

/* 4 to 64 KB, anywhere, every 0.2 ms: more than the drive can serve. */
static void random_writes(FILE *out)
{
	const unsigned exported = 15000000; /* of 2^24 sectors, 10 % less */
	long long time = 0;
	struct random random;

	random_init(&random, 1, 6);
	for (unsigned i = 0; i < REQUESTS; i++) {
		unsigned pages = 1 + (unsigned)random_below(&random, 16);

		time += (long long)random_below(&random, 400000);
		fprintf(out, "%lld 0 %u %u 0\n", time, 8 * (unsigned)random_below(&random, exported / 8 - 16),
			8 * pages);
	}
	fprintf(out, "%lld 0 0 4 0", time + 1000000000000);
}

struct load {
	const char *name, *original; /* time of SSDsim */
	const char *drive;           /* parameters that differ from its default ones */
	void (*write)(FILE *);
};

static const struct load loads[] = {
	{ "sample, repeated", "4.4 s", "", repeat_sample },
	{ "random writes, aged 8 GB", "> 580 s", "\nblock number = 4096;\naged = 1;\naged ratio = 0.7;\n",
		random_writes },
};

static FILE *create(const char *folder, const char *name, char path[128])
{
	FILE *file;

	snprintf(path, 128, "%s/%s", folder, name);
	file = fopen(path, "w");
	if (!file)
		bench_give_up("no file can be written in /tmp");
	return file;
}

static void write_files(const struct load *load, const char *folder, char parameters[128], char trace[128])
{
	char *text = reference("01_default/page.parameters");
	FILE *file = create(folder, "page.parameters", parameters);

	fprintf(file, "%s%s", text, load->drive);
	memory_free(text);
	if (fclose(file))
		bench_give_up("the parameter file cannot be written");
	file = create(folder, "trace", trace);
	load->write(file);
	if (fclose(file))
		bench_give_up("the trace cannot be written");
}

static void remove_files(const char *folder)
{
	static const char *const names[] = { "page.parameters", "trace", "ex.out", "statistic10.dat" };
	char path[128];

	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		snprintf(path, sizeof path, "%s/%s", folder, names[i]);
		unlink(path);
	}
	rmdir(folder);
}

static void measure(const struct load *load)
{
	char folder[] = "/tmp/ssdlab-bench-XXXXXX", parameters[128], trace[128];
	struct legacy_options options = { parameters, trace, folder, 0 };
	struct legacy_result result;
	struct fault fault = { "" };
	double start, clock, used, took;

	if (!mkdtemp(folder))
		bench_give_up("no folder can be made in /tmp");
	write_files(load, folder, parameters, trace);
	start = bench_processor_time();
	clock = bench_elapsed_time();
	if (legacy_run(&options, &result, &fault) != LEGACY_DONE)
		bench_give_up(fault.text);
	took = bench_elapsed_time() - clock;
	used = bench_processor_time() - start;
	remove_files(folder);
	printf("%-26s %10.2f %10.2f %9s %11.0f %11.1f %9s\n", load->name, took, used, load->original,
		(double)result.requests / took, (double)result.state_bytes / (double)result.pages, "24.7");
	fflush(stdout);
}

void bench_legacy(void)
{
	printf("\n# legacy engine, %u requests, both result files written; seconds by the clock\n", REQUESTS);
	printf("%-26s %10s %10s %9s %11s %11s %9s\n", "# load", "seconds", "processor", "SSDsim's",
		"requests/s", "bytes/page", "SSDsim's");
	for (size_t i = 0; i < sizeof loads / sizeof *loads; i++)
		measure(&loads[i]);
}
