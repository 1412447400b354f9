# A profile of the generator from a trace in SSDsim's format (time device first-sector sectors
# op) and its gaps, sorted, in the file GAPS.  READ_PLACES and WRITE_PLACES are factors for the
# number of places, found by trial.  Each request is put down, for its kind, as
#
#	sequential  it starts where one of the last DEPTH requests of its kind ended
#	recent      it starts where one of the last DEPTH requests of its kind started
#	popular     it starts in a 4 KB block that some earlier request touched
#	near        a request of its kind within 16 MB is among the last DEPTH
#	(the rest)  it begins anywhere
#
# the first that applies.  Further:
#	sizes       all that have 0.2 % of their kind; rarer ones count for the next larger of these
#	streams     a quarter of the distinct ends that were continued per DEPTH requests, at most 64
#	other       share of the recent and popular whose block only the other kind had touched
#	resized     share of the recent whose length is not the one of last time
#	places      so many that, each with a run behind it, they cover what the kind touched
#	zipf        exponent that gives the hottest tenth of the blocks their share of the accesses
#	together    from the share of requests of their predecessor's kind
#	gaps        means of a hundred equal parts of all gaps
#	offset      the commonest start sector modulo 8, for the whole grid
# Requests are drawn one by one: what repeats itself as a whole, bursts longer than a gap, and how
# gaps, kinds and places hang together, are lost.

BEGIN {
	DEPTH = 1000
	NAMES[0] = "read"
	NAMES[1] = "write"
	FACTOR[0] = READ_PLACES
	FACTOR[1] = WRITE_PLACES
}

function recent_enough(index_of, key) {
	return key in index_of && count[kind] - index_of[key] <= DEPTH
}

function classify() {
	if (recent_enough(end_at, kind SUBSEP $3))
		return "sequential"
	if (recent_enough(start_at, kind SUBSEP $3))
		return "recent"
	if ((0, int($3 / 8)) in touched || (1, int($3 / 8)) in touched)
		return "popular"
	for (i = -1; i <= 1; i++)
		if (recent_enough(region_at, kind SUBSEP int($3 / 32768) + i))
			return "near"
	return "anywhere"
}

function count_repeat() {
	repeats[kind]++
	if (!((kind, int($3 / 8)) in touched))
		others[kind]++
	if (class == "recent")
		resized[kind] += length_at[kind, $3] != $4
}

function touch(   block) {
	for (block = int($3 / 8); block <= int(($3 + $4 - 1) / 8); block++) {
		if (touched[kind, block]++ == 0)
			blocks[kind]++
		accesses[kind]++
	}
}

{
	kind = $5 == 0
	count[kind]++
	class = classify()
	classes[kind, class]++
	if (class == "recent" || class == "popular")
		count_repeat()
	if (class == "sequential" && !((kind, $3) in continued)) {
		continued[kind, $3] = 1
		runs[kind]++
	}
	start_at[kind, $3] = end_at[kind, $3 + $4] = region_at[kind, int($3 / 32768)] = count[kind]
	length_at[kind, $3] = $4
	touch()
	sizes[kind, $4]++
	if ($4 > largest)
		largest = $4
	if ($3 + $4 > end)
		end = $3 + $4
	residue[$3 % 8]++
	same += NR > 1 && kind == last_kind
	last_kind = kind
}

function size_mix(k,   size, rare, text) {
	for (size = 1; size <= largest; size++) {
		rare += sizes[k, size]
		if (sizes[k, size] >= 0.002 * count[k]) {
			text = text sprintf(" %d:%d", size * 512, rare)
			rare = 0
		}
	}
	return substr(rare ? text sprintf(" %d:%d", largest * 512, rare) : text, 2)
}

# A long text as several that libconfig puts together again.
function wrap(text,   n, word, i, line, all) {
	n = split(text, word, " ")
	for (i = 1; i <= n; i++) {
		if (length(line) + length(word[i]) > 84) {
			all = all line " \"\n\t\t\""
			line = ""
		}
		line = line (line == "" ? "" : " ") word[i]
	}
	return all line
}

