#include "cli/watch/quiz.h"

#include "base/memory.h"
#include "base/random.h"
#include "drive/statistics.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define REQUESTS    400u
#define TOLD_OPS    9u /* the most that can be counted by hand */
#define ANSWER_MOST 40u
#define ASKED_LINES 7u /* of a question, around its picture */

/* ---- what can be asked ---- */

static uint32_t quiz_count_ops(const struct tracer *t, enum op_kind kind)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < t->ops; i++)
		count += t->op[i].made.kind == kind;
	return count;
}

static bool quiz_is_one_page(const struct player *p)
{
	const struct request *r = &p->explanation.request;
	const struct geometry *g = &p->drive->geometry;

	return r->sectors && geometry_lpn(g, r->start) == geometry_lpn(g, r->start + r->sectors - 1);
}

static bool quiz_reads_one_place(const struct player *p)
{
	const struct tracer *t = &p->explanation.tracer;

	return p->explanation.request.type == REQUEST_READ && t->ops == 1 && t->op[0].made.kind == OP_READ;
}

static void quiz_tell_place(const struct player *p, char *answer)
{
	name_place(&p->drive->geometry, p->explanation.tracer.op[0].made.ppn, answer, ANSWER_MOST);
}

static bool quiz_writes_something(const struct player *p)
{
	const struct tracer *t = &p->explanation.tracer;

	return p->explanation.request.type == REQUEST_WRITE && t->ops && t->ops <= TOLD_OPS &&
	       !quiz_count_ops(t, OP_FORWARD);
}

static void quiz_tell_operations(const struct player *p, char *answer)
{
	const struct tracer *t = &p->explanation.tracer;

	snprintf(answer, ANSWER_MOST, "%u %u %u %u", quiz_count_ops(t, OP_READ),
		quiz_count_ops(t, OP_PROGRAM), quiz_count_ops(t, OP_COPY), quiz_count_ops(t, OP_ERASE));
}

/* Live pages of a full block before the step; UINT32_MAX: it was not full. */
static uint32_t quiz_live_before(const struct player *p, block_t b)
{
	const struct geometry *g = &p->drive->geometry;
	uint32_t live = 0;

	if (p->block[b].next < g->pages_per_block)
		return UINT32_MAX;
	for (uint32_t page = 0; page < g->pages_per_block; page++)
		live += p->owner[geometry_first_page(g, b) + page] != OWNER_NONE;
	return live;
}

static block_t quiz_victim(const struct player *p)
{
	const struct tracer *t = &p->explanation.tracer;
	block_t victim = BLOCK_NONE;

	for (uint32_t i = 0; i < t->ops; i++)
		if (t->op[i].made.kind == OP_ERASE)
			victim = t->op[i].made.cause == CAUSE_GC && victim == BLOCK_NONE
					 ? geometry_block(&p->drive->geometry, t->op[i].made.ppn)
					 : BLOCK_NONE;
	return victim;
}

/* True if greedy has exactly one best victim.  The write is of one page, so that no page is invalidated
 * before its place is chosen. */
static bool quiz_collects_the_best(const struct player *p)
{
	const struct geometry *g = &p->drive->geometry;
	block_t victim = quiz_victim(p), first;

	if (victim == BLOCK_NONE || !quiz_is_one_page(p) ||
		strcmp(gc_policies[p->settings->ftl.gc.policy]->name, "greedy") != 0)
		return false;
	first = geometry_plane(g, victim) * g->blocks_per_plane;
	for (block_t b = first; b < first + g->blocks_per_plane; b++)
		if (b != victim && quiz_live_before(p, b) <= quiz_live_before(p, victim))
			return false;
	return true;
}

static void quiz_tell_victim(const struct player *p, char *answer)
{
	snprintf(answer, ANSWER_MOST, "%u", quiz_victim(p));
}

static bool quiz_has_a_waf(const struct player *p)
{
	return p->explanation.request.type == REQUEST_WRITE && !p->drive->in_drive &&
	       statistics_waf(p->drive) > 0;
}

static void quiz_tell_waf(const struct player *p, char *answer)
{
	snprintf(answer, ANSWER_MOST, "%.2f", statistics_waf(p->drive));
}

static bool quiz_is_looked_for(const struct player *p)
{
	return p->explanation.request.type == REQUEST_READ && quiz_is_one_page(p) &&
	       p->drive->buffer->ops->evict;
}

static void quiz_tell_buffered(const struct player *p, char *answer)
{
	strcpy(answer,
		p->explanation.tracer.ops || p->explanation.after.lookups > p->explanation.before.lookups
			? "no"
			: "yes");
}

static bool quiz_is_looked_up(const struct player *p)
{
	const struct explanation *x = &p->explanation;

	return !p->drive->ftl->ops->map_in_dram && quiz_is_one_page(p) &&
	       x->after.lookups == x->before.lookups + 1 && x->after.unwritten == x->before.unwritten;
}

static void quiz_tell_mapped(const struct player *p, char *answer)
{
	strcpy(answer, p->explanation.after.hits > p->explanation.before.hits ? "yes" : "no");
}

