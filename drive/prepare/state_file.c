#include "drive/prepare/state_file.h"

#include "base/child.h"
#include "base/guard.h"
#include "base/hash.h"
#include "base/memory.h"
#include "stats/output.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#define TOO_SHORT   "end: it is too short"
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
	state_file_add_sum(f, "layout", state_layout(f->rows, f->owner, f->scope.running));
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
	return (struct state_stream){ .visitor = { .visit = visit, .scope = f->scope, .most = UINT64_MAX },
		.file = file,
		.sum = HASH_NOTHING };
}

static void state_put(struct state_stream *s, const void *bytes, size_t size)
{
	fwrite(bytes, 1, size, s->file);
	s->sum = hash_bytes(s->sum, bytes, size);
}

/* False: the file is at its end. */
static bool state_get(struct state_stream *s, void *bytes, size_t size)
{
	if (fread(bytes, 1, size, s->file) != size)
		return false;
	s->sum = hash_bytes(s->sum, bytes, size);
	return true;
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

/* NULL, or the damaged part.  The memory of a fresh drive is zero and stays untouched where zeros are read,
 * so that it takes no room. */
static const char *state_get_chunk(struct state_stream *s, unsigned char *bytes, size_t size)
{
	char tag;

	if (!state_get(s, &tag, 1))
		return TOO_SHORT;
	if (tag == '1')
		return state_get(s, bytes, size) ? NULL : TOO_SHORT;
	if (tag != '0')
		return "chunks";
	if (!state_is_zero(bytes, size))
		memset(bytes, 0, size);
	return NULL;
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

	for (size_t part; size && !visitor->broken; bytes += part, size -= part) {
		part = size < CHUNK_BYTES ? size : CHUNK_BYTES;
		visitor->broken = state_get_chunk((struct state_stream *)visitor, bytes, part);
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
	BUG_ON(s->visitor.broken, "the %s breaks what is declared of its %s", f->what, s->visitor.broken);
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

/* ---- loading: nothing in the file is trusted ---- */

static bool state_is_damaged(const char *path, const char *where, struct fault *fault)
{
	return fault_set(fault, "%s: damaged in its %s; save it again", path, where);
}

/* The next line without its newline, cut off to fit.  False: the file ends before one, or the line is longer
 * than a line of the header may be. */
static bool state_get_line(struct state_stream *s, char *line, size_t room)
{
	size_t length = 0;
	char c = 0;

	for (size_t i = 0; i < LINE_MOST && state_get(s, &c, 1) && c != '\n'; i++)
		if (length + 1 < room)
			line[length++] = isprint((unsigned char)c) ? c : '?';
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

static bool state_check_head(
	struct state_stream *s, const struct state_file *f, const char *path, struct fault *fault)
{
	char line[1024];
	bool same = (state_get_line(s, line, sizeof line) && !strcmp(line, f->magic)) ||
		    fault_set(fault, "%s: not a saved %s of this version (%s)", path, f->what, f->make);

	for (const char *at = f->head; same && *at; at += strcspn(at, "\n") + 1)
		same = state_get_line(s, line, sizeof line) ? state_is_same_line(f, line, at, path, fault)
							    : state_is_damaged(path, TOO_SHORT, fault);
	return same &&
	       ((state_get_line(s, line, sizeof line) && !*line) || state_is_damaged(path, "head", fault));
}

static bool state_get_all(
	struct state_stream *s, const struct state_file *f, const char *path, struct fault *fault)
{
	const char *broken;
	uint64_t sum = 0;

	state_visit(&s->visitor, f->rows, f->owner);
	broken = s->visitor.broken;
	if (!broken && fread(&sum, sizeof sum, 1, s->file) != 1)
		broken = TOO_SHORT;
	else if (!broken && sum != s->sum)
		broken = "checksum";
	else if (!broken && fgetc(s->file) != EOF)
		broken = "end: something follows it";
	return !broken || state_is_damaged(path, broken, fault);
}

/* Reads all that the other side of the pipe writes, up to a length. */
static void state_read_pipe(int from, char *text, size_t room)
{
	size_t length = 0;
	ssize_t n;

	while (length + 1 < room &&
		((n = read(from, text + length, room - 1 - length)) > 0 || (n < 0 && errno == EINTR)))
		length += n > 0 ? (size_t)n : 0;
	text[length] = 0;
}

/* The words of "ssd: BUG in FILE:LINE: words". */
static const char *state_words_of_bug(char *line)
{
	char *at = strstr(line, ": BUG in ");

	line[strcspn(line, "\n")] = 0;
	at = at ? strstr(at + 2, ": ") : NULL;
	return at ? at + 2 : "structure";
}

static _Noreturn void state_check_and_exit(const struct state_file *f, int words)
{
	static const int fatal[] = { SIGABRT, SIGSEGV, SIGBUS, SIGFPE, SIGILL };

	for (size_t i = 0; i < sizeof fatal / sizeof *fatal; i++)
		signal(fatal[i], SIG_DFL);
	dup2(words, STDERR_FILENO);
	close(words);
	setrlimit(RLIMIT_CORE, &(struct rlimit){ 0, 0 });
	f->check(f->owner);
	_exit(0);
}

/*
 * A check aborts at the first invariant that is broken.  That is right for a bug, but here the file is to
 * blame: so the check runs in a child process, on a copy of everything, and the message of its abort becomes
 * the fault.
 */
static bool state_check_in_child(const struct state_file *f, const char *path, struct fault *fault)
{
	char words[256];
	int ends[2], status;
	pid_t child = -1;

	if (!pipe(ends) && !(child = fork()))
		state_check_and_exit(f, ends[1]);
	if (child < 0)
		return fault_set(fault, "%s: cannot be checked: %s", path, strerror(errno));
	close(ends[1]);
	state_read_pipe(ends[0], words, sizeof words);
	close(ends[0]);
	status = child_end(child);
	if (status < 0)
		return fault_set(fault, "%s: cannot be checked while SIGCHLD is ignored", path);
	return !status || state_is_damaged(path, state_words_of_bug(words), fault);
}

bool state_file_load(const struct state_file *f, const char *path, struct fault *fault)
{
	struct stat status = { .st_size = 0 };
	struct state_stream s;
	FILE *file;
	bool done;

	if (!stat(path, &status) && !S_ISREG(status.st_mode)) /* else reading may never end, or block */
		return fault_set(fault, "%s: should be a file, as a %s is saved in one", path, f->what);
	file = fopen(path, "rb");
	if (!file)
		return fault_set(fault, "%s: cannot be read: %s", path, strerror(errno));
	s = state_stream_of(file, state_get_bytes, f);
	s.visitor.most = (uint64_t)status.st_size;
	done = state_check_head(&s, f, path, fault) && state_get_all(&s, f, path, fault) &&
	       (!f->check || state_check_in_child(f, path, fault));
	fclose(file);
	return done;
}

struct state_trial {
	bool (*trial)(void *context);
	void *context;
	bool passed;
};

static void state_pass(void *trial)
{
	struct state_trial *t = trial;

	t->passed = t->trial(t->context);
}

bool state_file_try(bool (*trial)(void *context), void *context, const char *path, struct fault *fault)
{
	struct state_trial t = { trial, context, false };
	struct guard guard = { .line = 0 };
	enum guard_end end = guard_call(&guard, state_pass, &t);

	if (end == GUARD_DONE) {
		guard_leave_memory(&guard);
		return t.passed;
	}
	memory_list_free(&guard.memory);
	if (end == GUARD_NO_MEMORY)
		return fault_set(fault, "%s", guard.fault.text);
	return state_is_damaged(path, guard.fault.text, fault);
}
