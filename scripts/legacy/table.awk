# The main table of the study, as Markdown: one line a case (the files written by `variants`), what SSDsim prints
# and how far all repairs move it, and the quirks whose repair alone moves a mean response most.

function change(value, base)
{
	if (value == base)
		return "="
	if (!base)
		return "from 0 to " value
	if (value / base >= 3)
		return sprintf("x%.3g", value / base)
	return sprintf("%+.1f %%", 100 * (value - base) / base)
}

function microseconds(ns)
{
	return sprintf(ns < 100000 ? "%.1f" : "%.0f", ns / 1000)
}

# The three largest, if they move it by 1 % or more.
function causes(metric,    text, used, best, n, i, size, largest, base)
{
	base = number["none", metric]
	for (i = 0; i < 3; i++) {
		best = ""
		largest = 0.01
		for (n = 1; n <= quirks; n++) {
			size = base ? number[quirk[n], metric] / base - 1 : 0
			size = size < 0 ? -size : size
			if (!(n in used) && size >= largest) {
				largest = size
				best = n
			}
		}
		if (!best)
			break
		used[best] = 1
		text = text (text ? ", " : "") quirk[best] " " change(number[quirk[best], metric], base)
	}
	return text ? text : "-"
}

function cell(metric, shown)
{
	return shown " (" change(number["all", metric], number["none", metric]) ")"
}

function flush_case(    m)
{
	if (!name)
		return
	printf "| %s", name
	for (m = 1; m <= 2; m++)
		printf " | %s | %s", cell(m, microseconds(number["none", m])), causes(m)
	for (m = 3; m <= 5; m++)
		printf " | %s", cell(m, number["none", m])
	print " |"
}

BEGIN {
	print "| trace, drive, page | mean read, us | moved by | mean write, us | moved by | pages read | programmed | erased |"
	print "|---|---|---|---|---|---|---|---|"
}

FNR == 1 {
	flush_case()
	name = FILENAME
	sub(/.*\//, "", name)
	sub(/\.variants$/, "", name)
	quirks = 0
}

{
	early = $2 == "ended"
	for (i = 1; i <= 6; i++)
		number[$1, i] = $(i + 1 + early)
	if ($1 ~ /^Q/)
		quirk[++quirks] = $1
	if (early && $1 == "none")
		name = name " (dies)"
}

END {
	flush_case()
}
