#include "traces/source.h"

#include "base/memory.h"
#include "traces/gzip.h"

#include <archive.h>
#include <archive_entry.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define BLOCK_BYTES (256u << 10)
#define LINE_BYTES  (64u << 10)
#define SNIFF_BYTES 512u /* enough for the magic of a tar header */
#define STAGES      4

/*
 * Bytes rise through stages: the file at the bottom, above it one unpacker for each
 * layer of packing (a tar.gz has two).  A stage looks ahead into its own block;
 * whoever reads it drains that block first.
 */
struct stage {
	struct source *source;
	struct stage *below;     /* NULL: the file */
	struct archive *archive; /* NULL: the file */
	struct gzip_check *gzip; /* NULL: something else */
	char *block;
	size_t at, fill;
};

struct source {
	char *path;
	const char *member; /* NULL: the only one */
	int fd;             /* -1: memory */
	const char *memory;
	uint64_t start;       /* of a file: where it was when it was opened */
	uint64_t read, total; /* bytes since the start; 0: unknown */
	int kept_fd;          /* what came from a pipe so far; -1: nothing is kept */
	uint64_t kept;
	struct stage stage[STAGES];
	unsigned stages;
	char *buffer; /* BLOCK_BYTES and one end mark */
	size_t at, fill;
	bool ended;
	bool broken;         /* a fault has been described */
	struct fault *fault; /* of the call in progress: libarchive calls back */
};

/* Messages are one line, but names in archives may hold anything, and what libarchive says may end in a line's end. */
static const char *printable(const char *text, char line[FAULT_BYTES])
{
	size_t bytes = 0;

	for (; text[bytes] && bytes < FAULT_BYTES - 1; bytes++)
		line[bytes] = (unsigned char)text[bytes] < ' ' || text[bytes] == 0x7f ? '?' : text[bytes];
	while (bytes && text[bytes - 1] == '\n')
		bytes--;
	line[bytes] = '\0';
	return line;
}

static bool broken(struct source *s, const char *what, const char *why)
{
	char line[FAULT_BYTES];

	if (!s->broken)
		fault_set(s->fault, "%s: %s: %s", s->path, what, printable(why, line));
	s->broken = true;
	return false;
}

/* --- the file --- */

static const char *folder_for_pipes(void)
{
	const char *folder = getenv("TMPDIR");

	return folder && *folder ? folder : "/tmp";
}

/* Keeps what came from a pipe.  False and broken if there is no room. */
static bool keep(struct source *s, const char *bytes, size_t n)
{
	if (s->kept + n > SOURCE_KEPT_MAX)
		return broken(
			s, "cannot be read twice", "of a pipe at most 4 GiB are kept; give it as a file");
	for (ssize_t done; n; bytes += done, n -= (size_t)done, s->kept += (uint64_t)done) {
		done = write(s->kept_fd, bytes, n);
		if (done < 0 && errno == EINTR)
			done = 0;
		if (done < 0)
			return broken(s, folder_for_pipes(), strerror(errno));
	}
	return true;
}

/* Until a pipe has something, or a signal comes for which the program has a handler: a reader that cannot be told to
 * end would wait for ever. */
static bool wait_for_bytes(struct source *s)
{
	struct pollfd stream = { .fd = s->fd, .events = POLLIN };

	return poll(&stream, 1, -1) >= 0 || broken(s, "cannot be read", strerror(errno));
}

static ssize_t stream_read(struct source *s, char *to, size_t bytes)
{
	ssize_t got;

	if (s->read >= s->kept && !wait_for_bytes(s))
		return -1;
	do
		got = s->read < s->kept ? pread(s->kept_fd, to, bytes, (off_t)s->read)
					: read(s->fd, to, bytes);
	while (got < 0 && errno == EINTR);
	if (got < 0)
		broken(s, "cannot be read", strerror(errno));
	else if (s->kept_fd >= 0 && s->read == s->kept && !keep(s, to, (size_t)got))
		got = -1;
	return got;
}

