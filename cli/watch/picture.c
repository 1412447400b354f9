#include "cli/watch/picture.h"

#include "base/bits.h"
#include "base/memory.h"
#include "drive/statistics.h"
#include "ftl/store.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define PANEL_COLUMNS 44u /* of the map next to the blocks, if there is room for both */
#define CHART_LABEL   8u
#define CHART_ROWS    12u
#define PANEL_LINES   10u
#define MOST_INTEREST 4u
#define LEAST_ROWS    4u

/* ---- cells ---- */

/* Widths in characters. */
struct picture_layout {
	uint32_t label, cell,
		plane;         /* widths of a block's number, a page, and a plane with a blank after it */
	uint32_t planes, rows; /* planes side by side, blocks of each */
	enum picture_colours colours;
};

static uint32_t picture_digits(uint64_t number)
{
	uint32_t digits = 1;

	while (number /= 10)
		digits++;
	return digits;
}

/* Columns left for the blocks next to the map. */
static struct picture_shape picture_shape_of_blocks(struct picture_shape shape)
{
	if (shape.columns >= 2 * PANEL_COLUMNS + 30)
		shape.columns -= PANEL_COLUMNS;
	return shape;
}

/* A mark, and a block's number with a blank after it. */
static uint32_t picture_label(const struct geometry *g)
{
	return picture_digits(g->blocks - 1) + 2;
}

/* The same with the tag of a block, if there is room for it. */
static uint32_t picture_label_and_tag(const struct drive *d, uint32_t columns)
{
	uint32_t label = picture_label(&d->geometry),
		 tag = d->ftl->store ? store_tag_columns(d->ftl->store) : 0;

	return label + (label + tag + d->geometry.pages_per_block <= columns ? tag : 0);
}

static struct picture_layout picture_layout(const struct drive *d, struct picture_shape shape)
{
	const struct geometry *g = &d->geometry;
	bool named = ftl_words(d->ftl)->name_owner;
	uint32_t cell = picture_digits(g->logical_pages - 1) + 1 + named, label, width, side_by_side;

	label = picture_label_and_tag(d, shape.columns);
	cell = cell < 4 ? 4 : cell;
	if (label + g->pages_per_block * cell > shape.columns)
		cell = 1;
	width = label + g->pages_per_block * cell + 1;
	side_by_side = (shape.columns + 1) / width;
	return (struct picture_layout){ label, cell, width,
		side_by_side > g->planes ? g->planes : side_by_side,
		g->blocks_per_plane < shape.rows ? g->blocks_per_plane : shape.rows, shape.colours };
}

bool picture_fits(const struct geometry *g, struct picture_shape shape, struct fault *fault)
{
	return g->pages_per_block + picture_label(g) <= shape.columns ||
	       fault_set(fault,
		       "a block of %u pages does not fit into %u columns; a smaller one does, -s "
		       "flash.pages=%u",
		       g->pages_per_block, shape.columns, (shape.columns - picture_label(g)) / 8 * 8);
}

struct cell {
	char mark;     /* ' ' + - ~ */
	char text[12]; /* of what it holds */
	enum look look;
};

/* "12" of "LPN 12", "m3" of "mapping page 3". */
static void picture_shorten(const char *name, char *text, size_t bytes)
{
	const char *digits = name + strcspn(name, "0123456789");

	snprintf(text, bytes, "%.*s%.*s", strncmp(name, "LPN ", 4) && name[0] != *digits, name,
		(int)strspn(digits, "0123456789"), digits);
}

/* Was it programmed in this step? */
static bool picture_is_new(const struct player *p, ppn_t ppn)
{
	const struct geometry *g = &p->drive->geometry;
	const struct flash_block *b = &p->drive->flash->block[geometry_block(g, ppn)],
				 *before = &p->block[geometry_block(g, ppn)];
	uint32_t page = geometry_page(g, ppn);

	return page < b->next && (b->erases != before->erases || page >= before->next);
}

static bool picture_is_bad(const struct player *p, block_t b)
{
	return p->drive->ftl->store && bad_block(p->drive->ftl->store->bad, b);
}

static bool picture_is_parity(const struct player *p, ppn_t ppn)
{
	const struct store *store = p->drive->ftl->store;

	return store && space_is_parity(store->space, ppn);
}

