#include "watch/picture.h"

#include "base/bits.h"
#include "base/memory.h"
#include "drive/statistics.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define PANEL_COLUMNS 44u /* of the map beside the blocks, where there is room for both */
#define CHART_LABEL   8u
#define CHART_ROWS    12u
#define PANEL_LINES   10u
#define MOST_INTEREST 4u
#define LEAST_ROWS    4u

/* ---- cells ---- */

/* How wide things are, in characters. */
struct layout {
	uint32_t label, cell, plane; /* a block's number, a page, a plane with a blank behind it */
	uint32_t planes, rows;       /* planes side by side, blocks of each */
};

static uint32_t digits_of(uint64_t number)
{
	uint32_t digits = 1;

	while (number /= 10)
		digits++;
	return digits;
}

/* What is left to the blocks beside the map. */
static struct picture_shape blocks_shape(struct picture_shape shape)
{
	if (shape.columns >= 2 * PANEL_COLUMNS + 30)
		shape.columns -= PANEL_COLUMNS;
	return shape;
}

/* A mark, and a block's number with a blank behind it. */
static uint32_t label_of(const struct geometry *g)
{
	return digits_of(g->blocks - 1) + 2;
}

static struct layout lay_out(const struct geometry *g, struct picture_shape shape, bool named)
{
	uint32_t cell = digits_of(g->logical_pages - 1) + 1 + named, label = label_of(g), width, side_by_side;

	cell = cell < 4 ? 4 : cell;
	if (label + g->pages_per_block * cell > shape.columns)
		cell = 1;
	width = label + g->pages_per_block * cell + 1;
	side_by_side = (shape.columns + 1) / width;
	return (struct layout){ label, cell, width, side_by_side > g->planes ? g->planes : side_by_side,
		g->blocks_per_plane < shape.rows ? g->blocks_per_plane : shape.rows };
}

bool picture_fits(const struct geometry *g, struct picture_shape shape, struct fault *fault)
{
	return g->pages_per_block + label_of(g) <= shape.columns ||
	       fault_set(fault,
		       "a block of %u pages does not fit into %u columns; a smaller one does, -s flash.pages=%u",
		       g->pages_per_block, shape.columns, (shape.columns - label_of(g)) / 8 * 8);
}

struct cell {
	char mark;     /* ' ' + - ~ */
	char text[12]; /* of what it holds */
	enum look look;
};

/* "12" of "LPN 12", "m3" of "mapping page 3". */
static void shorten(const char *name, char *text, size_t bytes)
{
	const char *digits = name + strcspn(name, "0123456789");

	snprintf(text, bytes, "%.*s%.*s", strncmp(name, "LPN ", 4) && name[0] != *digits, name,
		(int)strspn(digits, "0123456789"), digits);
}

static bool passed_over(const struct flash *f, ppn_t ppn)
{
	return f->passed_over && bits_get(f->passed_over, ppn);
}

/* Was it programmed in this step? */
static bool is_new(const struct player *p, ppn_t ppn)
{
	const struct geometry *g = &p->drive->geometry;
	const struct flash_block *b = &p->drive->flash->block[geometry_block(g, ppn)],
				 *before = &p->block[geometry_block(g, ppn)];
	uint32_t page = geometry_page(g, ppn);

	return page < b->next && (b->erases != before->erases || page >= before->next);
}

static struct cell cell_of(const struct player *p, ppn_t ppn)
{
	const struct flash *f = p->drive->flash;
	const struct geometry *g = &p->drive->geometry;
	const struct flash_block *b = &f->block[geometry_block(g, ppn)];
	owner_t owner = f->owner[ppn], before = p->owner[ppn];
	bool fresh = is_new(p, ppn), used = geometry_page(g, ppn) < b->next;
	struct cell c = { ' ', ".", LOOK_FAINT };
	char name[64];

