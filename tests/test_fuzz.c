/* The corpora of the fuzz targets for profiles and command lines, replayed without a fuzzer. */
#include "tests/child_fixture.h"

#define LLVMFuzzerTestOneInput fuzz_profile
#include "tests/fuzz/profile.c"
#undef LLVMFuzzerTestOneInput
#define LLVMFuzzerTestOneInput fuzz_command_line
#include "tests/fuzz/command_line.c"
#undef LLVMFuzzerTestOneInput

#include <dirent.h>

static void replay_file(const char *path, int (*target)(const uint8_t *, size_t))
{
	static const size_t room = 1u << 16;
	uint8_t *data = memory_array(room, 1, "input");
	FILE *file = fopen(path, "rb");
	size_t bytes;

	assert_non_null(file);
	bytes = fread(data, 1, room, file);
	fclose(file);
	assert_int_equal(target(data, bytes), 0);
	memory_free(data);
}

static void replay_corpus(const char *name, int (*target)(const uint8_t *, size_t))
{
	char folder[64], path[400];
	struct dirent *entry;
	size_t files = 0;
	DIR *list;

	snprintf(folder, sizeof folder, "tests/fuzz/corpus/%s", name);
	list = opendir(folder);
	assert_non_null(list);
	while ((entry = readdir(list))) {
		if (entry->d_name[0] == '.')
			continue;
		snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
		replay_file(path, target);
		files++;
	}
	closedir(list);
	assert_true(files > 2);
}

static void test_profiles(void **state)
{
	(void)state;
	replay_corpus("profile", fuzz_profile);
}

static void test_command_lines(void **state)
{
	(void)state;
	replay_corpus("command_line", fuzz_command_line);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_profiles),
		cmocka_unit_test(test_command_lines),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