/* A programmed page, live or dead. */
static struct cell picture_cell_of_used(const struct player *p, ppn_t ppn)
{
	owner_t owner = p->drive->flash->owner[ppn], before = p->owner[ppn];
	bool fresh = picture_is_new(p, ppn), live = owner != OWNER_NONE;
	struct cell c = { ' ', "", LOOK_LIVE };
	char name[64];

	if (!live) {
		c = (struct cell){ ' ', "x", LOOK_DEAD };
		owner = fresh ? OWNER_NONE : before;
	}
	if (fresh)
		c.mark = '+', c.look = live ? LOOK_NEW : LOOK_DIED;
	else if (!live && owner != OWNER_NONE)
		c.mark = '-', c.look = LOOK_DIED;
	else if (live && bits_get(p->pending, ppn))
		c.mark = '~', c.look = LOOK_PENDING;
	if (!live && owner == OWNER_NONE && picture_is_parity(p, ppn)) {
		c.look = fresh ? LOOK_NEW : LOOK_LIVE;
		snprintf(c.text, sizeof c.text, "P");
	} else if (owner != OWNER_NONE) {
		name_owner(p->drive->ftl, owner, name, sizeof name);
		picture_shorten(name, c.text, sizeof c.text);
	}
	return c;
}

static struct cell picture_cell_of(const struct player *p, ppn_t ppn)
{
	const struct flash *f = p->drive->flash;
	const struct geometry *g = &p->drive->geometry;

	if (picture_is_bad(p, geometry_block(g, ppn)))
		return (struct cell){ ' ', "b", LOOK_FAINT };
	if (geometry_page(g, ppn) >= f->block[geometry_block(g, ppn)].next)
		return (struct cell){ ' ', ".", LOOK_FAINT };
	if (f->passed_over && bits_get(f->passed_over, ppn))
		return (struct cell){ ' ', "o", LOOK_FAINT };
	return picture_cell_of_used(p, ppn);
}

const char *picture_colours_title(enum picture_colours colours)
{
	return colours == COLOURS_AGE ? "requests since a page was programmed" : "writes of the LPN so far";
}

const char *picture_colours_level(enum picture_colours colours, uint32_t level)
{
	static const char *const ages[LOOK_LEVELS] = { "256 and more", "64", "16", "4", "0" };
	static const char *const heats[LOOK_LEVELS] = { "none", "1", "2", "4", "8 and more" };

	return colours == COLOURS_AGE ? ages[level] : heats[level];
}

/* The look of a live page by its age, or by the number of writes of its LPN. */
static enum look picture_level_of(const struct player *p, ppn_t ppn, enum picture_colours colours)
{
	owner_t owner = p->drive->flash->owner[ppn];
	uint64_t value, level = 0;

	if (colours == COLOURS_AGE) {
		for (value = p->run.requests - p->programmed[ppn]; value >= 4 && level < LOOK_LEVELS - 1;
			value /= 4)
			level++;
		return (enum look)(LOOK_HOTTEST - level);
	}
	value = owner < p->drive->geometry.logical_pages ? p->writes[owner] : 0;
	for (; value && level < LOOK_LEVELS - 1; value /= 2)
		level++;
	return (enum look)(LOOK_COLDEST + level);
}

/* ---- blocks ---- */

/* The blocks with the highest interest are shown if there is no room for all. */
static uint8_t picture_interest(const struct player *p, block_t b)
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

/* Chooses the `wanted` of `n` elements with the highest interest, in ascending order; among equals the
 * first. */
static void picture_choose(const uint8_t *of, uint32_t n, uint32_t *chosen, uint32_t wanted)
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

/* Pages of a block: of some streams it has fewer. */
static uint32_t picture_pages(const struct drive *d, block_t b)
{
	const struct store *s = d->ftl->store;
	const struct stream *of = s && !s->space->layout ? space_stream(s->space, b) : NULL;

	return of && of->apart && s->space->block[b].state != BLOCK_FREE ? of->pages
									 : d->geometry.pages_per_block;
}

/* A place on the screen. */
struct spot {
	uint32_t row, column;
};

