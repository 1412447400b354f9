/* The corpus of the trace fuzzer, replayed. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "tests/fuzz/trace.c"

#include "base/memory.h"

#include <dirent.h>
#include <stdio.h>

#define CORPUS "tests/fuzz/corpus/trace"

static void replay(const char *name)
{
	size_t room = 1u << 20, bytes;
	uint8_t *data = memory_array(room, 1, "test");
	char path[512];
	FILE *file;

	snprintf(path, sizeof path, "%s/%s", CORPUS, name);
	print_message("%s\n", path);
	file = fopen(path, "rb");
	assert_non_null(file);
	bytes = fread(data, 1, room, file);
	fclose(file);
	assert_int_equal(LLVMFuzzerTestOneInput(data, bytes), 0);
	memory_free(data);
}

static void test_corpus(void **state)
{
	DIR *folder = opendir(CORPUS);
	struct dirent *entry;
	unsigned files = 0;

	(void)state;
	assert_non_null(folder);
	while ((entry = readdir(folder))) {
		if (entry->d_name[0] == '.')
			continue;
		replay(entry->d_name);
		files++;
	}
	closedir(folder);
	assert_true(files > 20);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_corpus) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