static ssize_t file_read(struct source *s, char *to, size_t bytes)
{
	ssize_t got;

	if (s->fd >= 0) {
		got = stream_read(s, to, bytes);
	} else {
		got = (ssize_t)(bytes < s->total - s->read ? bytes : s->total - s->read);
		memcpy(to, s->memory + s->read, (size_t)got);
	}
	if (got > 0)
		s->read += (uint64_t)got;
	return got;
}

/* --- stages --- */

static bool unpacking_failed(struct stage *stage)
{
	const char *why = archive_error_string(stage->archive);

	return broken(stage->source, "is damaged or cut short", why ? why : "unpacking failed");
}

static la_ssize_t lend_block(struct archive *, void *context, const void **block);

/* Everything was unpacked.  libarchive may have left what stands behind. */
static bool is_all_gzip(struct stage *stage)
{
	const void *rest;
	la_ssize_t got;

	do
		got = lend_block(stage->archive, stage, &rest);
	while (got > 0);
	return got == 0 && gzip_check_holds(stage->gzip);
}

/* Reads past the look-ahead. */
static ssize_t stage_draw(struct stage *stage, char *to, size_t bytes)
{
	la_ssize_t got;

	if (!stage->archive)
		return file_read(stage->source, to, bytes);
	got = archive_read_data(stage->archive, to, bytes);
	if (got < 0)
		unpacking_failed(stage);
	if (got > 0 && stage->gzip)
		gzip_check_unpacked(stage->gzip, to, (size_t)got);
	if (got == 0 && stage->gzip && !is_all_gzip(stage)) {
		broken(stage->source, "is damaged or cut short",
			"its checksum is another, or something follows");
		return -1;
	}
	return (ssize_t)got;
}

static ssize_t stage_read(struct stage *stage, char *to, size_t bytes)
{
	size_t ahead = stage->fill - stage->at;

	if (!ahead)
		return stage_draw(stage, to, bytes);
	if (bytes > ahead)
		bytes = ahead;
	memcpy(to, stage->block + stage->at, bytes);
	stage->at += bytes;
	return (ssize_t)bytes;
}

/* Looks ahead SNIFF_BYTES, or all there is. */
static bool stage_sniff(struct stage *stage)
{
	stage->block = memory_array(BLOCK_BYTES, 1, "trace block");
	while (stage->fill < SNIFF_BYTES) {
		ssize_t got = stage_draw(stage, stage->block + stage->fill, BLOCK_BYTES - stage->fill);

		if (got < 0)
			return false;
		if (!got)
			break;
		stage->fill += (size_t)got;
	}
	return true;
}

enum packing { PACKED_NOT, PACKED_GZIP, PACKED_STREAM, PACKED_ARCHIVE };

static enum packing stage_packing(const struct stage *stage)
{
	static const struct {
		const char *magic;
		size_t bytes, at;
		enum packing packing;
	} packings[] = {
		{ "\x1f\x8b", 2, 0, PACKED_GZIP },
		{ "\3757zXZ", 6, 0, PACKED_STREAM },         /* xz, with its closing zero */
		{ "\x28\xb5\x2f\xfd", 4, 0, PACKED_STREAM }, /* zstd */
		{ "BZh", 3, 0, PACKED_STREAM },              /* bzip2 */
		{ "\x04\x22\x4d\x18", 4, 0, PACKED_STREAM }, /* lz4 */
		{ "PK\x03\x04", 4, 0, PACKED_ARCHIVE },      /* zip */
		{ "ustar", 5, 257, PACKED_ARCHIVE },         /* tar */
	};

	for (size_t i = 0; i < sizeof packings / sizeof packings[0]; i++) {
		size_t end = packings[i].at + packings[i].bytes;

		if (stage->fill >= end &&
			!memcmp(stage->block + packings[i].at, packings[i].magic, packings[i].bytes))
			return packings[i].packing;
	}
	return PACKED_NOT;
}

