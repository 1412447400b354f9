# Groups of bars, one for each series, with their intervals; series on the second axis are points joined by a line.
# A bar that does not end below the border says where it ends.
set xrange [0.4:rows + 0.6]
set xtics scale 0
if (rows > 14) {
	set xtics rotate by 55 right font small
	set bmargin 7
	set xlabel offset 0, 0
}
few = annotated && rows * n1 <= 8
second = n1 < n ? 'for [i = n1 + 1:n] $data using ($0 + 1):(column(at(i))) axes x1y2 with linespoints linecolor rgb hue(i) linewidth 2 pointtype 7 pointsize 0.9 * scale_ title name(i),' : ''
plot for [i = 1:n1] $data using (place($0 + 1, i)):(column(at(i))):(bar) with boxes \
		linecolor rgb hue(i) title n > 1 ? name(i) : "", \
	for [i = 1:n1] $data using (place($0 + 1, i)):(column(at(i) + 1)):(0):(column(at(i) + 2) - column(at(i) + 1)) \
		with vectors nohead linewidth 1.6 linecolor rgb "#222222", \
	@second $data using ($0 + 1):(NaN):xticlabels(2) with points, \
	for [i = 1:n1] $data using (place($0 + 1, i)):(few ? column(at(i)) : NaN):(number(column(at(i)))) \
		with labels center offset 0, 0.6 font small, \
	for [i = 1:n1] $data using (place($0 + 1, i)):(annotated && !few && with_mean && $0 == rows - 1 && n < 5 ? foot : NaN):(number(column(at(i)))) \
		with labels rotate by 90 left offset 0, 0.3 font small textcolor rgb ink(i), \
	for [i = 1:n1] $data using (place($0 + 1, i)):(column(at(i)) > roof ? roof : NaN):(number(column(at(i)))) \
		with labels rotate by 90 right offset 0, -0.3 font small textcolor rgb ink(i), \
	for [k = 1:marks_] $marks using (place(rows, $1)):2 every ::k-1::k-1 with points @halo, \
	for [k = 1:marks_] $marks using (place(rows, $1)):2 every ::k-1::k-1 with points @mark title k == 1 ? "paper, average" : "", \
	for [k = 1:levels_] $levels using (0.4 + $0 * 0):2:(rows + 0.2):(0) every ::k-1::k-1 with vectors nohead linewidth 1.4 dashtype 2 linecolor rgb red, \
	for [k = 1:levels_] $levels using (rows + 0.6):2:1 every ::k-1::k-1 with labels right offset 0, 0.6 font small textcolor rgb red
