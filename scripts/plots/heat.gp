# A field for each point of x and each series, with its number; dark is much.
set xrange [0.5:rows + 0.5]
set yrange [n + 0.5:0.5]
set palette defined (0 "#f7fbff", 1 "#6baed6")
set xtics scale 0
set ytics scale 0
set ytics ()
set for [i = 1:n] ytics add (name(i) i)
unset grid
set cblabel ylabel
unset ylabel
plot for [i = 1:n] $data using ($0 + 1):(i):($0 + 0.5):($0 + 1.5):(i - 0.5):(i + 0.5):(column(at(i))) with boxxyerror \
		fillcolor palette fillstyle solid noborder, \
	for [i = 1:n] $data using ($0 + 1):(i):(number(column(at(i)))) with labels font small, \
	$data using ($0 + 1):(NaN):xticlabels(2) with points
