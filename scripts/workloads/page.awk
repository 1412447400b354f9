# calibration.tsv as a page to read, with the look of FILE and the picture beside it.

function text(x) {
	gsub(/&/, "\\&amp;", x)
	gsub(/</, "\\&lt;", x)
	return x
}

BEGIN {
	FS = "\t"
	print "<!DOCTYPE html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">"
	print "<title>Workloads: generated and published</title>\n<style>"
	while ((getline line < STYLE) > 0)
		print line
	print "</style>\n<h1>Workloads: generated and published</h1>"
	print "<p class=\"lead\">The papers' traces may not be passed on; profiles (<code>traces/profiles</code>) stand in for " \
		"them. Each was generated whole and measured; calibration knows published statistics of the traces and " \
		"nothing else, above all no result of a simulation. Sources and tolerances: " \
		"<code>scripts/workloads/published.tsv</code>; method and limits: <code>docs/workloads.md</code>.</p>"
	print "<figure class=\"narrow\"><img src=\"calibration.svg\" alt=\"deviations in units of the tolerance\" " \
		"style=\"max-width:100%\"></figure>"
	print "<table><tr><th>profile</th><th>statistic</th><th class=\"n\">published</th><th class=\"n\">generated</th>" \
		"<th class=\"n\">deviation</th><th class=\"n\">of tolerance</th><th></th><th>source</th></tr>"
}

$1 != last {
	last = $1
	printf "<tr class=\"group\"><td colspan=\"8\">%s</td></tr>\n", $1
}

{
	rows++
	off += $8 == "OFF"
	printf "<tr><td></td><td class=\"w\">%s</td><td class=\"n\">%s</td><td class=\"n\">%s</td><td class=\"n\">%s</td>" \
		"<td class=\"n\">%.0f %%</td><td class=\"%s\">%s</td><td>%s</td></tr>\n", $2, $3 + 0, $4, $6,
		100 * ($5 < 0 ? -$5 : $5), $8 == "OFF" ? "off" : "good", $8, text($7)
}

END {
	printf "</table>\n<p>%d statistics, %d beyond their tolerance.</p>\n</html>\n", rows, off
}
