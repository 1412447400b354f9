#include "drive/striped.h"

#include "base/memory.h"

#define STRIPED(type, field) PARAM(type, struct striped_settings, field)

const struct param striped_params[] = {
	{ STRIPED(UINT, superblock), 0, 1e6, "sectors", "0",
		"size of a superblock; 0 = no such device, a drive is simulated" },
	{ STRIPED(UINT, chips), 1, 1024, "chips", "8", "chips over which a superblock is striped" },
	{ STRIPED(UINT, stripe), 1, 1e6, "sectors", "4", "consecutive sectors on one chip" },
	{ STRIPED(UINT, sectors), 1, 1e12, "sectors", "262144", "size of the device" },
	{ STRIPED(UINT, sector_bytes), 512, 65536, "bytes", "4K", "size of a sector" },
	{ STRIPED(UINT, transfer_ns), 0, 4e9, "ns", "128000", "time to transfer a sector from the host" },
	{ STRIPED(UINT, program_ns), 0, 4e9, "ns", "100000", "time to program a sector" },
	{ STRIPED(UINT, copy_ns), 0, 4e9, "ns", "170000", "time to copy a sector inside its chip" },
	{ STRIPED(UINT, erase_ns), 0, 4e9, "ns", "2000000", "time to erase a chip's part of a superblock" },
	{ STRIPED(UINT, slack_ns), 0, 4e9, "ns", "4000000",
		"most work that may be queued for a chip when a write is acknowledged" },
	{ 0 },
};

struct chip {
	tick_t busy;   /* until this time */
	uint64_t next; /* sector of its part of the open superblock */
};

struct striped {
	const struct striped_settings *settings;
	uint64_t open; /* superblock + 1; 0 = none yet */
	tick_t now;
	struct chip *chip;
};

struct striped *striped_create(const struct striped_settings *s, struct fault *fault)
{
	struct striped *d;

	if (s->sector_bytes & (s->sector_bytes - 1)) {
		fault_set(fault, "striped.sector_bytes = %llu is not a power of two; use 512 to 65536",
			(unsigned long long)s->sector_bytes);
		return NULL;
	}
	if (s->superblock % (s->chips * s->stripe) || s->sectors % s->superblock) {
		fault_set(fault,
			"striped: a superblock must be whole stripes of all chips, the device whole "
			"superblocks; %llu x %llu sectors, %llu and %llu are not",
			(unsigned long long)s->chips, (unsigned long long)s->stripe,
			(unsigned long long)s->superblock, (unsigned long long)s->sectors);
		return NULL;
	}
	d = memory_array(1, sizeof *d, "striped device");
	d->settings = s;
	d->chip = memory_array(s->chips, sizeof *d->chip, "striped device");
	return d;
}

void striped_free(struct striped *d)
{
	if (!d)
		return;
	memory_free(d->chip);
	memory_free(d);
}

static void work(const struct striped *d, struct chip *c, uint64_t ns)
{
	c->busy = (c->busy > d->now ? c->busy : d->now) + ns;
}

/* Each chip copies the rest of its part of the open superblock and erases the part that it replaces. */
static void close_superblock(struct striped *d)
{
	const struct striped_settings *s = d->settings;

	for (struct chip *c = d->chip; d->open && c < d->chip + s->chips; c++) {
		work(d, c, (s->superblock / s->chips - c->next) * s->copy_ns + s->erase_ns);
		c->next = 0;
	}
}

void striped_write(struct striped *d, uint64_t sector)
{
	const struct striped_settings *s = d->settings;
	uint64_t superblock = sector / s->superblock + 1, stripe = sector % s->superblock / s->stripe;
	uint64_t offset = stripe / s->chips * s->stripe + sector % s->stripe;
	struct chip *c = &d->chip[stripe % s->chips];

	if (d->open != superblock || offset < c->next)
		close_superblock(d);
	d->open = superblock;
	if (c->busy > d->now + s->slack_ns)
		d->now = c->busy - s->slack_ns;
	d->now += s->transfer_ns;
	work(d, c, (offset - c->next) * s->copy_ns + s->program_ns);
	c->next = offset + 1;
}

tick_t striped_now(const struct striped *d)
{
	return d->now;
}
