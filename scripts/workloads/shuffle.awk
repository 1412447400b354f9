# A trace in SSDsim's format with its order lost: WHAT = gaps, requests or both says of what,
# WINDOW within how many requests in a row (0: all of them).

function swap(list, i, j,   kept) {
	kept = list[i]
	list[i] = list[j]
	list[j] = kept
}

# The elements first .. last of a list in random order.
function shuffle(list, first, last,   i) {
	for (i = last; i > first; i--)
		swap(list, i, first + int(rand() * (i - first + 1)))
}

{
	gap[NR] = NR > 1 ? $1 - last : 0
	last = $1
	request[NR] = $2 " " $3 " " $4 " " $5
}

END {
	srand(1)
	window = WINDOW ? WINDOW : NR
	for (first = 1; first <= NR; first += window) {
		end = first + window - 1 < NR ? first + window - 1 : NR
		if (WHAT != "gaps")
			shuffle(request, first, end)
		if (WHAT != "requests")
			shuffle(gap, first > 1 ? first : 2, end)
	}
	for (i = 1; i <= NR; i++)
		printf "%.0f %s\n", now += gap[i], request[i]
}
