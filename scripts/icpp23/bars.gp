# Panel p of grouped bars: data/name.dat (name, base, one column for each FTL), every value over the
# baseline's, whose own value stands below the axis.  Set before: p, name, caption.  The averages that
# the paper states are marked.

load scripts."panel.gp"
plot for [i = 1:n] table using (place($0 + 1, i, n)):(column(i + 2)):(bar(n)) skip 1 with boxes \
		linecolor rgb color_of(word(ftls, i)) title title_of(word(ftls, i)), \
	table using ($0 + 1):(0):xtic(below(strcol(1), strcol(2))) skip 1 with dots linecolor rgb "#444444", \
	for [i = 2:n] table using (place(7, i, n)):(floor_of_panel):(short(column(i + 2))) skip 7 with labels \
		rotate by 90 left offset 0, 0.3 font small textcolor rgb ink_of(word(ftls, i)), \
	for [i = 1:stated] marks using (place(7, $1, n)):2 with points @paper_halo, \
	for [i = 1:stated] marks using (place(7, $1, n)):2 with points @paper_mark, \
	for [i = 1:stated_anywhere] keyentry with points @paper_mark title "paper, average"
