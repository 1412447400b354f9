/*
 * Unpacks a stream: gz by zlib; xz, zst, bz2, lz4, tar and zip by libarchive; any of these inside another.
 * Damage found by a checksum is a fault.  Independent of lines.
 */
#ifndef TRACES_UNPACK_H
#define TRACES_UNPACK_H

#include "traces/stream.h"

#define UNPACK_STAGES 4

struct archive;
struct z_stream_s;

/* How a stage transforms the bytes of the stage below. */
enum packing { PACKED_NOT, PACKED_GZIP, PACKED_STREAM, PACKED_ARCHIVE };

/*
 * Bytes rise through stages: the stream at the bottom, above it an unpacker for each layer of packing (a
 * tar.gz has two).  A stage looks ahead into its own block, which its reader takes first.
 */
struct stage {
	struct stream *stream;
	struct stage *below; /* NULL: the stream */
	enum packing packing;
	struct archive *archive;
	struct z_stream_s *gzip;
	bool gzip_ended; /* after the last member */
	char *block;
	size_t at, fill;
};

struct unpack {
	struct stream stream;
	const char *member; /* file of an archive, whole path or last part; NULL: the only one */
	struct stage stage[UNPACK_STAGES];
	unsigned stages;
};

/* Finds out the format of the opened stream and positions it at its first unpacked byte.  False and a
 * fault. */
bool unpack_open(struct unpack *, const char *member);

/* The same again from the start. */
bool unpack_rewind(struct unpack *);

/* Frees the stages and closes the stream. */
void unpack_close(struct unpack *);

/* Reads at most `bytes` unpacked bytes; 0: the end, and nothing was damaged; -1: a fault is described. */
ssize_t unpack_read(struct unpack *, char *to, size_t bytes);

/* Reads the rest of a packed stream to check that it is complete. False and a fault if it is not. */
bool unpack_sound(struct unpack *);

#endif
