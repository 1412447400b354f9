/*
 * Lists of operations in flight, made by hand, intact and as a damaged file may give them: the census aborts
 * with what is wrong, and never loops.
 */
#include "flash/census.h"
#include "flash/order.h"
#include "tests/drive_fixture.h"

/*
 * Block 0: operation 0 programs page 0; operation 1, which depends on it, programs page 1; forwarded read 2
 * depends on 1.  Operation 3 is free; 4 is a read that its request has not released.  Request 0 has
 * operations 0 to 2, request 1 has 4; request 2 has completed.  Operation 5 copies pages of block 2 into
 * block 3; read 6 depends on the second copy.
 */
struct picture {
	struct settings settings;
	struct geometry geometry;
	struct flash_block *block;
	struct ops ops;
	struct queue queue, completed;
	uint32_t released;
};

static struct op *add_op(struct picture *p, enum op_kind kind, ppn_t ppn, uint32_t ticket)
{
	uint32_t index = pool_take(&p->ops.op);
	struct op *op = ops_at(&p->ops, index);

	*op = (struct op){ .next = INDEX_NONE,
		.waiters = INDEX_NONE,
		.followers = INDEX_NONE,
		.forwards = INDEX_NONE,
		.behind = INDEX_NONE,
		.ppn = ppn,
		.to = PPN_NONE,
		.ticket = ticket,
		.kind = (uint8_t)kind };
	return op;
}

static void add_tickets(struct picture *p)
{
	static const uint32_t pending[] = { 3, 2, 0 };

	for (size_t i = 0; i < sizeof pending / sizeof *pending; i++) {
		uint32_t index = pool_take(&p->ops.ticket);

		*ops_ticket(&p->ops, index) = (struct ticket){ INDEX_NONE, pending[i], 0 };
	}
	p->completed = (struct queue){ 2, 2 };
}

/* Copies page 8 to 12, then pages 9 and 11 to 13 and 14; behind them, page 15 is programmed. */
static void add_moves(struct picture *p)
{
	struct op *copy = add_op(p, OP_COPY, 8, INDEX_NONE);

	copy->to = 12;
	copy->stage = STAGE_QUEUED;
	ops_follow(&p->ops, 5, 9, 13);
	ops_follow(&p->ops, 5, 11, 14);
	add_op(p, OP_READ, 13, INDEX_NONE);
	add_op(p, OP_PROGRAM, 15, INDEX_NONE)->behind = 5;
	ops_at(&p->ops, 5)->behind = 7;
	p->block[3] = (struct flash_block){ .gate = 7, .last = 7, .erase = INDEX_NONE };
}

static void draw(struct picture *p)
{
	struct fault fault;

	fixture_settings(&p->settings, PAPER_DRIVE);
	assert_true(geometry_derive(&p->geometry, &p->settings.flash, &fault));
	p->block = memory_array(p->geometry.blocks, sizeof *p->block, "blocks");
	for (block_t b = 0; b < p->geometry.blocks; b++)
		p->block[b].gate = p->block[b].last = p->block[b].erase = INDEX_NONE;
	p->ops = (struct ops){ pool_create(sizeof(struct op), "operations"),
		pool_create(sizeof(struct copy), "copies"), pool_create(sizeof(struct edge), "dependencies"),
		pool_create(sizeof(struct ticket), "requests"),
		pool_create(sizeof(struct wordline), "wordlines") };
	add_tickets(p);
	add_op(p, OP_PROGRAM, 0, 0)->stage = STAGE_QUEUED;
	add_op(p, OP_PROGRAM, 1, 0)->room = ROOM_FORWARD;
	add_op(p, OP_FORWARD, 1, 0)->blockers = 1;
	add_op(p, OP_READ, 2, INDEX_NONE);
	add_op(p, OP_READ, 3, 1)->blockers = 1;
	add_moves(p);
	pool_give(&p->ops.op, 3);
	ops_add_edge(&p->ops, 1, &ops_at(&p->ops, 0)->waiters);
	ops_add_edge(&p->ops, 6, &ops_copy(&p->ops, 0)->waiters);
	ops_at(&p->ops, 0)->behind = 1;
	ops_at(&p->ops, 1)->behind = 0;
	ops_at(&p->ops, 1)->forwards = 2;
	p->block[0] = (struct flash_block){ .gate = 1, .last = 1, .erase = INDEX_NONE };
	p->queue = (struct queue){ 0, 0 };
	p->released = 4;
}