	if (used && passed_over(f, ppn))
		return (struct cell){ ' ', "o", LOOK_FAINT };
	if (used && owner == OWNER_NONE) {
		c = (struct cell){ ' ', "x", LOOK_DEAD };
		owner = !fresh && before != OWNER_NONE ? before : OWNER_NONE;
		if (fresh || owner != OWNER_NONE)
			c = (struct cell){ fresh ? '+' : '-', "x", LOOK_DIED };
	} else if (used)
		c = (struct cell){ fresh                       ? '+'
				   : bits_get(p->pending, ppn) ? '~'
							       : ' ',
			"",
			fresh                       ? LOOK_NEW
			: bits_get(p->pending, ppn) ? LOOK_PENDING
						    : LOOK_LIVE };
	if (used && owner != OWNER_NONE) {
		name_owner(p->drive->ftl, owner, name, sizeof name);
		shorten(name, c.text, sizeof c.text);
	}
	return c;
}

/* ---- blocks ---- */

/* What is shown first where there is no room for all: higher is more. */
static uint8_t interest(const struct player *p, block_t b)
{
	const struct flash_block *now = &p->drive->flash->block[b], *before = &p->block[b];
	ppn_t first = geometry_first_page(&p->drive->geometry, b);

	if (now->next != before->next || now->erases != before->erases)
		return MOST_INTEREST;
	for (uint32_t page = 0; page < now->next; page++)
		if (p->owner[first + page] != p->drive->flash->owner[first + page])
			return 3;
	return (uint8_t)(now->next ? 1 + (now->next < p->drive->geometry.pages_per_block) : 0);
}

/* Those `wanted` of `n` that are of most interest, ascending; among equals the first ones. */
static void choose(const uint8_t *of, uint32_t n, uint32_t *chosen, uint32_t wanted)
{
	uint32_t count[MOST_INTEREST + 1] = { 0 }, least = MOST_INTEREST + 1, at = 0;

	for (uint32_t i = 0; i < n; i++)
		count[of[i]]++;
	while (least && count[least - 1] <= wanted)
		wanted -= count[--least];
	for (uint32_t i = 0; i < n; i++)
		if (of[i] >= least || (of[i] + 1u == least && wanted)) {
			wanted -= of[i] < least;
			chosen[at++] = i;
		}
}

static void draw_block(
	struct screen *s, const struct player *p, struct layout l, block_t b, uint32_t row, uint32_t column)
{
	const struct geometry *g = &p->drive->geometry;
	bool erased = p->drive->flash->block[b].erases != p->block[b].erases;

	screen_put(s, row, column, erased ? LOOK_DIED : LOOK_PLAIN, "%c%*u", erased ? '!' : ' ',
		(int)l.label - 2, b);
	column += l.label - 1;
	for (uint32_t page = 0; page < g->pages_per_block; page++, column += l.cell) {
		struct cell c = cell_of(p, geometry_first_page(g, b) + page);
		char text[16];

		if (l.cell == 1)
			screen_put(s, row, column + 1, c.look, "%c",
				c.mark != ' '                          ? c.mark
				: c.text[0] >= '0' && c.text[0] <= '9' ? '#'
								       : c.text[0]);
		else {
			snprintf(text, sizeof text, "%c%s", c.mark == ' ' ? ' ' : c.mark, c.text);
			screen_put(s, row, column + 1, c.look, "%*s", (int)l.cell - 1,
				c.mark == ' ' ? c.text : text);
		}
	}
}

static void draw_plane(struct screen *s, const struct player *p, struct layout l, const uint8_t *of_block,
	plane_t plane, uint32_t row, uint32_t column)
{
	const struct geometry *g = &p->drive->geometry;
	uint32_t *chosen = memory_array(l.rows, sizeof *chosen, "picture");
	block_t first = plane * g->blocks_per_plane;
	die_t die = geometry_die(g, plane);

	screen_put(s, row, column + 1, LOOK_TITLE,
		l.plane < 28 ? "plane %u, die %u" : "plane %u, die %u, channel %u", plane, die,
		die / g->dies_per_channel);
	choose(of_block + first, g->blocks_per_plane, chosen, l.rows);
	for (uint32_t i = 0; i < l.rows; i++)
		draw_block(s, p, l, first + chosen[i], row + 1 + i, column);
	memory_free(chosen);
}

