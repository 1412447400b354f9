/*
 * Sorts a stream of records by time as it flows by: holds back so many records that a late
 * one still finds its place.  Records in order stand in a queue; late ones wait in a heap
 * beside it; the next to leave is the earlier of the two heads.  So a sorted trace costs a
 * queue, and disorder costs the logarithm of the number of late records.
 */
#ifndef TRACES_WINDOW_H
#define TRACES_WINDOW_H

#include "traces/record.h"

struct window;

/* Holds `sorted` records as long as they come in order, `disordered` from the first late one on,
 * and up to `most` if some are late by more than a quarter of that. */
struct window *window_create(size_t sorted, size_t disordered, size_t most);
void window_free(struct window *);

/* Where the next record may be put together. */
struct record *window_slot(struct window *);

/* Takes in the record in the slot.  False: it should have left before one that is gone. */
bool window_push(struct window *);

/* No room: one must leave before the next comes in. */
bool window_full(const struct window *);

/* The earliest record (ties by line).  False: the window is empty. */
bool window_pop(struct window *, struct record *);

/* Time of the last record that left. */
tick_t window_last(const struct window *);

/* Records so far that came after one with a later time. */
uint64_t window_late(const struct window *);

#endif
