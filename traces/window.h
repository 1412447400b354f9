/*
 * Sorts a stream of records by time: holds back enough records to put a late one in its place.  Records in
 * order are in a queue, late ones in a min-heap; the earlier of the two heads leaves next.  So a record in
 * order takes constant time, a late one logarithmic time.
 */
#ifndef TRACES_WINDOW_H
#define TRACES_WINDOW_H

#include "traces/record.h"

struct window;

/* Holds `sorted` records while they are in order, `disordered` from the first late one on, and up to `most`
 * if some are late by more than a quarter of the window. */
struct window *window_create(size_t sorted, size_t disordered, size_t most);
void window_free(struct window *);

/* Where to write the next record. */
struct record *window_slot(struct window *);

/* Adds the record in the slot.  False: a later one has already left. */
bool window_push(struct window *);

/* True if one must leave before the next is added. */
bool window_full(const struct window *);

/* The earliest record (ties by line).  False: the window is empty. */
bool window_pop(struct window *, struct record *);

/* Time of the last record that left. */
tick_t window_last(const struct window *);

/* Records so far that followed one with a later time. */
uint64_t window_late(const struct window *);

#endif
