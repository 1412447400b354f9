#include "legacy/row_writer.h"

#include "base/memory.h"

#include <fcntl.h>
#include <inttypes.h>
#include <string.h>

#define BLOCK_ROWS 4096u
#define ROW_BYTES  200u /* no row is longer */

#define SENT_TOGETHER (4 << 20) /* bytes */

struct row_block {
	struct row row[BLOCK_ROWS];
	uint32_t count;
};

/* ---- beside ---- */

/* "00", "01" ... "99": two digits a division. */
static const char pairs[] = "00010203040506070809101112131415161718192021222324"
			    "25262728293031323334353637383940414243444546474849"
			    "50515253545556575859606162636465666768697071727374"
			    "75767778798081828384858687888990919293949596979899";

/* The number right-aligned in `width` columns, 16 at most - or in as many more as it needs, as printf does - and
 * a separator.  16 bytes are written in any case. */
static char *put(char *out, int64_t value, unsigned width, char separator)
{
	char *end = out + width, *first = end;
	uint64_t rest = (uint64_t)value;

	if (value < 0)
		return out + sprintf(out, "%*" PRId64 "%c", (int)width, value, separator);
	memset(out, ' ', 16);
	for (; rest >= 10 && first - out >= 2; rest /= 100)
		memcpy(first -= 2, pairs + 2 * (rest % 100), 2);
	if (rest >= 10 || (rest && first == out))
		return put(out, value, width + 1, separator);
	if (rest || first == end)
		*--first = (char)('0' + rest);
	*end = separator;
	return end + 1;
}

/* Eight digits: the value's halves, of these the halves, of these the halves, side by side in one word. */
static void put_eight(char *out, uint32_t value)
{
	uint64_t word = value / 10000 | (uint64_t)(value % 10000) << 32;
	uint64_t halves = word * 10486 >> 20 & 0x0000007f0000007f;

	word = halves | (word - 100 * halves) << 16;
	halves = word * 103 >> 10 & 0x000f000f000f000f;
	word = (halves | (word - 10 * halves) << 8) + 0x3030303030303030;
	for (int i = 0; i < 8; i++)
		out[i] = (char)(word >> 8 * i);
}

/* As put() in 16 columns.  Times that follow each other have their first digits in common: those are kept as text. */
static char *put_time(struct row_writer *w, char *out, int64_t value)
{
	int64_t first = value / 100000000;

	if (first <= 0 || first > 99999999)
		return put(out, value, 16, ' ');
	if (first != w->time_first) {
		w->time_first = first;
		put(w->time_text, first, 8, ' ');
	}
	memcpy(out, w->time_text, 8);
	put_eight(out + 8, (uint32_t)(value - first * 100000000));
	out[16] = ' ';
	return out + 17;
}

static char *put_row(struct row_writer *w, char *out, const struct row *r)
{
	out = put_time(w, out, r->arrival);
	out = put(out, (int32_t)r->sector, 10, ' ');
	out = put(out, (int32_t)r->sectors, 6, ' ');
	out = put(out, r->read, 2, ' ');
	out = put_time(w, out, r->begin);
	out = put_time(w, out, r->end);
	return put(out, r->end - r->arrival, 10, '\n');
}

/*
 * The system is to begin to carry the file to the disk, for which there is a wait at its end.  What is about to be
 * carried is not forgotten, whatever the hint's name says.
 */
static void send(struct row_writer *w)
{
#ifdef POSIX_FADV_DONTNEED
	off_t end = ftello(w->out);

	if (end - w->sent < SENT_TOGETHER)
		return;
	posix_fadvise(fileno(w->out), w->sent, end - w->sent, POSIX_FADV_DONTNEED);
	w->sent = end;
#else
	(void)w;
#endif
}

/* The block that rows are not put into. */
static void write_block(void *writer)
{
	struct row_writer *w = writer;
	const struct row_block *b = &w->block[!w->taken];
	char *end = w->text;

	for (uint32_t i = 0; i < b->count; i++)
		end = put_row(w, end, &b->row[i]);
	fwrite(w->text, 1, (size_t)(end - w->text), w->out);
	send(w);
}

/* ---- in front ---- */

static void hand_over(struct row_writer *w)
{
	beside_end(&w->writing);
	w->taken = !w->taken;
	w->block[w->taken].count = 0;
	beside_start(&w->writing, write_block, w);
}

void row_writer_open(struct row_writer *w, FILE *out)
{
	*w = (struct row_writer){ .out = out };
	w->block = memory_array(2, sizeof *w->block, "rows of the results");
	w->text = memory_array(BLOCK_ROWS, ROW_BYTES, "text of the results");
}

void row_writer_put(struct row_writer *w, const struct row *row)
{
	struct row_block *b = &w->block[w->taken];

	b->row[b->count++] = *row;
	if (b->count == BLOCK_ROWS)
		hand_over(w);
}

void row_writer_close(struct row_writer *w)
{
	hand_over(w);
	beside_free(&w->writing);
	memory_free(w->block);
	memory_free(w->text);
}
