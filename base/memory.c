#define _DEFAULT_SOURCE /* madvise */
#include "base/memory.h"

#include "base/guard.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* Arrays of this size or more get huge pages: tables of a drive are accessed at random, and each access would
 * miss the TLB, too. */
#define HUGE_FROM ((size_t)4 << 20)
#define HUGE_PAGE ((size_t)2 << 20)

#define FIRST_ROOM 16u /* elements of an array that grows */

/* Before each array. */
struct memory_head {
	_Alignas(max_align_t) size_t count;
	struct memory_head *next;  /* in its list */
	struct memory_head **link; /* the pointer to it in that list; NULL: it is in no list */
};

static _Noreturn void out_of_memory(size_t count, size_t bytes, const char *what)
{
	struct guard *guard = guard_present();
	struct fault fault;

	fault_set(&fault,
		"out of memory: the %s needs %.1f MiB; a smaller drive (flash.blocks), buffer "
		"(dram.buffer_bytes) or trace (trace.limit) takes less",
		what, (double)count * (double)bytes / (1 << 20));
	if (guard) {
		guard->fault = fault;
		guard_end(GUARD_NO_MEMORY);
	}
	fprintf(stderr, "ssd: %s\n", fault.text);
	exit(2);
}

/* ---- lists ---- */

static void memory_enter(struct memory_list *list, struct memory_head *head)
{
	head->next = list->first;
	head->link = &list->first;
	if (head->next)
		head->next->link = &head->next;
	list->first = head;
}

static void memory_leave(struct memory_head *head)
{
	if (!head->link)
		return;
	*head->link = head->next;
	if (head->next)
		head->next->link = head->link;
}

/* A new array belongs to the present guard. */
static void memory_note_new(struct memory_head *head)
{
	struct guard *guard = guard_present();

	head->next = NULL;
	head->link = NULL;
	if (guard)
		memory_enter(&guard->memory, head);
}

static void memory_note_moved(struct memory_head *head)
{
	if (!head->link)
		return;
	*head->link = head;
	if (head->next)
		head->next->link = &head->next;
}

void memory_list_free(struct memory_list *list)
{
	struct memory_head *next;

	for (struct memory_head *head = list->first; head; head = next) {
		next = head->next;
		free(head);
	}
	list->first = NULL;
}

/* ---- arrays ---- */

/* A hint, which affects speed alone. */
static void prefer_huge_pages(void *array, size_t bytes)
{
#if defined MADV_HUGEPAGE && !defined NO_HUGE_PAGES
	size_t skip = -(uintptr_t)array % HUGE_PAGE;

	if (bytes >= HUGE_FROM)
		madvise((char *)array + skip, (bytes - skip) / HUGE_PAGE * HUGE_PAGE, MADV_HUGEPAGE);
#else
	(void)array;
	(void)bytes;
#endif
}

static bool memory_fits(size_t count, size_t bytes)
{
	return !bytes || count <= (SIZE_MAX - sizeof(struct memory_head)) / bytes;
}

/* Bytes of an array with its head.  Never the head alone: a pointer just after it would lie in no allocation,
 * and leak checkers would report a leak. */
static size_t memory_room(size_t count, size_t bytes)
{
	return sizeof(struct memory_head) + (count && bytes ? count * bytes : 1);
}

void *memory_array(size_t count, size_t bytes, const char *what)
{
	struct memory_head *head = NULL;

	if (memory_fits(count, bytes))
		head = calloc(1, memory_room(count, bytes));
	if (!head)
		out_of_memory(count, bytes, what);
	prefer_huge_pages(head, count * bytes);
	head->count = count;
	memory_note_new(head);
	return head + 1;
}

size_t memory_count(const void *array)
{
	return array ? ((const struct memory_head *)array)[-1].count : 0;
}

void *memory_resize(void *old, size_t count, size_t bytes, const char *what)
{
	struct memory_head *head = NULL;

	if (memory_fits(count, bytes))
		head = realloc(old ? (struct memory_head *)old - 1 : NULL, memory_room(count, bytes));
	if (!head)
		out_of_memory(count, bytes, what);
	head->count = count;
	(old ? memory_note_moved : memory_note_new)(head);
	return head + 1;
}

void *memory_enlarged(void *old, uint32_t *room, uint32_t count, size_t bytes, const char *what)
{
	uint32_t doubled = *room < UINT32_MAX / 2 ? 2 * *room : UINT32_MAX;

	*room = doubled > FIRST_ROOM ? doubled : FIRST_ROOM;
	if (*room < count)
		*room = count;
	return memory_resize(old, *room, bytes, what);
}

char *memory_string(const char *text, const char *what)
{
	size_t bytes = strlen(text) + 1;

	return memcpy(memory_array(bytes, 1, what), text, bytes);
}

void memory_free(void *array)
{
	struct memory_head *head = array ? (struct memory_head *)array - 1 : NULL;

	if (head)
		memory_leave(head);
	free(head);
}
