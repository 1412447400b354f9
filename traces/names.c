#include "traces/names.h"

#include "base/hash.h"

#include <stdlib.h>
#include <string.h>

struct name {
	char *text;
	size_t bytes; /* garbage may contain a NUL */
	uint32_t hash, link;
};

/* The last name found is cached, since most traces stay on one device. */
struct names {
	struct name *name; /* by number */
	uint32_t count, room, last;
	struct hash index;
};

struct names *names_create(void)
{
	struct names *n = memory_array(1, sizeof *n, "device names");

	n->index = hash_create(0, "device names");
	return n;
}

void names_free(struct names *n)
{
	if (!n)
		return;
	for (uint32_t i = 0; i < n->count; i++)
		memory_free(n->name[i].text);
	memory_free(n->name);
	hash_free(&n->index);
	memory_free(n);
}

/* FNV-1a. */
static uint32_t names_hash(const char *name, size_t bytes)
{
	uint64_t h = 0xcbf29ce484222325u;

	for (size_t i = 0; i < bytes; i++)
		h = (h ^ (unsigned char)name[i]) * 0x100000001b3u;
	return (uint32_t)(h >> 32 ^ h);
}

static bool names_is(const struct name *known, const char *name, size_t bytes)
{
	return known->bytes == bytes && !memcmp(known->text, name, bytes);
}

static uint32_t names_find(const struct names *n, const char *name, size_t bytes, uint32_t hash)
{
	struct hashed known = HASHED(n->name, hash, link);
	uint32_t i = hash_find(&n->index, known, hash);

	while (i != INDEX_NONE && !names_is(&n->name[i], name, bytes))
		i = hash_find_next(known, i);
	return i;
}

static uint32_t names_add(struct names *n, const char *name, size_t bytes, uint32_t hash)
{
	char *text = memory_array(bytes + 1, 1, "device name");

	memcpy(text, name, bytes);
	n->name = memory_grown(n->name, &n->room, n->count + 1, sizeof *n->name, "device names");
	n->name[n->count] = (struct name){ .text = text, .bytes = bytes, .hash = hash };
	hash_add(&n->index, HASHED(n->name, hash, link), n->count);
	return n->count++;
}

uint32_t names_number(struct names *n, const char *name, size_t bytes)
{
	uint32_t hash;

	if (!n->count || !names_is(&n->name[n->last], name, bytes)) {
		hash = names_hash(name, bytes);
		n->last = names_find(n, name, bytes, hash);
		if (n->last == INDEX_NONE)
			n->last = names_add(n, name, bytes, hash);
	}
	return n->last;
}

static size_t names_digits(const char *text)
{
	return strspn(text, "0123456789");
}

/* Compares numbers without leading zeros: the longer one is larger. */
static int names_compare_numbers(const char **a, const char **b)
{
	size_t of_a, of_b;
	int order;

	*a += strspn(*a, "0");
	*b += strspn(*b, "0");
	of_a = names_digits(*a);
	of_b = names_digits(*b);
	if (of_a != of_b)
		return of_a < of_b ? -1 : 1;
	order = memcmp(*a, *b, of_a);
	*a += of_a;
	*b += of_b;
	return order;
}

static int names_compare(const char *a, const char *b)
{
	int order = 0;

	while (!order && *a && *b) {
		if (names_digits(a) && names_digits(b))
			order = names_compare_numbers(&a, &b);
		else
			order = (unsigned char)*a++ - (unsigned char)*b++;
	}
	return order ? order : (*a != '\0') - (*b != '\0');
}

struct entry {
	const char *text;
	uint32_t number;
};

/* Names that differ in leading zeros alone keep the order of appearance. */
static int names_by_text(const void *left, const void *right)
{
	const struct entry *a = left, *b = right;
	int order = names_compare(a->text, b->text);

	return order ? order : (a->number > b->number) - (a->number < b->number);
}

uint32_t *names_ranks(const struct names *n)
{
	struct entry *order;
	uint32_t *ranks;

	if (!n->count)
		return NULL;
	order = memory_array(n->count, sizeof *order, "device names");
	ranks = memory_array(n->count, sizeof *ranks, "device names");
	for (uint32_t i = 0; i < n->count; i++)
		order[i] = (struct entry){ .text = n->name[i].text, .number = i };
	qsort(order, n->count, sizeof *order, names_by_text);
	for (uint32_t i = 0; i < n->count; i++)
		ranks[order[i].number] = i;
	memory_free(order);
	return ranks;
}

const char *names_text(const struct names *n, uint32_t number)
{
	return number < n->count ? n->name[number].text : NULL;
}