/* libarchive asks for the next block of the stage below. */
static la_ssize_t lend_block(struct archive *archive, void *context, const void **block)
{
	struct stage *stage = context, *below = stage->below;
	size_t ahead;

	if (below->at == below->fill) {
		ssize_t got = stage_draw(below, below->block, BLOCK_BYTES);

		below->at = 0;
		below->fill = got > 0 ? (size_t)got : 0;
		if (got < 0) {
			archive_set_error(archive, EIO, "read error");
			return ARCHIVE_FATAL;
		}
	}
	ahead = below->fill - below->at;
	*block = below->block + below->at;
	below->at = below->fill;
	if (stage->gzip)
		gzip_check_packed(stage->gzip, *block, ahead);
	return (la_ssize_t)ahead;
}

/* --- archives --- */

/* NULL: no memory.  A tar.gz is two layers, so that what is inside the first can be checked. */
static struct archive *unpacker(enum packing packing)
{
	struct archive *a = archive_read_new();

	if (!a)
		return NULL;
	if (packing == PACKED_ARCHIVE) {
		archive_read_support_format_tar(a);
		archive_read_support_format_zip_streamable(a);
		return a;
	}
	archive_read_support_filter_gzip(a);
	archive_read_support_filter_xz(a);
	archive_read_support_filter_zstd(a);
	archive_read_support_filter_bzip2(a);
	archive_read_support_filter_lz4(a);
	archive_read_support_format_raw(a);
	archive_read_support_format_empty(a);
	return a;
}

static bool is_member(struct archive_entry *entry, const char *member)
{
	const char *path = archive_entry_pathname(entry);
	const char *slash;

	if (!path || archive_entry_filetype(entry) != AE_IFREG)
		return false;
	slash = strrchr(path, '/');
	return !member || !strcmp(path, member) || (slash && !strcmp(slash + 1, member));
}

/* Moves to the next regular file called `member` (NULL: any).  NULL: there is none, or `broken`. */
static struct archive_entry *next_member(struct stage *stage, const char *member)
{
	struct archive_entry *entry;
	int status;

	while ((status = archive_read_next_header(stage->archive, &entry)) == ARCHIVE_OK ||
		status == ARCHIVE_WARN)
		if (is_member(entry, member))
			return entry;
	if (status != ARCHIVE_EOF)
		unpacking_failed(stage);
	return NULL;
}

static bool is_raw(struct stage *stage)
{
	return archive_format(stage->archive) == ARCHIVE_FORMAT_RAW;
}

/* An archive of several files must be told which.  Reads what is left of this one. */
static bool refuse_second_member(struct stage *stage)
{
	struct archive_entry *second = next_member(stage, NULL);
	struct source *s = stage->source;
	char name[FAULT_BYTES];

	if (second && !s->broken) {
		fault_set(s->fault,
			"%s: holds several files (\"%.199s\" is the second); choose one with --member",
			s->path, printable(archive_entry_pathname(second), name));
		s->broken = true;
	}
	return !s->broken;
}

/* Stands on the member, or on the only one. */
static bool enter_archive(struct stage *stage, const char *member, bool census)
{
	struct archive_entry *entry = next_member(stage, NULL);

	if (entry && census)
		return refuse_second_member(stage);
	if (entry && !is_member(entry, member))
		entry = next_member(stage, member);
	if (!entry && member)
		return broken(stage->source, "holds no such file", member);
	return entry ? true : broken(stage->source, "holds no file", "an archive must hold a trace");
}

/* Puts an unpacker above the topmost stage.  `census`: only look whether the archive holds one file. */
static bool push_unpacker(struct source *s, enum packing packing, const char *member, bool census)
{
	struct stage *stage = &s->stage[s->stages];

	if (s->stages == STAGES)
		return broken(s, "is packed too often", "at most three layers can be unpacked");
	*stage = (struct stage){ .source = s, .below = stage - 1, .archive = unpacker(packing) };
	if (!stage->archive)
		return broken(s, "cannot be unpacked", "out of memory");
	if (packing == PACKED_GZIP)
		stage->gzip = gzip_check_create();
	s->stages++;
	if (archive_read_open(stage->archive, stage, NULL, lend_block, NULL) != ARCHIVE_OK)
		return unpacking_failed(stage);
	if (packing == PACKED_ARCHIVE)
		return enter_archive(stage, member, census);
	return next_member(stage, NULL) || broken(s, "is empty", "a trace has at least one request");
}

