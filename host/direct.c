/* No layer: the host's sectors are the drive's. */
#include "host/host.h"

static sector_t direct_init(struct host *h, struct fault *fault)
{
	(void)fault;
	return h->device.sectors;
}

static void direct_map(struct host *h, const struct request *r)
{
	host_add(h, (struct host_part){
			    request_extent(r), r->start, r->type, .appends = r->flags & REQUEST_APPEND });
}

const struct host_ops host_direct = {
	.name = "direct",
	.brief = "no layer: requests reach the drive at the addresses of the trace",
	.init = direct_init,
	.map = direct_map,
	.adopt = direct_map,
};
