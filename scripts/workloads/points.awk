# calibration.tsv as data for calibration.gp: first a line for each profile (its row, its name), then, set
# apart by two empty lines, a block of points for each kind of statistic: deviation / tolerance, row.

BEGIN {
	FS = "\t"
	KINDS = split("count size across align sequential gap reuse", kinds, " ")
	LIMIT = 1.2
	NOWHERE = "9 1\n"
}

function kind_of(name) {
	if (name ~ /^(mean_|pages_per)/)
		return "size"
	if (name ~ /^across/)
		return "across"
	if (name ~ /^(residue|unaligned)/)
		return "align"
	if (name ~ /^sequential/)
		return "sequential"
	if (name ~ /^gap/)
		return "gap"
	if (name ~ /^(rewrite|hot|footprint|written)/)
		return "reuse"
	return "count"
}

$1 != last {
	last = $1
	profile[++rows] = $1
	inside = 0
}

# Points of one profile lie a little below one another, so that none hides another.
{
	part = $5 > LIMIT ? LIMIT : $5 < -LIMIT ? -LIMIT : $5
	points[kind_of($2)] = points[kind_of($2)] part " " rows + (inside++ % 7 - 3) / 10 "\n"
}

END {
	for (row = 1; row <= rows; row++)
		print row, profile[row]
	for (k = 1; k <= KINDS; k++)
		printf "\n\n%s", kinds[k] in points ? points[kinds[k]] : NOWHERE
}
