# Deviation of each statistic in units of its tolerance.  Needs `data` and `picture`.
set terminal svg size 1000, 2400 noenhanced font "sans,10"
set output picture
set datafile separator "\t"
set title "Generated workloads against published statistics"
set xlabel "deviation / tolerance"
set xrange [-1.5:1.5]
set yrange [] reverse
set grid x
set key off
set lmargin 34
set arrow from -1, graph 0 to -1, graph 1 nohead linecolor "gray" dashtype 2
set arrow from 1, graph 0 to 1, graph 1 nohead linecolor "gray" dashtype 2
plot data using ($5 > 1.5 ? 1.5 : $5 < -1.5 ? -1.5 : $5):0:ytic(strcol(1)."  ".strcol(2)) \
	with points pointtype 7 pointsize 0.4
