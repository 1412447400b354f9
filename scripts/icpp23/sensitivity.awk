# How headline numbers move with what the paper leaves open: rows of every variant, the default first, in
# columns  id, of what, variant, then one number for each entry of `columns`; "-" where an FTL is missing.
# Tabs between.  Reads values.txt and variants.txt; -v variants: ids that were run.  After library.awk.

BEGIN { OFS = "\t" }

file_number == 2 && /^[a-z]/ { split($0, field, / *[|] */); topic[field[1]] = field[2]; text[field[1]] = field[3] }

END {
	if (failed)
		exit 1
	line("default", "", "the settings of all figures", "")
	n = split(variants, id, " ")
	for (i = 1; i <= n; i++)
		line(id[i], topic[id[i]], text[id[i]], id[i] ":")
}

function line(id, topic, text, prefix,  row) {
	variant = prefix
	row = id OFS topic OFS text
	row = row OFS sprintf("%.2f", mean_class_ratio("read", "latency", 8))
	row = row OFS sprintf("%.2f", mean_class_ratio("write", "latency", 8))
	row = row OFS sprintf("%.2f", mean_class_ratio("write", "programs", 8))
	row = row OFS change("read latency", "across", "page") OFS change("write latency", "across", "page")
	row = row OFS change("latency", "across", "page") OFS change("programs", "across", "page")
	row = row OFS change("reads", "across", "page") OFS change("update reads", "across", "page")
	row = row OFS change("erases", "across", "page") OFS part("program", "across")
	row = row OFS own("rollback") OFS own("unprofitable")
	row = row OFS change("write latency", "across", "mrsm") OFS change("programs", "across", "mrsm")
	row = row OFS change("erases", "across", "mrsm") OFS part("program", "mrsm")
	print row
}

# In percent; "-" also where there is nothing to compare, as erases of a drive that never collects.
function change(what, f, base,  i) {
	if (!known(f) || !known(base))
		return "-"
	for (i = 1; i <= workloads; i++)
		if (!measure(run_of(workload[i], base, 8), what))
			return "-"
	return sprintf("%+.1f", 100 * (mean_ratio(what, f, base, 8) - 1))
}

function part(kind, f) {
	return known(f) ? sprintf("%.1f", 100 * map_share(kind, f, 8, 1)) : "-"
}

# A share that only Across-FTL has.
function own(what,  i, sum) {
	if (!known("across"))
		return "-"
	for (i = 1; i <= workloads; i++)
		sum += value(run_of(workload[i], "across", 8), "across." what "_share")
	return sprintf("%.1f", 100 * sum / workloads)
}