/* --- opening and closing --- */

/* A file without a name, gone with the program whatever ends it. */
static bool open_keeper(struct source *s)
{
	char name[256];

	if (snprintf(name, sizeof name, "%s/ssdlab-pipe-XXXXXX", folder_for_pipes()) >= (int)sizeof name)
		return broken(s, "cannot be read twice", "the path in TMPDIR is too long");
	s->kept_fd = mkstemp(name);
	if (s->kept_fd < 0)
		return broken(s, folder_for_pipes(), strerror(errno));
	unlink(name);
	return true;
}

static bool open_file(struct source *s, bool again)
{
	struct stat status;
	off_t start;

	s->fd = strcmp(s->path, "-") ? open(s->path, O_RDONLY | O_CLOEXEC) : STDIN_FILENO;
	if (s->fd < 0)
		return broken(s, "cannot be opened", strerror(errno));
	if (fstat(s->fd, &status))
		return broken(s, "cannot be opened", strerror(errno));
	if (S_ISDIR(status.st_mode))
		return broken(s, "is a directory", "a trace is a file");
	if (!S_ISREG(status.st_mode))
		return !again || open_keeper(s);
	start = lseek(s->fd, 0, SEEK_CUR);
	s->start = start > 0 ? (uint64_t)start : 0;
	s->total = (uint64_t)status.st_size > s->start ? (uint64_t)status.st_size - s->start : 0;
	return true;
}

static bool push_stages(struct source *s, const char *member, bool census)
{
	s->stage[0] = (struct stage){ .source = s };
	s->stages = 1;
	for (;;) {
		struct stage *top = &s->stage[s->stages - 1];
		enum packing packing;

		if (!stage_sniff(top))
			return false;
		packing = stage_packing(top);
		if (packing == PACKED_NOT)
			return true;
		if (!push_unpacker(s, packing, member, census))
			return false;
		if (census && packing == PACKED_ARCHIVE)
			return true;
	}
}

static void pop_stages(struct source *s)
{
	while (s->stages) {
		struct stage *top = &s->stage[--s->stages];

		if (top->archive)
			archive_read_free(top->archive);
		gzip_check_free(top->gzip);
		memory_free(top->block);
	}
}

/* What was kept of a pipe is read first. */
static bool to_start(struct source *s)
{
	pop_stages(s);
	s->read = 0;
	if (s->fd >= 0 && s->kept_fd < 0 && lseek(s->fd, (off_t)s->start, SEEK_SET) < 0)
		return broken(s, "cannot be read twice", strerror(errno));
	return true;
}

/* Without a member's name, an archive is read twice: first to see that it holds one file only.
 * With a pipe that shows at its end. */
static bool open_stages(struct source *s)
{
	if (s->fd >= 0 && !s->member && s->total && !(push_stages(s, NULL, true) && to_start(s)))
		return false;
	return push_stages(s, s->member, false);
}

/* --- the buffer --- */

/* Reads what nobody asked for, since the checksum stands behind it. */
static bool drain(struct stage *stage)
{
	ssize_t got;

	do
		got = stage_draw(stage, stage->block, BLOCK_BYTES);
	while (got > 0);
	return got == 0;
}

/* The trace has ended.  It must be all there is if no member was named, and what was packed. */
static bool finish(struct source *s)
{
	for (unsigned i = s->stages; i-- > 1;) {
		struct stage *stage = &s->stage[i];

		if (!s->member && !is_raw(stage) && !refuse_second_member(stage))
			return false;
		if (stage->gzip && !drain(stage))
			return false;
	}
	return true;
}

/* Moves the rest to the front and reads more behind it, until the buffer is full or the file ends. */
static bool refill(struct source *s, struct fault *fault, size_t enough)
{
	struct stage *top = &s->stage[s->stages - 1];

	s->fault = fault;
	s->fill -= s->at;
	memmove(s->buffer, s->buffer + s->at, s->fill);
	s->at = 0;
	while (!s->ended && s->fill < enough) {
		ssize_t got = stage_read(top, s->buffer + s->fill, BLOCK_BYTES - s->fill);

		if (got < 0 || (got == 0 && !finish(s)))
			return false;
		s->ended = got == 0;
		s->fill += (size_t)got;
	}
	s->buffer[s->fill] = '\n';
	return true;
}

