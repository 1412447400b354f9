#define _DEFAULT_SOURCE
#include "tests/undeclared.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- memory that is watched: base/memory.c, compiled here with these in place of the system's ---- */

static struct block {
	char *at; /* NULL: given back */
	size_t bytes;
} * blocks;
static size_t taken;
static bool watching;

void undeclared_watch(void)
{
	watching = true;
}

static void *watch(void *at, size_t bytes)
{
	if (!watching)
		return at;
	if (taken % 1024 == 0) {
		struct block *more = realloc(blocks, (taken + 1024) * sizeof *blocks);

		if (!more)
			abort();
		blocks = more;
	}
	blocks[taken++] = (struct block){ at, bytes };
	return at;
}

/* The youngest that the address is in, or at the end of; NULL: none. */
static struct block *block_of(const void *address)
{
	for (size_t i = taken; i--;) {
		struct block *b = &blocks[i];

		if (b->at && (const char *)address >= b->at && (const char *)address <= b->at + b->bytes)
			return b;
	}
	return NULL;
}

static void *watched_calloc(size_t n, size_t bytes)
{
	return watch(calloc(n, bytes), n * bytes);
}

static void watched_free(void *at)
{
	struct block *b = at ? block_of(at) : NULL;

	free(at);
	if (b)
		b->at = NULL;
}

static void *watched_realloc(void *old, size_t bytes)
{
	struct block *b = old ? block_of(old) : NULL;

	if (!b)
		return watch(realloc(old, bytes), bytes);
	*b = (struct block){ realloc(old, bytes), bytes };
	return b->at;
}

#undef _DEFAULT_SOURCE
#define calloc  watched_calloc
#define realloc watched_realloc
#define free    watched_free
#include "base/memory.c" /* NOLINT */
#undef calloc
#undef realloc
#undef free

/* ---- what is declared ---- */

struct declared {
	struct state_visitor visitor; /* first: the visitor is found through it */
	struct block list[4096];
	size_t count;
};

static void note(struct state_visitor *r, void *bytes, size_t size)
{
	struct declared *d = (struct declared *)r;

	BUG_ON(d->count == sizeof d->list / sizeof *d->list, "more areas than this test has room for");
	d->list[d->count++] = (struct block){ bytes, size };
}

static bool is_declared(const struct declared *d, const char *at)
{
	for (const struct block *b = d->list; b < d->list + d->count; b++)
		if (at >= b->at && at < b->at + b->bytes)
			return true;
	return false;
}

/* ---- two drives, pointer by pointer ---- */

struct pair {
	const struct block *saved, *loaded;
	size_t from; /* the pair that points here */
	size_t at;   /* byte of it */
};

#define PAIRS 4096

struct comparison {
	struct declared *declared;
	const struct block *eldest; /* what is older is not the FTL's */
	struct pair pair[PAIRS];
	size_t pairs;
	char *text;
	size_t room;
};

__attribute__((format(printf, 2, 3))) static void say(struct comparison *c, const char *format, ...)
{
	size_t used = strlen(c->text);
	va_list values;

	va_start(values, format);
	vsnprintf(c->text + used, c->room - used, format, values);
	va_end(values);
}

/* "what byte 8 of the FTL's state points to" */
static void say_place(struct comparison *c, size_t which)
{
	if (which) {
		say(c, "what byte %zu of ", c->pair[which].at - sizeof(struct memory_head));
		say_place(c, c->pair[which].from);
		say(c, " points to");
	} else {
		say(c, "the FTL's state");
	}
}

static void visit_pair(
	struct comparison *c, const struct block *saved, const struct block *loaded, size_t from, size_t at)
{
	for (size_t i = 0; i < c->pairs; i++)
		if (c->pair[i].saved == saved)
			return;
	if (c->pairs < PAIRS && saved >= c->eldest)
		c->pair[c->pairs++] = (struct pair){ saved, loaded, from, at };
}

/* Does the word point to the same place of the same thing in both?  Then that is compared, too. */
static bool same_pointer(struct comparison *c, size_t which, size_t at)
{
	const struct pair *p = &c->pair[which];
	const struct block *saved, *loaded;
	char *s, *l;

	if (at % sizeof s || at + sizeof s > p->saved->bytes || at + sizeof s > p->loaded->bytes)
		return false;
	memcpy(&s, p->saved->at + at, sizeof s);
	memcpy(&l, p->loaded->at + at, sizeof l);
	saved = block_of(s);
	loaded = block_of(l);
	if (!saved || !loaded || s - saved->at != l - loaded->at)
		return false;
	visit_pair(c, saved, loaded, which, at);
	return true;
}

/* From the first byte to the last that differs and is not declared. */
static void compare(struct comparison *c, size_t which)
{
	const struct block *saved = c->pair[which].saved, *loaded = c->pair[which].loaded;
	size_t bytes = saved->bytes < loaded->bytes ? saved->bytes : loaded->bytes;
	size_t first = bytes, last = 0;

	for (size_t at = 0; at < bytes; at++) {
		if (same_pointer(c, which, at)) {
			at += sizeof(char *) - 1;
		} else if (saved->at[at] != loaded->at[at] && !is_declared(c->declared, saved->at + at)) {
			first = first < at ? first : at;
			last = at;
		}
	}
	if (first == bytes)
		return;
	/* As the FTL counts them: what lies before an array is not its own. */
	say(c, "%sbytes %zu..%zu of ", *c->text ? ", " : "", first - sizeof(struct memory_head),
		last - sizeof(struct memory_head));
	say_place(c, which);
}

void undeclared_state(struct ftl *saved, struct ftl *loaded, char *text, size_t bytes)
{
	struct comparison *c = malloc(sizeof *c);

	c->declared = calloc(1, sizeof *c->declared);
	c->declared->visitor = (struct state_visitor){ .visit = note };
	state_visit(&c->declared->visitor, ftl_state, saved);
	c->eldest = block_of(saved->state);
	c->pairs = 0;
	c->text = text;
	c->room = bytes;
	*text = 0;
	visit_pair(c, c->eldest, block_of(loaded->state), 0, 0);
	for (size_t i = 0; i < c->pairs; i++)
		compare(c, i);
	free(c->declared);
	free(c);
}
