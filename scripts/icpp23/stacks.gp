# Panel p of grouped bars in two parts: data/name.dat (name, base, for each FTL data and map), otherwise
# as bars.gp.  The map part stands on the data part, in a light tone.

load scripts."panel.gp"
both(i) = column(2 * i + 1) + column(2 * i + 2)
plot for [i = 1:n] table using (place($0 + 1, i, n)):(both(i)):(bar(n)) skip 1 with boxes \
		linecolor rgb light_of(word(ftls, i)), \
	for [i = 1:n] table using (place($0 + 1, i, n)):(column(2 * i + 1)):(bar(n)) skip 1 with boxes \
		linecolor rgb color_of(word(ftls, i)) title title_of(word(ftls, i)), \
	table using ($0 + 1):(0):xtic(below(strcol(1), strcol(2))) skip 1 with dots linecolor rgb "#444444", \
	for [i = 2:n] table using (place(7, i, n)):(floor_of_panel):(short(both(i))) skip 7 with labels \
		rotate by 90 left offset 0, 0.3 font small textcolor rgb ink_of(word(ftls, i)), \
	for [i = 1:stated] marks using (place(7, $1, n)):2 with points @paper_halo, \
	for [i = 1:stated] marks using (place(7, $1, n)):2 with points @paper_mark, \
	keyentry with boxes fillstyle solid 1.0 border rgb "#333333" linecolor rgb light_of("page") title "light: map", \
	for [i = 1:stated_anywhere] keyentry with points @paper_mark title "paper, average"
