# Deviation of each statistic in units of its tolerance, a row for each profile.  Needs `data` (made by
# points.awk), `rows` (profiles), `picture` and `kind` (svg or png).
if (kind eq "svg") {
	set terminal svg size 860,900 dynamic font "Helvetica, Arial, sans-serif,12" background "white"
} else {
	set terminal pngcairo size 1720,1800 font "DejaVu Sans,10" fontscale 2 linewidth 2
}
set output picture
set title "Generated workloads against what is published: every dot is a statistic"
set xlabel "(generated - published) / tolerance"
set xrange [-1.3:1.3]
set yrange [rows + 0.7:0.3]
set border 3 linewidth 0.8 linecolor rgb "#444444"
set tics nomirror out scale 0.5 textcolor rgb "#222222"
set grid ytics linewidth 0.6 linecolor rgb "#d8d8d8" dashtype solid
set key outside bottom center horizontal samplen 1 width 2
set bmargin 7
set style line 9 linewidth 0.8 linecolor rgb "#b3261e" dashtype 2
set arrow from -1, graph 0 to -1, graph 1 nohead linestyle 9
set arrow from 1, graph 0 to 1, graph 1 nohead linestyle 9
set arrow from 0, graph 0 to 0, graph 1 nohead linewidth 0.6 linecolor rgb "#888888"

titles = "counts,sizes,across-page,alignment,sequential,gaps,reuse"
colors = "0x444444 0x2867b2 0xb3261e 0xe8a33d 0x1c7a3a 0x8d99a6 0x7b3fa0"
split_at(list, i) = system(sprintf("echo '%s' | cut -d , -f %d", list, i))
plot data index 0 using (0):1:ytic(2) with points pointtype 7 pointsize 0 linecolor rgb "white" notitle, \
	for [i = 1:7] data index i using 1:2 with points pointtype 7 pointsize 0.9 \
		linecolor rgb int(word(colors, i)) title split_at(titles, i)
