#include "prepare/kept.h"

#include "base/beside.h"
#include "base/child.h"
#include "base/hash.h"
#include "base/memory.h"
#include "stats/output.h"

#include <ctype.h>
#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#define TOO_SHORT   "end: it is too short"
#define CHUNK_BYTES 65536u

/* So many chunks together are worth a second core. */
#define BLOCK_CHUNKS 32u

void kept_add(struct kept *k, const char *key, const char *value)
{
	size_t bytes = strlen(key) + strlen(value) + 5;

	k->head = memory_grown(k->head, &k->room, k->length + (uint32_t)bytes, 1, "head of a file");
	k->length += (uint32_t)snprintf(k->head + k->length, bytes, "%s = %s\n", key, value);
}

void kept_release(struct kept *k)
{
	memory_free(k->head);
}

/* ---- the file: everything before the sum at its end is in the sum ---- */

/* Read, and on the way to its place. */
struct chunk {
	unsigned char bytes[CHUNK_BYTES], *to;
	size_t size;
	bool zeros; /* instead of the bytes */
};

struct chunks {
	struct chunk chunk[BLOCK_CHUNKS];
	uint32_t count;
};

/* Visits regions with a file: out of them or into them. */
struct image {
	struct regions regions; /* first: the visitor is found through it */
	FILE *file;
	uint64_t sum;
	struct chunks block[2]; /* one is read while the other is put in its place */
	uint32_t read;          /* the one that is */
	struct beside placing;
};

static struct image *image_create(
	FILE *file, void (*visit)(struct regions *, void *, size_t), const struct kept *k)
{
	struct image *i = memory_array(1, sizeof *i, "file of state");
	struct stat status;

	i->regions.visit = visit;
	i->regions.running = k->running;
	i->regions.most = file && !fstat(fileno(file), &status) ? (uint64_t)status.st_size : UINT64_MAX;
	i->file = file;
	i->sum = HASH_NOTHING;
	return i;
}

static void put(struct image *i, const void *bytes, size_t size)
{
	fwrite(bytes, 1, size, i->file);
	i->sum = hash_bytes(i->sum, bytes, size);
}

/* False: the file is at its end. */
static bool get(struct image *i, void *bytes, size_t size)
{
	if (fread(bytes, 1, size, i->file) != size)
		return false;
	i->sum = hash_bytes(i->sum, bytes, size);
	return true;
}

static bool all_zero(const unsigned char *bytes, size_t size)
{
	return !bytes[0] && !memcmp(bytes, bytes + 1, size - 1);
}

/* Chunk by chunk: a byte that says whether anything follows, then the bytes. */
static void write_region(struct regions *regions, void *bytes, size_t size)
{
	struct image *i = (struct image *)regions;
	unsigned char *at = bytes;

	for (size_t part; size; at += part, size -= part) {
		part = size < CHUNK_BYTES ? size : CHUNK_BYTES;
		if (all_zero(at, part)) {
			put(i, "0", 1);
		} else {
			put(i, "1", 1);
			put(i, at, part);
		}
	}
}

static void place_chunk(const struct chunk *c)
{
	/* Zeros are left untouched: the memory of a fresh drive is zero already. */
	if (!c->zeros)
		memcpy(c->to, c->bytes, c->size);
	else if (!all_zero(c->to, c->size))
		memset(c->to, 0, c->size);
}

static void place_chunks(void *chunks)
{
	struct chunks *b = chunks;

	for (uint32_t c = 0; c < b->count; c++)
		place_chunk(&b->chunk[c]);
	b->count = 0;
}

/* What was read goes to its place: beside, unless that is still busy with the block before. */
static void place(struct image *i)
{
	struct chunks *b = &i->block[i->read];

	if (beside_busy(&i->placing)) {
		place_chunks(b);
	} else {
		i->read = !i->read;
		beside_start(&i->placing, place_chunks, b);
	}
}

/* NULL, or what is broken. */
static const char *read_chunk(struct image *i, struct chunk *c, unsigned char *to, size_t size)
{
	char tag;

	if (!get(i, &tag, 1) || (tag == '1' && !get(i, c->bytes, size)))
		return TOO_SHORT;
	c->to = to;
	c->size = size;
	c->zeros = tag == '0';
	return tag == '0' || tag == '1' ? NULL : "chunks";
}

/* Memory that is touched first is what this takes longest for, and then the sum: so they are done side by side. */
static void read_region(struct regions *regions, void *bytes, size_t size)
{
	struct image *i = (struct image *)regions;
	unsigned char *at = bytes;

	for (size_t part; size && !regions->broken; at += part, size -= part) {
		struct chunks *b = &i->block[i->read];
		struct chunk *c = &b->chunk[b->count];

		part = size < CHUNK_BYTES ? size : CHUNK_BYTES;
		regions->broken = read_chunk(i, c, at, part);
		b->count += !regions->broken;
		if (b->count == BLOCK_CHUNKS)
			place(i);
	}
	place_chunks(&i->block[i->read]);
	beside_end(&i->placing);
}

static void write_all(struct image *i, const struct kept *k)
{
	put(i, k->magic, strlen(k->magic));
	put(i, "\n", 1);
	put(i, k->head, k->length);
	put(i, "\n", 1);
	k->visit(k->context, &i->regions);
	BUG_ON(i->regions.broken, "the %s breaks what is declared of its %s", k->what, i->regions.broken);
	fwrite(&i->sum, sizeof i->sum, 1, i->file);
}

