# A row of dots for each series, a dot for each point of x; a ring for the first, a diamond for what the paper states.
set yrange [0.4:n + 0.6]
set ytics ()
set for [i = 1:n] ytics add (name(i) n + 1 - i) scale 0
set ytics scale 0
if (!empty) { set xrange [*:*] }
set grid xtics ytics
set xlabel ylabel
unset ylabel
spread_(row) = 0.36 * ((row * 0.618034) - int(row * 0.618034) - 0.5)
plot for [i = 1:n] $data using (column(at(i))):(n + 1 - i + spread_($0)) with points pointtype 7 pointsize 0.8 * scale_ \
		linecolor rgb palette_[3] title i == 1 ? xlabel : "", \
	for [i = 1:n] $data using (strlen(first_name) && $0 == 0 ? column(at(i)) : NaN):(n + 1 - i) with points pointtype 6 pointsize 1.7 * scale_ linewidth 1.6 \
		linecolor rgb "#222222" title i == 1 && strlen(first_name) ? first_name : "", \
	for [k = 1:levels_] $levels using 2:(0.4):(0):(n + 0.2) every ::k-1::k-1 with vectors nohead linewidth 1.4 dashtype 2 linecolor rgb red, \
	for [k = 1:marks_] $marks using 2:(n + 1 - $1) every ::k-1::k-1 with points @mark title k == 1 ? "paper" : ""
