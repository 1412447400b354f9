/*
 * Fuzz entry for command lines: the bytes are the words, one a line, of a command that takes every option.
 * They must be understood, or refused with one line.
 */
#include "base/fault.h"
#include "base/memory.h"
#include "cli/cli.h"

#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);

static void parse(char **words, unsigned takes)
{
	const struct command command = { "command", NULL, takes, 0, SIZE_MAX, "WORD...", "", "" };
	struct options options = { .typed = words };
	struct fault fault = { "" };

	if (!options_parse(&options, &command, words, &fault))
		BUG_ON(!*fault.text || strchr(fault.text, '\n'), "refused with \"%s\"", fault.text);
	options_free(&options);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
	static const unsigned takes[] = { TAKES_RUN, TAKES_STAT, TAKES_CONVERT, TAKES_GENERATE,
		TAKES_LEGACY };
	char *words[65], *text;
	size_t n = 0;

	for (size_t i = 0; i < sizeof takes / sizeof *takes; i++) {
		text = memory_array(bytes + 1, 1, "words");
		if (bytes)
			memcpy(text, data, bytes);
		n = 0;
		for (char *word = strtok(text, "\n"); word && n < 64; word = strtok(NULL, "\n"))
			words[n++] = word;
		words[n] = NULL;
		parse(words, takes[i]);
		memory_free(text);
	}
	return 0;
}
