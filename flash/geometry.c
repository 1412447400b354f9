#include "flash/geometry.h"

#include <math.h>

#define FLASH(type, field) PARAM(type, struct flash_settings, field)

static const char *const multiplane_names[] = { "off", "same_offset", "any", NULL };
static const char *const bus_order_names[] = { "command_first", "fifo", "data_first", NULL };
static const char *const scheduler_names[] = { "read_first", "fifo", NULL };
static const char *const order_names[] = { "consecutive", "ascending", NULL };
static const char *const program_unit_names[] = { "page", "wordline", NULL };
static const char *const cache_register_names[] = { "off", "read", "program", "both", NULL };
static const char *const suspend_names[] = { "never", "erase", "program_and_erase", NULL };

const struct param flash_params[] = {
	{ FLASH(UINT, channels), 1, 1024, "channels", "8", "buses between the controller and the chips" },
	{ FLASH(UINT, chips), 1, 1024, "chips", "4", "chips on each channel" },
	{ FLASH(UINT, dies), 1, 64, "dies", "2",
		"dies in each chip; each works on its own while `interleave` is on" },
	{ FLASH(UINT, planes), 1, 64, "planes", "2", "planes in each die" },
	{ FLASH(UINT, blocks), 4, 1 << 24, "blocks", "2048", "blocks in each plane" },
	{ FLASH(UINT, pages), 1, 1 << 20, "pages", "64", "pages in each block" },
	{ FLASH(UINT, page_bytes), 2048, 32768, "bytes", "8192", "size of a page, a power of two" },
	{ FLASH(REAL, over_provisioning), 0, 0.99, "share", "0.1",
		"part of the physical pages that the host does not see: (physical - logical) / physical" },
	{ FLASH(TICKS, read_ns), 0, 4e9, "ns", "75000",
		"cell array to page register; a list gives one time per page type (LSB, CSB, MSB)",
		.stateless = true },
	{ FLASH(TICKS, program_ns), 0, 4e9, "ns", "2000000",
		"page register to cell array; a list gives one time per page type", .stateless = true },
	{ FLASH(UINT, erase_ns), 0, 4e9, "ns", "15000000", "erase of one block", .stateless = true },
	{ FLASH(TICKS, command_ns), 0, 1e6, "ns", "200",
		"command and address cycles on the bus; a list: of a read, a program and an erase; 0 = they "
		"cost nothing",
		.stateless = true },
	{ FLASH(TICKS, plane_command_ns), 0, 1e6, "ns", "200", "the same for each further plane of a command",
		.stateless = true },
	{ FLASH(REAL, bus_mb_per_s), 1, 100000, "MB/s", "400",
		"transfer rate of each channel, 10^6 bytes per second", .stateless = true },
	{ FLASH(CHOICE, bus_order), 0, 0, "", "command_first",
		"which die gets its channel's bus next: one with a command that brings no data, the one that "
		"asked first, or one with data of a read",
		bus_order_names, .stateless = true },
	{ FLASH(BOOL, copyback), 0, 1, "", "true", "a page moves inside its plane without crossing the bus",
		.stateless = true },
	{ FLASH(BOOL, interleave), 0, 1, "", "true",
		"dies of a chip work at the same time; off = one after another",
		.matters_if = "flash.dies!=1", .stateless = true },
	{ FLASH(CHOICE, multiplane), 0, 0, "", "off",
		"waiting operations of several planes of a die run as one command: never, if they are at "
		"the same page offset, or always",
		multiplane_names, .matters_if = "flash.planes!=1", .stateless = true },
	{ FLASH(BOOL, multiplane_copy), 0, 1, "", "false",
		"copies inside several planes of a die join a command as other operations do; with "
		"same_offset their sources have one offset and their targets one",
		.stateless = true, .quiet = true },
	{ FLASH(UINT, multiplane_search), 1, 1e9, "operations", "256",
		"how many operations waiting for the die are searched for planes that can join a command",
		.matters_if = "flash.multiplane!=off", .stateless = true },
	{ FLASH(CHOICE, scheduler), 0, 0, "", "read_first",
		"order in which operations waiting for a die "
		"start",
		scheduler_names, .stateless = true },
	{ FLASH(UINT, read_first_limit), 0, 1e9, "commands", "1000",
		"reads that may overtake a waiting or suspended operation; 0 = any number",
		.matters_if = "flash.scheduler=read_first", .stateless = true },
	{ FLASH(CHOICE, suspend), 0, 0, "", "never",
		"operations that a read arriving at a busy die may suspend", suspend_names,
		.matters_if = "flash.scheduler=read_first", .stateless = true },
	{ FLASH(UINT, suspend_ns), 0, 1e9, "ns", "20000",
		"time to suspend an operation, before the read starts", .matters_if = "flash.suspend!=never",
		.stateless = true },
	{ FLASH(UINT, resume_ns), 0, 1e9, "ns", "20000", "time to resume a suspended operation",
		.matters_if = "flash.suspend!=never", .stateless = true },
	{ FLASH(UINT, forward_bytes), 0, 1e12, "bytes", "8M",
		"controller memory that holds pages until their program is done and answers reads of them; 0 "
		"= such reads wait for the program",
		.stateless = true },
	{ FLASH(CHOICE, order), 0, 0, "", "consecutive",
		"pages of a block are programmed one after another, or in ascending order; skipped pages "
		"cannot be used until the next erase",
		order_names },
	{ FLASH(UINT, endurance), 0, 1e9, "erases", "0",
		"erases after which a block is worn out; 0 = it never is" },
	{ FLASH(UINT, cell_bits), 1, 6, "pages", "1", "pages of a wordline: bits of a cell", .quiet = true },
	{ FLASH(CHOICE, program_unit), 0, 0, "", "page",
		"what a program command programs: a page, or the pages of a wordline, which wait for each "
		"other in the controller's memory",
		program_unit_names, .quiet = true },
	{ FLASH(UINT, passes), 1, 2, "passes", "1",
		"2 = a wordline is programmed twice, the second time after the next one was programmed once; "
		"program_ns is a list of both times",
		.matters_if = "flash.program_unit=wordline", .stateless = true, .quiet = true },
	{ FLASH(UINT, wordline_wait_ns), 0, 1e18, "ns", "0",
		"a wordline with data of the host that lacks pages is filled up so long after its first page "
		"was ready; 0 = only if nothing else could go on, or for a FLUSH",
		.matters_if = "flash.program_unit=wordline", .stateless = true, .quiet = true },
	{ FLASH(CHOICE, cache_register), 0, 0, "", "off",
		"a second page register in each plane: data of a read leaves from it while the cells sense "
		"for the next read; the next program is loaded into it while the cells program; or both",
		cache_register_names, .stateless = true, .quiet = true },
	{ 0 },
};

