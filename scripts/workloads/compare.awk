# The statistics of a trace, of the trace shuffled, and of a profile, side by side.

BEGIN {
	split("request.read.latency_mean_ns request.write.latency_mean_ns request.all.latency_mean_ns " \
		"waf flash.read.total flash.program.total flash.copy.total flash.erase.total gc.collections", names, " ")
}

FNR == 1 { file++ }

$2 == "=" { value[file, $1] = $3 }

function deviation(from, to) {
	return from ? sprintf("%+.1f %%", 100 * (to / from - 1)) : "-"
}

END {
	printf "%-30s %13s %13s %13s %15s %15s\n", "", "trace", "shuffled", "profile", "profile/trace", "profile/shuff."
	for (i = 1; i in names; i++) {
		name = names[i]
		printf "%-30s %13s %13s %13s %15s %15s\n", name, value[1, name], value[2, name], value[3, name], \
			deviation(value[1, name], value[3, name]), deviation(value[2, name], value[3, name])
	}
}
