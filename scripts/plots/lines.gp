# Lines over numbers, with intervals; a series may be points only (measured) or a curve only (a model), and may stand on
# the second axis.
set offsets 0, 0, graph 0.06, 0
set key width 0
margin = log_x ? (last_ / first_) ** 0.04 : 0.04 * (last_ - first_)
if (!numeric) { set xrange [0.6:rows + 0.4] } else {
	if (log_x) { set xrange [first_ / margin:last_ * margin] } else { set xrange [first_ - margin:last_ + margin] }
}
second = n1 < n ? 'for [i = n1 + 1:n] $data using 1:(column(at(i))) axes x1y2 with linespoints dashtype 2 linewidth 2 pointtype 4 + i linecolor rgb hue(i) title name(i),' : ''
plot for [i = 1:n1] $data using 1:(style(i) eq "points" ? NaN : column(at(i))) with lines linewidth 2 linecolor rgb hue(i) \
		title style(i) eq "curve" ? name(i) : "", \
	for [i = 1:n1] $data using 1:(style(i) eq "curve" ? NaN : column(at(i))) with points pointtype 4 + i pointsize 1.4 * scale_ \
		linewidth 1.6 linecolor rgb hue(i) title style(i) eq "curve" ? "" : name(i), \
	for [i = 1:n1] $data using 1:(column(at(i) + 1)):(0):(column(at(i) + 2) - column(at(i) + 1)) \
		with vectors nohead linewidth 1.6 linecolor rgb hue(i), \
	@second $data using 1:(NaN):xticlabels(2) with points, \
	for [k = 1:levels_] $levels using (first_):2:(last_ - first_):(0) every ::k-1::k-1 with vectors nohead linewidth 1.4 dashtype 2 linecolor rgb "#555555", \
	for [k = 1:levels_] $levels using (last_):2:1 every ::k-1::k-1 with labels right offset 0, 0.6 font small textcolor rgb "#555555"
