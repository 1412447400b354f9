#include "legacy/engine.h"

#include <inttypes.h>

static const char rule_of_trace[] = "****************** TRACE INFO ******************";
static const char columns[] =
	"      arrive           lsn     size ope     begin time    response time    process time";
static const char rule_of_parameters[] = "-----------------------parameter file----------------------";
static const char rule_of_output[] = "-----------------------simulation output----------------------";
static const char rule_of_statistics[] =
	"---------------------------statistic data---------------------------";

#define ROW_BYTES 200 /* no row is longer */

/* Puts a right-aligned number before `at`, from its last digit on.  printf would take twice as long as
 * everything else. */
static char *rows_put(char *at, int64_t value, int width)
{
	uint64_t rest = value < 0 ? -(uint64_t)value : (uint64_t)value;
	char *end = at;

	do
		*--at = (char)('0' + rest % 10);
	while (rest /= 10);
	if (value < 0)
		*--at = '-';
	while (end - at < width)
		*--at = ' ';
	return at;
}

static void rows_write(FILE *out, const struct request *q)
{
	const struct {
		int64_t value;
		int width;
	} field[] = { { q->end - q->arrival, 10 }, { q->end, 16 }, { q->begin, 16 }, { q->read, 2 },
		{ (int32_t)q->sectors, 6 }, { (int32_t)q->sector, 10 }, { q->arrival, 16 } };
	char row[ROW_BYTES], *end = row + sizeof row, *at = end;

	for (size_t i = 0; i < sizeof field / sizeof *field; i++) {
		*--at = i ? ' ' : '\n';
		at = rows_put(at, field[i].value, field[i].width);
	}
	fwrite(at, 1, (size_t)(end - at), out);
}

static void finish(struct engine *e, uint32_t number)
{
	const struct request *q = request_at(e, number);
	struct kind *kind = &e->kind[!q->read];

	rows_write(e->rows, q);
	kind->completed++;
	kind->response_sum += q->end - q->arrival;
	e->queued_requests--;
	e->result->requests++;
	pool_give(&e->requests, number);
}

/* Writes the rows of requests finished by now, in order of admission. */
void legacy_finish_requests(struct engine *e)
{
	while (timed_is_due(&e->due, e->now)) {
		uint32_t number = timed_pop(&e->due);

		timed_push(&e->ready, request_at(e, number)->sequence, number);
	}
	while (e->ready.count)
		finish(e, timed_pop(&e->ready));
}

void legacy_write_header(const struct engine *e, FILE *out, const char *trace)
{
	fprintf(out, "parameter file: page.parameters\ntrace file: %s\n%s\n", trace, rule_of_parameters);
	fwrite(e->p->text, 1, e->p->text_bytes, out);
	fprintf(out, "\n%s\n", rule_of_output);
}

void legacy_write_preload(const struct engine *e, FILE *out)
{
	const struct layout *l = &e->layout;

	for (uint32_t c = 0; c < l->channels; c++)
		for (uint32_t p = 0; p < l->planes_per_chip; p++)
			fprintf(out, "chip:%u,die:%u,plane:%u have free page: %d\n", c, p / l->planes,
				p % l->planes,
				(int)e->plane[c * l->chips * l->planes_per_chip + p].free_pages);
	fprintf(out, "\t\t\t\t\t\t\t\t\tOUTPUT\n%s\n%s\n", rule_of_trace, columns);
}

/* Erases of the planes SSDsim shows: those of the first chip of each channel, under labels that are off by
 * one; returns their sum. */
static uint32_t write_erases(const struct engine *e, FILE *out)
{
	const struct layout *l = &e->layout;
	bool first_chip = quirk_kept(e, Q22_CHIP_0_STATISTICS);
	uint32_t sum = 0;

	for (uint32_t plane = 0; plane < l->planes_all; plane++) {
		uint32_t chip = plane / l->planes_per_chip % l->chips,
			 channel = plane / l->planes_per_chip / l->chips;
		uint32_t die = plane / l->planes % l->dies, erases = e->plane[plane].erases;
		uint32_t label[4] = { channel, chip, die, plane % l->planes };

		if (first_chip && chip)
			continue;
		if (first_chip)
			memcpy(label, (uint32_t[]){ channel, die, plane % l->planes, l->blocks },
				sizeof label);
		fprintf(out, "the %u channel, %u chip, %u die, %u plane has : %13d erase operations\n",
			label[0], label[1], label[2], label[3], (int)erases);
		sum += erases;
	}
	return sum;
}

static void write_count(FILE *out, const char *label, uint64_t value)
{
	fprintf(out, "%s: %13d\n", label, (int)(uint32_t)value);
}

static void write_counts(const struct engine *e, FILE *out, bool rows_file)
{
	const struct counters *n = &e->count;

	write_count(out, "min lsn", n->min_sector);
	write_count(out, "max lsn", n->max_sector);
	write_count(out, "read count", n->reads);
	fprintf(out, "program count: %13d%24sinclude the flash write count leaded by read requests\n",
		(int)(uint32_t)n->programs, "");
	write_count(out, "the read operation leaded by un-covered update count", n->update_reads);
	write_count(out, "erase count", n->erases);
	write_count(out, "direct erase count", n->direct_erases);
	write_count(out, "copy back count", n->copy_backs);
	write_count(out, "multi-plane program count", n->two_plane_programs);
	write_count(out, "multi-plane read count", 0);
	write_count(out, rows_file ? "interleave write count" : "interleave count", n->interleaves);
	write_count(out, "interleave read count", 0);
	write_count(out, "interleave two plane and one program count", 0);
	write_count(out, "interleave two plane count", n->interleaved_two_planes);
	write_count(out, "gc copy back count", n->collection_copy_backs);
	write_count(out, "write flash count", n->writes);
	if (!rows_file)
		write_count(out, "waste page count", n->wasted);
	write_count(out, "interleave erase count", n->interleave_erases);
	write_count(out, "multiple plane erase count", n->two_plane_erases);
	write_count(out, "interleave multiple plane erase count", n->interleaved_two_plane_erases);
}

static double mean_sectors(const struct engine *e, const struct kind *kind)
{
	if (quirk_kept(e, Q17_SINGLE_PRECISION))
		return (double)kind->mean_sectors;
	return kind->admitted ? (double)kind->sectors / (double)kind->admitted : 0;
}

static int64_t mean_response(const struct kind *kind)
{
	return kind->completed ? kind->response_sum / (int64_t)kind->completed : 0;
}

void legacy_write_statistics(const struct engine *e, FILE *out, bool rows_file)
{
	const struct counters *n = &e->count;
	const struct kind *read = &e->kind[0], *write = &e->kind[1];
	uint32_t erases = write_erases(e, out);

	fprintf(out, "\n\n%s\n", rule_of_statistics);
	write_counts(e, out, rows_file);
	write_count(out, "read request count", read->completed);
	write_count(out, "write request count", write->completed);
	fprintf(out, "read request average size: %13f\n", mean_sectors(e, read));
	fprintf(out, "write request average size: %13f\n", mean_sectors(e, write));
	fprintf(out, "read request average response time: %" PRId64 "\n", mean_response(read));
	fprintf(out, "write request average response time: %" PRId64 "\n", mean_response(write));
	write_count(out, "buffer read hits", n->read_hits);
	write_count(out, "buffer read miss", n->read_misses);
	write_count(out, "buffer write hits", n->write_hits);
	write_count(out, "buffer write miss", n->write_misses);
	write_count(out, "erase", erases);
}
