/*
 * The devices of a trace and the end of each; from that, where each starts when they are laid out one after
 * another.  40 to 80 bytes per device.
 */
#ifndef TRACES_DEVICES_H
#define TRACES_DEVICES_H

#include "traces/record.h"

/* A trace with more has something else in its device column. */
#define DEVICES_MAX (1u << 20)

struct devices;

struct devices *devices_create(void);
void devices_free(struct devices *);

/* The record's device reaches at least to the record's end.  Returns its place in the order of appearance,
 * from 0. */
uint32_t devices_note(struct devices *, const struct record *);

uint64_t devices_count(const struct devices *);

/* Lays out all devices by rank, each at a multiple of `align` bytes.  rank[] is by number; NULL: the numbers
 * themselves.  False if they reach beyond `limit` bytes together. */
bool devices_lay_out(struct devices *, const uint32_t *rank, uint64_t align, uint64_t limit);

/* Where a device starts, in bytes; it must be one of those laid out. */
uint64_t devices_base(const struct devices *, uint32_t number);

#endif
