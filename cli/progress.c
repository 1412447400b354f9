#include "cli/progress.h"
#include "drive/drive.h"

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
	double written = (double)d->sectors[REQUEST_WRITE];

	if (written <= 0)
		return 0;
	return (double)flash_total(d->flash, OP_PROGRAM) * d->geometry.sectors_per_page / written;
}

bool progress_due(struct progress *p)
{
	double now = p->on ? seconds() : 0;

	if (!p->on || now - p->shown < 0.2)
		return false;
	p->shown = now;
	return true;
}

void progress_show(const struct progress *p, uint64_t requests, double done, const struct drive *drive)
{
	double elapsed = p->shown - p->started;

	fputs("\r\033[K", stderr);
	if (done > 0)
		fprintf(stderr, "%5.1f %%  ETA %.0f s  ", done * 100, elapsed / done - elapsed);
	fprintf(stderr, "%llu requests, %.0f/s", (unsigned long long)requests, (double)requests / elapsed);
	if (drive)
		fprintf(stderr, "  WAF %.3f", waf_so_far(drive));
	fflush(stderr);
}

double progress_end(const struct progress *p)
{
	if (p->on)
		fputs("\r\033[K", stderr);
	return seconds() - p->started;
}
