# A trace in SSDsim's format with its requests in random order, and its gaps, too.

function swap(list, i, j,   kept) {
	kept = list[i]
	list[i] = list[j]
	list[j] = kept
}

{
	if (NR > 1)
		gap[NR - 1] = $1 - last
	last = $1
	request[NR] = $2 " " $3 " " $4 " " $5
}

END {
	srand(1)
	for (i = NR; i > 1; i--)
		swap(request, i, 1 + int(rand() * i))
	for (i = NR - 1; i > 1; i--)
		swap(gap, i, 1 + int(rand() * i))
	for (i = 1; i <= NR; i++) {
		printf "%.0f %s\n", now, request[i]
		now += gap[i]
	}
}
