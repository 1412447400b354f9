# Lines over numbers, with intervals; a series may be points only (measured) or a curve only (a model), and may stand on
# the second axis.
set offsets 0, 0, graph 0.06, 0
set key width 0
set rmargin strlen(last_label) > 5 ? strlen(last_label) / 2.0 : 2.5
margin = log_x ? (last_ / first_) ** 0.04 : 0.04 * (last_ - first_)
if (!numeric) { set xrange [0.6:rows + 0.4] } else {
	if (log_x) { set xrange [first_ / margin:last_ * margin] } else { set xrange [first_ - margin:last_ + margin] }
}
if (negative) {
	set xzeroaxis linetype 1 linewidth 1 linecolor rgb "#444444"
	if (!strlen(yrange)) { set yrange [*:*] }
}
do for [k = 1:events_] {
	set arrow from first real(word($events[k], 2)), graph 0 to first real(word($events[k], 2)), graph 1 nohead \
		linewidth 1.6 dashtype 2 linecolor rgb red back
}
second = n1 < n ? 'for [i = n1 + 1:n] $data using 1:(column(at(i))) axes x1y2 with linespoints dashtype 2 linewidth 2 pointtype 4 + i linecolor rgb hue(i) title name(i),' : ''
labels = free_tics ? '' : '$data using 1:(NaN):xticlabels(2) with points,'
plot for [i = 1:n1] $data using 1:(style(i) eq "points" ? NaN : column(at(i))) with lines linewidth 2 linecolor rgb hue(i) \
		title style(i) eq "curve" ? name(i) : "", \
	for [i = 1:n1] $data using 1:(style(i) eq "curve" ? NaN : column(at(i))) with points pointtype 4 + i pointsize 1.4 * scale_ \
		linewidth 1.6 linecolor rgb hue(i) title style(i) eq "curve" ? "" : name(i), \
	for [i = 1:n1] $data using 1:(column(at(i) + 1)):(0):(column(at(i) + 2) - column(at(i) + 1)) \
		with vectors nohead linewidth 1.6 linecolor rgb hue(i), \
	@second @labels \
	for [k = 1:levels_] $levels using (first_):2:(last_ - first_):(0) every ::k-1::k-1 \
		with vectors nohead linewidth 1.4 dashtype 2 linecolor rgb "#555555" title level(k), \
	for [k = 1:marks_] $marks using (first_):2:(last_ - first_):(0) every ::k-1::k-1 \
		with vectors nohead linewidth 1.6 dashtype 2 linecolor rgb red title k == 1 && !spots_ ? "paper" : "", \
	for [k = 1:events_ && !marks_ && !spots_] keyentry with lines dashtype 2 linewidth 1.6 linecolor rgb red title "paper", \
	for [k = 1:spots_] $spots using 2:3 every ::k-1::k-1 with points @mark title k == 1 ? "paper" : ""
