#include "drive/durable.h"

#include "flash/schedule.h"
#include "ftl/fill_up.h"

#include <inttypes.h>

/* Open wordlines of a plane into which data of the host goes. */
static uint64_t durable_streams(const struct settings *s)
{
	unsigned of_ftl = settings_ftl(s)->host_streams, of_tools = tools_wants(s->ftl.tool).host_streams;

	return (uint64_t)(of_tools ? of_tools : 1) * (of_ftl ? of_ftl : 1);
}

/* Pages in this many wordlines of a plane; with programs by wordline, in as many of each placement handle or
 * class of data.  There, programs that wait for each other are in one wordline of each pass. */
static uint64_t durable_pages_of_plane(const struct settings *s, uint64_t wordlines)
{
	bool by_wordline = s->flash.program_unit == UNIT_WORDLINE;

	return wordlines * s->flash.cell_bits * (by_wordline ? durable_streams(s) : 1);
}

bool durable_memory(const struct settings *s, const struct geometry *g, uint64_t *pages, struct fault *fault)
{
	bool by_wordline = s->flash.program_unit == UNIT_WORDLINE;
	uint64_t least = by_wordline ? durable_pages_of_plane(s, s->flash.passes) * g->planes : 1;
	uint64_t bytes = s->host.write_bytes;
	const char *why =
		!by_wordline                            ? ""
		: tools_wants(s->ftl.tool).host_streams ? ": passes x cell_bits x handles for each plane"
		: settings_ftl(s)->host_streams > 1     ? ": passes x cell_bits x classes for each plane"
							: ": passes x cell_bits for each plane";

	*pages = 0;
	if (s->host.write_done != DONE_IN_MEMORY)
		return true;
	*pages = bytes ? bytes / g->page_bytes : durable_pages_of_plane(s, 2) * g->planes;
	return *pages >= least ||
	       fault_set(fault,
		       "host.write_bytes = %" PRIu64 " holds %" PRIu64 " page%s; %" PRIu64 " %s needed%s",
		       bytes, *pages, *pages == 1 ? "" : "s", least, least == 1 ? "is" : "are", why);
}

bool durable_matters(const struct settings *s)
{
	return s->host.write_done != DONE_IN_FLASH || s->host.plp || s->host.flush_every || s->trace.flush;
}

/* ---- requests ---- */

static void durable_flush_ftl(struct drive *d)
{
	if (d->ftl->ops->flush)
		d->ftl->ops->flush(d->ftl, &d->io);
}

/* The controller needs one look-up to find the programs that the FLUSH waits for. */
void durable_flush(struct drive *d)
{
	d->io.accesses++;
	if (d->settings->host.plp)
		return;
	schedule_make_durable(d->flash->schedule, &d->io);
	buffer_clean(d->buffer, (struct extent){ 0, d->geometry.logical_sectors });
	durable_flush_ftl(d);
	schedule_flush(d->flash->schedule, &d->io);
	fill_up_for(d->ftl->store, &d->io, INDEX_NONE);
}

bool durable_begin(struct drive *d, const struct request *r)
{
	if (r->type != REQUEST_WRITE || !(r->flags & REQUEST_FUA) || d->settings->host.plp)
		return false;
	schedule_make_durable(d->flash->schedule, &d->io);
	return true;
}

void durable_end(struct drive *d)
{
	const struct host *h = d->host;

	for (uint32_t i = 0; i < h->parts; i++)
		if (h->part[i].type == REQUEST_WRITE)
			buffer_clean(d->buffer, h->part[i].device);
	durable_flush_ftl(d);
	fill_up_for(d->ftl->store, &d->io, d->io.ticket);
}
