# Bars of parts on one another, the first at the bottom and dark, one bar for each series in every group.
set xrange [0.4:rows + 0.6]
set xtics scale 0
part(p) = p > parts ? "" : part_names[p]
top_of(i, p) = sum [q = 1:p] column(3 * ((i - 1) * parts + q))
plot for [p = parts:1:-1] for [i = 1:n] $data using (place($0 + 1, i)):(top_of(i, p)):(bar) with boxes \
		linecolor rgb n == 1 ? palette_[p] : light(hue(i), p) title p == 1 && n > 1 ? name(i) : n == 1 ? part(p) : "", \
	for [p = 2:n > 1 ? parts : 0] keyentry with boxes linecolor rgb light(0x777777, p) title part(p), \
	$data using ($0 + 1):(NaN):xticlabels(2) with points, \
	for [i = 1:n] $data using (place($0 + 1, i)):(annotated && n > 1 && with_mean && $0 == rows - 1 ? foot : NaN):(number(top_of(i, parts))) \
		with labels rotate by 90 left offset 0, 0.3 font small textcolor rgb ink(i), \
	for [k = 1:marks_] $marks using (place(rows, $1)):2 every ::k-1::k-1 with points @halo, \
	for [k = 1:marks_] $marks using (place(rows, $1)):2 every ::k-1::k-1 with points @mark title k == 1 ? "paper, average" : ""
