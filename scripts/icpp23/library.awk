# What tables and figures are computed with.  Reads the first file, values.txt, lines "RUN KEY VALUE";
# -v ftls="page mrsm across": those of the three that were run; -v divisor: the scale is 1/divisor;
# -v real: folder of the real traces, or empty.  Programs that follow (-f) see only other files.

BEGIN {
	workloads = split("lun1 lun2 lun3 lun4 lun5 lun6", workload)
	ftl_count = split(ftls, ftl)
	title["page"] = "FTL"
	title["mrsm"] = "MRSM"
	title["across"] = "Across-FTL"
}

FNR == 1 { file_number++ }
file_number == 1 { keep($0); next }

function keep(line,  word) {
	split(line, word, " ")
	values[word[1], word[2]] = word[3]
	if (word[1] ~ /^file:/)
		files[word[1]] = 1
}

function die(text) {
	print "icpp23: " text > "/dev/stderr"
	failed = 1
	exit 1
}

function known(name,  i) {
	for (i = 1; i <= ftl_count; i++)
		if (ftl[i] == name)
			return 1
	return 0
}

function has(run, key) {
	return (run, key) in values
}

function value(run, key) {
	if (!has(run, key))
		die(run " says nothing about " key)
	return values[run, key]
}

# Name of a run; `variant` is empty or, on the sensitivity page, "NAME:".
function run_of(w, f, kb) {
	return variant w "-" f "-" kb "k"
}

function share(part, whole) {
	return whole ? part / whole : 0
}

# ---- measures of a run, by name ----

# Mapping pages that the collector moves, or rewrites because of what it moved.
function map_copies(run, kind) {
	return value(run, "flash." kind ".gc_map") + value(run, "flash." kind ".gc_update")
}

# Pages moved by the collector and by wear levelling; `kind` is read or program.
function copies(run, kind) {
	return value(run, "flash." kind ".gc") + map_copies(run, kind) + value(run, "flash." kind ".wear")
}

function map_pages(run, kind, with_copies) {
	return value(run, "flash." kind ".map") + (with_copies ? map_copies(run, kind) : 0)
}

function pages(run, kind, with_copies) {
	return value(run, "flash." kind ".total") - (with_copies ? 0 : copies(run, kind))
}

function measure(run, what) {
	if (what == "read latency") return value(run, "request.read.latency_mean_ns")
	if (what == "write latency") return value(run, "request.write.latency_mean_ns")
	if (what == "latency") return value(run, "request.all.latency_mean_ns")
	if (what == "reads") return pages(run, "read", 1)
	if (what == "programs") return pages(run, "program", 1)
	if (what == "host reads") return pages(run, "read", 0)
	if (what == "host programs") return pages(run, "program", 0)
	if (what == "update reads") return value(run, "flash.read.rmw") + value(run, "flash.read.merge")
	if (what == "erases") return value(run, "flash.erase.total")
	if (what == "table") return value(run, "map.bytes")
	if (what == "dram") return value(run, "map.dram_access")
	die("no measure \"" what "\"")
}

# The measure of one FTL over that of another, for one workload; for all, the mean, least and most.
function ratio(what, w, f, base, kb) {
	return share(measure(run_of(w, f, kb), what), measure(run_of(w, base, kb), what))
}

function mean_ratio(what, f, base, kb,  i, sum) {
	for (i = 1; i <= workloads; i++)
		sum += ratio(what, workload[i], f, base, kb)
	return sum / workloads
}

function extreme_ratio(sign, what, f, base, kb,  i, r, most) {
	for (i = 1; i <= workloads; i++) {
		r = ratio(what, workload[i], f, base, kb)
		if (i == 1 || sign * r > sign * most)
			most = r
	}
	return most
}

function map_share(kind, f, kb, with_copies,  i, sum, run) {
	for (i = 1; i <= workloads; i++) {
		run = run_of(workload[i], f, kb)
		sum += share(map_pages(run, kind, with_copies), pages(run, kind, with_copies))
	}
	return sum / workloads
}

# ---- the baseline's requests by class, for Fig. 4: everything that is not across is "normal" ----

function class_sum(run, class, type, what) {
	if (class == "normal")
		return class_sum(run, "aligned", type, what) + class_sum(run, "unaligned", type, what)
	if (what == "sectors")
		return value(run, "request." class "." type ".bytes") / 512
	if (what == "latency")
		return value(run, "request." class "." type ".latency_mean_ns") * value(run, "request." class "." type ".count")
	return value(run, "request." class "." type "." what)
}

function per_sector(run, class, type, what) {
	return share(class_sum(run, class, type, what), class_sum(run, class, type, "sectors"))
}

function mean_class_ratio(type, what, kb,  i, sum, run) {
	for (i = 1; i <= workloads; i++) {
		run = run_of(workload[i], "page", kb)
		sum += share(per_sector(run, "across", type, what), per_sector(run, "normal", type, what))
	}
	return sum / workloads
}

# ---- how numbers are written ----

function thousands(n,  text, out) {
	text = sprintf("%.0f", n)
	while (length(text) > 3) {
		out = "," substr(text, length(text) - 2) out
		text = substr(text, 1, length(text) - 3)
	}
	return text out
}

function milliseconds(ns) {
	return sprintf(ns < 999500 ? "%.3f" : "%.2f", ns / 1e6)
}

function scale_text() {
	return divisor == 1 ? "the paper's size" : "1/" divisor " of the paper's size"
}

# ---- shares that one FTL counts itself ----

function own_share(run, what,  written) {
	if (what == "rollback")
		return share(value(run, "across.rollback_area"), value(run, "across.direct_write"))
	if (what == "unprofitable") {
		written = value(run, "across.direct_write") + value(run, "across.amerge_profitable") + \
			value(run, "across.amerge_unprofitable")
		return share(value(run, "across.amerge_unprofitable"), written)
	}
	if (what == "merged")
		return share(value(run, "across.merged_read_flash"), value(run, "flash.read.total"))
	if (what == "merged extra")
		return share(value(run, "across.merged_read_extra"), value(run, "flash.read.total"))
	if (what == "cached")
		return value(run, "mrsm.table_cached_share")
	if (what == "lookup")
		return share(value(run, "map.lookup") * value(run, "param.dram.access_ns"), \
			value(run, "request.all.latency_mean_ns") * value(run, "request.all.count"))
	die("no share \"" what "\"")
}
