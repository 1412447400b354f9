/* Observers of the requests of a drive (drive/observer.h): what each is told, and when. */
#include "drive/journal.h"
#include "tests/run_fixture.h"

/* All that an observer was told, a word each. */
struct told {
	struct drive_observer observer;
	char text[512];
	uint32_t ticket; /* of the last request that has entered */
};

static void add(struct told *t, const char *format, ...)
{
	size_t used = strlen(t->text);
	va_list args;

	va_start(args, format);
	vsnprintf(t->text + used, sizeof t->text - used, format, args);
	va_end(args);
}

static void tell_entering(void *told, const struct request *r)
{
	add(told, " %u?", (unsigned)r->line);
}

static void tell_entered(void *told, uint32_t ticket, const struct request *r)
{
	((struct told *)told)->ticket = ticket;
	add(told, " %u!", (unsigned)r->line);
}

static void tell_issued(void *told, uint32_t ticket, const struct request *r)
{
	add(told, " %u%s", (unsigned)r->line,
		request_is_awaited(r->type) && ticket == ((struct told *)told)->ticket ? "ops" : "command");
}

static void tell_served(void *told, uint32_t ticket, const struct account *a)
{
	assert_int_equal(ticket, ((struct told *)told)->ticket);
	add(told, " served@%u", (unsigned)a->until);
}

static void tell_goes_on(void *told, uint32_t ticket, uint32_t next)
{
	assert_int_equal(ticket, ((struct told *)told)->ticket);
	((struct told *)told)->ticket = next;
	add(told, " link");
}

static void tell_completed(void *told, uint32_t ticket, const struct pending *p, tick_t when)
{
	assert_int_equal(ticket, ((struct told *)told)->ticket);
	add(told, " %s@%u", p->type == REQUEST_READ ? "read" : "written", (unsigned)when);
}

static void tell_time(void *told)
{
	add(told, " ...");
}

static void observe(struct told *t, struct drive *d)
{
	*t = (struct told){ .observer = { NULL, t, tell_entering, tell_entered, tell_issued, tell_served,
				    tell_goes_on, tell_completed, tell_time } };
	drive_observe(d, &t->observer);
}

static struct request request(uint64_t line, enum request_type type)
{
	return (struct request){
		.line = line, .type = type, .sectors = type == REQUEST_COLLECT ? 0 : 4, .arrival = 0
	};
}

/* A page is 2 KB: 4000 ns on the link at 512 MB/s, 4100 on the bus with its command, and 100000 or 10000 in
 * the cells. */
#define LINK PAPER_DRIVE "ftl=page host.link_mb_per_s=512 precondition.mode=none "

static void test_what_they_hear(void **state)
{
	struct replay *r = replay_open(LINK);
	struct drive *d = r->drive;
	struct told first, second, third;
	struct request write = request(1, REQUEST_WRITE), read = request(2, REQUEST_READ),
		       collect = request(3, REQUEST_COLLECT);

	(void)state;
	stat_list_start(&d->statistics);
	observe(&first, d);
	observe(&second, d);
	observe(&third, d);
	second.observer.served = NULL;
	second.observer.time_passes = NULL;
	drive_submit(d, &write);
	drive_run_until(d, 1000000);
	assert_string_equal(first.text, " 1? 1! 1ops ... served@108100 written@108100");
	assert_string_equal(second.text, " 1? 1! 1ops written@108100");

	drive_dismiss(d, &third.observer);
	drive_dismiss(d, &third.observer); /* of which there is none any more */
	first.text[0] = second.text[0] = 0;
	drive_submit(d, &read);
	while (drive_run_to_completion(d))
		;
	drive_submit(d, &collect);
	drive_drain(d);
	assert_string_equal(
		first.text, " 2? 2! 2ops ... served@1014100 link ... read@1018100 ... 3? 3command");
	assert_string_equal(second.text, " 2? 2! 2ops link read@1018100 3? 3command");
	assert_string_equal(third.text, " 1? 1! 1ops ... served@108100 written@108100");
	replay_free(r);
}

static char *log_of(struct journal *journal, FILE *out, char **text)
{
	assert_true(journal_finish(journal, &(struct fault){ "" }));
	journal_free(journal);
	fclose(out);
	return *text;
}

/* Each has its rows by ticket, and a ticket is used again while the data of its read is on the link. */
static void test_two_logs_of_a_run(void **state)
{
	struct replay *r = replay_open(LINK "host.mode=closed host.queue_depth=4 ");
	char *text[2], trace[4096] = "";
	size_t bytes[2], lines = 0, sum = 0, expected = 0;
	FILE *out[2];
	struct journal *journal[2];

	(void)state;
	for (unsigned i = 0; i < 100; i++) {
		sprintf(trace + strlen(trace), "0 0 %u 4 %u\n", i * 28 % 100, i > 20);
		expected += i * 28 % 100;
	}
	for (int i = 0; i < 2; i++) {
		out[i] = open_memstream(&text[i], &bytes[i]);
		journal[i] = journal_create(out[i], false, false, &r->fault);
		journal_observe(journal[i], r->drive);
	}
	replay_trace(r, trace);
	assert_string_equal(log_of(journal[0], out[0], &text[0]), log_of(journal[1], out[1], &text[1]));
	for (const char *at = strchr(text[0], '\n') + 1; *at; at = strchr(at, '\n') + 1, lines++) {
		unsigned start, sectors;

		assert_int_equal(sscanf(at, "%*u,%*u,%*u,%*u,%*[a-z],%u,%u,", &start, &sectors), 2);
		assert_int_equal(sectors, 4);
		sum += start;
	}
	assert_int_equal(lines, 100);
	assert_int_equal(sum, expected);
	free(text[0]);
	free(text[1]);
	replay_free(r);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_what_they_hear),
		cmocka_unit_test(test_two_logs_of_a_run) };

	return cmocka_run_group_tests_name("observers", tests, NULL, NULL);
}
