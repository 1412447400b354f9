/*
 * Fuzz entry for parameter files.  Whatever the bytes are, reading them must end with either
 * settings whose echo can be read back to the same settings, or a fault of exactly one line.
 *
 * Build with clang -fsanitize=fuzzer,address,undefined and every source of parameters/ and
 * base/, run as `fuzz_params NEW_CORPUS tests/fuzz/corpus/params`.
 * tests/test_params.c includes this file and replays the corpus without a fuzzer.
 */
#include "base/fault.h"
#include "base/memory.h"
#include "parameters/params.h"
#include "tests/sample_params.h"

#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);
const char *__lsan_default_suppressions(void);

/* libconfig 1.5 loses the last name and the last string when a syntax error follows them. */
const char *__lsan_default_suppressions(void)
{
	return "leak:strbuf_append\nleak:libconfig_yylex\n";
}

struct echo_check {
	const struct param_group *groups; /* a second set of settings */
	char *lines;                      /* of the first set */
	size_t used;
};

/* Appends "key = value" and a new line. */
static void gather_line(void *context, const struct param_echo *setting)
{
	struct echo_check *check = context;
	size_t length = strlen(setting->key) + strlen(setting->value) + 5;

	check->lines = memory_resize(check->lines, check->used + length, 1, "echo");
	snprintf(check->lines + check->used, length, "%s = %s\n", setting->key, setting->value);
	check->used += length - 1;
}

static void set_line(void *context, const struct param_echo *setting)
{
	struct echo_check *check = context, line = { 0 };
	struct fault fault;

	gather_line(&line, setting);
	line.lines[line.used - 1] = '\0';
	BUG_ON(!params_set(line.lines, check->groups, SAMPLE_GROUPS, &fault), "echo \"%s\": %s", line.lines,
		fault.text);
	memory_free(line.lines);
}

static void check_echo(const struct param_group *groups)
{
	struct sample copy = { 0 };
	struct param_group copy_groups[SAMPLE_GROUPS];
	struct echo_check first = { .groups = copy_groups }, second = { 0 };

	sample_bind(&copy, copy_groups);
	params_echo(groups, SAMPLE_GROUPS, set_line, &first);
	params_echo(groups, SAMPLE_GROUPS, gather_line, &first);
	params_echo(copy_groups, SAMPLE_GROUPS, gather_line, &second);
	BUG_ON(strcmp(first.lines, second.lines) != 0, "echo\n%sreads back as\n%s", first.lines,
		second.lines);
	memory_free(first.lines);
	memory_free(second.lines);
	params_release(copy_groups, SAMPLE_GROUPS);
}

static void check_fault(const struct fault *fault)
{
	BUG_ON(!*fault->text || strchr(fault->text, '\n'), "fault \"%s\"", fault->text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
	char *text = memory_array(bytes + 1, 1, "input");
	struct sample sample = { 0 };
	struct param_group groups[SAMPLE_GROUPS];
	struct fault fault = { "" };

	if (bytes)
		memcpy(text, data, bytes);
	sample_bind(&sample, groups);
	BUG_ON(!params_defaults(groups, SAMPLE_GROUPS, &fault), "%s", fault.text);
	if (!params_read_text(text, "input.cfg", groups, SAMPLE_GROUPS, &fault))
		check_fault(&fault);
	if (!params_set(text, groups, SAMPLE_GROUPS, &fault))
		check_fault(&fault);
	check_echo(groups);
	params_release(groups, SAMPLE_GROUPS);
	memory_free(text);
	return 0;
}