static void picture_draw_block(
	struct screen *s, const struct player *p, struct picture_layout l, block_t b, struct spot at)
{
	const struct geometry *g = &p->drive->geometry;
	bool erased = p->drive->flash->block[b].erases != p->block[b].erases;
	char tag[TOOL_TAG] = "";

	if (p->drive->ftl->store)
		store_tag(p->drive->ftl->store, b, tag);
	screen_put(s, at.row, at.column, erased ? LOOK_DIED : LOOK_PLAIN, "%c%*u%.*s", erased ? '!' : ' ',
		(int)picture_digits(g->blocks - 1), b, (int)(l.label - picture_label(g)), tag);
	at.column += l.label - 1;
	for (uint32_t page = 0; page < picture_pages(p->drive, b); page++, at.column += l.cell) {
		ppn_t ppn = geometry_first_page(g, b) + page;
		struct cell c = picture_cell_of(p, ppn);
		char text[16];

		if (l.colours != COLOURS_CHANGE &&
			(c.look == LOOK_LIVE || c.look == LOOK_NEW || c.look == LOOK_PENDING))
			c.look = picture_level_of(p, ppn, l.colours);

		if (l.cell == 1)
			screen_put(s, at.row, at.column + 1, c.look, "%c",
				c.mark != ' '                          ? c.mark
				: c.text[0] >= '0' && c.text[0] <= '9' ? '#'
								       : c.text[0]);
		else {
			snprintf(text, sizeof text, "%c%s", c.mark == ' ' ? ' ' : c.mark, c.text);
			screen_put(s, at.row, at.column + 1, c.look, "%*s", (int)l.cell - 1,
				c.mark == ' ' ? c.text : text);
		}
	}
}

static void picture_draw_plane(struct screen *s, const struct player *p, struct picture_layout l,
	const uint8_t *of_block, plane_t plane, struct spot at)
{
	const struct geometry *g = &p->drive->geometry;
	uint32_t *chosen = memory_array(l.rows, sizeof *chosen, "picture");
	block_t first = plane * g->blocks_per_plane;
	die_t die = geometry_die(g, plane);

	screen_put(s, at.row, at.column + 1, LOOK_TITLE,
		l.plane < 28 ? "plane %u, die %u" : "plane %u, die %u, channel %u", plane, die,
		die / g->dies_per_channel);
	picture_choose(of_block + first, g->blocks_per_plane, chosen, l.rows);
	for (uint32_t i = 0; i < l.rows; i++) {
		at.row++;
		picture_draw_block(s, p, l, first + chosen[i], at);
	}
	memory_free(chosen);
}