void geometry_count(struct geometry *g)
{
	g->dies_per_channel = g->chips_per_channel * g->dies_per_chip;
	g->dies = g->channels * g->dies_per_channel;
	g->planes = g->dies * g->planes_per_die;
	g->blocks = g->planes * g->blocks_per_plane;
	g->pages = g->blocks * g->pages_per_block;
	g->pages_per_plane = g->blocks_per_plane * g->pages_per_block;
	g->per_block = divisor_of(g->pages_per_block);
	g->per_plane = divisor_of(g->blocks_per_plane);
	g->per_die = divisor_of(g->planes_per_die);
	g->plane_pages = divisor_of(g->pages_per_plane);
	g->die_pages = divisor_of(g->planes_per_die * g->pages_per_plane);
}

static bool geometry_derive_counts(struct geometry *g, const struct flash_settings *s, struct fault *fault)
{
	double pages = (double)s->channels * (double)s->chips * (double)s->dies * (double)s->planes *
		       (double)s->blocks * (double)s->pages;

	if (pages > (double)(UINT32_MAX - 1))
		return fault_set(fault,
			"flash: %.0f pages in all; at most %u can be addressed, use larger pages or fewer "
			"blocks",
			pages, UINT32_MAX - 1);
	g->channels = (uint32_t)s->channels;
	g->chips_per_channel = (uint32_t)s->chips;
	g->dies_per_chip = (uint32_t)s->dies;
	g->planes_per_die = (uint32_t)s->planes;
	g->blocks_per_plane = (uint32_t)s->blocks;
	g->pages_per_block = (uint32_t)s->pages;
	geometry_count(g);
	return true;
}