static void release(struct picture *p)
{
	pool_free(&p->ops.op);
	pool_free(&p->ops.copy);
	pool_free(&p->ops.edge);
	pool_free(&p->ops.ticket);
	memory_free(p->block);
	settings_release(&p->settings);
}

static struct census count(struct picture *p)
{
	struct census c = census_begin(&p->ops, &p->geometry, p->block, 1);

	census_queue(&c, &p->queue);
	census_command(&c, 5);
	census_release(&c, p->released, 1);
	census_completed(&c, &p->completed);
	census_end(&c);
	return c;
}

static void test_what_is_under_way_is_counted(void **state)
{
	struct picture p;
	struct census c;

	(void)state;
	draw(&p);
	c = count(&p);
	assert_int_equal(c.in_flight, 7);
	assert_int_equal(c.held, 1);
	release(&p);
}

/* Overwrites a number of the picture. */
struct change {
	size_t offset;
	enum { OF_PICTURE, OF_BLOCK, OF_OP, OF_COPY, OF_EDGE, OF_TICKET } of;
	uint32_t index, number;
	const char *says;
};

static void count_changed(void *context)
{
	const struct change *c = context;
	struct picture p;
	uint32_t *at;

	draw(&p);
	switch (c->of) {
	case OF_PICTURE:
		at = (void *)((char *)&p + c->offset);
		break;
	case OF_BLOCK:
		at = (void *)((char *)&p.block[c->index] + c->offset);
		break;
	case OF_OP:
		at = (void *)((char *)ops_at(&p.ops, c->index) + c->offset);
		break;
	case OF_COPY:
		at = (void *)((char *)ops_copy(&p.ops, c->index) + c->offset);
		break;
	case OF_EDGE:
		at = (void *)((char *)pool_at(&p.ops.edge, c->index) + c->offset);
		break;
	default:
		at = (void *)((char *)ops_ticket(&p.ops, c->index) + c->offset);
	}
	memcpy(at, &c->number, sizeof c->number);
	count(&p);
}

