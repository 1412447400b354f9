# The one look.  A panel (laboratory/gnuplot.py) has set, and a template of this folder draws, from
#
#	kind, output_file     svg or png, where to            plots, name_     this folder, the panel's name
#	caption, note         below (lines_below: of the labels there), at the foot              xlabel, ylabel   of axes
#	log_x, log_y, log_y2  1: logarithmic, yrange "0:1"    wide             1: twice as wide
#	n, n1, names, color, styles   of series: number, how many of them on the first axis; for each its name, number
#	                      of its colour, and curve, points or both
#	parts, part_names     of what a bar is stacked        annotated        1: numbers stand at some bars
#	rows, with_mean       of $data; 1: the last is a mean
#	tall, empty, negative height; 1: there is no value at all, one below 0
#	numeric, free_tics    1: positions are numbers; 1: gnuplot finds those that are written
#	first_, last_, first_name, last_label   of the first and last row
#	ratio                 heat: 1: colours say what a number is over the paper's, which stands in place of an interval
#	$data                 position, label, then for each series (and part) value, low and high end of its interval
#	$levels, $marks       name and value of lines across; series and value of what a paper states of its mean
#	$spots, $events       series, position and value of what a paper states of one point; the same without a value
#	$above, $below        of means above and below 0: series, where the number is written, the number
#
# A panel is shown 560 units wide, and 390 on a phone, where 13 units are 9 px: nothing is smaller.

width = wide ? 1120 : 560
height = tall
family = kind eq "svg" ? "Helvetica, Arial, sans-serif" : "DejaVu Sans"
size_ = kind eq "svg" ? 15 : 11
if (kind eq "svg") {
	set terminal svg size width,height dynamic noenhanced font family.",".size_ name name_ background "white" rounded
} else {
	set terminal pngcairo size 2*width,2*height noenhanced font family.",".size_ fontscale 2 linewidth 2 rounded
}
set output output_file
small = family.",".(size_ - 2)

# Told apart by the colour-blind, the first for what others are compared with (after Okabe and Ito).
array palette_[8] = [0x8d99a6, 0xe69f00, 0x0072b2, 0x009e73, 0xcc79a7, 0x56b4e9, 0xd55e00, 0x333333]
hue(i) = i > n ? 0 : palette_[int(color[i]) % 8 + 1]
ink(i) = int(color[i]) % 8 == 2 || int(color[i]) % 8 == 7 ? 0xffffff : 0
name(i) = i > n ? "" : names[i]
style(i) = i > n ? "" : styles[i]
level(k) = k > |$levels| ? "" : word($levels[k], 1)
light(c, part) = part < 2 ? c : tint(int(c / 65536), part) * 65536 + tint(int(c / 256) % 256, part) * 256 + tint(int(c) % 256, part)
tint(channel, part) = int(channel + (255 - channel) * (part == 2 ? 0.62 : 0.85))
red = 0xb3261e
scale_ = kind eq "svg" ? 0.6 : 1.0
mark = 'pointtype 13 pointsize 1.3 * scale_ linecolor rgb red'

# Bar i in group g; groups are 1 apart, that of the means has room for their numbers.  Series i has its numbers from
# this column on.
bar = 0.84 / (n1 > 0 ? n1 : 1)
grow(g) = with_mean && g == rows && n1 > 1 ? 1.8 : 1
centre(g) = g + 0.45 * (grow(g) - 1)
place(g, i) = centre(g) + (i - (n1 + 1) / 2.0) * bar * grow(g)
rim = rows + 0.6 + 0.9 * (grow(rows) - 1)
at(i) = 3 * i
end(side, free) = strlen(side) && side ne "*" ? real(side) : free
foot = strlen(yrange) ? end(yrange[1:strstrt(yrange, ":") - 1], log_y) : log_y
roof = strlen(yrange) ? end(yrange[strstrt(yrange, ":") + 1:*], 1e300) : 1e300
number(x) = sprintf(abs(x) < 10 ? "%.2f" : abs(x) < 1000 ? "%.1f" : "%.0f", x)