static bool geometry_check_commands(const char *name, const struct tick_list *times, struct fault *fault)
{
	if (times->count == 1 || times->count == COMMANDS)
		return true;
	return fault_set(fault,
		"flash.%s is a list of %u times; give one, or three: of a read, a program and an erase", name,
		times->count);
}

static bool geometry_check_program_times(const struct flash_settings *s, struct fault *fault)
{
	if (s->program_unit == UNIT_PAGE)
		return s->passes == 1 ||
		       fault_set(fault, "flash.passes = %llu needs flash.program_unit = wordline",
			       (unsigned long long)s->passes);
	if (s->program_ns.count == s->passes)
		return true;
	return fault_set(fault,
		"flash.program_unit = wordline: flash.program_ns is a list of %u times; give %s",
		s->program_ns.count,
		s->passes == 1 ? "one of a whole wordline" : "two, of the first and the second pass");
}

static bool geometry_check_wordlines(const struct flash_settings *s, struct fault *fault)
{
	bool copies = s->copyback && (s->cell_bits > 1 || s->passes > 1);

	if (s->pages % s->cell_bits)
		return fault_set(fault,
			"flash.pages = %llu is no multiple of flash.cell_bits = %llu; a block is made of "
			"whole wordlines",
			(unsigned long long)s->pages, (unsigned long long)s->cell_bits);
	if (!geometry_check_program_times(s, fault))
		return false;
	if (s->program_unit == UNIT_WORDLINE && copies)
		return fault_set(fault,
			"flash.program_unit = wordline does not go with flash.copyback = true; a "
			"page cannot be moved on the chip alone");
	if (s->program_unit == UNIT_WORDLINE && s->order != ORDER_CONSECUTIVE)
		return fault_set(fault, "flash.program_unit = wordline needs flash.order = consecutive");
	return true;
}

bool geometry_derive(struct geometry *g, const struct flash_settings *s, struct fault *fault)
{
	*g = (struct geometry){ 0 };
	if (s->page_bytes & (s->page_bytes - 1))
		return fault_set(fault, "flash.page_bytes = %llu is not a power of two; use 2048 to 32768",
			(unsigned long long)s->page_bytes);
	if (!geometry_check_commands("command_ns", &s->command_ns, fault) ||
		!geometry_check_commands("plane_command_ns", &s->plane_command_ns, fault) ||
		!geometry_check_wordlines(s, fault) || !geometry_derive_counts(g, s, fault))
		return false;
	g->page_bytes = (uint32_t)s->page_bytes;
	g->sectors_per_page = g->page_bytes / SECTOR_BYTES;
	g->sector_shift = (uint32_t)__builtin_ctz(g->sectors_per_page);
	g->full_page = g->sectors_per_page == 64 ? ~(mask_t)0 : ((mask_t)1 << g->sectors_per_page) - 1;
	g->logical_pages = (lpn_t)floor((double)g->pages * (1 - s->over_provisioning) + 1e-6);
	g->logical_sectors = geometry_page_start(g, g->logical_pages);
	if (!g->logical_pages)
		return fault_set(fault,
			"flash.over_provisioning = %g leaves no logical page of %u physical ones; use less",
			s->over_provisioning, g->pages);
	return true;
}
