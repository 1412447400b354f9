/*
 * Columns of type, flags and hint, except the most frequent ones (columns.c).  Internal to traces/.
 */
#ifndef TRACES_COLUMN_TYPES_H
#define TRACES_COLUMN_TYPES_H

#include "traces/columns.h"

/* Each parses the field at the cursor.  False: a problem is described, or if r->type is REQUEST_TYPES the
 * line is no request. */

bool column_op(struct scan *, struct record *);
bool column_rwbs(struct scan *, const struct column *, struct record *);
bool column_nvme(struct scan *, const struct column *, struct record *);
bool column_scsi(struct scan *, const struct column *, struct record *);
bool column_event(struct scan *, const struct column *, struct record *);
bool column_flag_words(struct scan *, const struct column *, struct record *);
bool column_control(struct scan *, const struct column *, struct record *);
bool column_hint(struct scan *, const struct column *, struct record *);

#endif
