/*
 * A bench for the legacy engine: a parameter file and a trace as text, one run, the rows and
 * statistics it wrote.  Files live in a temporary folder that disappears with the bench.
 */
#ifndef TESTS_LEGACY_BENCH_H
#define TESTS_LEGACY_BENCH_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "legacy/legacy.h"
#include "legacy/statistics.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define BENCH_ROWS 64

struct bench_row {
	long long arrival, begin, response;
	int sector, sectors, operation;
};

struct bench {
	char folder[64];
	enum legacy_end end;
	struct legacy_result result;
	struct fault fault;
	struct bench_row row[BENCH_ROWS];
	size_t rows;
	struct statistics statistics;
};

static void bench_path(const struct bench *b, const char *name, char *path, size_t bytes)
{
	snprintf(path, bytes, "%s/%s", b->folder, name);
}

static void bench_write(const struct bench *b, const char *name, const char *text)
{
	char path[128];
	FILE *file;

	bench_path(b, name, path, sizeof path);
	file = fopen(path, "w");
	assert_non_null(file);
	fputs(text, file);
	assert_int_equal(fclose(file), 0);
}

static inline void bench_read_rows(struct bench *b)
{
	char path[128], line[256];
	FILE *file;

	bench_path(b, "ex.out", path, sizeof path);
	file = fopen(path, "r");
	assert_non_null(file);
	b->rows = 0;
	while (fgets(line, sizeof line, file)) {
		struct bench_row r;
		long long process;

		if (sscanf(line, "%lld %d %d %d %lld %lld %lld", &r.arrival, &r.sector, &r.sectors,
			    &r.operation, &r.begin, &r.response, &process) != 7)
			continue;
		assert_int_equal(process, r.response - r.arrival);
		assert_true(b->rows < BENCH_ROWS);
		b->row[b->rows++] = r;
	}
	fclose(file);
}

static void bench_remove(struct bench *b)
{
	static const char *const names[] = { "page.parameters", "trace", "ex.out", "statistic10.dat" };
	char path[128];

	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		bench_path(b, names[i], path, sizeof path);
		unlink(path);
	}
	rmdir(b->folder);
}

/* Runs the trace and leaves the files, which bench_remove() removes. */
static void bench_execute(struct bench *b, const char *parameters, const char *trace, quirk_set repaired)
{
	char p[128], t[128];
	struct legacy_options o = { p, t, b->folder, repaired };

	*b = (struct bench){ .folder = "/tmp/legacy-bench-XXXXXX" };
	assert_non_null(mkdtemp(b->folder));
	bench_write(b, "page.parameters", parameters);
	bench_write(b, "trace", trace);
	bench_path(b, "page.parameters", p, sizeof p);
	bench_path(b, "trace", t, sizeof t);
	b->end = legacy_run(&o, &b->result, &b->fault);
}

/* Reads the statistics; a run that was refused must have left none, and one line of reason. */
static void bench_read_statistics(struct bench *b)
{
	struct fault fault = { "" };
	char path[128];

	bench_path(b, "statistic10.dat", path, sizeof path);
	if (b->end == LEGACY_REFUSED) {
		assert_string_not_equal(b->fault.text, "");
		assert_null(strchr(b->fault.text, '\n'));
		assert_int_equal(access(path, F_OK), -1);
		return;
	}
	assert_true(legacy_statistics_read(&b->statistics, path, &fault));
	assert_int_equal(b->statistics.early_end, b->end == LEGACY_DIED);
}

/* All of it, for traces of few requests. */
static inline void bench_run(struct bench *b, const char *parameters, const char *trace, quirk_set repaired)
{
	bench_execute(b, parameters, trace, repaired);
	bench_read_statistics(b);
	if (b->end != LEGACY_REFUSED)
		bench_read_rows(b);
	bench_remove(b);
}

static inline void bench_free(struct bench *b)
{
	legacy_statistics_free(&b->statistics);
}

static inline double bench_value(const struct bench *b, const char *label)
{
	const struct statistics_row *row = legacy_statistics_find(&b->statistics, label);

	if (!row)
		print_message("no row '%s'\n", label);
	assert_non_null(row);
	return row->value;
}

#endif