uint32_t picture_blocks(struct screen *s, const struct player *p, struct picture_shape shape, uint32_t row)
{
	const struct geometry *g = &p->drive->geometry;
	struct layout l = lay_out(g, shape, ftl_words(p->drive->ftl)->name_owner);
	uint32_t planes = g->planes < shape.planes ? g->planes : shape.planes;
	uint8_t *of_block = memory_array(g->blocks, 1, "picture"),
		*of_plane = memory_array(g->planes, 1, "picture");
	plane_t *chosen = memory_array(planes, sizeof *chosen, "picture");

	for (block_t b = 0; b < g->blocks; b++) {
		uint8_t *of = &of_plane[geometry_plane(g, b)];

		of_block[b] = interest(p, b);
		*of = of_block[b] > *of ? of_block[b] : *of;
	}
	choose(of_plane, g->planes, chosen, planes);
	for (uint32_t i = 0; i < planes; i++) {
		draw_plane(s, p, l, of_block, chosen[i], row, i % l.planes * l.plane);
		if (i % l.planes == l.planes - 1 || i == planes - 1)
			row += l.rows + 1;
	}
	if (l.rows < g->blocks_per_plane)
		screen_put(
			s, row, 1, LOOK_FAINT, "%u more blocks in each plane", g->blocks_per_plane - l.rows);
	if (planes < g->planes)
		screen_put(s, row, 31, LOOK_FAINT, " %u more planes", g->planes - planes);
	memory_free(of_block);
	memory_free(of_plane);
	memory_free(chosen);
	return row + (l.rows < g->blocks_per_plane || planes < g->planes);
}

struct picture_shape picture_shape_for(
	struct screen *s, const struct player *p, uint32_t columns, uint32_t lines)
{
	const struct geometry *g = &p->drive->geometry;
	struct picture_shape shape = { columns, g->blocks_per_plane, g->planes };
	struct layout l = lay_out(g, blocks_shape(shape), ftl_words(p->drive->ftl)->name_owner);
	uint32_t groups = (g->planes + l.planes - 1) / l.planes, others;

	picture_draw(s, p, (struct picture_shape){ columns, LEAST_ROWS, 1 });
	others = s->rows - LEAST_ROWS - 1;
	lines = lines > others + LEAST_ROWS ? lines - others : LEAST_ROWS + 1;
	if (groups * (LEAST_ROWS + 1) <= lines) {
		shape.rows = lines / groups - 1;
		return shape;
	}
	return (struct picture_shape){ columns, LEAST_ROWS, l.planes * (lines / (LEAST_ROWS + 1)) };
}

/* ---- time ---- */

/* Column of a moment. */
static uint32_t column_at(tick_t when, tick_t from, tick_t to, uint32_t columns)
{
	return (uint32_t)((double)(when - from) * columns / (double)(to - from + 1));
}

/* One row for a channel or a die: what it does, by the first letter. */
static void draw_line(struct screen *s, const struct player *p, uint32_t row, bool bus, uint32_t number,
	tick_t from, tick_t to, uint32_t columns, uint32_t per_channel)
{
	const struct tracer *t = &p->explanation.tracer;

	screen_put(s, row, 1, LOOK_PLAIN, bus ? "bus %u" : "die %u", number);
	for (uint32_t i = 0; i < columns; i++)
		screen_put(s, row, CHART_LABEL + i, LOOK_FAINT, ".");
	for (uint32_t i = 0; i < t->spans; i++) {
		const struct traced_span *span = &t->span[i];
		uint32_t at = column_at(span->from, from, to, columns);
		uint32_t end = column_at(span->to - 1, from, to, columns);

		if (span->bus != bus || (bus ? span->unit / per_channel : span->unit) != number)
			continue;
		for (; at <= end && at < columns; at++)
			screen_put(s, row, CHART_LABEL + at,
				cause_is_background(span->cause) ? LOOK_DIED : LOOK_NEW, "%c",
				op_name(span->kind)[0]);
	}
}

