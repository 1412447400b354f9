# From a trace in SSDsim's format (time device first-sector sectors op; may be empty) and
# the output of `ssd trace stat` in the file STAT: lines "name value", names without "trace.",
# and what `trace stat` does not print: alignment by region, and some means.

function dominant(most, key, sum) {
	for (key in most)
		sum += most[key]
	return NR ? sum / NR : 0
}

function note(count, most, region, residue) {
	if (++count[region, residue] > most[region])
		most[region] = count[region, residue]
}

{
	residue = $3 % 8
	note(count_1m, most_1m, int($3 / 2048), residue)
	note(count_64m, most_64m, int($3 / 131072), residue)
	note(count_1g, most_1g, int($3 / 2097152), residue)
	note(count_16g, most_16g, int($3 / 33554432), residue)
}

END {
	while ((getline line < STAT) > 0) {
		if (split(line, part, " ") < 3 || part[2] != "=")
			continue
		sub(/^trace\./, "", part[1])
		value[part[1]] = part[3]
		print part[1], part[3]
	}
	print "residue_share_1m", dominant(most_1m)
	print "residue_share_64m", dominant(most_64m)
	print "residue_share_1g", dominant(most_1g)
	print "residue_share_16g", dominant(most_16g)
	print "unaligned_share", 1 - value["start_aligned_4k_share"]
	print "read_share", 1 - value["write_share"]
	print "mean_kb", (value["read_bytes"] + value["write_bytes"]) / value["requests"] / 1024
	print "mean_write_kb", value["mean_write_bytes"] / 1024
	print "max_address_mb", value["max_address_bytes"] / 1048576
	print "pages_per_write", value["writes"] ? value["page_writes"] / value["writes"] : 0
}
