/*
 * The simulator as the lab page calls it: opens a run, steps it some requests at a time, reads its state for
 * each picture, and reports it as `ssd run --all` does.
 */
#include "base/memory.h"
#include "base/version.h"
#include "drive/statistics.h"
#include "drive/run/report.h"
#include "traces/generate.h"

#include <stdlib.h>
#include <string.h>

#define WORDS_MOST 128

/* How a page looks in the picture. */
enum page_look { LOOK_FREE, LOOK_DEAD, LOOK_LIVE };

struct lab {
	struct settings settings;
	struct workload workload;
	struct drive *drive;
	struct run run;
	struct precondition_result before;
	struct fault fault;
	enum run_end end;
	char *line, *report; /* the command, cut into words; the report, NULL until lab_report() */
	char *command;
	uint8_t *look; /* per page: enum page_look */
};

/* "run -s KEY=VALUE ... PARAMETERS TRACE", as typed after "ssd", with single blanks between words. */
struct lab *lab_open(const char *line);
void lab_close(struct lab *);

/* Why it cannot run; "" if it can. */
const char *lab_fault(const struct lab *);

/* Serves so many requests.  Returns how many: fewer at the end, when those in flight have completed, too. */
uint32_t lab_step(struct lab *, uint32_t requests);

/* What `ssd run --all` prints for the same words, after the last step. */
const char *lab_report(struct lab *);

/* Bytes of enum page_look, block after block; and the size of the drive. */
const uint8_t *lab_pages(struct lab *);
uint32_t lab_size(const struct lab *, int what);

/* 0 write amplification, 1 pages of the host programmed, 2 pages copied by collection, merges and wear
 * levelling, 3 blocks erased, 4 free blocks, 5 simulated seconds, 6 requests. */
double lab_number(const struct lab *, int what);

/* Latency in ns within which this share of the reads (type 0) or writes (1) complete; 0 if there were
 * none. */
double lab_latency(const struct lab *, int type, double share);

/* Lines "WHAT\tNAME\tBRIEF" of everything that can be chosen.  To be freed. */
char *lab_choices(void);

static bool lab_prepare(struct lab *l, char *words[], size_t n)
{
	char *setting[WORDS_MOST], *operand[2] = { NULL, NULL };
	size_t settings = 0, operands = 0;
	bool verify = false;

	for (size_t i = 1; i < n; i++)
		if (!strcmp(words[i], "-s") && i + 1 < n)
			setting[settings++] = words[++i];
		else if (!strcmp(words[i], "--verify"))
			verify = true;
		else if (operands < 2)
			operand[operands++] = words[i];
	if (operands < 2)
		return fault_set(&l->fault, "parameters or workload are missing");
	if (!settings_init(&l->settings, &l->fault) ||
		!settings_read(&l->settings, operand[0], setting, settings, &l->fault) ||
		!(l->drive = drive_create(&l->settings, verify, &l->fault)) ||
		!workload_open(&l->workload, operand[1], &l->settings.trace,
			precondition_reads(&l->settings.precondition), NULL, &l->fault) ||
		!precondition(l->drive, &l->workload, &l->before, &l->fault))
		return false;
	stat_list_start(&l->drive->statistics);
	l->look = memory_array(l->drive->geometry.pages, sizeof *l->look, "picture");
	l->run = (struct run){ .drive = l->drive, .workload = &l->workload };
	run_begin(&l->run, &l->fault);
	return l->run.status != TRACE_BAD;
}

struct lab *lab_open(const char *line)
{
	struct lab *l = memory_array(1, sizeof *l, "lab");
	char *words[WORDS_MOST];
	size_t n = 0;

	l->command = memory_array(strlen(line) + sizeof "ssd ", 1, "command line");
	strcat(strcpy(l->command, "ssd "), line);
	l->line = memory_string(line, "command line");
	for (char *word = strtok(l->line, " "); word && n < WORDS_MOST; word = strtok(NULL, " "))
		words[n++] = word;
	if (!lab_prepare(l, words, n) && !*l->fault.text)
		fault_set(&l->fault, "it cannot run");
	return l;
}

void lab_close(struct lab *l)
{
	workload_close(&l->workload);
	drive_free(l->drive);
	settings_release(&l->settings);
	memory_free(l->line);
	memory_free(l->command);
	memory_free(l->look);
	free(l->report);
	memory_free(l);
}

