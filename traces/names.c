#include "traces/names.h"

#include "base/memory.h"

#include <string.h>

struct name {
	char *text;
	size_t bytes; /* garbage may contain a zero */
};

/* An open-addressed table of numbers by name, at most half full. */
struct names {
	struct name *name; /* by number */
	uint32_t count;
	uint32_t *slot; /* number + 1; 0 is free */
	uint32_t slots; /* a power of two */
};

struct names *names_create(void)
{
	struct names *n = memory_array(1, sizeof *n, "device names");

	n->slots = 16;
	n->slot = memory_array(n->slots, sizeof *n->slot, "device names");
	return n;
}

void names_free(struct names *n)
{
	if (!n)
		return;
	for (uint32_t i = 0; i < n->count; i++)
		memory_free(n->name[i].text);
	memory_free(n->name);
	memory_free(n->slot);
	memory_free(n);
}

/* FNV-1a. */
static uint32_t hash(const char *name, size_t bytes)
{
	uint64_t h = 0xcbf29ce484222325u;

	for (size_t i = 0; i < bytes; i++)
		h = (h ^ (unsigned char)name[i]) * 0x100000001b3u;
	return (uint32_t)(h >> 32 ^ h);
}

/* The slot that holds the name, or the free one where it belongs. */
static uint32_t *find(const struct names *n, const char *name, size_t bytes)
{
	uint32_t i = hash(name, bytes) & (n->slots - 1);

	while (n->slot[i]) {
		const struct name *known = &n->name[n->slot[i] - 1];

		if (known->bytes == bytes && !memcmp(known->text, name, bytes))
			break;
		i = (i + 1) & (n->slots - 1);
	}
	return &n->slot[i];
}

static void grow(struct names *n)
{
	memory_free(n->slot);
	n->slots *= 2;
	n->slot = memory_array(n->slots, sizeof *n->slot, "device names");
	for (uint32_t i = 0; i < n->count; i++)
		*find(n, n->name[i].text, n->name[i].bytes) = i + 1;
}

uint32_t names_number(struct names *n, const char *name, size_t bytes)
{
	uint32_t *slot = find(n, name, bytes);
	char *text;

	if (*slot)
		return *slot - 1;
	if (n->count == n->slots / 2) {
		grow(n);
		slot = find(n, name, bytes);
	}
	text = memory_array(bytes + 1, 1, "device name");
	memcpy(text, name, bytes);
	n->name = memory_resize(n->name, n->count + 1u, sizeof *n->name, "device names");
	n->name[n->count] = (struct name){ .text = text, .bytes = bytes };
	*slot = ++n->count;
	return n->count - 1;
}

const char *names_text(const struct names *n, uint32_t number)
{
	return number < n->count ? n->name[number].text : NULL;
}