#define IN(of, what, field) offsetof(struct what, field), of
static void test_lists_that_are_wrong_are_seen(void **state)
{
	static struct change changes[] = {
		{ IN(OF_OP, op, next), 0, 0, "operation 0 is not there, or in two lists" },
		{ IN(OF_OP, op, next), 0, 4, "operation 4 is in the queue of its die and is not ready" },
		{ IN(OF_OP, op, next), 0, 3, "operation 3 is not there, or in two lists" },
		{ IN(OF_OP, op, next), 4, 0, "operation 0 is not there, or in two lists" },
		{ IN(OF_OP, op, next), 3, 3, "operations 3 is not there, or in two lists" },
		{ IN(OF_OP, op, blockers), 0, 1, "operation 0 is in the queue of its die and is not ready" },
		{ IN(OF_OP, op, blockers), 1, 2, "operation 1 waits for 1 others and counts 2" },
		{ IN(OF_OP, op, behind), 0, 0, "operation of a block 0 is not there, or in two lists" },
		{ IN(OF_OP, op, behind), 1, 1, "operation 0 is in no list of a block" },
		{ IN(OF_OP, op, behind), 1, INDEX_NONE, "the list of block 0 does not end, or has no gate" },
		{ IN(OF_OP, op, behind), 1, 2, "operation 2 is in the list of block 0" },
		{ IN(OF_OP, op, behind), 0, INDEX_NONE, "the list of block 0 does not end, or has no gate" },
		{ IN(OF_OP, op, behind), 2, 2, "forwarded read 2 is not there, or in two lists" },
		{ IN(OF_OP, op, forwards), 1, 4, "operation 4 is forwarded" },
		{ IN(OF_OP, op, waiters), 1, 0, "dependency 0 is not there, or in two lists" },
		{ IN(OF_OP, op, waiters), 0, INDEX_NONE, "operation 1 waits for 0 others and counts 1" },
		{ IN(OF_OP, op, ticket), 1, 2, "request 0 has 2 parts and counts 3" },
		{ IN(OF_OP, op, followers), 0, 0,
			"copies follow an operation of page 0, which does not copy" },
		{ IN(OF_OP, op, followers), 5, 0, "the copy of page 9 follows that of page 8" },
		{ IN(OF_OP, op, followers), 5, INDEX_NONE, "operation 6 waits for 0 others and counts 1" },
		{ IN(OF_COPY, copy, next), 0, 0, "copy 0 is not there, or in two lists" },
		{ IN(OF_COPY, copy, next), 1, 2, "copy 2 is not there, or in two lists" },
		{ IN(OF_COPY, copy, next), 1, 1, "operation 6 waits for 0 others and counts 1" },
		{ IN(OF_COPY, copy, from), 1, 12, "the copy of page 12 follows that of page 8" },
		{ IN(OF_COPY, copy, to), 0, 12, "the copy of page 9 follows that of page 8" },
		{ IN(OF_COPY, copy, to), 1, 15, "operation 7 stands behind a later one" },
		{ IN(OF_COPY, copy, to), 1, 16, "the copy of page 11 follows that of page 8" },
		{ IN(OF_COPY, copy, waiters), 1, 1, "dependency 1 is not there, or in two lists" },
		{ IN(OF_EDGE, edge, next), 0, 1, "dependency 1 is not there, or in two lists" },
		{ IN(OF_EDGE, edge, op), 0, 3, "operation 3 is awaited and not under way" },
		{ IN(OF_TICKET, ticket, pending), 0, 2, "request 0 has 3 parts and counts 2" },
		{ IN(OF_TICKET, ticket, pending), 2, 1, "request 2 has completed and has parts" },
		{ IN(OF_TICKET, ticket, next), 2, 2, "request 2 is not there, or in two lists" },
		{ IN(OF_BLOCK, flash_block, gate), 0, 2, "the list of block 0 does not end, or has no gate" },
		{ IN(OF_BLOCK, flash_block, last), 0, INDEX_NONE,
			"the list of block 0 does not end, or has no gate" },
		{ IN(OF_BLOCK, flash_block, last), 0, 0, "operation 0 stands behind a later one" },
		{ IN(OF_BLOCK, flash_block, last), 1, 0, "operation of a block 1 is not there" },
		{ IN(OF_BLOCK, flash_block, erase), 0, 1, "block 0 counts 0 erases, of 0" },
		{ IN(OF_BLOCK, flash_block, erasing), 0, 1, "block 0 counts 1 erases, of 0" },
		{ IN(OF_PICTURE, picture, queue.last), 0, 1, "a list ends with 0 and should with 1" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof changes / sizeof *changes; i++)
		assert_aborts(count_changed, &changes[i], changes[i].says);
}

/* Block 1 is erased nine times, and its first page programmed after each erase: by operations 8 and 9
 * first. */
#define LIVES 9
static void add_lives(struct picture *p)
{
	pool_take(&p->ops.op); /* 3 */
	for (uint32_t life = 1; life <= LIVES; life++) {
		add_op(p, OP_ERASE, 4, INDEX_NONE)->life = life;
		order_append(&p->ops, &p->block[1], 6 + 2 * life);
		add_op(p, OP_PROGRAM, 4, INDEX_NONE)->life = life;
		order_append(&p->ops, &p->block[1], 7 + 2 * life);
	}
	pool_give(&p->ops.op, 3);
}

static void assert_lives(const struct picture *p, uint32_t first)
{
	const struct flash_block *b = &p->block[1];

	for (uint32_t life = first; life <= LIVES; life++) {
		assert_int_equal(order_erase(&p->ops, b, life), 6 + 2 * life);
		assert_int_equal(order_writer(&p->ops, b, 4, life), 7 + 2 * life);
		assert_int_equal(order_writer(&p->ops, b, 5, life), INDEX_NONE);
	}
	assert_int_equal(order_erase(&p->ops, b, first - 1), INDEX_NONE);
	assert_int_equal(order_erase(&p->ops, b, LIVES + 1), INDEX_NONE);
	count((struct picture *)p);
}

static void finish(struct picture *p, uint32_t index)
{
	ops_at(&p->ops, index)->stage = STAGE_READY;
	assert_int_equal(order_pass(&p->ops, &p->block[1]), index);
	order_finish(&p->ops, &p->block[1], index);
	pool_give(&p->ops.op, index);
}

static void test_each_of_many_lives_is_found(void **state)
{
	struct picture p;

	(void)state;
	draw(&p);
	add_lives(&p);
	assert_lives(&p, 1);
	for (uint32_t life = 1; life <= LIVES; life++) {
		finish(&p, 6 + 2 * life);
		assert_int_equal(order_erase(&p.ops, &p.block[1], life), INDEX_NONE);
		assert_int_equal(order_writer(&p.ops, &p.block[1], 4, life), 7 + 2 * life);
		finish(&p, 7 + 2 * life);
		assert_lives(&p, life + 1);
	}
	assert_int_equal(p.block[1].erase, INDEX_NONE);
	release(&p);
}

static void count_lives_changed(void *number)
{
	struct picture p;

	draw(&p);
	add_lives(&p);
	*(number ? &ops_at(&p.ops, 12)->before : &ops_at(&p.ops, 12)->life) = 8;
	count(&p);
}

static void test_erases_that_do_not_follow_each_other_are_seen(void **state)
{
	assert_aborts(count_lives_changed, NULL, "erase 12 stands behind another than it names");
	assert_aborts(count_lives_changed, state, "erase 12 stands behind another than it names");
}

/* Two copies in a circle: each reads the page that the other writes. */
static void copy_in_a_circle(void *context)
{
	struct picture p;

	(void)context;
	draw(&p);
	for (uint32_t i = 0; i < 2; i++)
		*ops_at(&p.ops, i) = (struct op){ .next = INDEX_NONE,
			.waiters = INDEX_NONE,
			.followers = INDEX_NONE,
			.forwards = INDEX_NONE,
			.ppn = 1 - i,
			.to = i,
			.ticket = INDEX_NONE,
			.kind = OP_COPY,
			.behind = 1 - i };
	count(&p);
}

/* The same with a copy that follows another. */
static void move_in_a_circle(void *context)
{
	struct picture p;

	(void)context;
	draw(&p);
	ops_copy(&p.ops, 1)->from = 8;
	ops_at(&p.ops, 5)->ppn = 9;
	p.block[2] = (struct flash_block){ .gate = INDEX_NONE, .last = 3, .erase = INDEX_NONE };
	*ops_at(&p.ops, pool_take(&p.ops.op)) = (struct op){ .next = INDEX_NONE,
		.waiters = INDEX_NONE,
		.followers = INDEX_NONE,
		.forwards = INDEX_NONE,
		.ppn = 14,
		.to = 8,
		.behind = 3,
		.ticket = INDEX_NONE,
		.kind = OP_COPY };
	count(&p);
}

static void test_copies_come_from_somewhere(void **state)
{
	(void)state;
	assert_aborts(copy_in_a_circle, NULL, "is copied from itself");
	assert_aborts(move_in_a_circle, NULL, "is copied from itself");
}

static void start_out_of_order(void *context)
{
	struct picture p;

	(void)context;
	draw(&p);
	order_start(&p.ops, p.block, 1);
}

static void test_what_is_out_of_order_in_time_aborts(void **state)
{
	(void)state;
	assert_aborts(start_out_of_order, NULL,
		"an operation of page 1 starts before an earlier one of its block has");
}

/* Whatever an operation waited for, its account must begin when that of its request does. */
static void test_accounts_of_another_run_are_seen(void **state)
{
	struct accounts *a = accounts_create(1);
	const struct flash_hears *h = accounts_observer(a)->hears;

	(void)state;
	h->submitted(a, 0, 0, 1000);
	h->delayed(a, 0, 1050);
	h->made(a, &(struct made_op){ .op = 1, .cause = CAUSE_HOST });
	h->released(a, 1, 0, 1050);
	h->waited(a, 1, false, 1700);
	h->spent(a, 1, PART_CELLS, 1800);
	assert_true(accounts_agree(a, 1, 0));
	h->submitted(a, 0, 0, 1001);
	h->delayed(a, 0, 1051);
	assert_false(accounts_agree(a, 1, 0));
	assert_true(accounts_cover(a, 1, 1));
	assert_false(accounts_cover(a, 2, 1));
	assert_false(accounts_cover(a, 1, 2));
	accounts_free(a);
}

/* ---- handles and alarms ---- */

/* Handles of operations issued so far are known; the next use of a slot and unused slots are not. */
static void test_handles_of_operations_to_come(void **state)
{
	const op_t next_use = (op_t)1 << 32;
	struct bench *b = bench_open(PAPER_DRIVE);
	struct schedule *s = b->flash->schedule;
	op_t first = submit_read(b, old_page(b, 0, 0, 0, 0)), second;

	(void)state;
	assert_true(schedule_knows(s, OP_NONE));
	assert_true(schedule_knows(s, first));
	assert_false(schedule_knows(s, first + 1));
	assert_false(schedule_knows(s, first + next_use));
	schedule_drain(s);
	assert_true(schedule_knows(s, first));
	assert_false(schedule_knows(s, first + next_use));
	second = submit_read(b, old_page(b, 1, 0, 0, 0));
	assert_true(second == first + next_use);
	assert_true(schedule_knows(s, first));
	assert_true(schedule_knows(s, second));
	assert_false(schedule_knows(s, second + next_use));
	schedule_drain(s);
	bench_close(b);
}

/* Visits state: makes each word that equals `value` too large in turn, and counts how often that is
 * refused. */
struct forger {
	struct state_visitor visitor; /* first: the visitor is found through it */
	struct schedule *schedule;
	uint64_t value;
	uint32_t refused;
};

static void leave(struct state_visitor *r, void *bytes, size_t size)
{
	(void)r;
	(void)bytes;
	(void)size;
}

static bool is_refused(const struct geometry *g, struct schedule *s)
{
	struct state_visitor r = { leave, { .running = true, .device = g }, .most = UINT64_MAX };

	state_visit(&r, schedule_state, s);
	return r.broken;
}

static void forge_words(struct state_visitor *r, void *bytes, size_t size)
{
	struct forger *f = (struct forger *)r;
	const uint64_t forged = (uint64_t)1 << 59;

	for (char *at = bytes; size >= sizeof f->value; at += sizeof f->value, size -= sizeof f->value) {
		uint64_t value;

		memcpy(&value, at, sizeof value);
		if (value != f->value)
			continue;
		memcpy(at, &forged, sizeof forged);
		f->refused += is_refused(f->visitor.scope.device, f->schedule);
		memcpy(at, &value, sizeof value);
	}
}

/* An erase is suspended for a read, whose command is on the bus: each of their times is refused if it lies
 * too far ahead for alarms. */
static void test_times_that_no_alarm_can_have_are_refused(void **state)
{
	enum { NOW = 400050 };
	static const struct {
		const char *what;
		uint64_t value;
	} words[] = {
		{ "in_ns", 100 },
		{ "cell_ns", 10000 },
		{ "out_ns", 4000 },
		{ "suspended_ns", 605100 },
		{ "the alarm", NOW },
	};
	struct bench *b = bench_open_unjudged(
		PAPER_DRIVE "flash.suspend=erase flash.suspend_ns=0 flash.resume_ns=5000");
	ppn_t old = old_page(b, 0, 0, 1, 0);

	(void)state;
	submit_erase(b, page_at(b, 0, 0, 0, 0));
	schedule_run_until(b->flash->schedule, 400000);
	submit_read(b, old);
	schedule_run_until(b->flash->schedule, NOW);
	assert_false(is_refused(b->flash->geometry, b->flash->schedule));
	for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
		struct forger f = { { .visit = forge_words,
					    .scope = { .running = true, .device = b->flash->geometry },
					    .most = UINT64_MAX },
			b->flash->schedule, words[i].value, 0 };

		state_visit(&f.visitor, schedule_state, b->flash->schedule);
		if (f.refused != 1)
			fail_msg("%s: %u places are refused", words[i].what, f.refused);
	}
	schedule_drain(b->flash->schedule);
	bench_close(b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_what_is_under_way_is_counted),
		cmocka_unit_test(test_lists_that_are_wrong_are_seen),
		cmocka_unit_test(test_each_of_many_lives_is_found),
		cmocka_unit_test(test_erases_that_do_not_follow_each_other_are_seen),
		cmocka_unit_test(test_copies_come_from_somewhere),
		cmocka_unit_test(test_what_is_out_of_order_in_time_aborts),
		cmocka_unit_test(test_accounts_of_another_run_are_seen),
		cmocka_unit_test(test_handles_of_operations_to_come),
		cmocka_unit_test(test_times_that_no_alarm_can_have_are_refused),
	};

	return cmocka_run_group_tests_name("census", tests, NULL, NULL);
}
