/* What the tests of the library share: drives opened with settings from one line of text, requests of a
 * workload, and the bytes of all results. */
#ifndef TESTS_LIBRARY_FIXTURE_H
#define TESTS_LIBRARY_FIXTURE_H

#include "library/ssdlab.h"
#include "drive/prepare/workload.h"
#include "tests/drive_fixture.h"
#include "tests/program_fixture.h"

#define assert_ok(drive, status)                                                                             \
	do {                                                                                                 \
		if ((status) != SSDLAB_OK)                                                                   \
			fail_msg("%s", ssdlab_error(drive));                                                 \
	} while (0)

enum { SETTINGS_MOST = 24 };

static inline enum ssdlab_status open_with(
	ssdlab_drive **drive, const char *parameters, const char *settings, struct ssdlab_options more)
{
	const char *setting[SETTINGS_MOST];
	char *words = memory_string(settings, "settings");
	enum ssdlab_status status;
	size_t n = 0;

	for (char *word = strtok(words, " "); word; word = strtok(NULL, " ")) {
		assert_true(n < SETTINGS_MOST);
		setting[n++] = word;
	}
	more.size = sizeof more;
	more.parameters = parameters;
	more.settings = setting;
	more.setting_count = n;
	status = ssdlab_open(drive, &more);
	memory_free(words);
	return status;
}

/* Under both judges, on parameters/tiny.cfg. */
static inline ssdlab_drive *opened(const char *settings, struct ssdlab_options more)
{
	ssdlab_drive *drive;

	more.verify = 1;
	assert_ok(drive, open_with(&drive, "parameters/tiny.cfg", settings, more));
	return drive;
}

/* All results; to be freed.  If it is inlined, gcc 12 takes the text for a local one. */
static __attribute__((noinline, unused)) char *results_of(
	ssdlab_drive *drive, const char *command, const char *workload)
{
	char *text = NULL;

	assert_ok(drive, ssdlab_json(drive, command, NULL, workload, &text));
	return text;
}

/* The requests of a profile, as the library takes them; to be freed. */
static inline struct ssdlab_request *requests_of(const char *profile, const char *settings, size_t *n)
{
	struct ssdlab_request *list = NULL;
	struct workload w;
	struct settings s;
	struct fault fault;
	struct request r;
	uint32_t room = 0, used = 0;

	fixture_settings(&s, settings);
	if (!workload_open(&w, profile, &s.trace, false, NULL, &fault))
		fail_msg("%s", fault.text);
	while (workload_next(&w, &r, &fault) == TRACE_OK) {
		list = memory_grown(list, &room, used + 1, sizeof *list, "requests");
		list[used] = (struct ssdlab_request){ r.arrival, r.start, 1000 + used, r.sectors, 0,
			(uint8_t)r.type };
		used++;
	}
	workload_close(&w);
	settings_release(&s);
	*n = used;
	return list;
}

static inline void submit_all(ssdlab_drive *drive, const struct ssdlab_request *request, size_t n)
{
	size_t taken;

	assert_ok(drive, ssdlab_submit(drive, request, n, &taken));
	assert_int_equal(taken, n);
}

#endif
