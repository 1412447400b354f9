#include "legacy/import.h"

#include "base/utf8.h"

#define SECTOR_BYTES 512

static const char *yes(bool condition)
{
	return condition ? "true" : "false";
}

/* Data of one sector crosses SSDsim's bus in `subpage capacity` cycles of t_WC (or t_RC). */
static double bus_mb_per_s(const struct legacy_parameters *p, int32_t cycle_ns)
{
	double sector_ns = (double)p->sector_bytes * cycle_ns;

	return sector_ns > 0 ? SECTOR_BYTES * 1000.0 / sector_ns : 100000;
}

static void write_flash(const struct legacy_parameters *p, FILE *out)
{
	fprintf(out,
		"flash: {\n"
		"    channels = %d;\n    chips = %d;\n    dies = %d;\n    planes = %d;\n    blocks = %d;\n"
		"    pages = %d;\n    page_bytes = %d;\n    over_provisioning = %.6g;\n",
		p->channels, p->chips[0], p->dies, p->planes, p->blocks, p->pages,
		p->sectors_per_page * SECTOR_BYTES, (double)p->overprovide);
	fprintf(out, "    read_ns = %d;\n    program_ns = %d;\n    erase_ns = %d;\n", p->t_r, p->t_prog,
		p->t_bers);
	fprintf(out, "    command_ns = %lld;          # 7 cycles of t_WC\n    plane_command_ns = %lld;\n",
		7 * (long long)p->t_wc, 7 * (long long)p->t_wc);
	fprintf(out, "    bus_mb_per_s = %.6g;", bus_mb_per_s(p, p->t_wc));
	if (p->t_rc != p->t_wc)
		fprintf(out, "      # of writes; SSDsim reads at %.6g", bus_mb_per_s(p, p->t_rc));
	fprintf(out, "\n    copyback = %s;\n    interleave = %s;\n    multiplane = \"%s\";\n};\n\n",
		yes(p->advanced_command & COMMAND_COPY_BACK), yes(p->advanced_command & COMMAND_INTERLEAVE),
		p->advanced_command & COMMAND_TWO_PLANE ? "same_offset" : "off");
}

static void write_host(const struct legacy_parameters *p, FILE *out)
{
	fprintf(out, "host: {\n    mode = \"open\";\n    queue_limit = %d;\n};\n\n",
		p->queue_length > 0 ? p->queue_length : 1);
	fprintf(out, "trace: {\n    fold = true;              # SSDsim wraps sector numbers at the "
		     "capacity\n};\n\n");
	fprintf(out, "dram: {\n    access_ns = 1000;\n    buffer_bytes = %d;\n};\n\n", p->dram_bytes);
}

static void write_placement(const struct legacy_parameters *p, FILE *out)
{
	if (p->allocation == 1)
		fprintf(out, "placement: {\n    policy = \"static\";\n    order = \"%s\";\n};\n\n",
			legacy_striping[p->static_allocation]);
	else
		fprintf(out, "placement: {\n    policy = \"least_loaded\";\n};\n\n");
}

bool legacy_import(const struct legacy_parameters *p, const char *name, FILE *out, struct fault *fault)
{
	int32_t page = p->sectors_per_page;

	if (!legacy_parameters_check(p, name, fault))
		return false;
	if (page < 4 || page & (page - 1))
		return fault_set(fault,
			"%s: pages of %d sectors ('subpage page') cannot be imported; 4, 8, 16 or 32 "
			"can",
			name, page);
	fputs("# Imported from ", out);
	utf8_print(out, name);
	fputs(", a parameter file of SSDsim 2.1.  What the main simulator does\n"
	      "# otherwise: any idle die takes the next command (SSDsim reserves whole chips), garbage\n"
	      "# collection takes time, and reads go before writes.\n\n",
		out);
	fprintf(out, "ftl = \"page\";\nbuffer = \"%s\";\nseed = 1;\n\n", p->dram_bytes ? "lru" : "none");
	write_flash(p, out);
	write_placement(p, out);
	fprintf(out, "gc: {\n    policy = \"greedy\";\n    threshold = %.6g;\n};\n\n",
		(double)p->gc_hard_threshold);
	write_host(p, out);
	fprintf(out, "precondition: {\n    mode = \"%s\";\n", p->aged == 1 ? "aged" : "none");
	if (p->aged == 1)
		fprintf(out, "    used = %.6g;\n", (double)p->aged_ratio);
	fprintf(out, "    premap = \"pages\";\n};\n");
	return true;
}
