# How many pages a trace reads: SSDsim lays them down before the start and counts them as programmed.
# awk -f preloaded.awk PARAMETERS TRACE (lines of SSDsim).

FNR == NR {
	split($0, part, "=")
	sub(/ +$/, "", part[1])
	setting[part[1]] = part[2] + 0
	next
}

FNR == 1 {
	sectors = setting["subpage page"]
	limit = int(setting["chip number"] * setting["die number"] * setting["plane number"] * setting["block number"] \
		* setting["page number"] * sectors * (1 - setting["overprovide"]))
}

$5 == 1 {
	start = $3 % limit
	for (page = int(start / sectors); page * sectors < start + $4; page++)
		seen[page % int((limit + sectors - 1) / sectors)] = 1
}

END {
	for (page in seen)
		pages++
	print pages + 0
}
