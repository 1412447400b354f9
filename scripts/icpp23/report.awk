# The report: one HTML page that needs nothing but itself.  Reads values.txt, numbers.txt, captions.txt;
# -v scripts, results: folders; -v figures: names of those that were drawn.  After library.awk.

file_number == 2 { row[++rows] = $0; next }
file_number == 3 && /^[a-z]/ { split($0, field, / *[|] */); caption_of[field[1]] = field[2] "|" field[3] }

END {
	if (failed)
		exit 1
	workloads_are = real ? "real traces (SYSTOR '17)" : "generated workloads"
	scale_is = divisor == 1 ? "drive and traces at the paper's size" : "drive and traces 1/" divisor " of the paper's size"
	head()
	print "<h2>Every number of the paper</h2>"
	numbers()
	print "<h2>Table 1: settings</h2>"
	settings()
	print "<h2>Table 2: the traces</h2>"
	traces()
	print "<h2>Figures</h2>"
	pictures()
	print "<h2>Runs</h2>"
	runs()
	print "</body>\n</html>"
}

function html(text) {
	gsub(/&/, "\\&amp;", text)
	gsub(/</, "\\&lt;", text)
	gsub(/>/, "\\&gt;", text)
	return text
}

# A number as it is printed: a real minus sign.
function number(text) {
	sub(/^-/, "\\&minus;", text)
	return text
}

function copy(path,  line, lines) {
	while ((getline line < path) > 0) {
		print line
		lines++
	}
	close(path)
	if (!lines)
		die(path " is missing")
}

function head(  i, missing, names) {
	print "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">"
	print "<title>Across-FTL: the evaluation, repeated</title>\n<style>"
	copy(scripts "/report.css")
	print "</style>\n</head>\n<body>"
	print "<h1>Re-aligning across-page requests for flash-based solid-state drives</h1>"
	print "<p class=\"lead\">Cai et al., ICPP 2023. The paper's evaluation, repeated with ssd " \
		value(run_of("lun1", "page", 8), "run.version") ": " workloads_are ", " scale_is ".</p>"
	if (!real)
		print "<p class=\"note\">The traces of SYSTOR '17 may not be passed on. These results come from <b>generated " \
			"workloads</b> that share what is published of the traces: the numbers of Table 2, alignment, arrivals, " \
			"rewrites (<code>traces/profiles/lun1.cfg</code> and the next). Who has the traces repeats everything " \
			"with them: <code>make figures TRACES=/folder</code>.</p>"
	names["mrsm"]
	names["across"]
	for (i in names)
		if (!known(i))
			missing = missing (missing ? " and " : "") title[i] " (<code>" i "</code>)"
	if (missing)
		print "<p class=\"note\">" missing (missing ~ / and / ? " are" : " is") " not among the FTLs of this " \
			"simulator (<code>ssd list</code>): what compares FTLs with " (missing ~ / and / ? "them" : "it") " is left out.</p>"
}

# ---- tables ----

function numbers(  i, f, class, group, last) {
	print "<p>\"Ours\" are means over the six workloads of each workload's ratio, as the paper's averages are; 8 KB pages. " \
		"A quarter to either side counts as near; what is further off has a reason beside it. Names in brackets are rows of the " \
		"sensitivity page (<code>make figures-sensitivity</code>), their numbers those of the generated workloads at 1/16.</p>"
	print "<table>\n<tr><th>number</th><th class=\"n\">paper</th><th class=\"n\">ours</th>" \
		"<th class=\"n\">deviation</th><th>verdict</th><th>why</th></tr>"
	for (i = 1; i <= rows; i++) {
		split(row[i], f, "\t")
		if (f[2] != last)
			print "<tr class=\"group\"><td colspan=\"6\">" html(f[2]) "</td></tr>"
		last = f[2]
		class = f[7] ~ /^off|not/ ? "off" : f[7] == "left out" ? "out" : "good"
		print "<tr><td>" html(f[3]) "</td><td class=\"n\">" number(f[4]) "</td><td class=\"n\">" number(f[5]) \
			"</td><td class=\"n\">" number(f[6]) "</td><td class=\"" class "\">" f[7] "</td><td class=\"why\">" \
			reason(f[8]) "</td></tr>"
	}
	print "</table>"
}

function reason(why) {
	return why == "" ? "" : real ? "not known: the reasons given here are those of the generated workloads" : html(why)
}

function parameter(key) {
	return value(run_of("lun1", "page", 8), "param." key)
}

function setting(name, paper, mine) {
	print "<tr><td>" name "</td><td class=\"n\">" paper "</td><td class=\"n\">" mine "</td></tr>"
}