static bool works(const struct tracer *t, bool bus, uint32_t number, uint32_t per_channel)
{
	for (uint32_t i = 0; i < t->spans; i++)
		if (t->span[i].bus == bus &&
			(bus ? t->span[i].unit / per_channel : t->span[i].unit) == number)
			return true;
	return false;
}

/* From the request's entry to the end of what it caused, on all that worked meanwhile.  Returns the row behind. */
static uint32_t draw_time(struct screen *s, const struct player *p, uint32_t row)
{
	const struct explanation *x = &p->explanation;
	const struct tracer *t = &x->tracer;
	const struct geometry *g = &p->drive->geometry;
	uint32_t per_chip = p->settings->flash.interleave ? 1 : g->dies_per_chip;
	uint32_t units = g->dies / per_chip, per_channel = g->dies_per_channel / per_chip, drawn = 0;
	uint32_t columns = s->columns - CHART_LABEL - 1;
	tick_t to = x->taken;

	for (uint32_t i = 0; i < t->spans; i++)
		to = t->span[i].to > to ? t->span[i].to : to;
	if (to == x->taken)
		return row;
	screen_put(s, row, CHART_LABEL, LOOK_PLAIN, "0");
	screen_put(s, row++, s->columns - 13, LOOK_PLAIN, "%9.1f us", (double)(to - x->taken) / 1000);
	for (int bus = 1; bus >= 0; bus--)
		for (uint32_t u = 0; u < (bus ? g->channels : units) && drawn < CHART_ROWS; u++)
			if (works(t, bus, u, per_channel)) {
				draw_line(s, p, row++, bus, u, x->taken, to, columns, per_channel);
				drawn++;
			}
	return row;
}

/* ---- map and cache ---- */

/* Where it is by the names of pages. */
static void print_by_owner(const struct drive *d, lpn_t lpn, FILE *out)
{
	const char *between = "in ";
	char name[64], wanted[32], place[24], *said;

	snprintf(wanted, sizeof wanted, "LPN %u", lpn);
	for (ppn_t ppn = 0; ppn < d->geometry.pages; ppn++) {
		if (d->flash->owner[ppn] == OWNER_NONE)
			continue;
		name_owner(d->ftl, d->flash->owner[ppn], name, sizeof name);
		said = strstr(name, wanted);
		if (!said || (said[strlen(wanted)] >= '0' && said[strlen(wanted)] <= '9'))
			continue;
		name_place(&d->geometry, ppn, place, sizeof place);
		fprintf(out, "%s%s", between, place);
		between = ", ";
	}
}

static uint32_t draw_entry(struct screen *s, const struct player *p, lpn_t lpn, uint32_t row, uint32_t column)
{
	const struct drive *d = p->drive;
	char *text = NULL;
	size_t bytes;
	FILE *out = open_memstream(&text, &bytes);
	long before;

	BUG_ON(!out, "no stream in memory");
	fprintf(out, "LPN %u: ", lpn);
	before = ftell(out);
	if (ftl_words(d->ftl)->print_entry)
		ftl_words(d->ftl)->print_entry(d->ftl, lpn, out);
	else
		print_by_owner(d, lpn, out);
	if (ftell(out) == before)
		fputs("no data", out);
	fclose(out);
	row = screen_flow(
		s, row, column, s->columns - column, player_touched(p, lpn) ? LOOK_PLAIN : LOOK_FAINT, text);
	free(text);
	return row;
}

/* What of the last pages touched is where; those of this step first.  Returns the row behind. */
static uint32_t draw_map(struct screen *s, const struct player *p, uint32_t row, uint32_t column, bool all)
{
	uint32_t end = row + PANEL_LINES;

	screen_put(s, row++, column, LOOK_TITLE, "map (block.page)");
	for (uint32_t i = 0; i < p->lpns && row < end; i++)
		if (all || player_touched(p, p->lpn[i]))
			row = draw_entry(s, p, p->lpn[i], row, column);
	return row;
}