uint32_t picture_blocks(struct screen *s, const struct player *p, struct picture_shape shape, uint32_t row)
{
	const struct geometry *g = &p->drive->geometry;
	struct picture_layout l = picture_layout(p->drive, shape);
	uint32_t planes = g->planes < shape.planes ? g->planes : shape.planes;
	uint8_t *of_block = memory_array(g->blocks, 1, "picture"),
		*of_plane = memory_array(g->planes, 1, "picture");
	plane_t *chosen = memory_array(planes, sizeof *chosen, "picture");

	for (block_t b = 0; b < g->blocks; b++) {
		uint8_t *of = &of_plane[geometry_plane(g, b)];

		of_block[b] = picture_interest(p, b);
		*of = of_block[b] > *of ? of_block[b] : *of;
	}
	picture_choose(of_plane, g->planes, chosen, planes);
	for (uint32_t i = 0; i < planes; i++) {
		picture_draw_plane(
			s, p, l, of_block, chosen[i], (struct spot){ row, i % l.planes * l.plane });
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
	struct picture_layout l = picture_layout(p->drive, picture_shape_of_blocks(shape));
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

/* Activity of channels and dies from the request's entry to the end of its last operation. */
struct chart {
	const struct tracer *tracer;
	tick_t from, to;
	uint32_t columns, units_per_channel; /* a unit: a die, or a chip whose dies take turns */
};

static bool picture_is_span_of(const struct chart *c, const struct busy_span *span, bool bus, uint32_t number)
{
	return span->place == (bus ? BUSY_BUS : BUSY_CELLS) &&
	       (bus ? span->unit / c->units_per_channel : span->unit) == number;
}

static bool picture_works(const struct chart *c, bool bus, uint32_t number)
{
	for (uint32_t i = 0; i < c->tracer->spans; i++)
		if (picture_is_span_of(c, &c->tracer->span[i], bus, number))
			return true;
	return false;
}

static uint32_t picture_column_at(const struct chart *c, tick_t when)
{
	return (uint32_t)((double)(when - c->from) * c->columns / (double)(c->to - c->from + 1));
}

/* One row for a channel or a unit: its operations by their first letters. */
static void picture_draw_line(
	struct screen *s, const struct chart *c, uint32_t row, bool bus, uint32_t number)
{
	screen_put(s, row, 1, LOOK_PLAIN, bus ? "bus %u" : "die %u", number);
	for (uint32_t i = 0; i < c->columns; i++)
		screen_put(s, row, CHART_LABEL + i, LOOK_FAINT, ".");
	for (uint32_t i = 0; i < c->tracer->spans; i++) {
		const struct busy_span *span = &c->tracer->span[i];
		uint32_t at = picture_column_at(c, span->from), end = picture_column_at(c, span->to - 1);

		for (; picture_is_span_of(c, span, bus, number) && at <= end && at < c->columns; at++)
			screen_put(s, row, CHART_LABEL + at,
				cause_is_background(span->cause) ? LOOK_DIED : LOOK_NEW, "%c",
				op_name(span->kind)[0]);
	}
}

/* Draws as many active channels and units as there is space for.  Returns the row after them. */
static uint32_t picture_draw_time(struct screen *s, const struct player *p, uint32_t row)
{
	const struct explanation *x = &p->explanation;
	const struct geometry *g = &p->drive->geometry;
	uint32_t dies = p->settings->flash.interleave ? 1 : g->dies_per_chip; /* of a unit */
	uint32_t end = row + 1 + CHART_ROWS;
	struct chart c = { &x->tracer, x->taken, x->taken, s->columns - CHART_LABEL - 1,
		g->dies_per_channel / dies };

	for (uint32_t i = 0; i < x->tracer.spans; i++)
		c.to = x->tracer.span[i].to > c.to ? x->tracer.span[i].to : c.to;
	if (c.to == c.from)
		return row;
	screen_put(s, row, CHART_LABEL, LOOK_PLAIN, "0");
	screen_put(s, row++, s->columns - 13, LOOK_PLAIN, "%9.1f us", (double)(c.to - c.from) / 1000);
	for (int bus = 1; bus >= 0; bus--)
		for (uint32_t u = 0; u < (bus ? g->channels : g->dies / dies) && row < end; u++)
			if (picture_works(&c, bus, u))
				picture_draw_line(s, &c, row++, bus, u);
	return row;
}

/* ---- map and cache ---- */

/* Finds the places of a logical page by the owners of flash pages. */
static void picture_print_by_owner(const struct drive *d, lpn_t lpn, FILE *out)
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

static uint32_t picture_draw_entry(
	struct screen *s, const struct player *p, lpn_t lpn, uint32_t row, uint32_t column)
{
	const struct drive *d = p->drive;
	FILE *out = screen_write(s);
	long before;

	fprintf(out, "LPN %u: ", lpn);
	before = ftell(out);
	if (ftl_words(d->ftl)->print_entry)
		ftl_words(d->ftl)->print_entry(d->ftl, lpn, out);
	else
		picture_print_by_owner(d, lpn, out);
	if (ftell(out) == before)
		fputs("no data", out);
	return screen_flow_written(
		s, row, column, s->columns - column, player_touched(p, lpn) ? LOOK_PLAIN : LOOK_FAINT);
}

/* Draws where the pages touched last are, `all` or only those of this step.  Returns the row after them. */
static uint32_t picture_draw_map(
	struct screen *s, const struct player *p, uint32_t row, uint32_t column, bool all)
{
	uint32_t end = row + PANEL_LINES;

	screen_put(s, row++, column, LOOK_TITLE, "map (block.page)");
	for (uint32_t i = 0; i < p->lpns && row < end; i++)
		if (all || player_touched(p, p->lpn[i]))
			row = picture_draw_entry(s, p, p->lpn[i], row, column);
	return row;
}

static uint32_t picture_draw_buffer(struct screen *s, const struct player *p, uint32_t row, uint32_t column)
{
	const struct buffer *b = p->drive->buffer;
	FILE *out;

	if (!b->ops->evict)
		return row;
	out = screen_write(s);
	fprintf(out, "buffer, %" PRIu64 " of %" PRIu64 " sectors (* not in flash):", b->used, b->capacity);
	for (uint32_t i = 0; i < b->nodes.used; i++) {
		const struct buffer_node *node = buffer_node(b, i);

		if (node->stored && buffer_find(b, node->lpn) == i)
			fprintf(out, " %u%s", node->lpn, node->dirty ? "*" : "");
	}
	return screen_flow_written(s, row, column, s->columns - column, LOOK_PLAIN);
}

static uint32_t picture_draw_state(struct screen *s, const struct player *p, uint32_t row, uint32_t column)
{
	const struct ftl *ftl = p->drive->ftl;

	if (ftl->store)
		TOOLS_WITH (t, &ftl->store->tools, print) {
			t->ops->print(t, screen_write(s));
			row = screen_flow_written(s, row, column, s->columns - column, LOOK_PLAIN);
		}
	if (!ftl_words(ftl)->print_state)
		return row;
	ftl_words(ftl)->print_state(ftl, screen_write(s));
	return screen_flow_written(s, row, column, s->columns - column, LOOK_PLAIN);
}

static uint32_t picture_draw_counts(struct screen *s, const struct player *p, uint32_t row, uint32_t column)
{
	const struct flash *f = p->drive->flash;
	const struct geometry *g = &p->drive->geometry;
	const struct ftl *ftl = p->drive->ftl;
	double waf = statistics_waf(p->drive);
	FILE *out = screen_write(s);

	fprintf(out,
		"so far: %" PRIu64 " pages programmed, %" PRIu64 " read, %" PRIu64 " blocks erased; %" PRIu64
		" of %u pages free",
		flash_total(f, OP_PROGRAM), flash_total(f, OP_READ), flash_total(f, OP_ERASE),
		g->pages - f->pages_used, g->pages);
	if (waf > 0 && !p->drive->in_drive)
		fprintf(out, "; WAF %.3f", waf);
	if (p->in_drive > 1)
		fprintf(out, "; %" PRIu64 " requests in the drive", p->in_drive);
	if (!ftl->ops->map_in_dram)
		fprintf(out, "; entries looked up %" PRIu64 ", found in DRAM %" PRIu64, ftl->map.lookups,
			ftl->map.hits);
	return screen_flow_written(s, row, column, s->columns - column, LOOK_PLAIN);
}

/* ---- the whole ---- */

static uint32_t picture_draw_title(struct screen *s, const struct player *p)
{
	FILE *out;

	if (!p->run.requests) {
		screen_put(s, 0, 0, LOOK_TITLE, "before the first request");
		return 1;
	}
	out = screen_write(s);
	fprintf(out, "%" PRIu64 ". ", p->run.requests);
	explanation_tell(&p->explanation, p->drive, out);
	return screen_flow_written(s, 0, 0, s->columns, LOOK_TITLE);
}

void picture_draw(struct screen *s, const struct player *p, struct picture_shape shape)
{
	struct picture_shape left = picture_shape_of_blocks(shape);
	bool beside = left.columns < shape.columns;
	uint32_t row, panel;

	screen_clear(s, shape.columns);
	panel = picture_draw_title(s, p);
	row = picture_blocks(s, p, left, panel);
	if (p->explanation.seen && p->explanation.evictions_bytes)
		row = screen_flow(s, row, 0, s->columns, LOOK_PLAIN, p->explanation.evictions);
	if (beside) {
		panel = picture_draw_map(s, p, panel, left.columns, true);
		panel = picture_draw_buffer(s, p, panel + 1, left.columns);
		row = panel > row ? panel : row;
	}
	row = picture_draw_time(s, p, row);
	if (!beside) {
		if (p->explanation.request.sectors)
			row = picture_draw_map(s, p, row, 1, false);
		row = picture_draw_buffer(s, p, row, 1);
	}
	row = picture_draw_state(s, p, row, 1);
	picture_draw_counts(s, p, row, 1);
}
