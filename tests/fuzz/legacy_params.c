/*
 * Fuzz entry for SSDsim's parameter files.  Whatever the bytes are, parsing must end with settings
 * or a fault of one line; settings that pass the check must be importable or refused
 * with one line, and parsing the kept text again must give the same settings.
 *
 * Build with clang -fsanitize=fuzzer,address,undefined and legacy/parameters.c, legacy/import.c and
 * base/, run as `fuzz_legacy_params NEW_CORPUS tests/fuzz/corpus/legacy_params`.
 * tests/test_legacy_parameters.c includes this file and replays the corpus without a fuzzer.
 */
#include "legacy/import.h"
#include "legacy/parameters.h"

#include <stdio.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);

static void check_one_line(const struct fault *fault)
{
	BUG_ON(!fault->text[0], "a fault without a word");
	BUG_ON(strchr(fault->text, '\n') != NULL, "a fault of several lines: %s", fault->text);
}

/* Compares the settings, and the text by its content. */
static void check_same(struct legacy_parameters a, struct legacy_parameters b)
{
	BUG_ON(a.text_bytes != b.text_bytes || memcmp(a.text, b.text, a.text_bytes) != 0,
		"the text has changed");
	a.text = b.text = NULL;
	BUG_ON(memcmp(&a, &b, sizeof a) != 0, "the same text gives other settings");
}

static void import(const struct legacy_parameters *p)
{
	struct fault fault = { "" };
	FILE *nowhere = fopen("/dev/null", "w");

	BUG_ON(!nowhere, "no /dev/null");
	if (!legacy_import(p, "fuzz", nowhere, &fault))
		check_one_line(&fault);
	fclose(nowhere);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
	struct legacy_parameters first, second;
	struct fault fault = { "" };

	if (!legacy_parameters_parse(&first, (const char *)data, bytes, "fuzz", &fault)) {
		check_one_line(&fault);
		return 0;
	}
	BUG_ON(!legacy_parameters_parse(&second, first.text, first.text_bytes, "fuzz", &fault), "refused: %s",
		fault.text);
	check_same(first, second);
	if (!legacy_parameters_check(&first, "fuzz", &fault))
		check_one_line(&fault);
	else
		import(&first);
	legacy_parameters_free(&second);
	legacy_parameters_free(&first);
	return 0;
}
