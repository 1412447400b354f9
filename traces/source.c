#include "traces/source.h"

#include "base/memory.h"
#include "traces/unpack.h"

#include <string.h>

#define BLOCK_BYTES (256u << 10)
#define LINE_BYTES  (64u << 10)

struct source {
	struct unpack unpack;
	char *buffer; /* BLOCK_BYTES and one end mark */
	size_t at, fill;
	bool ended;
};

/* ---- the buffer ---- */

/* Moves the rest to the front and appends more until there is enough or the file ends. */
static bool source_refill(struct source *s, struct fault *fault, size_t enough)
{
	s->unpack.stream.fault = fault;
	s->fill -= s->at;
	memmove(s->buffer, s->buffer + s->at, s->fill);
	s->at = 0;
	while (!s->ended && s->fill < enough) {
		ssize_t got = unpack_read(&s->unpack, s->buffer + s->fill, BLOCK_BYTES - s->fill);

		if (got < 0)
			return false;
		s->ended = got == 0;
		s->fill += (size_t)got;
	}
	s->buffer[s->fill] = '\n';
	return true;
}

/* Text files from Windows may begin with one. */
static bool source_skip_byte_order_mark(struct source *s, struct fault *fault)
{
	if (!source_refill(s, fault, LINE_BYTES))
		return false;
	if (s->fill >= 3 && !memcmp(s->buffer, "\xef\xbb\xbf", 3))
		s->at = 3;
	return true;
}

static struct source *source_create(void)
{
	struct source *s = memory_array(1, sizeof *s, "trace source");

	s->buffer = memory_array(BLOCK_BYTES + 1, 1, "trace block");
	s->buffer[0] = '\n';
	return s;
}

struct source *source_open(const char *path, const char *member, bool again, struct fault *fault)
{
	struct source *s = source_create();

	if (stream_open(&s->unpack.stream, path, again, fault) && unpack_open(&s->unpack, member) &&
		source_skip_byte_order_mark(s, fault))
		return s;
	source_close(s);
	return NULL;
}

struct source *source_memory(
	const char *name, const void *bytes, size_t size, const char *member, struct fault *fault)
{
	struct source *s = source_create();

	stream_open_memory(&s->unpack.stream, name, bytes, size, fault);
	if (unpack_open(&s->unpack, member) && source_skip_byte_order_mark(s, fault))
		return s;
	source_close(s);
	return NULL;
}

void source_close(struct source *s)
{
	if (!s)
		return;
	unpack_close(&s->unpack);
	memory_free(s->buffer);
	memory_free(s);
}

bool source_rewind(struct source *s, struct fault *fault)
{
	s->unpack.stream.fault = fault;
	s->unpack.stream.broken = false;
	s->at = s->fill = 0;
	s->ended = false;
	return unpack_rewind(&s->unpack) && source_skip_byte_order_mark(s, fault);
}

/* ---- reading ---- */

const char *source_head(struct source *s, size_t *size, bool *whole, struct fault *fault)
{
	if (!source_refill(s, fault, LINE_BYTES))
		return NULL;
	*size = s->fill;
	*whole = s->ended;
	return s->buffer;
}

enum source_status source_line(struct source *s, const char **begin, const char **end, struct fault *fault)
{
	const char *stop = memchr(s->buffer + s->at, '\n', s->fill - s->at);

	if (__builtin_expect(!stop, 0)) {
		if (!source_refill(s, fault, LINE_BYTES))
			return SOURCE_BAD;
		if (!s->fill)
			return SOURCE_END;
		stop = memchr(s->buffer, '\n', s->fill + 1);
		if (stop == s->buffer + s->fill && !s->ended) {
			fault_set(fault, "%s: a line has no end within %u bytes; it is no text",
				source_name(s), LINE_BYTES);
			return SOURCE_BAD;
		}
	}
	*begin = s->buffer + s->at;
	s->at = (size_t)(stop - s->buffer) + (stop < s->buffer + s->fill);
	*end = stop > *begin && stop[-1] == '\r' ? stop - 1 : stop;
	return SOURCE_OK;
}

bool source_line_ended(const struct source *s)
{
	return s->at && s->buffer[s->at - 1] == '\n';
}

enum source_status source_record(struct source *s, size_t bytes, const char **begin, struct fault *fault)
{
	if (s->fill - s->at < bytes) {
		if (!source_refill(s, fault, LINE_BYTES))
			return SOURCE_BAD;
		if (!s->fill)
			return SOURCE_END;
		if (s->fill < bytes) {
			fault_set(fault,
				"%s: ends within a record: %zu bytes are left over, records have %zu",
				source_name(s), s->fill, bytes);
			return SOURCE_BAD;
		}
	}
	*begin = s->buffer + s->at;
	s->at += bytes;
	return SOURCE_OK;
}

bool source_sound(struct source *s, struct fault *fault)
{
	s->unpack.stream.fault = fault;
	return unpack_sound(&s->unpack);
}

const char *source_name(const struct source *s)
{
	return s->unpack.stream.path;
}

uint64_t source_bytes_read(const struct source *s)
{
	return s->unpack.stream.read;
}

uint64_t source_bytes_total(const struct source *s)
{
	return s->unpack.stream.total;
}
