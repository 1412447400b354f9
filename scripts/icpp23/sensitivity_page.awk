# The sensitivity page, from the rows of sensitivity.awk; -v scripts: folder, -v figure: SVG file, -v ftls,
# -v divisor, -v real.

BEGIN {
	FS = "\t"
	heading = "read|write|flush|read latency|write latency|latency|flash writes|flash reads|update reads|erases|map writes|rolled back|unprofitable|" \
		"write latency|flash writes|erases|map writes of MRSM"
	paper = "1.61|1.49|2.69|-5.0|-8.9|-8.4|-15.9|-9.7|-62.2|-13.3|2.6|3.9|8.9|-3.7|-30.9|-24.6|36.9"
	columns = split(heading, head, "|")
	split(paper, stated, "|")
	top()
}

NR == 1 { for (i = 1; i <= columns; i++) default[i] = $(i + 3) }

{
	if ($2 != last)
		print "<tr class=\"group\"><td colspan=\"" columns + 1 "\">" $2 "</td></tr>"
	last = $2
	printf "<tr><td>%s</td>", $3
	for (i = 1; i <= columns; i++)
		printf "<td class=\"n%s\">%s</td>", (reversed(i, $(i + 3)) ? " off" : moved(i, $(i + 3)) ? " far" : ""), number($(i + 3))
	print "</tr>"
}

END { bottom() }

# A change with the other sign than the paper's is a conclusion that does not hold.
function reversed(i, x) {
	return stated[i] < 0 && x != "-" && x + 0 > 0 || i <= 3 && x + 0 < 1
}

# More than a quarter away from the default's.
function moved(i, x) {
	return x != "-" && default[i] != "-" && \
		(x - default[i] > distance(default[i]) || default[i] - x > distance(default[i]))
}

function distance(x) {
	return 0.25 * (x < 0 ? -x : x)
}

function number(text) {
	sub(/^-/, "\\&minus;", text)
	return text == "&minus;" ? "" : text
}

function copy(path,  line) {
	while ((getline line < path) > 0)
		print line
	close(path)
}

function top(  i) {
	print "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">"
	print "<title>Across-FTL: what the conclusions depend on</title>\n<style>"
	copy(scripts "/report.css")
	print "</style>\n</head>\n<body class=\"wide\">\n<h1>What the conclusions depend on</h1>"
	print "<p class=\"lead\">The paper does not give channel geometry, erase time, bus speed, arrival handling, MRSM's " \
		"sub-page size and cache behaviour. Here each is varied alone; 8 KB pages, " \
		(real ? "real traces (SYSTOR '17)" : "generated workloads") ", means over lun1 to lun6, drive and traces " \
		(divisor == 1 ? "at the paper's size" : "1/" divisor " of the paper's size") ".</p>"
	print "<p>The default geometry, 8 channels x 4 chips x 2 dies x 2 planes x 2048 blocks, was chosen once: it gives the " \
		"paper's 262,144 blocks with the usual values of SSDsim, and no figure has settings of its own.</p>"
	print "<p><span class=\"off\">Red</span>: the conclusion is reversed. <span class=\"far\">Amber</span>: the number is more " \
		"than a quarter away from the default's.</p>"
	print "<table class=\"small\">\n<tr><th rowspan=\"2\">variant</th><th colspan=\"3\">Fig. 4: across-page over normal, per " \
		"sector</th><th colspan=\"8\">Across-FTL over FTL (%)</th><th colspan=\"2\">areas (%)</th><th colspan=\"4\">Across-FTL over MRSM (%)</th></tr>\n<tr>"
	for (i = 1; i <= columns; i++)
		print "<th class=\"n\">" head[i] "</th>"
	printf "</tr>\n<tr class=\"paper\"><td>the paper</td>"
	for (i = 1; i <= columns; i++)
		printf "<td class=\"n\">%s</td>", number(stated[i])
	print "</tr>"
}

function bottom(  line, drawing) {
	print "</table>"
	if (figure != "") {
		print "<figure>"
		while ((getline line < figure) > 0) {
			drawing = drawing || line ~ /^<svg/
			if (drawing)
				print line
		}
		print "<figcaption>Each dot is a variant; the ring is the default, the diamond the paper's average.</figcaption>\n</figure>"
	}
	print "</body>\n</html>"
}
