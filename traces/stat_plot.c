#include "traces/stat_plot.h"

#include "base/child.h"
#include "base/memory.h"
#include "stats/output.h"
#include "traces/stat_state.h"

#include <errno.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

extern char **environ;

/* A gnuplot string; control characters are blanked.  In single quotes every character is taken as it is, but
 * a quote at the beginning or beside another ends the string, even if it is doubled. */
static void plot_string(FILE *out, const char *text)
{
	fputc('\'', out);
	for (; *text; text++)
		if (*text == '\'')
			fputs("'.\"'\".'", out);
		else
			fputc((unsigned char)*text < ' ' ? ' ' : *text, out);
	fputc('\'', out);
}

static void plot_rates(FILE *out, const struct picture *p)
{
	double seconds = (double)p->time_step * 1e-9;

	fputs("$rate << EOD\n", out);
	for (uint32_t i = 0; i < p->times; i++)
		fprintf(out, "%.9g %.9g %.9g\n", (i + .5) * seconds, p->reads[i] / seconds,
			p->writes[i] / seconds);
	fputs("EOD\n", out);
}

/* Size, share of the reads and of the writes that are no larger. */
static void plot_sizes(FILE *out, const struct trace_stat *s)
{
	struct tally_entry *sizes = tally_sorted(s->sizes);
	uint64_t all[2] = { s->type[REQUEST_READ].requests, s->type[REQUEST_WRITE].requests };
	uint64_t sum[2] = { 0, 0 };

	fputs("$size << EOD\n", out);
	for (size_t i = 0; i < tally_keys(s->sizes); i++) {
		sum[0] += sizes[i].count[0];
		sum[1] += sizes[i].count[1];
		fprintf(out, "%.9g %.9g %.9g\n", (double)sizes[i].key / 1024, stat_share(sum[0], all[0]),
			stat_share(sum[1], all[1]));
	}
	fputs("EOD\n", out);
	memory_free(sizes);
}

static void plot_heat(FILE *out, const struct picture *p)
{
	fputs("$heat << EOD\n", out);
	for (uint32_t i = 0; i < p->times; i++)
		for (uint32_t j = 0; j < p->addresses; j++)
			if (p->heat[i][j])
				fprintf(out, "%.9g %.9g %u\n", (i + .5) * (double)p->time_step * 1e-9,
					(j + .5) * (double)p->address_step / 1e9, p->heat[i][j]);
	fputs("EOD\n", out);
}

static void plot_alignment(FILE *out, const struct trace_stat *s)
{
	const struct counts *read = &s->type[REQUEST_READ], *write = &s->type[REQUEST_WRITE];

	fputs("$start << EOD\n", out);
	for (unsigned i = 0; i < 16; i++)
		fprintf(out, "%u %.9g %.9g\n", i, 100 * stat_share(read->start_mod16[i], read->requests),
			100 * stat_share(write->start_mod16[i], write->requests));
	fputs("EOD\n", out);
}

/* Four plots on one page. */
static const char *const page[] = {
	"set grid back lt 1 lw 0.5 lc rgb '#dddddd'",
	"set border 3",
	"set tics nomirror out",
	"set key at graph 1,1.02 right bottom horizontal samplen 2",
	"set autoscale xfix",
	"set style fill solid 0.8 noborder",
	"set palette defined (0 '#c6dbef', 1 '#4292c6', 2 '#08306b')",

	"set title 'Arrivals'",
	"set xlabel 'time (s)'",
	"set ylabel 'requests per second'",
	"set yrange [0:*]",
	"plot $rate u 1:2 w steps lw 1.5 lc rgb '#0072b2' t 'reads', \\",
	"     $rate u 1:3 w steps lw 1.5 lc rgb '#d55e00' t 'writes'",

	"set title 'Request sizes'",
	"set xlabel 'size (KiB)'",
	"set ylabel 'share no larger'",
	"set yrange [0:1]",
	"set logscale x 2",
	"plot $size u 1:2 w steps lw 2 lc rgb '#0072b2' t 'reads', \\",
	"     $size u 1:3 w steps lw 2 lc rgb '#d55e00' t 'writes'",
	"unset logscale x",

	"set title 'Where requests begin'",
	"set xlabel 'time (s)'",
	"set ylabel 'address (GB)'",
	"set yrange [0:*]",
	"set logscale cb",
	"set cblabel 'requests'",
	"plot $heat u 1:2:3 w p pt 5 ps 0.25 lc palette notitle",

	"set title 'Alignment'",
	"set xlabel 'start sector modulo 16 (8 KiB)'",
	"set ylabel 'requests (%)'",
	"set boxwidth 0.4",
	"set xtics 0,1,15",
	"set xrange [-0.6:15.6]",
	"plot $start u ($1-0.2):2 w boxes lc rgb '#0072b2' t 'reads', \\",
	"     $start u ($1+0.2):3 w boxes lc rgb '#d55e00' t 'writes'",
	"unset multiplot",
	"unset output",
};

static void plot_page(FILE *out, const char *title, const char *path, bool png)
{
	fputs(png ? "set terminal pngcairo size 1200,900 font 'sans,11'\n"
		  : "set terminal svg size 1200,900 font 'sans,13' background 'white'\n",
		out);
	fprintf(out, "set output %s", *path == '/' ? "" : "'./'."); /* "|x" is a command */
	plot_string(out, path);
	fputs("\nset multiplot layout 2,2 title ", out);
	plot_string(out, title);
	fputs(" noenhanced\n", out);
	for (size_t i = 0; i < sizeof page / sizeof page[0]; i++)
		fprintf(out, "%s\n", page[i]);
}

/* The script, with its data, in an unnamed file: a signal that ends the program leaves nothing behind. */
static FILE *plot_script(const struct trace_stat *s, const char *title, const char *picture, bool png)
{
	FILE *out = tmpfile();

	if (!out)
		return NULL;
	plot_rates(out, s->picture);
	plot_sizes(out, s);
	plot_heat(out, s->picture);
	plot_alignment(out, s);
	plot_page(out, title, picture, png);
	if (!fflush(out) && !ferror(out) && !fseek(out, 0, SEEK_SET))
		return out;
	fclose(out);
	return NULL;
}

static bool plot_run_gnuplot(FILE *script, struct fault *fault)
{
	char name[] = "gnuplot";
	char *arguments[] = { name, NULL };
	posix_spawn_file_actions_t actions;
	pid_t child;
	int error;

	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_adddup2(&actions, fileno(script), STDIN_FILENO);
	error = posix_spawnp(&child, name, &actions, NULL, arguments, environ);
	posix_spawn_file_actions_destroy(&actions);
	if (error)
		return fault_set(fault, "gnuplot, which --plot needs, cannot be run: %s", strerror(error));
	return child_end(child) == 0 || fault_set(fault, "gnuplot could not draw the plot");
}

bool trace_stat_plot(const struct trace_stat *s, const char *title, const char *path, struct fault *fault)
{
	size_t length = strlen(path);
	bool png = length > 4 && !strcmp(path + length - 4, ".png"), done;
	struct output picture;
	FILE *script;

	if (!tally_keys(s->sizes))
		return fault_set(fault, "%s: has neither a read nor a write to draw", title);
	if (!output_open(&picture, path, fault))
		return false;
	script = plot_script(s, title, picture.temporary ? picture.temporary : path, png);
	done = script ? plot_run_gnuplot(script, fault)
		      : fault_set(fault, "the script for gnuplot cannot be written: %s", strerror(errno));
	if (script)
		fclose(script);
	if (done)
		return output_commit(&picture, fault);
	output_abandon(&picture);
	return false;
}
