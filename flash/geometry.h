/*
 * The structure of the medium, channel > chip > die > plane > block > page, and how long its operations take.
 * Derived numbers are computed once and const afterwards.
 */
#ifndef FLASH_GEOMETRY_H
#define FLASH_GEOMETRY_H

#include "base/divide.h"
#include "base/fault.h"
#include "base/param.h"
#include "base/state.h"
#include "types.h"

enum multiplane { MULTIPLANE_OFF, MULTIPLANE_SAME_OFFSET, MULTIPLANE_ANY };
enum bus_order { BUS_COMMAND_FIRST, BUS_FIFO, BUS_DATA_FIRST };
enum scheduling { SCHEDULE_READ_FIRST, SCHEDULE_FIFO };
enum command_kind { COMMAND_READ, COMMAND_PROGRAM, COMMAND_ERASE, COMMANDS };
enum program_order { ORDER_CONSECUTIVE, ORDER_ASCENDING };
enum program_unit { UNIT_PAGE, UNIT_WORDLINE };
/* A bit for reads, a bit for programs. */
enum cache_register { CACHE_OFF, CACHE_READ = 1, CACHE_PROGRAM = 2, CACHE_BOTH = 3 };
enum suspension { SUSPEND_NEVER, SUSPEND_ERASE, SUSPEND_PROGRAM_AND_ERASE };

/* As the user set them; flash_params describes every field. */
struct flash_settings {
	uint64_t channels, chips, dies, planes, blocks, pages; /* each per element of the level above */
	uint64_t page_bytes;
	double over_provisioning; /* (physical - logical) / physical */
	struct tick_list read_ns, program_ns;
	struct tick_list command_ns,
		plane_command_ns; /* enum command_kind; one time for all, or one for each */
	uint64_t erase_ns;
	double bus_mb_per_s; /* 10^6 bytes per second, each channel */
	bool copyback, interleave;
	int multiplane, scheduler, suspend, order, bus_order;
	bool multiplane_copy;
	uint64_t read_first_limit;  /* read commands that may overtake a waiting operation; 0 = any number */
	uint64_t multiplane_search; /* waiting operations searched for some that can join a command */
	uint64_t forward_bytes;     /* controller memory for pages to be programmed */
	uint64_t suspend_ns, resume_ns;
	uint64_t endurance; /* erases a block survives; 0 = any number */
	uint64_t cell_bits, passes, wordline_wait_ns;
	int program_unit;
	int cache_register;
};

extern const struct param flash_params[];

struct geometry {
	uint32_t channels, chips_per_channel, dies_per_chip, planes_per_die;
	uint32_t blocks_per_plane, pages_per_block, sectors_per_page;
	uint32_t page_bytes, sector_shift; /* sectors_per_page = 1 << sector_shift */
	uint32_t dies_per_channel;

	die_t dies;
	plane_t planes;
	block_t blocks;
	uint32_t pages; /* physical */
	uint32_t pages_per_plane;
	lpn_t logical_pages;
	sector_t logical_sectors;
	uint32_t zone_pages;   /* pages of a zone; 0: the drive has no zones */
	uint64_t active_zones; /* most zones that may be begun and not full; 0: any number */
	mask_t full_page;      /* all sectors of a page */
	struct divisor per_block, per_plane, per_die; /* pages, blocks, planes */
	struct divisor plane_pages, die_pages;
};

/* Computes the geometry from the settings; false and a fault: they are impossible. */
bool geometry_derive(struct geometry *, const struct flash_settings *, struct fault *);

/* Computes the totals (dies, planes, blocks, pages) from the numbers per level. */
void geometry_count(struct geometry *);

/* Pages that a program command programs in each plane. */
static inline uint32_t geometry_program_pages(const struct flash_settings *s)
{
	return s->program_unit == UNIT_WORDLINE ? (uint32_t)s->cell_bits : 1;
}

/* Bus time of a command.  `times`: those of its first plane, or of each further one. */
static inline uint64_t geometry_command_ns(const struct tick_list *times, enum command_kind command)
{
	return times->ns[times->count == 1 ? 0 : command];
}

static inline block_t geometry_block(const struct geometry *g, ppn_t ppn)
{
	return divide(ppn, g->per_block);
}

/* Offset of the page in its block. */
static inline uint32_t geometry_page(const struct geometry *g, ppn_t ppn)
{
	return ppn - geometry_block(g, ppn) * g->pages_per_block;
}

/* Are the two pages in the same block? */
static inline bool geometry_share_block(const struct geometry *g, ppn_t ppn, ppn_t other)
{
	return other - geometry_block(g, ppn) * g->pages_per_block < g->pages_per_block;
}

static inline plane_t geometry_plane(const struct geometry *g, block_t block)
{
	return divide(block, g->per_plane);
}

static inline die_t geometry_die(const struct geometry *g, plane_t plane)
{
	return divide(plane, g->per_die);
}

static inline plane_t geometry_plane_of(const struct geometry *g, ppn_t ppn)
{
	return divide(ppn, g->plane_pages);
}

static inline die_t geometry_die_of(const struct geometry *g, ppn_t ppn)
{
	return divide(ppn, g->die_pages);
}

static inline ppn_t geometry_first_page(const struct geometry *g, block_t block)
{
	return block * g->pages_per_block;
}

static inline lpn_t geometry_lpn(const struct geometry *g, sector_t sector)
{
	return (lpn_t)(sector >> g->sector_shift);
}

static inline sector_t geometry_page_start(const struct geometry *g, lpn_t lpn)
{
	return (sector_t)lpn << g->sector_shift;
}

#endif
