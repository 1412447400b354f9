/*
 * The devices of a trace and the highest address of each.  From these it computes where each device starts
 * when all are laid out one after another.  Memory: 40 to 80 bytes per device.
 */
#ifndef TRACES_DEVICES_H
#define TRACES_DEVICES_H

#include "traces/record.h"

/* If a trace has more, its device column must contain something else. */
#define DEVICES_MAX (1u << 20)

struct devices;

struct devices *devices_create(void);
void devices_free(struct devices *);

/* Adds the record's device if it is new and extends it to the record's end.  Returns its position in the
 * order of appearance, from 0. */
uint32_t devices_note(struct devices *, const struct record *);

uint64_t devices_count(const struct devices *);

/* Lays out all devices in order of rank, each at a multiple of `align` bytes. rank[] is indexed by device
 * number; NULL: the numbers are the ranks.  False if the devices together exceed `limit` bytes. */
bool devices_lay_out(struct devices *, const uint32_t *rank, uint64_t align, uint64_t limit);

/* Byte address at which a device starts; it must have been laid out. */
uint64_t devices_base(const struct devices *, uint32_t number);

#endif
