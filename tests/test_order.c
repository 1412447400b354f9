/* The order of programs and erases of a block (flash/order.h), handles and counts of operations. */
#include "flash/order.h"
#include "flash/schedule_inside.h"
#include "tests/drive_fixture.h"

enum { LIVES = 9 };

/* Block 0 is erased nine times, and its first page programmed after each erase: erase 2n begins life n + 1 of
 * the block, and program 2n + 1 belongs to it. */
struct ring {
	struct flash_block block;
	struct ops ops;
};

static uint32_t append(struct ring *r, enum op_kind kind, ppn_t ppn, uint32_t life)
{
	uint32_t index = pool_take(&r->ops.op);

	*ops_at(&r->ops, index) = (struct op){ .next = INDEX_NONE,
		.waiters = INDEX_NONE,
		.followers = INDEX_NONE,
		.forwards = INDEX_NONE,
		.behind = INDEX_NONE,
		.ppn = ppn,
		.to = PPN_NONE,
		.ticket = INDEX_NONE,
		.life = life,
		.kind = (uint8_t)kind };
	order_append(&r->ops, &r->block, index);
	return index;
}

static struct ring ring_open(void)
{
	return (struct ring){ { .gate = INDEX_NONE, .last = INDEX_NONE, .erase = INDEX_NONE },
		{ .op = pool_create(sizeof(struct op), "operations") } };
}

static void assert_lives(const struct ring *r, uint32_t first)
{
	const struct flash_block *b = &r->block;

	for (uint32_t life = first; life <= LIVES; life++) {
		assert_int_equal(order_erase(&r->ops, b, life), 2 * life - 2);
		assert_int_equal(order_writer(&r->ops, b, 0, life), 2 * life - 1);
		assert_int_equal(order_writer(&r->ops, b, 1, life), INDEX_NONE);
	}
	assert_int_equal(order_erase(&r->ops, b, first - 1), INDEX_NONE);
	assert_int_equal(order_erase(&r->ops, b, LIVES + 1), INDEX_NONE);
	assert_int_equal(b->erase, first <= LIVES ? 2 * LIVES - 2 : INDEX_NONE);
}

static void finish(struct ring *r, uint32_t index)
{
	ops_at(&r->ops, index)->stage = STAGE_READY;
	assert_int_equal(order_pass(&r->ops, &r->block), index);
	order_finish(&r->ops, &r->block, index);
	pool_give(&r->ops.op, index);
}

static void test_each_of_many_lives_is_found(void **state)
{
	struct ring r = ring_open();

	(void)state;
	for (uint32_t life = 1; life <= LIVES; life++) {
		assert_int_equal(append(&r, OP_ERASE, 0, life), 2 * life - 2);
		assert_int_equal(append(&r, OP_PROGRAM, 0, life), 2 * life - 1);
	}
	assert_lives(&r, 1);
	for (uint32_t life = 1; life <= LIVES; life++) {
		finish(&r, 2 * life - 2);
		assert_int_equal(order_erase(&r.ops, &r.block, life), INDEX_NONE);
		assert_int_equal(order_writer(&r.ops, &r.block, 0, life), 2 * life - 1);
		finish(&r, 2 * life - 1);
		assert_lives(&r, life + 1);
	}
	pool_free(&r.ops.op);
}

static void start_out_of_order(void *context)
{
	struct ring r = ring_open();

	(void)context;
	append(&r, OP_PROGRAM, 0, 0);
	order_start(&r.ops, &r.block, append(&r, OP_PROGRAM, 1, 0));
}

static void test_what_is_out_of_order_in_time_aborts(void **state)
{
	(void)state;
	assert_aborts(start_out_of_order, NULL,
		"an operation of page 1 starts before an earlier one of its block has");
}

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

/* A read is in flight; then one of the counts is changed. */
static void check_changed_counts(void *number)
{
	struct bench *b = bench_open(PAPER_DRIVE);
	struct schedule *s = b->flash->schedule;

	submit_read(b, old_page(b, 0, 0, 0, 0));
	schedule_check(s);
	switch (*(const int *)number) {
	case 0:
		s->in_flight++;
		break;
	case 1:
		s->held++;
		break;
	default:
		ops_ticket(&s->ops, 0)->pending++;
	}
	schedule_check(s);
}

static void test_counts_of_what_is_in_flight_agree(void **state)
{
	static const char *const says[] = { "2 operations in flight", " 1 pages held",
		"2 parts of requests" };

	(void)state;
	for (int i = 0; i < 3; i++)
		assert_aborts(check_changed_counts, (void *)&i, says[i]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_each_of_many_lives_is_found),
		cmocka_unit_test(test_what_is_out_of_order_in_time_aborts),
		cmocka_unit_test(test_handles_of_operations_to_come),
		cmocka_unit_test(test_counts_of_what_is_in_flight_agree),
	};

	return cmocka_run_group_tests_name("order", tests, NULL, NULL);
}
