/* No layer: the host's sectors are the drive's. */
#include "host/host.h"

static sector_t direct_init(struct host *h, struct fault *fault)
{
	(void)fault;
	return h->device_sectors;
}

const struct host_ops host_direct = {
	.name = "direct",
	.brief = "no layer: requests reach the drive at the addresses of the trace",
	.init = direct_init,
	.map = host_map_same,
	.same = true,
	.adopt = host_map_same,
};
