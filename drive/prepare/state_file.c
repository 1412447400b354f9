#include "drive/prepare/state_file.h"

#include "base/hash.h"
#include "base/memory.h"
#include "stats/output.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>

#define CHUNK_BYTES 65536u
#define LINE_MOST   (1u << 20)

void state_file_add(struct state_file *f, const char *key, const char *value)
{
	size_t bytes = strlen(key) + strlen(value) + 5;

	f->head = memory_grown(f->head, &f->room, f->length + (uint32_t)bytes, 1, "head of a file");
	f->length += (uint32_t)snprintf(f->head + f->length, bytes, "%s = %s\n", key, value);
}

void state_file_add_sum(struct state_file *f, const char *key, uint64_t sum)
{
	char text[20];

	snprintf(text, sizeof text, "%016" PRIx64, sum);
	state_file_add(f, key, sum ? text : "any");
}

void state_file_add_layout(struct state_file *f)
{
	state_file_add_sum(f, "layout", state_layout(f->rows, f->owner, f->running));
}

void state_file_release(struct state_file *f)
{
	memory_free(f->head);
}

/* ---- bytes in a file ---- */

/* Visits state, which is written to the file or read from it. */
struct state_stream {
	struct state_visitor visitor; /* first member: its address is that of the stream */
	FILE *file;
	uint64_t sum; /* of all bytes before the sum itself, which ends the file */
};

static struct state_stream state_stream_of(
	FILE *file, void (*visit)(struct state_visitor *, void *, size_t), const struct state_file *f)
{
	return (struct state_stream){
		.visitor = { .visit = visit, .running = f->running }, .file = file, .sum = HASH_NOTHING
	};
}

static void state_put(struct state_stream *s, const void *bytes, size_t size)
{
	fwrite(bytes, 1, size, s->file);
	s->sum = hash_bytes(s->sum, bytes, size);
}

static bool state_is_zero(const unsigned char *bytes, size_t size)
{
	return !bytes[0] && !memcmp(bytes, bytes + 1, size - 1);
}

/* "0" for zeros, or "1" and the bytes. */
static void state_put_chunk(struct state_stream *s, const unsigned char *bytes, size_t size)
{
	bool zero = state_is_zero(bytes, size);

	state_put(s, zero ? "0" : "1", 1);
	if (!zero)
		state_put(s, bytes, size);
}

/* False: the file ends.  The memory of a fresh drive is zero and stays untouched where zeros are read, so
 * that it takes no room. */
static bool state_get_chunk(FILE *file, unsigned char *bytes, size_t size)
{
	int tag = fgetc(file);

	if (tag == '1')
		return fread(bytes, 1, size, file) == size;
	if (!state_is_zero(bytes, size))
		memset(bytes, 0, size);
	return tag == '0';
}

static void state_put_bytes(struct state_visitor *visitor, void *at, size_t size)
{
	unsigned char *bytes = at;

	for (size_t part; size; bytes += part, size -= part) {
		part = size < CHUNK_BYTES ? size : CHUNK_BYTES;
		state_put_chunk((struct state_stream *)visitor, bytes, part);
	}
}

static void state_get_bytes(struct state_visitor *visitor, void *at, size_t size)
{
	unsigned char *bytes = at;

	for (size_t part; size && !visitor->ended; bytes += part, size -= part) {
		part = size < CHUNK_BYTES ? size : CHUNK_BYTES;
		visitor->ended = !state_get_chunk(((struct state_stream *)visitor)->file, bytes, part);
	}
}

/* ---- saving ---- */

static void state_put_all(struct state_stream *s, const struct state_file *f)
{
	state_put(s, f->magic, strlen(f->magic));
	state_put(s, "\n", 1);
	state_put(s, f->head, f->length);
	state_put(s, "\n", 1);
	state_visit(&s->visitor, f->rows, f->owner);
	fwrite(&s->sum, sizeof s->sum, 1, s->file);
}

bool state_file_save(const struct state_file *f, const char *path, struct fault *fault)
{
	struct output out;
	struct state_stream s;
	bool open = f->shared ? output_open_shared(&out, path, fault) : output_open(&out, path, fault);

	if (!open)
		return false;
	s = state_stream_of(out.stream, state_put_bytes, f);
	state_put_all(&s, f);
	return output_commit(&out, fault);
}

/* ---- loading ---- */

static bool state_is_damaged(const char *path, struct fault *fault)
{
	return fault_set(fault, "%s: damaged: its content does not match its checksum; save it again", path);
}