static uint32_t draw_buffer(struct screen *s, const struct player *p, uint32_t row, uint32_t column)
{
	const struct buffer *b = p->drive->buffer;
	char *text = NULL;
	size_t bytes;
	FILE *out;

	if (!b->ops->evict)
		return row;
	out = open_memstream(&text, &bytes);
	BUG_ON(!out, "no stream in memory");
	fprintf(out, "buffer, %" PRIu64 " of %" PRIu64 " sectors (* not in flash):", b->used, b->capacity);
	for (uint32_t i = 0; i < b->nodes.used; i++) {
		const struct buffer_node *node = buffer_node(b, i);

		if (node->stored && buffer_find(b, node->lpn) == i)
			fprintf(out, " %u%s", node->lpn, node->dirty ? "*" : "");
	}
	fclose(out);
	row = screen_flow(s, row, column, s->columns - column, LOOK_PLAIN, text);
	free(text);
	return row;
}

static uint32_t draw_counts(struct screen *s, const struct player *p, uint32_t row, uint32_t column)
{
	const struct flash *f = p->drive->flash;
	const struct geometry *g = &p->drive->geometry;
	double waf = statistics_waf(p->drive);
	char text[320];
	int length = snprintf(text, sizeof text,
		"so far: %" PRIu64 " pages programmed, %" PRIu64 " read, %" PRIu64 " blocks erased; %" PRIu64
		" of %u pages free",
		flash_total(f, OP_PROGRAM), flash_total(f, OP_READ), flash_total(f, OP_ERASE),
		g->pages - f->pages_used, g->pages);

	if (waf > 0 && !p->drive->in_drive)
		length += snprintf(text + length, sizeof text - (size_t)length, "; WAF %.3f", waf);
	if (p->in_drive > 1)
		length += snprintf(text + length, sizeof text - (size_t)length,
			"; %" PRIu64 " requests in the drive", p->in_drive);
	if (!p->drive->ftl->ops->map_in_dram)
		snprintf(text + length, sizeof text - (size_t)length,
			"; entries looked up %" PRIu64 ", found in DRAM %" PRIu64, p->drive->ftl->map.lookups,
			p->drive->ftl->map.hits);
	return screen_flow(s, row, column, s->columns - column, LOOK_PLAIN, text);
}

/* ---- the whole ---- */

static uint32_t draw_title(struct screen *s, const struct player *p)
{
	const struct explanation *x = &p->explanation;
	char *text = NULL;
	size_t bytes;
	FILE *out;
	uint32_t row;

	if (!p->run.requests) {
		screen_put(s, 0, 0, LOOK_TITLE, "before the first request");
		return 1;
	}
	out = open_memstream(&text, &bytes);
	BUG_ON(!out, "no stream in memory");
	fprintf(out, "%" PRIu64 ". ", p->run.requests);
	explanation_tell(x, p->drive, out);
	fclose(out);
	row = screen_flow(s, 0, 0, s->columns, LOOK_TITLE, text);
	free(text);
	return row;
}

void picture_draw(struct screen *s, const struct player *p, struct picture_shape shape)
{
	struct picture_shape left = blocks_shape(shape);
	bool beside = left.columns < shape.columns;
	uint32_t row, panel;

	screen_clear(s, shape.columns);
	panel = draw_title(s, p);
	row = picture_blocks(s, p, left, panel);
	if (p->explanation.seen && p->explanation.evictions_bytes)
		row = screen_flow(s, row, 0, s->columns, LOOK_PLAIN, p->explanation.evictions);
	if (beside) {
		panel = draw_map(s, p, panel, left.columns, true);
		panel = draw_buffer(s, p, panel + 1, left.columns);
		row = panel > row ? panel : row;
	}
	row = draw_time(s, p, row);
	if (!beside) {
		if (p->explanation.request.sectors)
			row = draw_map(s, p, row, 1, false);
		row = draw_buffer(s, p, row, 1);
	}
	draw_counts(s, p, row, 1);
}
