#include "cli/watch/watch.h"

#include "cli/watch/terminal.h"

#include <inttypes.h>

bool watch_print(struct player *p, uint64_t from, uint64_t to, struct picture_shape shape, FILE *out,
	struct fault *fault)
{
	struct screen s = { 0 };
	bool done = picture_fits(&p->drive->geometry, shape, fault) && player_go(p, from, fault);

	if (done && p->run.requests < from)
		return fault_set(fault, "watch: there is no request %" PRIu64 ", the last one is %" PRIu64,
			from, p->run.requests);
	while (done) {
		picture_draw(&s, p, shape);
		screen_print(&s, 0, false, out);
		if (!player_more(p) || p->run.requests >= to)
			break;
		fputc('\n', out);
		done = player_step(p, fault);
	}
	screen_release(&s);
	return done;
}

/* ---- on the terminal ---- */

#define HELP_ROWS      2u  /* at the end of the screen, for the keys */
#define LEGEND_COLUMNS 64u /* of the legend of colours */

static const char keys[] = "space next  b back  c collection  l LPN  g go to  v colours  ? help  q quit";

static const char help[] =
	"space, n, right   the next request\n"
	"b, left           back to the previous one\n"
	"c                 on to the next request that erases a block\n"
	"l                 on to the next request that touches an LPN: type its number, then return\n"
	"g                 to a request by its number, also back; 0 is before the first\n"
	"0                 back to the start\n"
	"v                 colours: what the request did; the age of pages; how often an LPN was written\n"
	"q                 quit\n\n"
	"A row of cells is a block.  A number is the LPN that a page holds, a letter something of the FTL "
	"(m: a mapping page, a: an area); x is dead, . free, o passed over.  Where numbers do not fit, a "
	"page is one character: # holds an LPN.\n"
	"+ programmed by this request   - died with this request   ! block erased by it\n"
	"~ not yet written to flash, by an earlier request\n"
	"s behind the number of a block: in SLC mode, with fewer pages   @1: with data of placement handle "
	"1\n\n"
	"Below: what buses and dies did until the next request; r read, p program, c copy, e erase.\n\n"
	"Any key continues.";

static int watch_show_help(void)
{
	struct screen s = { 0 };
	uint32_t columns, rows;

	terminal_size(&columns, &rows);
	screen_clear(&s, columns);
	screen_flow(&s, 0, 0, columns, LOOK_PLAIN, help);
	fputs("\033[H\033[2J", stdout);
	screen_print(&s, rows, true, stdout);
	fflush(stdout);
	screen_release(&s);
	return terminal_key();
}

struct watched {
	struct player *player;
	enum picture_colours colours;
};

/* In the line above the keys. */
static void watch_tell(const struct watched *w, uint32_t columns, uint32_t rows)
{
	printf("\033[%u;1H", rows - 1);
	if (!player_more(w->player))
		fputs(w->player->end == RUN_DONE ? "(the last request) " : "(the drive is full or worn out) ",
			stdout);
	if (w->colours == COLOURS_CHANGE || columns < LEGEND_COLUMNS)
		return;
	printf("%s:", picture_colours_title(w->colours));
	for (uint32_t level = 0; level < LOOK_LEVELS; level++)
		printf(" \033[0;%sm%s\033[0m", screen_code((enum look)(LOOK_COLDEST + level)),
			picture_colours_level(w->colours, level));
}

static void watch_show(struct screen *s, const struct watched *w)
{
	struct picture_shape shape = { 0 };
	struct fault narrow = { "" };
	uint32_t columns, rows;

	terminal_size(&columns, &rows);
	shape.columns = columns;
	if (picture_fits(&w->player->drive->geometry, shape, &narrow)) {
		shape = picture_shape_for(s, w->player, columns, rows > HELP_ROWS ? rows - HELP_ROWS : 1);
		shape.colours = w->colours;
		picture_draw(s, w->player, shape);
	} else {
		screen_clear(s, columns);
		screen_flow(s, 0, 0, columns, LOOK_PLAIN, narrow.text);
	}
	fputs("\033[H", stdout);
	screen_print(s, rows > HELP_ROWS ? rows - HELP_ROWS : rows, true, stdout);
	fputs("\033[J", stdout);
	watch_tell(w, columns, rows);
	printf("\033[%u;1H\033[2m%.*s\033[0m", rows, (int)columns - 1, keys);
	fflush(stdout);
}

/* To the next request that touches the page, or, with LPN_NONE, that erases a block. */
static bool watch_step_to(struct player *p, lpn_t lpn, struct fault *fault)
{
	do
		if (!player_step(p, fault))
			return false;
	while (player_more(p) && !(lpn == LPN_NONE ? player_collected(p) : player_touched(p, lpn)));
	return true;
}

/* False: quit, with a fault or without. */
static bool watch_obey(struct watched *w, int key, struct fault *fault)
{
	struct player *p = w->player;
	uint32_t columns, rows;
	uint64_t number;

	terminal_size(&columns, &rows);
	switch (key) {
	case ' ':
	case 'n':
	case '\r':
	case '\n':
	case KEY_RIGHT:
		return player_step(p, fault);
	case 'b':
	case KEY_LEFT:
		return !p->run.requests || player_go(p, p->run.requests - 1, fault);
	case 'c':
		return watch_step_to(p, LPN_NONE, fault);
	case 'l':
		return !terminal_number("to the next use of LPN ", rows, &number) ||
		       watch_step_to(p, (lpn_t)number, fault);
	case 'g':
		return !terminal_number("to request ", rows, &number) || player_go(p, number, fault);
	case '?':
	case 'h':
		return watch_show_help() != KEY_END;
	case '0':
		return player_go(p, 0, fault);
	case 'v':
		w->colours = (w->colours + 1) % COLOURS;
		return true;
	default:
		return key != 'q' && key != KEY_END;
	}
}

static bool watch_live_loop(void *player, struct fault *fault)
{
	struct watched w = { player, COLOURS_CHANGE };
	struct screen s = { 0 };

	do
		watch_show(&s, &w);
	while (watch_obey(&w, terminal_key(), fault));
	screen_release(&s);
	return !*fault->text;
}

bool watch_live(struct player *p, uint64_t from, struct fault *fault)
{
	struct picture_shape shape = { 0 };
	uint32_t rows;

	terminal_size(&shape.columns, &rows);
	return picture_fits(&p->drive->geometry, shape, fault) && player_go(p, from, fault) &&
	       terminal_guard(watch_live_loop, p, fault);
}
