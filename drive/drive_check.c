#include "drive/drive.h"

#include "flash/schedule.h"

static void drive_check_rooms(const struct drive *d)
{
	host_check(d->host);
	buffer_check(d->buffer);
	ftl_check(d->ftl);
}

void drive_check(const struct drive *d)
{
	uint64_t submitted = d->submitted[REQUEST_READ] + d->submitted[REQUEST_WRITE] +
			     d->submitted[REQUEST_TRIM] + d->flushes;

	BUG_ON(submitted != d->count->request[REQUEST_TYPES].count + d->in_drive - d->uncounted,
		"%llu requests submitted, %llu completed, %llu in the drive", (unsigned long long)submitted,
		(unsigned long long)d->count->request[REQUEST_TYPES].count, (unsigned long long)d->in_drive);
	flash_check_books(d->flash);
	schedule_check(d->flash->schedule);
	if (d->oracle)
		drive_check_rooms(d);
}

void drive_check_sectors(struct drive *d)
{
	struct extent page = { 0, d->geometry.sectors_per_page };

	drive_check_rooms(d);
	for (; d->oracle && page.end <= d->host->sectors;
		page.start = page.end, page.end += d->geometry.sectors_per_page)
		drive_look(d, page);
}