# Share that the hottest tenth of n places takes under an exponent.
function tenth_share(n, exponent,   i, w, sum, head) {
	for (i = 1; i <= n; i++) {
		w = exp(-exponent * log(i))
		sum += w
		if (i <= n / 10)
			head += w
	}
	return head / sum
}

# The exponent that gives the tenth its share, by halving.
function exponent_for(n, share,   low, high, middle, step) {
	low = 0
	high = 3
	for (step = 0; step < 12; step++) {
		middle = (low + high) / 2
		if (tenth_share(n, middle) < share)
			low = middle
		else
			high = middle
	}
	return low
}

# How many accesses the hottest tenth of the blocks has: by counts of counts, without sorting.
function zipf_of(k,   key, part, c, most, with, left, head, taken) {
	for (key in touched) {
		split(key, part, SUBSEP)
		if (part[1] != k)
			continue
		c = touched[key]
		with[c]++
		if (c > most)
			most = c
	}
	left = int(blocks[k] / 10)
	for (c = most; c > 0 && left > 0; c--) {
		taken = with[c] < left ? with[c] : left
		head += taken * c
		left -= taken
	}
	return exponent_for(blocks[k], head / accesses[k])
}

function share_of(k, class) {
	return classes[k, class] / count[k]
}

# Per request; a run has 1 / (1 - sequential) requests.
function places_of(k) {
	return FACTOR[k] * blocks[k] * (1 - share_of(k, "sequential")) / accesses[k]
}

function print_kind(k,   n) {
	if (!count[k])
		return
	n = int(runs[k] * DEPTH / count[k] / 4) + 1
	printf "\n%s = {\n\tsizes = \"%s\";\n", NAMES[k], wrap(size_mix(k))
	printf "\tsequential = %.4f;\n\tfollow = \"any\";\n", share_of(k, "sequential")
	printf "\tstreams = %d;\n", (n > 64 ? 64 : n)
	printf "\trecent = %.4f;\n\tnear = %.4f;\n\tnear_span = \"16M\";\n", share_of(k, "recent"), share_of(k, "near")
	printf "\tpopular = %.4f;\n\tplaces = %.6f;\n", share_of(k, "popular"), places_of(k)
	printf "\tzipf = %.3f;\n", zipf_of(k)
	printf "\tother = %.3f;\n", repeats[k] ? others[k] / repeats[k] : 0
	printf "\tresized = %.3f;\n};\n", classes[k, "recent"] ? resized[k] / classes[k, "recent"] : 0
}

# Means of a hundred equal parts of the sorted gaps, in us.
function gap_mix(   gap, n, part, sum, inside, text) {
	while ((getline gap < GAPS) > 0) {
		sum += gap
		inside++
		if (++n >= (NR - 1) * (part + 1) / 100) {
			text = text sprintf(" %.3f:%d", sum / inside / 1000, inside)
			part++
			sum = inside = 0
		}
	}
	return substr(text, 2)
}

# Beyond what chance brings together.
function together(   share) {
	share = same / (NR - 1)
	return (share > chance ? (share - chance) / (1 - chance) : 0)
}

END {
	writes = count[1] / NR
	chance = writes * writes + (1 - writes) * (1 - writes)
	for (i = 1; i < 8; i++)
		if (residue[i] > residue[common])
			common = i
	print "# Fitted to a trace by scripts/workloads/fit.\n"
	print "brief = \"fitted to a trace\";\n"
	printf "requests = %d;\nspace = \"%dM\";\nwrite_share = %.6f;\n", NR, int(end / 2048) + 1, writes
	printf "together = %.3f;\n", together()
	printf "\narrival = {\n\tlaw = \"fixed\";\n\tgaps = \"%s\";\n};\n", wrap(gap_mix())
	printf "\nplace = {\n\toffset = %d;\n};\n", common * 512
	print_kind(0)
	print_kind(1)
}
