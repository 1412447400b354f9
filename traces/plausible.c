#include "traces/plausible.h"

#include <stdio.h>

#define JUDGED_REQUESTS 100u
#define RATE_MAX        1e5          /* requests/s: more than traced disks and volumes have */
#define RATE_LIKELY     2e4          /* requests/s: even a busy device usually has less */
#define RATE_MIN        (1 / 3600.0) /* requests/s */

static const struct {
	const char *name;
	double ns;
} units[] = { { "ns", 1 }, { "us", 1e3 }, { "ms", 1e6 }, { "s", 1e9 } };

#define UNITS (sizeof units / sizeof units[0])

/* The finest unit that makes a too high rate plausible, or the coarsest that makes a too low rate
 * plausible. */
static const char *plausible_unit(double rate, double unit_ns)
{
	if (rate > RATE_MAX) {
		for (size_t i = 0; i < UNITS; i++)
			if (units[i].ns > unit_ns && rate * unit_ns / units[i].ns <= RATE_LIKELY)
				return units[i].name;
	} else {
		for (size_t i = UNITS; i-- > 0;)
			if (units[i].ns < unit_ns && rate * unit_ns / units[i].ns >= RATE_MIN)
				return units[i].name;
	}
	return NULL;
}

bool plausible_rate(uint64_t requests, tick_t ns, uint64_t unit_ns, char *text, size_t bytes)
{
	double rate = ns ? (double)requests / ((double)ns * 1e-9) : 0;
	const char *unit;

	if (requests < JUDGED_REQUESTS || !ns || (rate >= RATE_MIN && rate <= RATE_MAX))
		return true;
	unit = plausible_unit(rate, (double)unit_ns);
	if (!unit)
		snprintf(text, bytes,
			"%.3g requests/s on average are hard to believe; is the time unit right?", rate);
	else
		snprintf(text, bytes,
			"%.3g requests/s on average are hard to believe; if the times are in %s, "
			"set --time-unit %s (trace.time_unit = \"%s\")",
			rate, unit, unit, unit);
	return false;
}
