/* Between drive.c, which serves requests, and time.c, which lets time pass and completes them. */
#ifndef DRIVE_INSIDE_H
#define DRIVE_INSIDE_H

#include "base/memory.h"
#include "drive/drive.h"

/* Calls a function of each observer; the arguments name the observer `o`.  Without any this is one test. */
#define DRIVE_TELL(d, function, arguments)                                                                   \
	do {                                                                                                 \
		for (const struct drive_observer *o = (d)->observers; __builtin_expect(o != NULL, 0);        \
			o = o->next)                                                                         \
			if (o->function)                                                                     \
				o->function arguments;                                                       \
	} while (0)

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