/* Nothing is allocated, and so can fail, while the file is half written. */
bool kept_save(const struct kept *k, const char *path, struct fault *fault)
{
	struct image *i = image_create(NULL, write_region, k);
	struct output out;
	bool done = output_open(&out, path, fault);

	if (done) {
		i->file = out.stream;
		write_all(i, k);
		done = output_commit(&out, fault);
	}
	memory_free(i);
	return done;
}

/* ---- loading: nothing of the file is believed ---- */

static bool damaged(const char *path, const char *where, struct fault *fault)
{
	return fault_set(fault, "%s: damaged in its %s; save it again", path, where);
}

/* The next line without its end, cut off where it is long.  False: it has no end. */
static bool get_line(struct image *i, char *line, size_t room)
{
	size_t length = 0;
	char c = 0;

	while (get(i, &c, 1) && c != '\n')
		if (length + 1 < room)
			line[length++] = isprint((unsigned char)c) ? c : '?';
	line[length] = 0;
	return c == '\n';
}

/* The value of a line "key = value" if it has this key, else NULL. */
static const char *value_in(const char *line, const char *key, size_t length)
{
	return !strncmp(line, key, length) && !strncmp(line + length, " = ", 3) ? line + length + 3 : NULL;
}

/* The first line that is another one names the key and both values. */
static bool same_line(
	const struct kept *k, const char *kept, const char *wanted, const char *path, struct fault *fault)
{
	size_t key = strcspn(wanted, " "), length = strcspn(wanted, "\n");
	const char *value = value_in(kept, wanted, key), *reason = k->reason ? k->reason(wanted) : NULL;

	if (strlen(kept) == length && !strncmp(kept, wanted, length))
		return true;
	if (!value)
		return fault_set(fault, "%s: kept by another version of ssd, or damaged: it has no %.*s",
			path, (int)key, wanted);
	if (reason)
		return fault_set(fault, "%s: %s", path, reason);
	return fault_set(fault, "%s: another %s was saved: its %.*s is %.100s, here it is %.*s", path,
		k->what, (int)key, wanted, value, (int)(length - key - 3), wanted + key + 3);
}

static bool check_head(struct image *i, const struct kept *k, const char *path, struct fault *fault)
{
	char line[1024];
	bool same = (get_line(i, line, sizeof line) && !strcmp(line, k->magic)) ||
		    fault_set(fault, "%s: not a saved %s of this version (%s)", path, k->what, k->make);

	for (const char *at = k->head; same && *at; at += strcspn(at, "\n") + 1)
		same = get_line(i, line, sizeof line) ? same_line(k, line, at, path, fault)
						      : damaged(path, TOO_SHORT, fault);
	return same && ((get_line(i, line, sizeof line) && !*line) || damaged(path, "head", fault));
}

static bool load_regions(struct image *i, const struct kept *k, const char *path, struct fault *fault)
{
	struct regions *r = &i->regions;
	uint64_t sum = 0;

	k->visit(k->context, r);
	beside_free(&i->placing);
	regions_require(r, fread(&sum, sizeof sum, 1, i->file) == 1, TOO_SHORT);
	regions_require(r, sum == i->sum, "checksum");
	regions_require(r, fgetc(i->file) == EOF, "end: something follows it");
	return !r->broken || damaged(path, r->broken, fault);
}

/* What the other side of the pipe says, up to a length. */
static void read_words(int from, char *words, size_t room)
{
	size_t length = 0;
	ssize_t n;

	while (length + 1 < room &&
		((n = read(from, words + length, room - 1 - length)) > 0 || (n < 0 && errno == EINTR)))
		length += n > 0 ? (size_t)n : 0;
	words[length] = 0;
}

/* The words of "ssd: BUG in FILE:LINE: words". */
static const char *words_of_bug(char *line)
{
	char *at = strstr(line, ": BUG in ");

	line[strcspn(line, "\n")] = 0;
	at = at ? strstr(at + 2, ": ") : NULL;
	return at ? at + 2 : "structure";
}

static _Noreturn void check_and_exit(const struct kept *k, int words)
{
	static const int fatal[] = { SIGABRT, SIGSEGV, SIGBUS, SIGFPE, SIGILL };

	for (size_t i = 0; i < sizeof fatal / sizeof *fatal; i++)
		signal(fatal[i], SIG_DFL);
	dup2(words, STDERR_FILENO);
	close(words);
	setrlimit(RLIMIT_CORE, &(struct rlimit){ 0, 0 });
	k->check(k->context);
	_exit(0);
}

/*
 * A check ends the process at the first thing that is wrong, as it should where that is a bug of ours.  Here the file
 * is to blame: the check runs in a process of its own, on a copy of all, and its last words are what is reported.
 */
static bool check_apart(const struct kept *k, const char *path, struct fault *fault)
{
	char words[256];
	int ends[2], status;
	pid_t child = -1;

	if (!pipe(ends) && !(child = fork()))
		check_and_exit(k, ends[1]);
	if (child < 0)
		return fault_set(fault, "%s: cannot be checked: %s", path, strerror(errno));
	close(ends[1]);
	read_words(ends[0], words, sizeof words);
	close(ends[0]);
	status = child_end(child);
	if (status < 0)
		return fault_set(fault, "%s: cannot be checked while SIGCHLD is ignored", path);
	return !status || damaged(path, words_of_bug(words), fault);
}

bool kept_load(const struct kept *k, const char *path, struct fault *fault)
{
	FILE *file = fopen(path, "rb");
	struct image *i;
	bool done;

	if (!file)
		return fault_set(fault, "%s: cannot be read: %s", path, strerror(errno));
	i = image_create(file, read_region, k);
	done = check_head(i, k, path, fault) && load_regions(i, k, path, fault) &&
	       check_apart(k, path, fault);
	memory_free(i);
	fclose(file);
	return done;
}
