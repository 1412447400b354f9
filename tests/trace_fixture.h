/*
 * For the tests of trace formats: short names for request types, and the comparison of records.
 */
#ifndef TESTS_TRACE_FIXTURE_H
#define TESTS_TRACE_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "traces/format.h"

#define R    REQUEST_READ
#define W    REQUEST_WRITE
#define T    REQUEST_TRIM
#define NONE RESPONSE_UNKNOWN

__attribute__((unused)) static struct format const *format_of(const char *name)
{
	const struct format *format = trace_format_named(name);

	assert_non_null(format);
	return format;
}

__attribute__((unused)) static void assert_same(const struct record *a, const struct record *b)
{
	assert_int_equal(a->time, b->time);
	assert_int_equal(a->offset, b->offset);
	assert_int_equal(a->bytes, b->bytes);
	assert_int_equal(a->response, b->response);
	assert_int_equal(a->device, b->device);
	assert_int_equal(a->type, b->type);
}

#endif
