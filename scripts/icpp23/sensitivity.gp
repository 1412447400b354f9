# Headline numbers under every variant: one row of dots for each number.
wide = 1000; high = 330
load scripts."style.gp"
table = data."sensitivity.txt"
set datafile separator "\t"
set datafile missing "-"
array label_of[6] = ["read latency", "write latency", "overall latency", "flash writes", "flash reads", "erases"]
array from[6] = [7, 8, 9, 10, 11, 13]
array paper[6] = [-5.0, -8.9, -8.4, -15.9, -9.7, -13.3]
set lmargin 16
set bmargin 4.5
set ytics ("read latency" 6, "write latency" 5, "overall latency" 4, "flash writes" 3, "flash reads" 2, "erases" 1) scale 0
set yrange [0.4:6.6]
set xrange [*:*]
set xtics auto scale 0.5 format "%+.0f %%"
set grid xtics ytics
set xlabel "Across-FTL over FTL"
set arrow 1 from first 0, graph 0 to first 0, graph 1 nohead linecolor rgb "#444444"
set key outside top center vertical maxrows 1
plot for [k = 1:6] table using (column(from[k])):(7 - k + 0.5 * (rand(0) - 0.5)) with points pointtype 7 pointsize 0.45 \
		linecolor rgb blue title k == 1 ? "a variant" : "", \
	for [k = 1:6] table using (column(from[k])):(7 - k) every ::0::0 with points pointtype 6 pointsize 1.6 linewidth 1.5 \
		linecolor rgb "#222222" title k == 1 ? "the default" : "", \
	for [k = 1:6] "+" using (paper[k]):(7 - k) every ::0::0 with points @paper_mark title k == 1 ? "paper, average" : ""
