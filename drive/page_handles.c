#include "drive/page_handles.h"

#include "base/memory.h"
#include "base/state.h"

#include <string.h>

void page_handles_init(struct page_handles *h, const struct geometry *g)
{
	*h = (struct page_handles){ .geometry = g,
		.of = memory_array(g->logical_pages, sizeof *h->of, "placement handles of pages") };
}

void page_handles_release(struct page_handles *h)
{
	memory_free(h->of);
	memory_free(h->run);
}

void page_handles_note(struct page_handles *h, struct extent e, uint8_t handle)
{
	lpn_t first = geometry_lpn(h->geometry, e.start), last = geometry_lpn(h->geometry, e.end - 1);

	memset(h->of + first, handle, last - first + 1);
}

/* The first part of the extent, whose pages have the same handle.  An extent may be empty: a page to be
 * padded. */
static struct extent page_handles_cut(const struct page_handles *h, struct extent e)
{
	lpn_t lpn = geometry_lpn(h->geometry, e.start);
	uint8_t handle = h->of[lpn];

	while (geometry_page_start(h->geometry, lpn) < e.end && h->of[lpn] == handle)
		lpn++;
	if (geometry_page_start(h->geometry, lpn) < e.end)
		e.end = geometry_page_start(h->geometry, lpn);
	return e;
}

void page_handles_write(struct page_handles *h, const struct extent *extents, size_t n,
	void (*write)(void *, uint8_t, const struct extent *, size_t), void *context)
{
	uint8_t handle = 0;

	h->runs = 0;
	for (size_t i = 0; i < n; i++) {
		struct extent rest = extents[i];

		do {
			struct extent part = page_handles_cut(h, rest);
			uint8_t of = h->of[geometry_lpn(h->geometry, part.start)];

			if (h->runs && of != handle) {
				write(context, handle, h->run, h->runs);
				h->runs = 0;
			}
			handle = of;
			h->run = memory_grown(
				h->run, &h->room, h->runs + 1, sizeof part, "extents of one handle");
			h->run[h->runs++] = part;
			rest.start = part.end;
		} while (rest.start < rest.end);
	}
	if (h->runs)
		write(context, handle, h->run, h->runs);
}

const struct state_row page_handles_state[] = {
	STATE_FIXED(geometry),
	STATE_SCRATCH(run, runs, room),
	STATE_NUMBERS(struct page_handles, of),
	{ 0 },
};
