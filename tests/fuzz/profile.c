/*
 * Fuzz entry for the generator's profiles.  Whatever the bytes are, opening them must end with a fault of one
 * line or a generator whose requests lie in its space, in order of time.
 */
#include "base/fault.h"
#include "traces/generate.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);

#define REQUESTS 300

static void generate(struct generator *g)
{
	struct request r;
	tick_t last = 0;

	for (int i = 0; i < REQUESTS && generator_next(g, &r); i++) {
		BUG_ON(r.arrival < last, "time goes back");
		BUG_ON(!r.sectors || r.start + r.sectors > generator_sectors(g),
			"sectors %llu and %u of %llu", (unsigned long long)r.start, r.sectors,
			(unsigned long long)generator_sectors(g));
		last = r.arrival;
	}
	generator_close(g);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
	char path[] = "/tmp/ssdlab-fuzz-XXXXXX";
	int descriptor = mkstemp(path);
	struct fault fault = { "" };
	struct generator *g;
	FILE *file;

	if (descriptor < 0)
		return 0;
	file = fdopen(descriptor, "wb");
	fwrite(data, 1, bytes, file);
	fclose(file);
	g = generator_open(path, NULL, 0, &fault);
	if (g)
		generate(g);
	else
		BUG_ON(!*fault.text || strchr(fault.text, '\n'), "refused with \"%s\"", fault.text);
	unlink(path);
	return 0;
}