const char *lab_fault(const struct lab *l)
{
	return l->fault.text;
}

uint32_t lab_step(struct lab *l, uint32_t requests)
{
	uint32_t done = 0;

	while (done < requests && l->end == RUN_DONE && l->run.status == TRACE_OK) {
		l->end = run_step(&l->run, &l->fault);
		done++;
	}
	if (done < requests)
		drive_drain(l->drive);
	return done;
}

const char *lab_report(struct lab *l)
{
	struct run_facts facts = { .command = l->command,
		.version = SSD_VERSION,
		.workload = l->workload.name,
		.end = l->end,
		.before = &l->before };
	struct report *report = report_create();
	size_t bytes;
	FILE *out = open_memstream(&l->report, &bytes);
	char *parameters = memory_string(l->command, "command line");

	*strrchr(parameters, ' ') = 0;
	facts.parameters = strrchr(parameters, ' ') + 1;
	drive_check(l->drive);
	run_report(report, &l->run, &facts);
	report_write_text(report, out);
	fclose(out);
	report_free(report);
	memory_free(parameters);
	return l->report;
}

const uint8_t *lab_pages(struct lab *l)
{
	const struct flash *f = l->drive->flash;
	const struct geometry *g = &l->drive->geometry;

	for (block_t b = 0; b < g->blocks; b++)
		for (uint32_t page = 0; page < g->pages_per_block; page++) {
			ppn_t ppn = geometry_first_page(g, b) + page;

			l->look[ppn] = page >= f->block[b].next            ? LOOK_FREE
				       : flash_owner(f, ppn) == OWNER_NONE ? LOOK_DEAD
									   : LOOK_LIVE;
		}
	return l->look;
}

uint32_t lab_size(const struct lab *l, int what)
{
	const struct geometry *g = &l->drive->geometry;

	switch (what) {
	case 0:
		return g->blocks;
	case 1:
		return g->pages_per_block;
	case 2:
		return g->planes;
	default:
		return g->logical_pages;
	}
}

static uint64_t lab_copied(const struct flash *f)
{
	static const enum cause causes[] = { CAUSE_MERGE, CAUSE_GC, CAUSE_GC_MAP, CAUSE_WEAR };
	uint64_t pages = 0;

	for (size_t i = 0; i < sizeof causes / sizeof *causes; i++)
		pages += f->count[OP_PROGRAM][causes[i]];
	return pages;
}

double lab_number(const struct lab *l, int what)
{
	const struct flash *f = l->drive->flash;
	struct ftl_facts facts;

	switch (what) {
	case 0:
		return statistics_waf(l->drive);
	case 1:
		return (double)f->count[OP_PROGRAM][CAUSE_HOST];
	case 2:
		return (double)lab_copied(f);
	case 3:
		return (double)flash_total(f, OP_ERASE);
	case 4:
		facts = ftl_facts(l->drive->ftl);
		return (double)facts.free_blocks;
	case 5:
		return (double)l->drive->last_completion / 1e9;
	default:
		return (double)l->run.requests;
	}
}

double lab_latency(const struct lab *l, int type, double share)
{
	struct drive_statistics *count = l->drive->count;
	const struct histogram *h = &count->request[type ? REQUEST_WRITE : REQUEST_READ].latency;

	statistics_sum_types(count);
	return h->count ? (double)histogram_percentile(h, share) : 0;
}

/* ---- what there is to choose from ---- */

static void lab_put_profile(void *out, const char *name, const char *brief)
{
	fprintf(out, "workload\t%s\t%s\n", name, brief);
}

char *lab_choices(void)
{
	char *text;
	size_t bytes;
	FILE *out = open_memstream(&text, &bytes);

	for (size_t i = 0; ftls[i]; i++)
		if (!ftls[i]->admit) /* zones need a host layer, of which the page has no choice */
			fprintf(out, "ftl\t%s\t%s\n", ftls[i]->name, ftls[i]->brief);
	for (size_t i = 0; buffers[i]; i++)
		fprintf(out, "buffer\t%s\t%s\n", buffers[i]->name, buffers[i]->brief);
	for (size_t i = 0; gc_policies[i]; i++)
		fprintf(out, "gc\t%s\t%s\n", gc_policies[i]->name, gc_policies[i]->brief);
	generator_list(lab_put_profile, out);
	fclose(out);
	return text;
}
