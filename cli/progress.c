#include "cli/progress.h"

#include <stdio.h>
#include <time.h>
#include <unistd.h>

static double seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

void progress_start(struct progress *p, bool quiet)
{
	p->on = !quiet && isatty(STDERR_FILENO);
	p->started = p->shown = seconds();
}

static double waf_so_far(const struct drive *d)
{
	double written = (double)d->count->request[REQUEST_WRITE].sectors;

	if (written <= 0)
		return 0;
	return (double)flash_total(d->flash, OP_PROGRAM) * d->geometry.sectors_per_page / written;
}

static uint64_t free_blocks(const struct drive *d)
{
	struct ftl_facts facts;

	d->ftl->ops->facts(d->ftl, &facts);
	return facts.free_blocks;
}

void progress_show(struct progress *p, const struct run *run)
{
	double now, done, elapsed;

	if (!p->on)
		return;
	now = seconds();
	if (now - p->shown < 0.2)
		return;
	p->shown = now;
	elapsed = now - p->started;
	done = workload_progress(run->workload);
	if (done > 0)
		fprintf(stderr, "\r\033[K%5.1f %%  ETA %.0f s", done * 100, elapsed / done - elapsed);
	else
		fprintf(stderr, "\r\033[K%llu requests", (unsigned long long)run->requests);
	fprintf(stderr, "  %.0f requests/s  WAF %.3f  %llu free blocks", (double)run->requests / elapsed,
		waf_so_far(run->drive), (unsigned long long)free_blocks(run->drive));
	fflush(stderr);
}

void progress_end(struct progress *p, const struct run *run, bool quiet)
{
	double elapsed = seconds() - p->started;

	if (p->on)
		fputs("\r\033[K", stderr);
	if (!quiet)
		fprintf(stderr, "ssd: %llu requests in %.2f s (%.0f requests/s)\n",
			(unsigned long long)run->requests, elapsed,
			elapsed > 0 ? (double)run->requests / elapsed : 0);
}
