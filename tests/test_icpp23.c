/*
 * The workloads of scripts/icpp23: every family and every variant of a workload that the report may quote as
 * a reason agrees with Table 2 of Cai et al., ICPP 2023: requests, share of writes, mean write and share of
 * requests across pages of 8 KB, for each of the six traces.  And the tables of the document include the last
 * variant.
 */
#include "base/memory.h"
#include "tests/table_2.h"
#include "tests/tier.h"
#include "traces/generate.h"

#include <ctype.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define EXPERIMENT "scripts/icpp23/experiment.ini"
#define TABLES     "docs/icpp23.md" /* written by `make tables` */
#define WORKLOAD   "workload."
#define MOST       32

/* The settings of the profile at a point of an axis; `space` is divided by the scale, here 1. */
struct variant {
	char *setting[MOST];
	size_t count;
};

static char *without_scale(const char *word)
{
	char text[128];
	unsigned long gb;

	if (sscanf(word, "space={%lu*1024//scale}M", &gb) == 1)
		snprintf(text, sizeof text, "space=%luG", gb);
	else
		snprintf(text, sizeof text, "%s", word);
	return memory_string(text, "setting");
}

/* The next word of the line, or the text between single quotes; NULL at the end. */
static char *next_word(char **rest)
{
	char *word = *rest + strspn(*rest, " \n"), *end;

	end = *word == '\'' ? strchr(++word, '\'') : word + strcspn(word, " \n");
	assert_non_null(end);
	*rest = end + (*end != '\0');
	*end = '\0';
	return *word ? word : NULL;
}

static struct variant read_variant(char *words)
{
	struct variant v = { .count = 0 };

	for (char *word = next_word(&words); word; word = next_word(&words))
		if (!strncmp(word, WORKLOAD, strlen(WORKLOAD)) && v.count < MOST)
			v.setting[v.count++] = without_scale(word + strlen(WORKLOAD));
	return v;
}

static void expect(const char *point, const char *lun, const char *what, double got, double published)
{
	if (fabs(got / published - 1) > 0.03)
		fail_msg("%s, %s: %s is %g, Table 2 says %g", point, lun, what, got, published);
}

static void expect_table_2(const char *point, const struct variant *v, const struct table_2 *lun)
{
	struct fault fault = { "" };
	struct generator *g = generator_open(lun->name, v->setting, v->count, &fault);
	double count = 0, writes = 0, kb = 0, across = 0;
	struct request r;

	if (!g)
		fail_msg("%s: %s", point, fault.text);
	while (generator_next(g, &r)) {
		count++;
		writes += r.type == REQUEST_WRITE;
		kb += r.type == REQUEST_WRITE ? r.sectors / 2.0 : 0;
		across += r.sectors <= 16 && r.start / 16 != (r.start + r.sectors - 1) / 16;
	}
	generator_close(g);
	expect(point, lun->name, "number of requests", count, (double)lun->requests);
	expect(point, lun->name, "share of writes", writes / count, lun->write_share);
	expect(point, lun->name, "mean write in KB", kb / writes, lun->write_kb);
	expect(point, lun->name, "share across pages", across / count, lun->across);
}

static void every_workload_keeps_table_2(void **state)
{
	FILE *file = fopen(EXPERIMENT, "r");
	bool of_interest = false;
	char line[1024];
	size_t found = 0;

	(void)state;
	assert_non_null(file);
	while (fgets(line, sizeof line, file)) {
		char *words = strstr(line, " = ");
		struct variant v;

		if (line[0] == '[')
			of_interest = !strncmp(line, "[axis ", 6);
		if (!of_interest || !words || line[0] == '#')
			continue;
		*words = '\0';
		v = read_variant(words + 3);
		for (size_t i = 0; v.count && i < LUNS; i++)
			if (!is_for_soak(found + i, shorter(3 * LUNS, LUNS)))
				expect_table_2(line, &v, &table_2[i]);
		found += v.count > 0;
		for (size_t i = 0; i < v.count; i++)
			memory_free(v.setting[i]);
	}
	fclose(file);
	assert_true(found >= 20);
}

/* Words of a line behind its `=`. */
static unsigned long count_words(const char *line)
{
	unsigned long count = 0;

	for (const char *at = strchr(line, '=') + 1; *(at += strspn(at, " \n")); at += strcspn(at, " \n"))
		count++;
	return count;
}

/* The points of the axis, except its default and those outside what the paper publishes. */
static unsigned long count_variants(void)
{
	FILE *file = fopen(EXPERIMENT, "r");
	unsigned long count = 0, outside = 0;
	bool inside = false;
	char line[1024];

	assert_non_null(file);
	while (fgets(line, sizeof line, file)) {
		if (line[0] == '[')
			inside = !strcmp(line, "[axis variant]\n");
		count += inside && line[0] != '#' && strchr(line, '=') && strncmp(line, "default", 7);
		outside += strncmp(line, "outside = ", 10) ? 0 : count_words(line);
	}
	fclose(file);
	assert_true(outside > 0);
	return count - outside;
}

/* Table 1 has one mapping cache, 1/1000 of the capacity, for every page size and family. */
static void every_page_size_has_the_cache_of_table_1(void **state)
{
	FILE *file = fopen(EXPERIMENT, "r");
	unsigned sizes = 0;
	bool inside = false;
	char line[1024];

	(void)state;
	assert_non_null(file);
	while (fgets(line, sizeof line, file)) {
		if (line[0] == '[')
			inside = !strncmp(line, "[axis page", 10);
		if (inside && strstr(line, "flash.page_bytes=")) {
			assert_non_null(strstr(line, "map.cache_bytes={128*2**20//scale}"));
			sizes++;
		}
	}
	fclose(file);
	assert_int_equal(sizes, 6);
}

/* A variant that was added after the tables were written is in none of their counts. */
static void the_tables_count_every_variant(void **state)
{
	FILE *file = fopen(TABLES, "r");
	unsigned long variants = 0, most = 0;
	char line[4096];

	(void)state;
	assert_non_null(file);
	while (fgets(line, sizeof line, file))
		for (const char *at = line; (at = strstr(at, " variants")); at++) {
			const char *number = at;

			while (number > line && isdigit((unsigned char)number[-1]))
				number--;
			variants = strtoul(number, NULL, 10);
			most = variants > most ? variants : most;
		}
	fclose(file);
	assert_int_equal(most, count_variants());
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_workload_keeps_table_2),
		cmocka_unit_test(every_page_size_has_the_cache_of_table_1),
		cmocka_unit_test(the_tables_count_every_variant),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
