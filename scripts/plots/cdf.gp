# Which share of the requests stays below a latency; a block of $data for each series.
set yrange [0:1.02]
set format x "%g"
set key width 0
if (log_x && !empty) { set xrange [0.001:*] }
plot for [i = 1:n] $data index i - 1 using 1:2 with steps linewidth 2 linecolor rgb hue(i) title name(i)
