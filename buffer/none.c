/* No buffer: requests reach the FTL whole and at once. */
#include "buffer/buffer.h"

/* `evict` stays NULL: the core passes everything through and calls nothing. */
const struct buffer_ops buffer_none = {
	.name = "none",
	.brief = "no buffer: every request reaches the FTL whole",
};