function settings(  run) {
	run = run_of("lun1", "page", 8)
	print "<table>\n<tr><th>parameter</th><th class=\"n\">paper</th><th class=\"n\">this run</th></tr>"
	setting("blocks", "262,144", thousands(value(run, "drive.blocks")))
	setting("pages per block", "64", parameter("flash.pages"))
	setting("page size", "8 KB", parameter("flash.page_bytes") / 1024 " KB")
	setting("garbage collection below", "10 % free", 100 * parameter("gc.threshold") " % free")
	setting("read", "0.075 ms", milliseconds(parameter("flash.read_ns")) " ms")
	setting("write", "2 ms", parameter("flash.program_ns") / 1e6 " ms")
	setting("cache access", "0.001 ms", milliseconds(parameter("dram.access_ns")) " ms")
	setting("cache size", "1/1000 of the capacity", "1/1024: the table of the baseline FTL")
	setting("used before the traces", "90 %", sprintf("%.1f %%", 100 * value(run, "precondition.used")))
	setting("valid before the traces", "39.8 %", sprintf("%.1f %%", 100 * value(run, "precondition.valid")))
	setting("channels x chips x dies x planes", "not given", parameter("flash.channels") " x " parameter("flash.chips") \
		" x " parameter("flash.dies") " x " parameter("flash.planes"))
	setting("erase", "not given", parameter("flash.erase_ns") / 1e6 " ms")
	setting("bus", "not given", parameter("flash.bus_mb_per_s") " MB/s")
	setting("over-provisioning", "not given", 100 * parameter("flash.over_provisioning") " %")
	setting("arrival", "not given", "by the trace's times, at most " parameter("host.queue_limit") " requests in the drive")
	print "</table>"
}

function traces(  i, w) {
	print "<table>\n<tr><th>trace</th><th class=\"n\">requests</th><th class=\"n\">writes</th><th class=\"n\">mean write</th>" \
		"<th class=\"n\">across-page</th><th class=\"n\">mean read</th><th class=\"n\">duration</th></tr>"
	for (i = 1; i <= workloads; i++) {
		w = workload[i]
		print "<tr><td>" w "</td><td class=\"n\">" thousands(value(w, "trace.requests")) "</td><td class=\"n\">" \
			sprintf("%.1f %%", 100 * value(w, "trace.write_share")) "</td><td class=\"n\">" \
			sprintf("%.1f KB", value(w, "trace.mean_write_bytes") / 1024) "</td><td class=\"n\">" \
			sprintf("%.1f %%", 100 * value(w, "trace.across_8k_share")) "</td><td class=\"n\">" \
			sprintf("%.1f KB", value(w, "trace.mean_read_bytes") / 1024) "</td><td class=\"n\">" \
			sprintf("%.0f s", value(w, "trace.duration_s")) "</td></tr>"
	}
	print "</table>\n<p>Measured from the " workloads_are "; the paper's numbers and the deviations are in the first table. " \
		"The paper does not give the last two columns.</p>"
}

# ---- figures and runs ----

function picture(path,  line, drawing) {
	while ((getline line < path) > 0) {
		drawing = drawing || line ~ /^<svg/
		if (drawing)
			print line
	}
	close(path)
	if (!drawing)
		die(path " is missing")
}

function pictures(  i, n, name, part, text) {
	n = split(figures, name, " ")
	sort_names(name, n)
	for (i = 1; i <= n; i++) {
		split(caption_of[name[i]], part, "|")
		text = html(part[2])
		gsub(/\{w\}/, workloads_are, text)
		gsub(/\{s\}/, scale_is, text)
		print "<figure id=\"" name[i] "\"" (name[i] ~ /fig02|fig13|fig11/ ? " class=\"narrow\"" : "") ">"
		picture(results "/figures/" name[i] ".svg")
		print "<figcaption><b>" part[1] ".</b> " text "</figcaption>\n</figure>"
	}
}

function sort_names(a, n,  i, j, x) {
	for (i = 2; i <= n; i++) {
		x = a[i]
		for (j = i - 1; j && a[j] > x; j--)
			a[j + 1] = a[j]
		a[j + 1] = x
	}
}

function runs(  i, j, k, n, kb, command, run) {
	n = split("4 8 16", kb, " ")
	print "<p>Each run has a folder with its statistics, its parameters and this command; the same command gives the same " \
		"statistics to the byte.</p>\n<details>\n<summary>" workloads * ftl_count * n " commands</summary>\n<table>"
	for (i = 1; i <= workloads; i++)
		for (j = 1; j <= ftl_count; j++)
			for (k = 1; k <= n; k++) {
				run = run_of(workload[i], ftl[j], kb[k])
				getline command < (results "/" run "/command")
				close(results "/" run "/command")
				print "<tr><td class=\"w\">" run "</td><td><code>" html(command) "</code></td></tr>"
			}
	print "</table>\n</details>"
}
