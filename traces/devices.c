#include "traces/devices.h"

#include "base/fault.h"
#include "base/hash.h"

#include <stdlib.h>

struct device {
	uint64_t end, base; /* bytes */
	uint32_t number, link;
};

/* Devices in order of appearance.  `last` was looked up last; the next request is usually on the same one. */
struct devices {
	struct device *device;
	uint32_t count, room, last;
	struct hash index;
};

struct devices *devices_create(void)
{
	struct devices *d = memory_array(1, sizeof *d, "trace devices");

	d->index = hash_create(0, "trace devices");
	return d;
}

void devices_free(struct devices *d)
{
	if (!d)
		return;
	memory_free(d->device);
	hash_free(&d->index);
	memory_free(d);
}

static uint32_t devices_find(const struct devices *d, uint32_t number)
{
	return hash_find(&d->index, HASHED(d->device, number, link), number);
}

static uint32_t devices_add(struct devices *d, uint32_t number)
{
	d->device = memory_grown(d->device, &d->room, d->count + 1, sizeof *d->device, "trace devices");
	d->device[d->count] = (struct device){ .number = number };
	hash_add(&d->index, HASHED(d->device, number, link), d->count);
	return d->count++;
}

uint32_t devices_note(struct devices *d, const struct record *r)
{
	uint64_t end = r->offset + r->bytes;

	if (!d->count || d->device[d->last].number != r->device) {
		d->last = devices_find(d, r->device);
		if (d->last == INDEX_NONE)
			d->last = devices_add(d, r->device);
	}
	if (end > d->device[d->last].end)
		d->device[d->last].end = end;
	return d->last;
}

uint64_t devices_count(const struct devices *d)
{
	return d->count;
}

struct place {
	struct device *device;
	uint32_t rank;
};

static int devices_by_rank(const void *left, const void *right)
{
	const struct place *a = left, *b = right;

	return (a->rank > b->rank) - (a->rank < b->rank);
}

bool devices_lay_out(struct devices *d, const uint32_t *rank, uint64_t align, uint64_t limit)
{
	struct place *order = memory_array(d->count, sizeof *order, "trace devices");
	uint64_t base = 0;

	for (uint32_t i = 0; i < d->count; i++)
		order[i] = (struct place){ .device = &d->device[i],
			.rank = rank ? rank[d->device[i].number] : d->device[i].number };
	qsort(order, d->count, sizeof *order, devices_by_rank);
	for (uint32_t i = 0; i < d->count && base <= limit; i++) {
		order[i].device->base = base;
		base += (order[i].device->end + align - 1) / align * align;
	}
	memory_free(order);
	return base <= limit;
}

uint64_t devices_base(const struct devices *d, uint32_t number)
{
	uint32_t i =
		d->last < d->count && d->device[d->last].number == number ? d->last : devices_find(d, number);

	BUG_ON(i == INDEX_NONE, "device %u is not laid out", number);
	return d->device[i].base;
}
