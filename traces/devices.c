#include "traces/devices.h"

#include "base/fault.h"
#include "base/memory.h"

#include <stdlib.h>

struct device {
	uint64_t end; /* bytes; 0: a free slot, since every record has a byte */
	uint64_t base;
	uint32_t number, index;
};

/* An open-addressed table, at most half full.  The last device found is remembered: traces
 * stay on one device for long stretches, most for ever. */
struct devices {
	struct device *slot;
	struct device *last;
	uint32_t count;
	uint32_t slots; /* a power of two */
};

struct devices *devices_create(void)
{
	struct devices *d = memory_array(1, sizeof *d, "trace devices");

	d->slots = 16;
	d->slot = memory_array(d->slots, sizeof *d->slot, "trace devices");
	d->last = d->slot;
	return d;
}

void devices_free(struct devices *d)
{
	if (!d)
		return;
	memory_free(d->slot);
	memory_free(d);
}

/* The slot of a device, or the free one where it belongs. */
static struct device *find(const struct devices *d, uint32_t number)
{
	uint32_t i = (number * 0x9e3779b1u >> 7) & (d->slots - 1);

	while (d->slot[i].end && d->slot[i].number != number)
		i = (i + 1) & (d->slots - 1);
	return &d->slot[i];
}

static void grow(struct devices *d)
{
	struct device *old = d->slot;
	uint32_t slots = d->slots;

	d->slots *= 2;
	d->slot = memory_array(d->slots, sizeof *d->slot, "trace devices");
	for (uint32_t i = 0; i < slots; i++)
		if (old[i].end)
			*find(d, old[i].number) = old[i];
	memory_free(old);
}

static struct device *add(struct devices *d, uint32_t number)
{
	struct device *device;

	if (d->count == d->slots / 2)
		grow(d);
	device = find(d, number);
	device->number = number;
	device->index = d->count++;
	return device;
}

uint32_t devices_note(struct devices *d, const struct record *r)
{
	uint64_t end = r->offset + r->bytes;

	if (d->last->number != r->device || !d->last->end) {
		struct device *device = find(d, r->device);

		d->last = device->end ? device : add(d, r->device);
	}
	if (end > d->last->end)
		d->last->end = end;
	return d->last->index;
}

uint64_t devices_count(const struct devices *d)
{
	return d->count;
}

struct place {
	struct device *device;
	uint32_t rank;
};

static int by_rank(const void *left, const void *right)
{
	const struct place *a = left, *b = right;

	return (a->rank > b->rank) - (a->rank < b->rank);
}

bool devices_lay_out(struct devices *d, const uint32_t *rank, uint64_t align, uint64_t limit)
{
	struct place *order = memory_array(d->count, sizeof *order, "trace devices");
	uint64_t base = 0;
	uint32_t n = 0;

	for (uint32_t i = 0; i < d->slots; i++)
		if (d->slot[i].end)
			order[n++] = (struct place){ .device = &d->slot[i],
				.rank = rank ? rank[d->slot[i].number] : d->slot[i].number };
	qsort(order, n, sizeof *order, by_rank);
	for (uint32_t i = 0; i < n && base <= limit; i++) {
		order[i].device->base = base;
		base += (order[i].device->end + align - 1) / align * align;
	}
	memory_free(order);
	return base <= limit;
}

uint64_t devices_base(const struct devices *d, uint32_t number)
{
	const struct device *device = d->last->number == number ? d->last : find(d, number);

	BUG_ON(!device->end, "device %u was not met before the layout", number);
	return device->base;
}
