/* Between drive.c, which serves requests, and time.c, which lets time pass and completes them. */
#ifndef DRIVE_INSIDE_H
#define DRIVE_INSIDE_H

#include "base/memory.h"
#include "drive/drive.h"

/* What is known of the request with this ticket until it is completed. */
static inline void drive_remember(struct drive *d, uint32_t ticket, struct pending pending)
{
	if (ticket >= d->pending_used) {
		d->pending_used = ticket + 1;
		d->pending = (struct pending *)memory_grown(
			d->pending, &d->pending_room, d->pending_used, sizeof pending, "request table");
	}
	d->pending[ticket] = pending;
}

#endif
