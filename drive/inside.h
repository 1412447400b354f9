/* Between drive.c, which serves requests, and time.c, which lets time pass and completes them. */
#ifndef DRIVE_INSIDE_H
#define DRIVE_INSIDE_H

#include "base/memory.h"
#include "drive/drive.h"

/* Keeps what is known of the request with this ticket until it completes. */
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
