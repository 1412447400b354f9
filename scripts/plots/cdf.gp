# Which share of the requests stays below a latency; a block of $data for each series.
set yrange [0:1.02]
set format x "%g"
set key width 0
if (log_x && !empty) { set xrange [*:*] }
plot for [i = 1:n] $data index i - 1 using 1:2 with steps linewidth 2 linecolor rgb hue(i) title name(i), \
	for [k = 1:levels_] $levels using 2:(0):(0):(1) every ::k-1::k-1 with vectors nohead linewidth 1.4 dashtype 2 linecolor rgb "#555555", \
	for [k = 1:levels_] $levels using 2:(0.04):1 every ::k-1::k-1 with labels left offset 0.4, 0 font small textcolor rgb "#555555"
