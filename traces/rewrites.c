#include "traces/rewrites.h"

#include "base/bits.h"

#define DEVICE_SHIFT 44u /* of a key */

struct rewrites rewrites_create(void)
{
	return (struct rewrites){
		.written = tally_create("written sectors"),
		.starts = tally_create("starts of writes"),
	};
}

void rewrites_free(struct rewrites *r)
{
	tally_free(r->written);
	tally_free(r->starts);
}

/* Marks sectors of one group of 64 as written.  True if one of them was already. */
static bool rewrites_mark(struct rewrites *r, uint64_t key, uint64_t mask)
{
	struct tally_entry *e = tally_at(r->written, key);
	uint64_t before = e->count[0] | (uint64_t)e->count[1] << 32, now = before | mask;

	e->count[0] = (uint32_t)now;
	e->count[1] = (uint32_t)(now >> 32);
	return before & mask;
}

static bool rewrites_overwrite(struct rewrites *r, uint64_t device, uint64_t first, uint64_t end)
{
	bool met = false;

	for (uint64_t group = first / 64; group <= (end - 1) / 64; group++) {
		unsigned from = group == first / 64 ? first % 64 : 0;
		unsigned to = group == (end - 1) / 64 ? (end - 1) % 64 + 1 : 64;

		met |= rewrites_mark(r, device | group, bits_below(to) & ~bits_below(from));
	}
	return met;
}

void rewrites_expect(const struct rewrites *r, uint32_t device, uint64_t first, uint64_t sectors)
{
	uint64_t above = (uint64_t)device << DEVICE_SHIFT;

	tally_expect(r->starts, above | first);
	tally_expect(r->written, above | first / 64);
	tally_expect(r->written, above | (first + sectors - 1) / 64);
}

void rewrites_add(struct rewrites *r, uint32_t device, uint64_t first, uint64_t sectors)
{
	uint64_t above = (uint64_t)device << DEVICE_SHIFT;
	struct tally_entry *start = tally_at(r->starts, above | first);
	uint64_t before = start->count[0] | (uint64_t)start->count[1] << 32;

	if (rewrites_overwrite(r, above, first, first + sectors)) {
		r->exact += before == sectors;
		r->same_start += before && before != sectors;
		r->shifted += !before;
	}
	start->count[0] = (uint32_t)sectors;
	start->count[1] = (uint32_t)(sectors >> 32);
}
