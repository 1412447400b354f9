#define ZLIB_CONST
#include "traces/unpack.h"

#include "base/memory.h"

#include <archive.h>
#include <archive_entry.h>
#include <errno.h>
#include <string.h>
#include <zlib.h>

#define BLOCK_BYTES (256u << 10)
#define SNIFF_BYTES 512u /* enough for the magic of a tar header */
#define GZIP_FIRST  0x1f /* first byte of a member */

/* ---- stages ---- */

static ssize_t stage_gunzip(struct stage *, char *to, size_t bytes);

static bool stage_failed(struct stage *stage, const char *why)
{
	return stream_fail(stage->stream, "is damaged or cut short", why ? why : "unpacking failed");
}

/* Unpacks further bytes, without regard to those in stage->block. */
static ssize_t stage_draw(struct stage *stage, char *to, size_t bytes)
{
	la_ssize_t got;

	if (stage->packing == PACKED_NOT)
		return stream_read(stage->stream, to, bytes);
	if (stage->packing == PACKED_GZIP)
		return stage_gunzip(stage, to, bytes);
	got = archive_read_data(stage->archive, to, bytes);
	if (got < 0)
		stage_failed(stage, archive_error_string(stage->archive));
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

/* The next bytes of a stage, in its own block.  Returns their number; 0: the end; -1: it failed. */
static ssize_t stage_lend(struct stage *stage, const void **block)
{
	if (stage->at == stage->fill) {
		ssize_t got = stage_draw(stage, stage->block, BLOCK_BYTES);

		if (got < 0)
			return -1;
		stage->at = 0;
		stage->fill = (size_t)got;
	}
	*block = stage->block + stage->at;
	stage->at = stage->fill;
	return (ssize_t)(stage->block + stage->fill - (const char *)*block);
}

/* Reads on to the end, where the checksum is. */
static bool stage_drain(struct stage *stage)
{
	ssize_t got;

	do
		got = stage_draw(stage, stage->block, BLOCK_BYTES);
	while (got > 0);
	return got == 0;
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

/* ---- gzip ---- */

/* The next bytes to unpack.  False at the end (*got is 0) and on failure. */
static bool stage_fetch(struct stage *stage, ssize_t *got)
{
	const void *block;

	*got = stage_lend(stage->below, &block);
	if (*got <= 0)
		return false;
	stage->gzip->next_in = block;
	stage->gzip->avail_in = (uInt)*got;
	return true;
}

/* A member has ended, its checksum and length are right.  Another one may follow, or zeros up to the end. */
static bool stage_next_member(struct stage *stage)
{
	z_stream *z = stage->gzip;
	bool padded = false;
	ssize_t got = 0;

	while (z->avail_in || stage_fetch(stage, &got)) {
		if (*z->next_in == GZIP_FIRST && !padded)
			return inflateReset(z) == Z_OK;
		if (*z->next_in)
			return stage_failed(stage, "something follows its end");
		padded = true;
		z->next_in++;
		z->avail_in--;
	}
	stage->gzip_ended = true;
	return got == 0;
}

static ssize_t stage_gunzip(struct stage *stage, char *to, size_t bytes)
{
	z_stream *z = stage->gzip;
	ssize_t got;

	z->next_out = (Bytef *)to;
	z->avail_out = (uInt)bytes;
	while (z->avail_out == bytes && !stage->gzip_ended) {
		int status;

		if (!z->avail_in && !stage_fetch(stage, &got)) {
			if (got == 0)
				stage_failed(stage, "its end is missing");
			return -1;
		}
		status = inflate(z, Z_NO_FLUSH);
		if (status == Z_STREAM_END ? !stage_next_member(stage) : status != Z_OK) {
			stage_failed(stage, z->msg);
			return -1;
		}
	}
	return (ssize_t)(bytes - z->avail_out);
}

static bool stage_open_gzip(struct stage *stage)
{
	stage->gzip = memory_array(1, sizeof *stage->gzip, "unpacking");
	return inflateInit2(stage->gzip, MAX_WBITS + 16) == Z_OK ||
	       stream_fail(stage->stream, "cannot be unpacked", "out of memory");
}

/* ---- libarchive ---- */

static la_ssize_t stage_lend_to_archive(struct archive *archive, void *stage, const void **block)
{
	ssize_t got = stage_lend(((struct stage *)stage)->below, block);

	if (got < 0) {
		archive_set_error(archive, EIO, "read error");
		return ARCHIVE_FATAL;
	}
	return (la_ssize_t)got;
}

static bool stage_open_archive(struct stage *stage)
{
	struct archive *a = stage->archive = archive_read_new();

	if (!a)
		return stream_fail(stage->stream, "cannot be unpacked", "out of memory");
	if (stage->packing == PACKED_ARCHIVE) {
		archive_read_support_format_tar(a);
		archive_read_support_format_zip_streamable(a);
	} else {
		archive_read_support_filter_xz(a);
		archive_read_support_filter_zstd(a);
		archive_read_support_filter_bzip2(a);
		archive_read_support_filter_lz4(a);
		archive_read_support_format_raw(a);
		archive_read_support_format_empty(a);
	}
	return archive_read_open(a, stage, NULL, stage_lend_to_archive, NULL) == ARCHIVE_OK ||
	       stage_failed(stage, archive_error_string(a));
}

static bool stage_is_member(struct archive_entry *entry, const char *member)
{
	const char *path = archive_entry_pathname(entry);
	const char *slash;

	if (!path || archive_entry_filetype(entry) != AE_IFREG)
		return false;
	slash = strrchr(path, '/');
	return !member || !strcmp(path, member) || (slash && !strcmp(slash + 1, member));
}

/* Moves to the next regular file called `member` (NULL: any).  NULL: there is none, or it failed. */
static struct archive_entry *stage_find_member(struct stage *stage, const char *member)
{
	struct archive_entry *entry;
	int status;

	while ((status = archive_read_next_header(stage->archive, &entry)) == ARCHIVE_OK ||
		status == ARCHIVE_WARN)
		if (stage_is_member(entry, member))
			return entry;
	if (status != ARCHIVE_EOF)
		stage_failed(stage, archive_error_string(stage->archive));
	return NULL;
}

/* Fails if another file follows: the user must choose one. Reads the rest of this one. */
static bool stage_refuse_second_member(struct stage *stage)
{
	struct archive_entry *second = stage_find_member(stage, NULL);
	struct stream *s = stage->stream;
	char name[FAULT_BYTES];

	if (second && !s->broken) {
		fault_set(s->fault,
			"%s: holds several files (\"%.199s\" is the second); choose one with --member",
			s->path, stream_printable(archive_entry_pathname(second), name));
		s->broken = true;
	}
	return !s->broken;
}

/* Moves to the member, or to the only one. */
static bool stage_enter_archive(struct stage *stage, const char *member, bool count_only)
{
	struct archive_entry *entry = stage_find_member(stage, NULL);

	if (entry && count_only)
		return stage_refuse_second_member(stage);
	if (entry && !stage_is_member(entry, member))
		entry = stage_find_member(stage, member);
	if (!entry && member)
		return stream_fail(stage->stream, "holds no such file", member);
	return entry ? true : stream_fail(stage->stream, "holds no file", "an archive must hold a trace");
}

/* ---- the stack ---- */

static bool unpack_push(struct unpack *u, enum packing packing, bool count_only)
{
	struct stage *stage = &u->stage[u->stages];

	if (u->stages == UNPACK_STAGES)
		return stream_fail(&u->stream, "is packed too often", "at most three layers can be unpacked");
	*stage = (struct stage){ .stream = &u->stream, .below = stage - 1, .packing = packing };
	u->stages++;
	if (packing == PACKED_GZIP)
		return stage_open_gzip(stage);
	if (!stage_open_archive(stage))
		return false;
	if (packing == PACKED_ARCHIVE)
		return stage_enter_archive(stage, u->member, count_only);
	return stage_find_member(stage, NULL) ||
	       stream_fail(&u->stream, "is empty", "a trace has at least one request");
}

/* A stage for each layer.  `count_only`: only looks whether an archive holds one file. */
static bool unpack_build(struct unpack *u, bool count_only)
{
	u->stage[0] = (struct stage){ .stream = &u->stream };
	u->stages = 1;
	for (;;) {
		struct stage *top = &u->stage[u->stages - 1];
		enum packing packing;

		if (!stage_sniff(top))
			return false;
		if (top->packing == PACKED_GZIP && !top->fill)
			return stream_fail(&u->stream, "is empty", "a trace has at least one request");
		packing = stage_packing(top);
		if (packing == PACKED_NOT)
			return true;
		if (!unpack_push(u, packing, count_only))
			return false;
		if (count_only && packing == PACKED_ARCHIVE)
			return true;
	}
}

static void unpack_free_stages(struct unpack *u)
{
	while (u->stages) {
		struct stage *top = &u->stage[--u->stages];

		if (top->archive)
			archive_read_free(top->archive);
		if (top->gzip)
			inflateEnd(top->gzip);
		memory_free(top->gzip);
		memory_free(top->block);
	}
}

/* Without a member's name, an archive in a file is read twice, first to see that it holds one file only.
 * In a pipe, a second file is found only at the end of the first. */
bool unpack_open(struct unpack *u, const char *member)
{
	u->member = member && *member ? member : NULL;
	if (u->stream.fd >= 0 && !u->member && u->stream.total)
		return unpack_build(u, true) && unpack_rewind(u);
	return unpack_build(u, false);
}

bool unpack_rewind(struct unpack *u)
{
	unpack_free_stages(u);
	return stream_rewind(&u->stream) && unpack_build(u, false);
}

void unpack_close(struct unpack *u)
{
	unpack_free_stages(u);
	stream_close(&u->stream);
}

/* The topmost stage has ended.  If no member was named, an archive must end there, too; the checksum of a
 * gzip file lies behind the bytes that the stages above have read. */
static bool unpack_finish(struct unpack *u)
{
	for (unsigned i = u->stages; i-- > 1;) {
		struct stage *stage = &u->stage[i];

		if (stage->packing == PACKED_ARCHIVE && !u->member && !stage_refuse_second_member(stage))
			return false;
		if (stage->packing == PACKED_GZIP && !stage_drain(stage))
			return false;
	}
	return true;
}

ssize_t unpack_read(struct unpack *u, char *to, size_t bytes)
{
	ssize_t got = stage_read(&u->stage[u->stages - 1], to, bytes);

	return got == 0 && !unpack_finish(u) ? -1 : got;
}

bool unpack_sound(struct unpack *u)
{
	return u->stages == 1 || (stage_drain(&u->stage[u->stages - 1]) && unpack_finish(u));
}
