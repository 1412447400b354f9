# Sets ours beside every number of paper.txt (second file).  Writes, with tabs between:
# id, where, what, the paper's, ours, deviation, verdict, why.  After library.awk.

BEGIN { FS = " *[|] *"; OFS = "\t" }

file_number == 2 && /^[a-z]/ { compare($1, $2, $3, $4, $5, $6, $7) }

function compare(id, where, what, relation, paper, unit, why,  mine, end, other, deviation, verdict) {
	mine = ours(id)
	split(paper, end, " ")
	if (relation == "holds" && mine == "none")
		print id, where, what, "holds", "-", "-", "left out", ""
	else if (mine == "none")
		print id, where, what, written(end[1], unit) (relation == "range" ? " to " written(end[2], unit) : ""), "-", "-", "left out", ""
	else if (relation == "holds")
		print id, where, what, "holds", mine " of " paper, "-", mine == paper ? "holds" : "does not hold everywhere", mine == paper ? "" : why
	else if (relation == "range") {
		split(mine, other, " ")
		verdict = judge(other[1], end[1]) == "within a quarter" ? judge(other[2], end[2]) : "off"
		print id, where, what, written(end[1], unit) " to " written(end[2], unit), \
			written(other[1], unit) " to " written(other[2], unit), "-", verdict, verdict == "off" ? why : ""
	} else {
		if (unit == "count" && !real)
			deviation = mine * divisor / paper - 1
		else
			deviation = mine / paper - 1
		verdict = judge(deviation + 1, 1)
		if (relation == "<=" && mine <= paper || relation == ">=" && mine >= paper)
			verdict = "holds"
		print id, where, what, bound(relation) written(paper, unit), written(mine, unit), \
			signed(100 * deviation), verdict, verdict == "off" ? why : ""
	}
}

function bound(relation) {
	return relation == "<=" ? "at most " : relation == ">=" ? "at least " : ""
}

function judge(mine, paper) {
	return mine >= 0.75 * paper && mine <= 1.25 * paper ? "within a quarter" : "off"
}

function written(x, unit) {
	if (unit == "count")
		return thousands(x)
	if (unit == "kb")
		return sprintf("%.1f KB", x)
	if (unit == "factor")
		return sprintf(x < 10 ? "%.2fx" : "%.1fx", x)
	if (unit == "change")
		return signed(x)
	return sprintf(x < 1 ? "%.2f %%" : "%.1f %%", x)
}

function signed(x) {
	return sprintf("%+.1f %%", x > -0.05 && x < 0.05 ? 0 : x)
}

# "none" if an FTL that it needs was not run.
function ours(id,  part, i, sum, run) {
	split(id, part, ".")
	if (part[1] == "t2")
		return table2(part[2], part[3])
	if (part[1] == "used" || part[1] == "valid") {
		for (i = 1; i <= workloads; i++)
			sum += 100 * value(run_of(workload[i], "page", 8), "precondition." id)
		return sum / workloads
	}
	if (id == "class.flush")
		return mean_class_ratio("write", "programs", 8)
	if (part[1] == "class")
		return mean_class_ratio(part[2], "latency", 8)
	if (id == "falling")
		return falling()
	return of_ftls(id, part[1], part[2], part[3])
}

function table2(w, column) {
	if (column == "requests")
		return value(w, "trace.requests")
	if (column == "writes")
		return 100 * value(w, "trace.write_share")
	if (column == "size")
		return value(w, "trace.mean_write_bytes") / 1024
	return 100 * value(w, "trace.across_8k_share")
}

function falling(  i, w, n) {
	for (i = 1; i <= workloads; i++) {
		w = workload[i]
		n += value(w, "trace.across_4k_share") > value(w, "trace.across_8k_share") && \
			value(w, "trace.across_8k_share") > value(w, "trace.across_16k_share")
	}
	return n + 0
}

function of_ftls(id, first, second, third,  what) {
	what["write"] = "write latency"
	what["read"] = "read latency"
	what["all"] = "latency"
	what["programs"] = "programs"
	what["reads"] = "reads"
	what["erases"] = "erases"

	if (second == "map")
		return known(third) ? 100 * map_share(first == "reads" ? "read" : "program", third, 8, id !~ /[.]bare$/) : "none"
	if (first == "cached" || first == "lookup" || id == "dram.mrsm" || id == "table.mrsm" || id == "each.mrsm")
		return known("mrsm") ? of_mrsm(id) : "none"
	if (!known("across") || second == "mrsm" && !known("mrsm") || !known("page"))
		return "none"
	if (id == "programs.bare")
		return 100 * (mean_ratio("host programs", "across", "page", 8) - 1)
	if (second == "range")
		return gains(what[first])
	if (first in what)
		return 100 * (mean_ratio(what[first], "across", second, 8) - 1)
	return of_across(id, first, second)
}

# Least and largest gain over the baseline, in percent.
function gains(what) {
	return 100 * (1 - extreme_ratio(1, what, "across", "page", 8)) " " \
		100 * (1 - extreme_ratio(-1, what, "across", "page", 8))
}

function of_mrsm(id) {
	if (id == "cached")
		return 100 * mean_of("mrsm", "cached")
	if (id == "lookup")
		return 100 * mean_of("mrsm", "lookup")
	if (id == "each.mrsm")
		return cases("programs", "page", "mrsm", "8")
	return mean_ratio(id == "dram.mrsm" ? "dram" : "table", "mrsm", "page", 8)
}

function of_across(id, first, second) {
	if (id == "dram.mrsm.across")
		return known("mrsm") ? mean_ratio("dram", "mrsm", "across", 8) : "none"
	if (id == "merged.extra")
		return 100 * mean_of("across", "merged extra")
	if (first == "rollback" || first == "unprofitable" || first == "merged")
		return 100 * mean_of("across", first)
	if (first == "updates")
		return 100 * (mean_ratio("update reads", "across", "page", 8) - 1)
	if (first == "table" || first == "dram")
		return mean_ratio(first, "across", "page", 8)
	if (first == "best")
		return known("mrsm") ? best(second) : cases(second, "across", "page", "4 8 16")
	if (first == "growing")
		return (1 - mean_ratio(second, "across", "page", 16)) / (1 - mean_ratio(second, "across", "page", 4))
	if (id == "each.table")
		return known("mrsm") ? ordered_tables() : "none"
	return cases(second == "write" ? "write latency" : second, "across", "page", "8")
}

# In how many cases the FTL `low` stays below the FTL `high`.
function cases(what, low, high, sizes,  i, k, n, kb, hits) {
	n = split(sizes, kb, " ")
	for (i = 1; i <= workloads; i++)
		for (k = 1; k <= n; k++)
			hits += ratio(what, workload[i], low, high, kb[k]) < 1
	return hits + 0
}

function best(what,  i, k, n, kb, hits) {
	n = split("4 8 16", kb, " ")
	for (i = 1; i <= workloads; i++)
		for (k = 1; k <= n; k++)
			hits += ratio(what, workload[i], "across", "page", kb[k]) < 1 && \
				ratio(what, workload[i], "across", "mrsm", kb[k]) < 1
	return hits + 0
}

function ordered_tables(  i, n) {
	for (i = 1; i <= workloads; i++)
		n += ratio("table", workload[i], "across", "page", 8) > 1 && \
			ratio("table", workload[i], "mrsm", "across", 8) > 1
	return n + 0
}

function mean_of(f, what,  i, sum) {
	for (i = 1; i <= workloads; i++)
		sum += own_share(run_of(workload[i], f, 8), what)
	return sum / workloads
}
