# From the lines of `variants`: a table of SSDsim, SSDsim repaired and the main simulator, and for
# each number the quirks whose repair alone moves it by half a percent or more, largest first.

function change(value, base)
{
	return base ? 100 * (value - base) / base : (value ? 100 : 0)
}

# "+35 %" for small changes, "x 13.7" for large ones.
function said(value, base)
{
	if (base && value / base >= 3)
		return sprintf("x%.3g", value / base)
	return sprintf("%+.1f%%", change(value, base))
}

{
	variant[NR] = $1
	early[NR] = $2 == "ended"
	for (i = 1; i <= 6; i++)
		number[NR, i] = $(i + 1 + early[NR])
}

function causes(metric, base,    text, used, best, n, size, largest)
{
	for (;;) {
		best = 0
		largest = 0.5
		for (n = 2; n < NR - 1; n++) {
			size = change(number[n, metric], base)
			size = size < 0 ? -size : size
			if (!(n in used) && size >= largest) {
				largest = size
				best = n
			}
		}
		if (!best)
			return text ? text : "-"
		used[best] = 1
		text = text (text ? ", " : "") variant[best] " " said(number[best, metric], base)
	}
}

END {
	split("mean read response (ns)|mean write response (ns)|pages read|pages programmed|blocks erased|" \
		"sectors hit by reads", name, "|")
	format = "%-26s %14s %14s %8s %14s   %s\n"
	printf format, "", "SSDsim", "all repaired", "", "ssd run", "repaired alone"
	for (i = 1; i <= 6; i++)
		printf format, name[i], number[1, i], number[NR - 1, i], said(number[NR - 1, i], number[1, i]),
			number[NR, i], causes(i, number[1, i])
	print "A write ends for SSDsim when its data is in the chip's register, for `ssd run` when it is programmed;" \
		"\nSSDsim takes a whole chip, and for a collection its channel, where `ssd run` takes a die."
	for (n = 1; n <= NR; n++)
		if (early[n])
			printf "(the run %s died early)\n", variant[n] == "none" ? "of SSDsim" : "with " variant[n] " repaired"
}