/* Asked about the next request, answered when it has been served. */
static const struct kind {
	const char *question;
	bool (*applies)(const struct player *);
	void (*tell)(const struct player *, char *answer);
} kinds[] = {
	{ "From which page is it read?  BLOCK.PAGE", quiz_reads_one_place, quiz_tell_place },
	{ "How many pages does it read, program and copy, and how many blocks are erased?\nFour numbers",
		quiz_writes_something, quiz_tell_operations },
	{ "A block is collected first.  Its number", quiz_collects_the_best, quiz_tell_victim },
	{ "What is the write amplification after it?  Two decimals", quiz_has_a_waf, quiz_tell_waf },
	{ "Is what it reads in the write buffer?  yes or no", quiz_is_looked_for, quiz_tell_buffered },
	{ "Is its entry of the map in DRAM?  yes or no", quiz_is_looked_up, quiz_tell_mapped },
};

#define KINDS (sizeof kinds / sizeof *kinds)

/* ---- requests ---- */

/* Most are writes of a page; one in four is of a sector, later one in five a read. */
static char *quiz_draw_requests(const struct settings *s, lpn_t pages, struct random *random)
{
	uint32_t sectors = (uint32_t)(s->flash.page_bytes / SECTOR_BYTES);
	char *text;
	size_t bytes;
	FILE *out = open_memstream(&text, &bytes);

	BUG_ON(!out, "no stream in memory");
	for (uint32_t i = 0; i < REQUESTS; i++) {
		bool read = i > REQUESTS / 4 && !random_below(random, 5);
		uint64_t lpn = random_below(random, pages);

		fprintf(out, "%s%c%" PRIu64, i ? "," : "", read ? 'r' : 'w', lpn);
		if (sectors > 1 && !random_below(random, 4))
			fprintf(out, ".%" PRIu64, random_below(random, sectors));
	}
	fclose(out);
	return text;
}

/* ---- choosing questions ---- */

struct question {
	uint64_t step; /* number of the request it asks about */
	uint32_t kind;
};

/* Records for each step the kinds of questions that can be asked. */
static bool quiz_find_kinds(struct player *p, uint8_t *at, struct fault *fault)
{
	while (player_more(p)) {
		if (!player_step(p, fault))
			return false;
		for (uint32_t k = 0; k < KINDS; k++)
			at[p->run.requests] |= (uint8_t)((p->end == RUN_DONE && kinds[k].applies(p)) << k);
	}
	return true;
}

/* A random step at which the kind can be asked; 0: there is none. */
static uint64_t quiz_draw_step(const uint8_t *at, uint64_t steps, uint32_t kind, struct random *random)
{
	uint64_t start = random_below(random, steps);

	for (uint64_t i = 0; i < steps; i++) {
		uint64_t step = 1 + (start + i) % steps;

		if (at[step] >> kind & 1)
			return step;
	}
	return 0;
}

static int quiz_by_step(const void *left, const void *right)
{
	const struct question *a = left, *b = right;

	return (a->step > b->step) - (a->step < b->step);
}

/* Questions of all kinds in turn, at most one for a step, in the order of the steps.  Returns how many. */
static uint64_t quiz_choose(
	struct question *chosen, uint64_t wanted, uint8_t *at, uint64_t steps, struct random *random)
{
	uint64_t n = 0;
	uint32_t misses = 0;

	for (uint32_t kind = 0; n < wanted && misses < KINDS; kind = (kind + 1) % KINDS) {
		uint64_t step = quiz_draw_step(at, steps, kind, random);

		if (!step) {
			misses++;
			continue;
		}
		misses = 0;
		at[step] = 0;
		chosen[n++] = (struct question){ step, kind };
	}
	qsort(chosen, n, sizeof *chosen, quiz_by_step);
	return n;
}

/* ---- asking ---- */

static void quiz_show(const struct quiz *q, const struct player *p, struct question question, uint64_t number)
{
	struct picture_shape shape = q->shape;
	struct screen s = { 0 };

	fprintf(q->out, "Question %" PRIu64 "\n\n", number);
	if (q->lines > ASKED_LINES)
		shape = picture_shape_for(&s, p, shape.columns, q->lines - ASKED_LINES);
	picture_draw(&s, p, shape);
	screen_print(&s, 0, false, q->out);
	screen_release(&s);
	fprintf(q->out, "\nThe next request is a ");
	request_tell(&p->drive->geometry, &p->run.next, q->out);
	if (kinds[question.kind].applies == quiz_has_a_waf)
		fprintf(q->out, ".\nBefore it the host has written %" PRIu64 " bytes, and a page has %u",
			p->drive->count->request[REQUEST_WRITE].sectors * SECTOR_BYTES,
			p->drive->geometry.page_bytes);
	fprintf(q->out, ".\n%s: ", kinds[question.kind].question);
}

enum verdict { VERDICT_NO_ANSWER, VERDICT_WRONG, VERDICT_RIGHT };

/* Compares numbers by their values, words by their first letter.  Other words, or another number of numbers,
 * are no answer. */
