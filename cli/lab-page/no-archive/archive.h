/* In place of libarchive, of which the browser has none and needs none: nothing can be unpacked or packed. */
#ifndef NO_ARCHIVE_H
#define NO_ARCHIVE_H

#include <sys/types.h>

struct archive;
struct archive_entry;
typedef ssize_t la_ssize_t;

enum { ARCHIVE_OK = 0, ARCHIVE_EOF = 1, ARCHIVE_WARN = -20, ARCHIVE_FATAL = -30 };

#define archive_read_new()                            ((struct archive *)0)
#define archive_read_free(a)                          ((void)(a), ARCHIVE_FATAL)
#define archive_read_support_filter_bzip2(a)          ((void)(a), ARCHIVE_FATAL)
#define archive_read_support_filter_lz4(a)            ((void)(a), ARCHIVE_FATAL)
#define archive_read_support_filter_xz(a)             ((void)(a), ARCHIVE_FATAL)
#define archive_read_support_filter_zstd(a)           ((void)(a), ARCHIVE_FATAL)
#define archive_read_support_format_empty(a)          ((void)(a), ARCHIVE_FATAL)
#define archive_read_support_format_raw(a)            ((void)(a), ARCHIVE_FATAL)
#define archive_read_support_format_tar(a)            ((void)(a), ARCHIVE_FATAL)
#define archive_read_support_format_zip_streamable(a) ((void)(a), ARCHIVE_FATAL)
#define archive_read_open(a, context, o, read, c)     ((void)(read), ARCHIVE_FATAL)
#define archive_read_next_header(a, entry)            ((void)(entry), ARCHIVE_FATAL)
#define archive_read_data(a, to, bytes)               ((la_ssize_t)ARCHIVE_FATAL)
#define archive_error_string(a)                       "packed files are not read here"
#define archive_set_error(a, number, ...)             ((void)(a))

#define archive_write_new()                         ((struct archive *)0)
#define archive_write_set_format_raw(a)             ((void)(a), ARCHIVE_FATAL)
#define archive_write_add_filter_zstd(a)            ((void)(a), ARCHIVE_FATAL)
#define archive_write_set_bytes_per_block(a, bytes) ((void)(a), ARCHIVE_FATAL)
#define archive_write_open(a, context, o, write, c) ((void)(write), ARCHIVE_FATAL)
#define archive_write_header(a, entry)              ((void)(entry), ARCHIVE_FATAL)
#define archive_write_data(a, bytes, size)          ((void)(a), ARCHIVE_FATAL)
#define archive_write_close(a)                      ((void)(a), ARCHIVE_FATAL)
#define archive_write_free(a)                       ((void)(a), ARCHIVE_FATAL)

#define AE_IFREG                              0100000
#define archive_entry_new()                   ((struct archive_entry *)0)
#define archive_entry_free(entry)             ((void)(entry))
#define archive_entry_set_filetype(entry, of) ((void)(entry))
#define archive_entry_filetype(entry)         AE_IFREG
#define archive_entry_pathname(entry)         ""

#endif
