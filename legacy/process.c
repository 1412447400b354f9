#include "legacy/engine.h"

static bool channel_idle(const struct engine *e, uint32_t channel)
{
	return e->channel[channel].time <= e->now;
}

/* May a collection go before the requests of this channel? */
static bool collection_allowed(const struct engine *e, const struct channel *c)
{
	bool fixed_channel = !e->dynamic || e->p->dynamic_allocation == 1;

	if (!c->collections)
		return false;
	return !(fixed_channel && (c->reads || c->writes) && quirk_kept(e, Q11_COLLECTION_STARVES));
}

/* True if collections used the channel's turn.  In SSDsim one collection always does; repaired, those that
 * take no time (Q2) do not. */
static bool collect(struct engine *e, uint32_t channel)
{
	while (!e->stopped && legacy_collect(e, channel))
		if (quirk_kept(e, Q33_REQUEST_PER_PAGE) || !channel_idle(e, channel))
			return true;
	return e->channel[channel].collections && quirk_kept(e, Q10_COLLECTION_BLOCKS_CHANNEL);
}

/* At most one action: collection, read command, read transfer, write - the first that can start. */
static void serve_channel(struct engine *e, uint32_t channel)
{
	const struct channel *c = &e->channel[channel];

	if (collection_allowed(e, c) && collect(e, channel))
		return;
	if (c->reads && (legacy_read_command(e, channel) || legacy_read_transfer(e, channel)))
		return;
	if (e->dynamic)
		legacy_write_dynamic(e, channel);
	else
		legacy_write_static(e, channel);
}

static void collect_everywhere(struct engine *e)
{
	for (uint32_t c = 0; c < e->layout.channels && !e->stopped; c++)
		if (e->channel[c].collections && channel_idle(e, c))
			legacy_collect(e, c);
}

void legacy_process(struct engine *e)
{
	uint32_t channels = e->layout.channels, channel;

	if (!e->queued_reads.count && !e->queued_writes) {
		if (e->waiting_collections)
			collect_everywhere(e);
		return;
	}
	legacy_reads_sense(e);
	if (quirk_kept(e, Q12_FIRST_ISSUE_GATE))
		channel = (uint32_t)(e->count.programs % channels);
	else
		channel = e->turn++ % channels;
	for (uint32_t i = 0; i < channels && !e->stopped; i++) {
		if (channel_idle(e, channel))
			serve_channel(e, channel);
		channel = channel + 1 == channels ? 0 : channel + 1;
	}
}
