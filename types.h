/*
 * Units and names shared by all rooms. Includes no other file of the project.
 *
 * One typedef per kind of number, so that a signature says what it wants:
 *
 *	tick_t    simulated time, nanoseconds since the start of the run
 *	sector_t  logical sector number of the drive (512 bytes each)
 *	lpn_t     logical page number            = sector / sectors per page
 *	sub_t     logical sub-page number        = sector / sectors per sub-page
 *	ppn_t     physical page number           = block * pages per block + page
 *	block_t   physical block number          = plane * blocks per plane + index
 *	plane_t   plane number                   = die * planes per die + index
 *	die_t     die number, channel by channel = (channel * chips + chip) * dies + index
 *	owner_t   what a physical page holds: a name in the FTL's own name space
 *	          (for page mapping simply the LPN), kept in the page's spare area
 */
#ifndef TYPES_H
#define TYPES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#if defined __SIZEOF_POINTER__ && !defined __SIZEOF_INT128__
#error "ssdlab needs integers of 128 bits, which compilers for 32-bit machines do not have"
#endif

#define SECTOR_BYTES 512u

typedef uint64_t tick_t;
typedef uint64_t sector_t;
typedef uint32_t lpn_t;
typedef uint32_t sub_t;
typedef uint32_t ppn_t;
typedef uint32_t block_t;
typedef uint32_t plane_t;
typedef uint32_t die_t;
typedef uint32_t owner_t;

/* Bit i = sector i of a page; pages have at most 64 sectors (32 KiB). */
typedef uint64_t mask_t;

#define TICK_NEVER UINT64_MAX
#define LPN_NONE   UINT32_MAX
#define PPN_NONE   UINT32_MAX
#define BLOCK_NONE UINT32_MAX
#define PLANE_NONE UINT32_MAX
#define OWNER_NONE UINT32_MAX

/* The half-open sector range [start, end). */
struct extent {
	sector_t start, end;
};

enum request_type {
	REQUEST_READ,
	REQUEST_WRITE,
	REQUEST_TRIM,
	REQUEST_TYPES,

	/* Commands without sectors. */
	REQUEST_COLLECT = REQUEST_TYPES, /* not from a host: the drive reclaims a block */
	REQUEST_FLUSH,                   /* done when all data written before it is in flash */
	REQUEST_UPDATE,                  /* data of this placement handle continues in new blocks */
	REQUEST_ZONE                     /* `hint`, a zone_command, for the zone with the number `start` */
};

enum zone_command { ZONE_COMMAND_OPEN, ZONE_COMMAND_CLOSE, ZONE_COMMAND_FINISH };

/* Flags of writes. */
#define REQUEST_FUA    1u /* done when the data is in flash */
#define REQUEST_APPEND 2u /* names a zone: the data goes to its write pointer */

/* One line of a trace, in the drive's units. */
struct request {
	tick_t arrival;   /* ns; the first request of a trace need not be at 0 */
	sector_t start;   /* first sector */
	uint64_t line;    /* line (or record) of the trace it came from, from 1 */
	uint32_t sectors; /* > 0, except in commands without sectors */
	uint32_t device;  /* device or volume number of the trace */
	enum request_type type;
	uint8_t hint;  /* of the host: where to place the data; 0: none */
	uint8_t flags; /* REQUEST_FUA, REQUEST_APPEND */
};

/* A request of a host for sectors, or a command without sectors? */
static inline bool request_has_sectors(enum request_type type)
{
	return type < REQUEST_TYPES;
}

/* Does a host wait until it is done?  The other commands complete without a reply. */
static inline bool request_is_awaited(enum request_type type)
{
	return request_has_sectors(type) || type == REQUEST_FLUSH;
}

static inline struct extent request_extent(const struct request *r)
{
	return (struct extent){ r->start, r->start + r->sectors };
}

static inline uint64_t extent_sectors(struct extent e)
{
	return e.end - e.start;
}

/* Bits of the sectors of page `lpn`, of 1 << shift sectors, that lie in the extent (which touches the
 * page). */
static inline mask_t extent_mask(struct extent e, lpn_t lpn, uint32_t shift)
{
	sector_t first = (sector_t)lpn << shift;
	uint32_t sectors = 1u << shift;
	uint32_t from = e.start > first ? (uint32_t)(e.start - first) : 0;
	uint32_t to = e.end - first < sectors ? (uint32_t)(e.end - first) : sectors;

	return (to == 64 ? ~(mask_t)0 : ((mask_t)1 << to) - 1) & ~(((mask_t)1 << from) - 1);
}

static inline uint32_t mask_sectors(mask_t mask)
{
	/* Counts in parallel: without a popcount instruction, the compiler's builtin is a call. */
	mask -= mask >> 1 & 0x5555555555555555u;
	mask = (mask & 0x3333333333333333u) + (mask >> 2 & 0x3333333333333333u);
	mask = (mask + (mask >> 4)) & 0x0f0f0f0f0f0f0f0fu;
	return (uint32_t)(mask * 0x0101010101010101u >> 56);
}

#endif
