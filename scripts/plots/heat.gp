# A field for each point of x and each series, with its number; dark is much.  Of published numbers the colour says what
# ours is over the paper's: white is the same, blue more, orange less or of the other sign.
set xrange [0.5:rows + 0.5]
set yrange [n + 0.5:0.5]
set xtics scale 0
set ytics scale 0
set ytics ()
set for [i = 1:n] ytics add (name(i) i)
unset grid
set rmargin -1
shade(i) = ratio ? (column(at(i) + 1) < 0 ? 0 : column(at(i) + 1) > 2 ? 2 : column(at(i) + 1)) : column(at(i))
if (ratio) {
	set palette defined (0 "#e69f00", 1 "#ffffff", 2 "#56b4e9")
	set cbrange [0:2]
	set cbtics ("0" 0, "1" 1, "2" 2)
	set cblabel "ours over the paper's" offset 1.5, 0
	set rmargin at screen 0.8
} else {
	set palette defined (0 "#f7fbff", 1 "#6baed6")
	set cblabel ylabel
}
unset ylabel
plot for [i = 1:n] $data using ($0 + 1):(i):($0 + 0.5):($0 + 1.5):(i - 0.5):(i + 0.5):(shade(i)) with boxxyerror \
		fillcolor palette fillstyle solid noborder, \
	for [i = 1:n] $data using ($0 + 1):(i):(number(column(at(i)))) with labels font small, \
	$data using ($0 + 1):(NaN):xticlabels(2) with points
