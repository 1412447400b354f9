/*
 * A buffer whose sink records all calls.  The file that includes this defines PAGE, the number of sectors in
 * a page, and BLOCK, that of pages in a block.
 */
#ifndef TESTS_NOTEBOOK_FIXTURE_H
#define TESTS_NOTEBOOK_FIXTURE_H

#include "parameters/params.h"
#include "tests/drive_fixture.h"

enum { READ_CALL, WRITE_CALL, MERGED_CALL };

struct record {
	int kind;
	size_t group; /* which call it came with */
	struct extent extent;
};

struct notebook {
	struct record record[4096];
	size_t records, calls;
};

static inline void put(struct notebook *book, int kind, const struct extent *extents, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		assert_true(book->records < sizeof book->record / sizeof book->record[0]);
		book->record[book->records++] = (struct record){ kind, book->calls, extents[i] };
	}
	book->calls++;
}

static inline void note_write(void *book, const struct extent *extents, size_t n)
{
	put(book, WRITE_CALL, extents, n);
}

static inline void note_merged(void *book, const struct extent *extents, size_t n)
{
	put(book, MERGED_CALL, extents, n);
}

static inline void note_read(void *book, const struct extent *extents, size_t n)
{
	put(book, READ_CALL, extents, n);
}

static inline void clear(struct notebook *book)
{
	book->records = book->calls = 0;
}

static inline const struct buffer_ops *policy(const char *name)
{
	for (size_t i = 0; buffers[i]; i++)
		if (!strcmp(buffers[i]->name, name))
			return buffers[i];
	fail_msg("no buffer %s", name);
	return NULL;
}

static inline uint32_t mask_bits(mask_t mask)
{
	return (uint32_t)__builtin_popcountll(mask);
}

static inline struct buffer *buffer_with(
	const struct buffer_ops *ops, const void *settings, uint32_t sectors, struct notebook *book)
{
	return buffer_create(ops, settings,
		(struct buffer_shape){ sectors * SECTOR_BYTES, PAGE, BLOCK, 1000 },
		(struct buffer_sink){ book, note_write, note_merged, note_read }, NULL);
}

/* For policies without settings. */
static inline struct buffer *new_buffer(const struct buffer_ops *ops, uint32_t sectors, struct notebook *book)
{
	return buffer_with(ops, NULL, sectors, book);
}

static inline void assert_noted(
	const struct notebook *book, size_t at, int kind, sector_t start, sector_t end)
{
	assert_true(at < book->records);
	assert_true(book->record[at].kind == kind);
	assert_int_equal(book->record[at].extent.start, start);
	assert_int_equal(book->record[at].extent.end, end);
}

static inline uint32_t write_to(struct buffer *b, sector_t start, sector_t end)
{
	return buffer_write(b, (struct extent){ start, end });
}

static inline uint32_t read_from(struct buffer *b, sector_t start, sector_t end)
{
	return buffer_read(b, (struct extent){ start, end });
}

static inline double buffer_statistic(struct buffer *b, const char *name)
{
	struct stat_settings settings = { .percentiles = (char[]){ "50" } };
	struct fault fault = { "" };
	struct stat_list list;
	double value;

	assert_true(stat_list_init(&list, &settings, &fault));
	buffer_statistics(b, &list);
	value = statistic_in(&list, name);
	stat_list_release(&list);
	return value;
}

static inline void assert_same_notes(const struct notebook *is, const struct notebook *should, int step)
{
	bool same = is->records == should->records;

	for (size_t i = 0; same && i < is->records; i++)
		same = is->record[i].kind == should->record[i].kind &&
		       is->record[i].group == should->record[i].group &&
		       is->record[i].extent.start == should->record[i].extent.start &&
		       is->record[i].extent.end == should->record[i].extent.end;
	if (!same)
		fail_msg("step %d: the buffer and the model disagree; repeat with SEED=%llu", step,
			(unsigned long long)seed_of_run());
}

#endif
