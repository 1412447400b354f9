/* Linked into test programs by tests/mutants/run: environment FILTER names the tests to run, with * and ?. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>

__attribute__((constructor)) static void choose_tests(void)
{
	if (getenv("FILTER"))
		cmocka_set_test_filter(getenv("FILTER"));
}
