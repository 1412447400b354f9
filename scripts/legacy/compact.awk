# Puts the places a trace touches side by side, in pieces of 32 KB numbered by first touch, and starts its
# clock at 0: a trace of any space fits a small drive, and what is near stays near.  The last line is
# repeated a minute later without a line feed, as SSDsim wants its traces to end.
# Lines of SSDsim: time device sector sectors operation.

{
	piece = int($3 / 64)
	for (p = piece; p * 64 < $3 + $4; p++)
		if (!(p in number))
			number[p] = pieces++
	if (NR == 1)
		first = $1
	time = $1 - first
	line = 0 " " number[piece] * 64 + $3 % 64 " " $4 " " $5
	printf "%.0f %s\n", time, line
}

END {
	printf "%.0f %s", time + 60000000000, line
}