set border 3 linewidth 0.8 linecolor rgb "#444444"
set tics nomirror out scale 0.5 textcolor rgb "#222222"
set grid ytics linewidth 0.6 linecolor rgb "#d8d8d8" dashtype solid
set style fill solid 1.0 border rgb "#333333"
set key outside top center horizontal maxrows 2 samplen 1.2 reverse Left width (kind eq "svg" ? -3 : -1) noautotitle
set bars small
both = strlen(xlabel) && strlen(caption)
set bmargin (strlen(xlabel) || strlen(caption) ? 3.4 : 2.2) + lines_below + 1.1 * both
set rmargin 2.5
set xlabel xlabel.(both ? "\n" : "").caption offset 0, 1 - lines_below
set offsets 0, 0, graph 0.06, 0
set ylabel ylabel
# A note that is too long for a narrow panel stands in two lines.
cut_ = 0
if (!wide && strlen(note) > 76) {
	do for [k = 1:76] { if (note[k:k + 1] eq "; ") { cut_ = k } }
}
if (cut_) {
	set bmargin (strlen(xlabel) || strlen(caption) ? 4.4 : 3.2) + lines_below + 1.1 * both
	set label 100 note[1:cut_] at screen 0.99, screen 0.03 + 17.0 / height right font small textcolor rgb "#777777"
}
set label 99 note[cut_ + 1 + (cut_ > 0):*] at screen 0.99, screen 0.03 right font small textcolor rgb "#777777"
if (log_x) { set logscale x }
if (log_y) { set logscale y } else { set yrange [0:*] }
if (strlen(yrange)) { eval "set yrange [".yrange."]" }
if (n1 < n) {
	set y2tics nomirror
	set border 11
	set y2label names[n]
	set y2range [0:*]
	if (log_y2) { set logscale y2; set y2range [*:*] }
}
levels_ = |$levels|
marks_ = |$marks|
spots_ = |$spots|
events_ = |$events|
above_ = annotated && n1 > 1 ? |$above| : 0
below_ = annotated && n1 > 1 ? |$below| : 0
if (empty) {
	set xrange [0.5:1.5]
	set yrange [0.5:1.5]
	set label 98 "no values" at graph 0.5, graph 0.5 center textcolor rgb "#777777"
}

# What a paper states of the mean of series $1, across its bar; what ours is, beyond both.
from_(i) = place(rows, i) - 0.5 * bar * grow(rows)
along = 1.0 * bar * grow(rows)
paper_marks = 'for [k = 1:log_y ? 0 : marks_] $marks using (from_($1)):2:(along):(0) every ::k-1::k-1 with vectors nohead \
		linewidth 4.4 linecolor rgb "white", \
	for [k = 1:marks_] $marks using (from_($1)):2:(along):(0) every ::k-1::k-1 with vectors nohead \
		linewidth 2.4 linecolor rgb red title k == 1 ? "paper, mean" : ""'
# What it states of series $1 in group $2.
left_of(g, i) = place(g, i) - 0.5 * bar * grow(g)
width_of(g) = bar * grow(g)
spot_marks = 'for [k = 1:spots_] $spots using (left_of($2, $1)):3:(width_of($2)):(0) every ::k-1::k-1 with vectors nohead \
		linewidth 4.4 linecolor rgb "white", \
	for [k = 1:spots_] $spots using (left_of($2, $1)):3:(width_of($2)):(0) every ::k-1::k-1 with vectors nohead \
		linewidth 2.4 linecolor rgb red title k == 1 && !marks_ ? "paper" : ""'
mean_numbers = 'for [k = 1:above_] $above using (place(rows, $1)):2:(number($3)) every ::k-1::k-1 \
		with labels rotate by 90 left offset 0, 0.4 font small, \
	for [k = 1:below_] $below using (place(rows, $1)):2:(number($3)) every ::k-1::k-1 \
		with labels rotate by 90 right offset 0, -0.4 font small'
if (above_ || below_) { set offsets 0, 0, graph 0.15, graph 0.02 }
