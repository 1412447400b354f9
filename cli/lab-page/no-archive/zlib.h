/* In place of zlib: nothing can be unpacked in the browser. */
#ifndef NO_ZLIB_H
#define NO_ZLIB_H

typedef unsigned char Bytef;
typedef unsigned uInt;

typedef struct z_stream_s {
	const Bytef *next_in;
	Bytef *next_out;
	uInt avail_in, avail_out;
	const char *msg;
} z_stream;

enum { Z_OK = 0, Z_STREAM_END = 1, Z_DATA_ERROR = -3, Z_NO_FLUSH = 0, MAX_WBITS = 15 };

#define inflateInit2(z, bits) ((void)(z), Z_DATA_ERROR)
#define inflate(z, flush)     ((void)(z), Z_DATA_ERROR)
#define inflateReset(z)       ((void)(z), Z_DATA_ERROR)
#define inflateEnd(z)         ((void)(z))

#endif
