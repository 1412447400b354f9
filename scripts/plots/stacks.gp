# Bars of parts on one another, the first at the bottom and dark, one bar for each series in every group.
set xrange [0.4:rim]
set xtics scale 0
part(p) = p > parts ? "" : part_names[p]
top_of(i, p) = sum [q = 1:p] column(3 * ((i - 1) * parts + q))
plot for [p = parts:1:-1] for [i = 1:n] $data using (place($0 + 1, i)):(top_of(i, p)):(bar * grow($0 + 1)) with boxes \
		linecolor rgb n == 1 ? palette_[p] : light(hue(i), p) title p == 1 && n > 1 ? name(i) : n == 1 ? part(p) : "", \
	for [p = 2:n > 1 ? parts : 0] keyentry with boxes linecolor rgb light(0x777777, p) title part(p), \
	$data using (centre($0 + 1)):(NaN):xticlabels(2) with points, \
	@mean_numbers, @paper_marks
