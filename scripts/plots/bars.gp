# Groups of bars, one for each series, with their intervals; series on the second axis are points joined by a line.  On
# a logarithmic axis, where a bar has no length, points.  A bar that does not end below the border says where it ends,
# one that is 0 says so.
set xrange [0.4:rim]
set xtics scale 0
if (rows > 14 && !exists("numbered")) {
	set xtics rotate by 55 right font small
	set bmargin 7
	set xlabel offset 0, 0
}
if (negative) {
	set xzeroaxis linetype 1 linewidth 1 linecolor rgb "#444444"
	if (!strlen(yrange)) { set yrange [*:*]; set offsets 0, 0, graph 0.12, graph 0.18 }
}
few = annotated && rows * n1 <= (wide ? 24 : 8)
second = n1 < n ? 'for [i = n1 + 1:n] $data using ($0 + 1):(column(at(i))) axes x1y2 with linespoints linecolor rgb hue(i) linewidth 2 pointtype 7 pointsize 0.9 * scale_ title name(i),' : ''
shape = log_y ? 'with points pointtype 7 pointsize 1.5 * scale_' : 'with boxes'
plot for [i = 1:n1] $data using (place($0 + 1, i)):(column(at(i))):(bar * grow($0 + 1)) @shape \
		linecolor rgb hue(i) title n > 1 ? name(i) : "", \
	for [i = 1:n1] $data using (place($0 + 1, i)):(column(at(i) + 1)):(0):(column(at(i) + 2) - column(at(i) + 1)) \
		with vectors nohead linewidth 1.6 linecolor rgb "#222222", \
	@second $data using (centre($0 + 1)):(NaN):xticlabels(2) with points, \
	for [i = 1:n1] $data using (place($0 + 1, i)):(few && !(with_mean && n1 > 1 && $0 == rows - 1) ? column(at(i)) : NaN):(number(column(at(i)))) \
		with labels center offset 0, 0.6 font small, \
	for [i = 1:n1] $data using (place($0 + 1, i)):(!few && column(at(i)) == 0 ? foot : NaN):(sprintf("%g", column(at(i)))) \
		with labels center offset 0, 0.6 font small, \
	for [i = 1:n1] $data using (place($0 + 1, i)):(column(at(i)) > roof ? roof : NaN):(number(column(at(i)))) \
		with labels rotate by 90 right offset 0, -0.3 font small textcolor rgb ink(i), \
	@mean_numbers, @paper_marks, @spot_marks, \
	for [k = 1:levels_] $levels using (0.4 + $0 * 0):2:(rim - 0.4):(0) every ::k-1::k-1 \
		with vectors nohead linewidth 1.8 dashtype 2 linecolor rgb red title level(k)