/* Text files from Windows may begin with an invisible mark. */
static bool skip_byte_order_mark(struct source *s, struct fault *fault)
{
	if (!refill(s, fault, LINE_BYTES))
		return false;
	if (s->fill >= 3 && !memcmp(s->buffer, "\xef\xbb\xbf", 3))
		s->at = 3;
	return true;
}

static struct source *source_create(const char *path, const char *member, struct fault *fault)
{
	struct source *s = memory_array(1, sizeof *s, "trace source");

	s->path = memory_string(path, "trace name");
	s->member = member && *member ? member : NULL;
	s->fault = fault;
	s->fd = s->kept_fd = -1;
	s->buffer = memory_array(BLOCK_BYTES + 1, 1, "trace block");
	s->buffer[0] = '\n';
	return s;
}

struct source *source_open(const char *path, const char *member, bool again, struct fault *fault)
{
	struct source *s = source_create(path, member, fault);

	if (open_file(s, again) && open_stages(s) && skip_byte_order_mark(s, fault))
		return s;
	source_close(s);
	return NULL;
}

struct source *source_memory(
	const char *name, const void *bytes, size_t size, const char *member, struct fault *fault)
{
	struct source *s = source_create(name, member, fault);

	s->memory = bytes;
	s->total = size;
	if (open_stages(s) && skip_byte_order_mark(s, fault))
		return s;
	source_close(s);
	return NULL;
}

void source_close(struct source *s)
{
	if (!s)
		return;
	pop_stages(s);
	if (s->fd > STDIN_FILENO)
		close(s->fd);
	if (s->kept_fd >= 0)
		close(s->kept_fd);
	memory_free(s->buffer);
	memory_free(s->path);
	memory_free(s);
}

bool source_rewind(struct source *s, struct fault *fault)
{
	s->fault = fault;
	s->at = s->fill = 0;
	s->ended = s->broken = false;
	return to_start(s) && push_stages(s, s->member, false) && skip_byte_order_mark(s, fault);
}

/* --- reading --- */

const char *source_head(struct source *s, size_t *size, bool *whole, struct fault *fault)
{
	if (!refill(s, fault, LINE_BYTES))
		return NULL;
	*size = s->fill;
	*whole = s->ended;
	return s->buffer;
}

enum source_status source_line(struct source *s, const char **begin, const char **end, struct fault *fault)
{
	const char *stop = memchr(s->buffer + s->at, '\n', s->fill - s->at);

	if (__builtin_expect(!stop, 0)) {
		if (!refill(s, fault, LINE_BYTES))
			return SOURCE_BAD;
		if (!s->fill)
			return SOURCE_END;
		stop = memchr(s->buffer, '\n', s->fill + 1);
		if (stop == s->buffer + s->fill && !s->ended) {
			fault_set(fault, "%s: a line has no end within %u bytes; it is no text", s->path,
				LINE_BYTES);
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
		if (!refill(s, fault, LINE_BYTES))
			return SOURCE_BAD;
		if (!s->fill)
			return SOURCE_END;
		if (s->fill < bytes) {
			fault_set(fault,
				"%s: ends within a record: %zu bytes are left over, records have %zu",
				s->path, s->fill, bytes);
			return SOURCE_BAD;
		}
	}
	*begin = s->buffer + s->at;
	s->at += bytes;
	return SOURCE_OK;
}

bool source_sound(struct source *s, struct fault *fault)
{
	s->fault = fault;
	return s->stages == 1 || (drain(&s->stage[s->stages - 1]) && finish(s));
}

const char *source_name(const struct source *s)
{
	return s->path;
}

uint64_t source_bytes_read(const struct source *s)
{
	return s->read;
}

uint64_t source_bytes_total(const struct source *s)
{
	return s->total;
}
