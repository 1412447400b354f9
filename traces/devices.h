/*
 * The devices met in a trace and how far each reaches; from that, where each begins when
 * they are laid out one after another.  40 to 80 bytes per device.
 */
#ifndef TRACES_DEVICES_H
#define TRACES_DEVICES_H

#include "traces/record.h"

/* More than any trace has; a trace with more has something else in its device column. */
#define DEVICES_MAX (1u << 20)

struct devices;

struct devices *devices_create(void);
void devices_free(struct devices *);

/* Notes that the record's device reaches to the record's end.  Returns the device's place in the
 * order of appearance, from 0. */
uint32_t devices_note(struct devices *, const struct record *);

uint64_t devices_count(const struct devices *);

/* Gives every device met so far a place behind the ones of lower rank, on borders of `align` bytes.
 * Ranks are by number; NULL: the numbers themselves.  False if the devices reach beyond `limit` bytes
 * together. */
bool devices_lay_out(struct devices *, const uint32_t *rank, uint64_t align, uint64_t limit);

/* Where a device begins, in bytes; it must have been met before the layout. */
uint64_t devices_base(const struct devices *, uint32_t device);

#endif