/* The next line without its newline, cut off to fit.  False: the file ends before one, or the line is longer
 * than one of a head may be. */
static bool state_get_line(FILE *file, char *line, size_t room)
{
	size_t length = 0;
	int c = 0;

	for (size_t i = 0; i < LINE_MOST && (c = fgetc(file)) != EOF && c != '\n'; i++)
		if (length + 1 < room)
			line[length++] = isprint(c) ? (char)c : '?';
	line[length] = 0;
	return c == '\n';
}

/* The value of a line "key = value" if it has this key, else NULL. */
static const char *state_value(const char *line, const char *key, size_t length)
{
	return !strncmp(line, key, length) && !strncmp(line + length, " = ", 3) ? line + length + 3 : NULL;
}

/* False and a fault: the lines differ.  The fault names the key and both values. */
static bool state_is_same_line(const struct state_file *f, const char *saved, const char *wanted,
	const char *path, struct fault *fault)
{
	size_t key = strcspn(wanted, " "), length = strcspn(wanted, "\n");
	const char *value = state_value(saved, wanted, key), *reason = f->reason ? f->reason(wanted) : NULL;

	if (strlen(saved) == length && !strncmp(saved, wanted, length))
		return true;
	if (!value)
		return fault_set(fault, "%s: saved by another version of ssd, or damaged: it has no %.*s",
			path, (int)key, wanted);
	if (!strncmp(wanted, "layout ", 7))
		return fault_set(fault, "%s: saved by another version of ssd; %s", path, f->make);
	if (reason)
		return fault_set(fault, "%s: %s", path, reason);
	return fault_set(fault, "%s: another %s was saved: its %.*s is %.100s, here it is %.*s", path,
		f->what, (int)key, wanted, value, (int)(length - key - 3), wanted + key + 3);
}

static bool state_check_head(FILE *file, const struct state_file *f, const char *path, struct fault *fault)
{
	char line[1024];
	bool same = (state_get_line(file, line, sizeof line) && !strcmp(line, f->magic)) ||
		    fault_set(fault, "%s: not a saved %s of this version (%s)", path, f->what, f->make);

	for (const char *at = f->head; same && *at; at += strcspn(at, "\n") + 1)
		same = state_get_line(file, line, sizeof line) ? state_is_same_line(f, line, at, path, fault)
							       : state_is_damaged(path, fault);
	return same && ((state_get_line(file, line, sizeof line) && !*line) || state_is_damaged(path, fault));
}

/* Compares the checksum at the end with that of everything before it.  Leaves the file where it was. */
static bool state_check_sum(FILE *file, off_t size, const char *path, struct fault *fault)
{
	unsigned char bytes[4096];
	off_t state = ftello(file), left = size - (off_t)sizeof(uint64_t);
	uint64_t sum = HASH_NOTHING, saved;

	rewind(file);
	for (size_t n = 1; left > 0 && n; left -= (off_t)n) {
		n = fread(bytes, 1, left < (off_t)sizeof bytes ? (size_t)left : sizeof bytes, file);
		sum = hash_bytes(sum, bytes, n);
	}
	return (!left && fread(&saved, sizeof saved, 1, file) == 1 && saved == sum &&
		       !fseeko(file, state, SEEK_SET)) ||
	       state_is_damaged(path, fault);
}

static bool state_get_all(
	FILE *file, const struct state_file *f, off_t size, const char *path, struct fault *fault)
{
	struct state_stream s = state_stream_of(file, state_get_bytes, f);

	state_visit(&s.visitor, f->rows, f->owner);
	return (!s.visitor.ended && ftello(file) == size - (off_t)sizeof s.sum) ||
	       state_is_damaged(path, fault);
}

bool state_file_load(const struct state_file *f, const char *path, struct fault *fault)
{
	struct stat status;
	FILE *file;
	bool done;

	if (!stat(path, &status) && !S_ISREG(status.st_mode)) /* a device may never end, a pipe block */
		return fault_set(fault, "%s: should be a file, as a %s is saved in one", path, f->what);
	file = fopen(path, "rb");
	if (!file || fstat(fileno(file), &status))
		return fault_set(fault, "%s: cannot be read: %s", path, strerror(errno));
	done = state_check_head(file, f, path, fault) && state_check_sum(file, status.st_size, path, fault) &&
	       state_get_all(file, f, status.st_size, path, fault);
	fclose(file);
	return done;
}
