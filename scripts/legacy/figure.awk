# Mean response of every variant over SSDsim's own, one line a variant, one column a drive; only
# variants that move one of the drives by 1 % or more.  -v metric=reads|writes

FNR == 1 {
	drives++
	drive[drives] = FILENAME
	sub(/.*\//, "", drive[drives])
	sub(/\.variants$/, "", drive[drives])
}

{
	value = $((metric == "reads" ? 2 : 3) + ($2 == "ended"))
	if ($1 == "none")
		base = value
	if (drives == 1)
		order[++variants] = $1
	ratio[$1, drives] = base ? value / base : 1
	if (ratio[$1, drives] >= 1.01 || ratio[$1, drives] <= 0.99)
		moves[$1] = 1
}

END {
	printf "variant"
	for (d = 1; d <= drives; d++)
		printf " %s", drive[d]
	print ""
	for (v = 1; v <= variants; v++)
		if (order[v] in moves && order[v] != "main") {
			printf "%s", order[v] == "all" ? "all" : order[v]
			for (d = 1; d <= drives; d++)
				printf " %.4f", ratio[order[v], d]
			print ""
		}
}
