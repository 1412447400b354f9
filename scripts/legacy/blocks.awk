# How many blocks a plane needs for the pages a trace touches to be 60 % of the drive, and for its
# highest sector to lie inside: 16 planes, 16 pages of 2 KB a block, 10 % over-provisioning; at least 128,
# so that with pages of 8 KB there are blocks to spare.

{
	for (page = int($3 / 4); page * 4 < $3 + $4; page++)
		if (!(page in seen)) {
			seen[page] = 1
			touched++
		}
	if ($3 + $4 > end)
		end = $3 + $4
}

END {
	pages = touched / 0.6
	if (pages < end / 4 / 0.89)
		pages = end / 4 / 0.89
	blocks = int(pages / 256 / 4 + 1) * 4
	print blocks < 128 ? 128 : blocks
}
