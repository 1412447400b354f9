# calibration.tsv as a table to read.

BEGIN {
	FS = "\t"
	printf "%-12s %-23s %12s %12s %11s  %-4s %s\n", "profile", "statistic", "published", "generated", \
		"deviation", "", "source"
}

{
	printf "%-12s %-23s %12s %12s %11s  %-4s %s\n", $1 == last ? "" : $1, $2, $3 + 0, $4, $6, $8, $7
	last = $1
	rows++
	off += $8 == "OFF"
}

END { printf "%d statistics, %d beyond their tolerance\n", rows, off }
