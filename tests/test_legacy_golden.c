/*
 * The 48 reference runs of the original SSDsim 2.1: statistics byte for byte, rows by checksum.
 * tests/legacy/README.md says what they are.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/memory.h"
#include "legacy/legacy.h"
#include "tests/sha256.h"

#include <archive.h>
#include <archive_entry.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define ARCHIVE "tests/legacy/golden.tar.xz"
#define CASES   48

struct file {
	char *name;
	char *bytes;
	size_t size;
};

/* Everything the archive holds, in memory, and a folder to run in. */
struct golden {
	struct file file[4 * CASES];
	size_t files;
	char folder[64];
};

static void load_entry(struct golden *g, struct archive *a, struct archive_entry *entry)
{
	struct file *f = &g->file[g->files++];

	assert_true(g->files <= sizeof g->file / sizeof *g->file);
	f->name = memory_string(archive_entry_pathname(entry), "golden data");
	f->size = (size_t)archive_entry_size(entry);
	f->bytes = memory_array(f->size + 1, 1, "golden data");
	assert_int_equal(archive_read_data(a, f->bytes, f->size), f->size);
}

static int load(void **state)
{
	struct golden *g = memory_array(1, sizeof *g, "golden data");
	struct archive *a = archive_read_new();
	struct archive_entry *entry;

	archive_read_support_format_tar(a);
	archive_read_support_filter_xz(a);
	assert_int_equal(archive_read_open_filename(a, ARCHIVE, 1 << 16), ARCHIVE_OK);
	while (archive_read_next_header(a, &entry) == ARCHIVE_OK)
		if (archive_entry_filetype(entry) == AE_IFREG)
			load_entry(g, a, entry);
	archive_read_free(a);
	strcpy(g->folder, "/tmp/legacy-golden-XXXXXX");
	assert_non_null(mkdtemp(g->folder));
	*state = g;
	return 0;
}

static int unload(void **state)
{
	struct golden *g = *state;

	for (size_t i = 0; i < g->files; i++) {
		memory_free(g->file[i].name);
		memory_free(g->file[i].bytes);
	}
	rmdir(g->folder);
	memory_free(g);
	return 0;
}

static const struct file *find(const struct golden *g, const char *folder, const char *name)
{
	char path[256];

	snprintf(path, sizeof path, "%s%s%s", folder, *folder ? "/" : "", name);
	for (size_t i = 0; i < g->files; i++)
		if (!strcmp(g->file[i].name, path))
			return &g->file[i];
	fail_msg("%s holds no %s", ARCHIVE, path);
	return NULL;
}

static void path_in(const struct golden *g, const char *name, char path[256])
{
	snprintf(path, 256, "%s/%s", g->folder, name);
}

static void store(const char *path, const struct file *f)
{
	FILE *out = fopen(path, "wb");

	assert_non_null(out);
	assert_int_equal(fwrite(f->bytes, 1, f->size, out), f->size);
	assert_int_equal(fclose(out), 0);
}

/* The first `rows` lines after the heading of the columns. */
static void sum_rows(const char *path, unsigned rows, char hex[65])
{
	FILE *file = fopen(path, "rb");
	char line[512];
	struct sha256 sum;

	assert_non_null(file);
	while (fgets(line, sizeof line, file) && !strstr(line, "process time\n"))
		;
	sha256_start(&sum);
	while (rows-- && fgets(line, sizeof line, file))
		sha256_add(&sum, line, strlen(line));
	sha256_finish(&sum, hex);
	fclose(file);
}

static void check_statistics(const char *path, const struct file *expected)
{
	char *bytes = memory_array(expected->size + 2, 1, "golden data");
	FILE *file = fopen(path, "rb");

	assert_non_null(file);
	assert_int_equal(fread(bytes, 1, expected->size + 1, file), expected->size);
	assert_memory_equal(bytes, expected->bytes, expected->size);
	fclose(file);
	memory_free(bytes);
}

static void check_case(
	const struct golden *g, const char *name, const char *trace, unsigned rows, const char *sum)
{
	char parameters[256], input[256], ex_out[256], statistics[256], hex[65];
	struct legacy_options o = { parameters, input, g->folder, 0 };
	struct legacy_result result;
	struct fault fault = { "" };

	print_message("%s\n", name);
	path_in(g, "page.parameters", parameters);
	path_in(g, trace, input);
	path_in(g, "ex.out", ex_out);
	path_in(g, "statistic10.dat", statistics);
	store(parameters, find(g, name, "page.parameters"));
	store(input, find(g, "traces", trace));
	assert_int_equal(legacy_run(&o, &result, &fault), LEGACY_DONE);
	assert_int_equal(result.requests, rows);
	assert_true(result.state_bytes <= 16 * result.pages);
	sum_rows(ex_out, rows, hex);
	assert_string_equal(hex, sum);
	check_statistics(statistics, find(g, name, "statistic10.dat"));
	unlink(parameters);
	unlink(input);
	unlink(ex_out);
	unlink(statistics);
}

static void test_golden(void **state)
{
	struct golden *g = *state;
	const char *line = find(g, "", "cases.tsv")->bytes;
	char name[64], trace[64], sum[80];
	unsigned rows, cases = 0;
	int used;

	while (sscanf(line, "%63s %63s %u %79s%n", name, trace, &rows, sum, &used) == 4) {
		check_case(g, name, trace, rows, sum);
		line += used;
		cases++;
	}
	assert_int_equal(cases, CASES);
}

/* The checksum itself: the examples of the standard. */
static void test_sha256(void **state)
{
	struct sha256 s;
	char hex[65];

	(void)state;
	sha256_start(&s);
	sha256_add(&s, "abc", 3);
	sha256_finish(&s, hex);
	assert_string_equal(hex, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
	sha256_start(&s);
	sha256_add(&s, "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq", 56);
	sha256_finish(&s, hex);
	assert_string_equal(hex, "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_sha256),
		cmocka_unit_test(test_golden),
	};

	return cmocka_run_group_tests(tests, load, unload);
}
