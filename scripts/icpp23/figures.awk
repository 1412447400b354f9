# Writes the columns of every figure to -v folder: NAME.dat, the last row being the average, and
# NAME.paper, the averages that the paper states, by number of the bar.  After library.awk.

END {
	if (failed)
		exit 1
	across_of_files()
	classes()
	page_sizes()
	if (known("across"))
		areas()
	if (ftl_count > 1)
		comparisons()
}

function out(name) {
	return folder "/" name ".dat"
}

# ---- Fig. 2: across share of every file of the traces' folder, else of the six ----

function across_of_files(  i, n, f, name) {
	for (f in files)
		name[++n] = f
	if (!n)
		for (i = 1; i <= workloads; i++)
			name[++n] = workload[i]
	sort(name, n)
	print "index name across" > out("fig02")
	for (i = 1; i <= n; i++)
		print i, substr(name[i], index(name[i], ":") + 1), 100 * value(name[i], "trace.across_8k_share") > out("fig02")
}

function sort(a, n,  i, j, x) {
	for (i = 2; i <= n; i++) {
		x = a[i]
		for (j = i - 1; j && a[j] > x; j--)
			a[j + 1] = a[j]
		a[j + 1] = x
	}
}

# ---- Fig. 4: per sector, across and normal requests of the baseline ----

function classes() {
	class_panel("fig04a", "read", "latency", 1e3)
	class_panel("fig04b", "write", "latency", 1e3)
	class_panel("fig04c", "write", "programs", 1)
}

function class_panel(name, type, what, unit,  i, run, a, n, sum_a, sum_n, sum_r) {
	print "name across normal ratio" > out(name)
	for (i = 1; i <= workloads; i++) {
		run = run_of(workload[i], "page", 8)
		a = per_sector(run, "across", type, what) / unit
		n = per_sector(run, "normal", type, what) / unit
		sum_a += a
		sum_n += n
		sum_r += share(a, n)
		print workload[i], a, n, share(a, n) > out(name)
	}
	print "avg", sum_a / workloads, sum_n / workloads, sum_r / workloads > out(name)
}

# ---- Fig. 13: across share by page size ----

function page_sizes(  i, k, kb, n, sum, line) {
	n = split("4 8 16", kb)
	print "name 4 8 16" > out("fig13")
	for (i = 1; i <= workloads; i++) {
		line = workload[i]
		for (k = 1; k <= n; k++) {
			line = line " " 100 * value(workload[i], "trace.across_" kb[k] "k_share")
			sum[k] += 100 * value(workload[i], "trace.across_" kb[k] "k_share")
		}
		print line > out("fig13")
	}
	print "avg", sum[1] / workloads, sum[2] / workloads, sum[3] / workloads > out("fig13")
}

# ---- Fig. 8: areas rolled back; kinds of across writes ----

function areas(  i, run, d, p, u, all, roll, sum) {
	print "name rollback direct profitable unprofitable" > out("fig08")
	for (i = 1; i <= workloads; i++) {
		run = run_of(workload[i], "across", 8)
		d = value(run, "across.direct_write")
		p = value(run, "across.amerge_profitable")
		u = value(run, "across.amerge_unprofitable")
		all = d + p + u
		roll = 100 * own_share(run, "rollback")
		print workload[i], roll, 100 * share(d, all), 100 * share(p, all), 100 * share(u, all) > out("fig08")
		sum["r"] += roll
		sum["d"] += 100 * share(d, all)
		sum["p"] += 100 * share(p, all)
		sum["u"] += 100 * share(u, all)
	}
	print "avg", sum["r"] / workloads, sum["d"] / workloads, sum["p"] / workloads, sum["u"] / workloads > out("fig08")
}

# ---- Figs 9 to 12 and 14: FTLs side by side, over the baseline ----

function comparisons(  k, n, kb) {
	bars("fig09a", "read latency", 8, "ms")
	bars("fig09b", "write latency", 8, "ms")
	bars("fig09c", "latency", 8, "ms")
	stacks("fig10a", "program", 1)
	stacks("fig10b", "read", 1)
	stacks("fig10a_host", "program", 0)
	stacks("fig10b_host", "read", 0)
	bars("fig11", "erases", 8, "count")
	bars("fig12a", "table", 8, "mib")
	bars("fig12b", "dram", 8, "count")
	n = split("4 8 16", kb)
	for (k = 1; k <= n; k++) {
		bars("fig14a-" kb[k], "latency", kb[k], "ms")
		bars("fig14b-" kb[k], "erases", kb[k], "count")
	}
	stated("fig09b", 0.911 / 0.963, 0.911)
	stated("fig10a", 0.841 / 0.691, 0.841)
	stated("fig10b", 0.903 / 0.839, 0.903)
	stated("fig11", 0.867 / 0.754, 0.867)
	stated("fig12a", 2.4, 1.4)
	stated("fig12b", 32.6, 1.011)
}

function absolute(x, unit) {
	if (unit == "ms")
		return milliseconds(x)
	if (unit == "mib")
		return sprintf("%.1f", x / 1048576) "M"
	return x < 1e4 ? thousands(x) : x < 1e5 ? sprintf("%.1fk", x / 1e3) : x < 1e7 ? sprintf("%.0fk", x / 1e3) : sprintf("%.1fM", x / 1e6)
}

function heading(first,  i, line) {
	line = first
	for (i = 1; i <= ftl_count; i++)
		line = line " " ftl[i]
	return line
}

# One bar for each FTL: name, absolute value of the baseline, values over the baseline's.
function bars(name, what, kb, unit,  i, j, line, r, sum) {
	print heading("name base") > out(name)
	for (i = 1; i <= workloads; i++) {
		line = workload[i] " " absolute(measure(run_of(workload[i], ftl[1], kb), what), unit)
		for (j = 1; j <= ftl_count; j++) {
			r = ratio(what, workload[i], ftl[j], ftl[1], kb)
			sum[j] += r
			line = line " " r
		}
		print line > out(name)
	}
	line = "avg -"
	for (j = 1; j <= ftl_count; j++)
		line = line " " sum[j] / workloads
	print line > out(name)
}

# The same in two parts: for each FTL data and map.
function stacks(name, kind, with_copies,  i, j, base, run, map, data, line, sum_data, sum_map) {
	print heading("name base") > out(name)
	for (i = 1; i <= workloads; i++) {
		base = pages(run_of(workload[i], ftl[1], 8), kind, with_copies)
		line = workload[i] " " absolute(base, "count")
		for (j = 1; j <= ftl_count; j++) {
			run = run_of(workload[i], ftl[j], 8)
			map = map_pages(run, kind, with_copies)
			data = pages(run, kind, with_copies) - map
			line = line " " share(data, base) " " share(map, base)
			sum_data[j] += share(data, base)
			sum_map[j] += share(map, base)
		}
		print line > out(name)
	}
	line = "avg -"
	for (j = 1; j <= ftl_count; j++)
		line = line " " sum_data[j] / workloads " " sum_map[j] / workloads
	print line > out(name)
}

# Averages of the paper, for the marks beside ours.
function stated(name, mrsm, across,  j) {
	for (j = 2; j <= ftl_count; j++)
		print j, (ftl[j] == "mrsm" ? mrsm : across) > (folder "/" name ".paper")
}