static enum verdict quiz_compare(const char *given, const char *answer)
{
	enum verdict verdict = VERDICT_RIGHT;

	given += strspn(given, " \t");
	if (*answer == 'y' || *answer == 'n')
		return *given == *answer                ? VERDICT_RIGHT
		       : *given == 'y' || *given == 'n' ? VERDICT_WRONG
							: VERDICT_NO_ANSWER;
	for (char *end, *right; *answer; given = end, answer = right) {
		double value = strtod(given, &end), wanted = strtod(answer, &right);

		if (end == given)
			return VERDICT_NO_ANSWER;
		if (fabs(value - wanted) > 0.0051)
			verdict = VERDICT_WRONG;
		end += strspn(end, " ,\t");
	}
	return given[strspn(given, " \t\n")] ? VERDICT_NO_ANSWER : verdict;
}

/* The verdict and the effects of the request, in lines as wide as the pictures. */
static void quiz_tell_verdict(const struct quiz *q, const struct player *p, bool right, const char *answer)
{
	struct screen s = { 0 };
	FILE *out;

	screen_clear(&s, q->shape.columns);
	out = screen_write(&s);
	if (right)
		fputs("Right.  ", out);
	else
		fprintf(out, "No, it is %s.  ", answer);
	explanation_tell(&p->explanation, p->drive, out);
	screen_flow_written(&s, 0, 0, s.columns, LOOK_PLAIN);
	screen_print(&s, 0, false, q->out);
	fputs("\n\n", q->out);
	screen_release(&s);
}

/* Asks once more if it is no answer.  False: there are no more answers. */
static bool quiz_read(const struct quiz *q, char *given, int bytes, const char *answer)
{
	if (!fgets(given, bytes, q->in))
		return false;
	if (quiz_compare(given, answer) != VERDICT_NO_ANSWER)
		return true;
	fputs("This is no answer of that form; again: ", q->out);
	fflush(q->out);
	return fgets(given, bytes, q->in);
}

/* False: there are no more answers. */
static bool quiz_judge(
	const struct quiz *q, const struct player *p, const char *answer, uint64_t *right, bool last)
{
	char given[200];
	bool is_right;

	if (!quiz_read(q, given, sizeof given, answer))
		return false;
	is_right = quiz_compare(given, answer) == VERDICT_RIGHT;
	*right += is_right;
	quiz_tell_verdict(q, p, is_right, answer);
	if (!q->lines || last)
		return true;
	fputs("Return: the next question ", q->out);
	fflush(q->out);
	return fgets(given, sizeof given, q->in);
}

static void quiz_tell_answer(
	const struct quiz *q, const struct player *p, uint64_t number, const char *answer)
{
	fprintf(q->out, "%" PRIu64 ".  %s  ", number, answer);
	explanation_tell(&p->explanation, p->drive, q->out);
	fputc('\n', q->out);
}

static bool quiz_ask(const struct quiz *q, struct player *p, const struct question *questions, uint64_t n,
	struct fault *fault)
{
	char answer[ANSWER_MOST];
	uint64_t right = 0;

	for (uint64_t i = 0; i < n; i++) {
		if (!player_go(p, questions[i].step - 1, fault))
			return false;
		if (q->form != QUIZ_ANSWERS)
			quiz_show(q, p, questions[i], i + 1);
		fflush(q->out);
		if (!player_step(p, fault))
			return false;
		kinds[questions[i].kind].tell(p, answer);
		if (q->form == QUIZ_PAPER)
			fputs("____________________\n\n\n", q->out);
		else if (q->form == QUIZ_ANSWERS)
			quiz_tell_answer(q, p, i + 1, answer);
		else if (!quiz_judge(q, p, answer, &right, i + 1 == n)) {
			fputc('\n', q->out);
			return true;
		}
	}
	if (q->form == QUIZ_ASKED)
		fprintf(q->out, "%" PRIu64 " of %" PRIu64 " right\n", right, n);
	return true;
}

static bool quiz_play(const struct quiz *q, struct player *p, struct random *random, struct fault *fault)
{
	uint8_t *at = memory_array(REQUESTS + 1, 1, "quiz");
	struct question *questions = memory_array(q->questions, sizeof *questions, "quiz");
	bool done = quiz_find_kinds(p, at, fault);

	if (done)
		done = quiz_ask(q, p, questions,
			quiz_choose(questions, q->questions, at, p->run.requests, random), fault);
	memory_free(at);
	memory_free(questions);
	return done;
}

bool quiz_run(const struct quiz *q, struct fault *fault)
{
	struct geometry g;
	struct random random;
	struct player p;
	char *list, *names[] = { "requests of the quiz" };
	bool done;

	if (!settings_geometry(q->settings, &g, fault) || !picture_fits(&g, q->shape, fault))
		return false;
	random_init(&random, q->settings->top.seed, 0x7175697a);
	q->settings->trace.list = list = quiz_draw_requests(q->settings, g.logical_pages, &random);
	done = player_open(&p, q->settings, names, 1, false, fault) && quiz_play(q, &p, &random, fault);
	player_close(&p);
	free(list);
	return done;
}
