# The statistics of a trace, of the trace with its gaps, its requests, and both in random order, and of
# a profile, side by side; and how far the profile is from the first and from the last of these.

BEGIN {
	split("request.read.latency_mean_ns request.write.latency_mean_ns request.all.latency_mean_ns " \
		"waf flash.read.total flash.program.total flash.copy.total flash.erase.total gc.collections", names, " ")
	TRACE = 1
	BOTH = 4
	PROFILE = 5
	printf "%-30s %12s %38s %12s %21s\n", "", "", "trace with random order of", "", "profile against"
	printf "%-30s %12s %12s %12s %12s %12s %10s %10s\n", "", "trace", "gaps", "requests", "both", "profile",
		"trace", "both"
}

FNR == 1 { file++ }

$2 == "=" { value[file, $1] = $3 }

# Five digits, whole numbers whole.
function number(x) {
	return sprintf(x >= 10000 ? "%.0f" : "%.5g", x)
}

function deviation(from, to) {
	return from ? sprintf("%+.1f %%", 100 * (to / from - 1)) : "-"
}

END {
	for (i = 1; i in names; i++) {
		name = names[i]
		printf "%-30s", name
		for (run = TRACE; run <= PROFILE; run++)
			printf " %12s", number(value[run, name])
		printf " %10s %10s\n", deviation(value[TRACE, name], value[PROFILE, name]),
			deviation(value[BOTH, name], value[PROFILE, name])
	}
}
