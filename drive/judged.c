#include "drive/judged.h"

#include "flash/retry.h"
#include "flash/schedule.h"

#define COMMAND_TIMES(times)                                                                                 \
	geometry_command_ns(&times, COMMAND_READ), geometry_command_ns(&times, COMMAND_PROGRAM),             \
		geometry_command_ns(&times, COMMAND_ERASE)

struct judge *judged_medium(struct flash *f, tick_t dram_ns)
{
	const struct geometry *g = f->geometry;
	const struct flash_settings *s = f->settings;
	const struct slc_times *slc = f->slc_times, none = { 0 };
	struct judge *judge;

	slc = slc ? slc : &none;
	judge = judge_create(&(struct judge_settings){ .channels = g->channels,
		.dies_per_channel = g->dies_per_channel,
		.planes_per_die = g->planes_per_die,
		.blocks_per_plane = g->blocks_per_plane,
		.pages_per_block = g->pages_per_block,
		.page_bytes = g->page_bytes,
		.dies_per_unit = s->interleave ? 1 : g->dies_per_chip,
		.read_ns = s->read_ns.ns,
		.program_ns = s->program_ns.ns,
		.read_types = s->read_ns.count,
		.program_types = s->program_ns.count,
		.erase_ns = s->erase_ns,
		.slc_read_ns = slc->read_ns,
		.slc_program_ns = slc->program_ns,
		.slc_erase_ns = slc->erase_ns,
		.fold_passes = slc->fold_passes,
		.command_ns = { COMMAND_TIMES(s->command_ns) },
		.plane_command_ns = { COMMAND_TIMES(s->plane_command_ns) },
		.suspend_ns = s->suspend_ns,
		.resume_ns = s->resume_ns,
		.dram_ns = dram_ns,
		.bus_order = (enum judged_bus)s->bus_order,
		.multiplane = (enum judged_planes)s->multiplane,
		.multiplane_copy = s->multiplane_copy,
		.by_wordline = s->program_unit == UNIT_WORDLINE,
		.wordline_pages = geometry_program_pages(s),
		.passes = (uint32_t)s->passes,
		.bus_mb_per_s = s->bus_mb_per_s,
		.forward_bytes = s->forward_bytes,
		.ecc_ns = f->retry ? f->retry->settings->ecc_ns : 0,
		.reads_first = s->scheduler == SCHEDULE_READ_FIRST,
		.cache_reads = s->cache_register & CACHE_READ,
		.cache_programs = s->cache_register & CACHE_PROGRAM,

		.memory_pages = schedule_write_memory(f->schedule) });
	flash_observe(f, judge_observer(judge));
	return judge;
}
