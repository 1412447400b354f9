/* Assembles a drive from its rooms. */
#include "drive/drive.h"

#include "base/memory.h"
#include "drive/durable.h"
#include "drive/judged.h"
#include "drive/refusals.h"
#include "drive/statistics.h"
#include "ftl/store.h"
#include "host/door.h"
#include "flash/schedule.h"

/* What tools of the store want of the medium.  False: the settings are wrong. */
static bool drive_meet_wants(struct drive *d, struct fault *fault)
{
	const struct settings *s = d->settings;
	struct tool_wants wants = tools_wants(s->ftl.tool);

	if (wants.slc.program_ns)
		flash_use_slc(d->flash, wants.slc);
	return (!retry_is_on(&s->retry) && !wants.history) || flash_use_retry(d->flash, &s->retry, fault);
}

static void drive_judge_entering(void *drive, const struct request *r)
{
	const struct drive *d = drive;

	queue_judge_entered(d->queue_judge, r, d->in_drive);
}

static void drive_judge_time(void *drive)
{
	const struct drive *d = drive;

	queue_judge_time_passes(d->queue_judge, d->in_drive);
}

static void drive_judge_queues(struct drive *d)
{
	d->queue_judge = queue_judge_create(d->host->tenants.count, d->host->door->slots);
	d->observer_of_queues = (struct drive_observer){
		.context = d, .entering = drive_judge_entering, .time_passes = drive_judge_time
	};
	drive_observe(d, &d->observer_of_queues);
}

struct drive *drive_create(const struct settings *settings, bool verify, struct fault *fault)
{
	struct drive *d = memory_array(1, sizeof *d, "drive");
	const struct ftl_ops *ftl = settings_ftl(settings);
	const struct buffer_ops *buffer;
	const void *buffer_own;
	uint64_t memory_pages = 0;

	d->settings = settings;
	buffer = settings_buffer(settings, &buffer_own);
	if (settings_geometry(settings, &d->geometry, fault) &&
		durable_memory(settings, &d->geometry, &memory_pages, fault))
		d->host = host_create(host_layers[settings->host.layer], &settings->host,
			settings->host_own[settings->host.layer], &settings->trace,
			(struct host_device){ d->geometry.logical_sectors, d->geometry.sectors_per_page,
				(sector_t)d->geometry.zone_pages * d->geometry.sectors_per_page,
				d->geometry.active_zones },
			fault);
	if (!d->host || !stat_list_init(&d->statistics, &settings->stats, fault)) {
		drive_free(d);
		return NULL;
	}
	if (verify) /* with precondition.beneath the host writes the whole device */
		d->oracle = oracle_create(d->geometry.logical_sectors, d->geometry.logical_sectors,
			d->geometry.pages, d->geometry.sectors_per_page);
	d->flash = flash_create(&d->geometry, &settings->flash, d->oracle);
	if (!drive_meet_wants(d, fault)) {
		drive_free(d);
		return NULL;
	}
	schedule_use_write_memory(d->flash->schedule, memory_pages);
	if (verify)
		d->judge = judged_medium(d->flash, settings->dram.access_ns);
	d->ftl = ftl_create(ftl, settings->ftl_own[settings->top.ftl], &settings->ftl, d->flash, fault);
	if (!d->ftl || !drive_buffer(d, buffer, buffer_own, fault) || !refusals_pass(d, fault)) {
		drive_free(d);
		return NULL;
	}
	upkeep_init(&d->upkeep, &settings->upkeep, d->ftl->store ? d->ftl->store->collector : NULL);
	d->acts = d->ftl->store && d->ftl->store->tools.acts;
	d->prepares = d->flash->retry || (d->ftl->store && d->ftl->store->tools.enters);
	d->count = memory_array(1, sizeof *d->count, "statistics");
	if (d->host->door)
		d->tenant = memory_array(d->host->tenants.count, sizeof *d->tenant, "statistics");
	if (d->host->door && verify)
		drive_judge_queues(d);
	statistics_add(d);
	return d;
}

void drive_free(struct drive *d)
{
	if (!d)
		return;
	memory_free(d->count);
	memory_free(d->tenant);
	stat_list_release(&d->statistics);
	memory_free(d->pending);
	page_handles_release(&d->handles);
	buffer_free(d->buffer);
	host_free(d->host);
	ftl_free(d->ftl);
	flash_free(d->flash);
	judge_free(d->judge);
	accounts_free(d->accounts);
	queue_judge_free(d->queue_judge);
	oracle_free(d->oracle);
	memory_free(d);
}
