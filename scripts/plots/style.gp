# The one look.  A panel (laboratory/figures.py) has set, and a template of this folder draws, from
#
#	kind, output_file     svg or png, where to            plots, name_     this folder, the panel's name
#	caption, note         below (lines_below: of the labels there), at the foot              xlabel, ylabel   of axes
#	log_x, log_y, log_y2  1: logarithmic, yrange "0:1"    wide             1: twice as wide
#	n, n1, names, color, styles   of series: number, how many of them on the first axis; for each its name, number
#	                      of its colour, and curve, points or both
#	parts, part_names     of what a bar is stacked        annotated        1: numbers stand at some bars
#	rows, with_mean       of $data; 1: the last is a mean
#	tall, empty           height; 1: there is no value at all
#	numeric, first_, last_, first_name   1: positions are numbers; of the first and last row
#	$data                 position, label, then for each series (and part) value, low and high end of its interval
#	$levels, $marks       name and value of lines across; series and value of what a paper states of its mean
#
# A panel is shown 560 units wide and in two columns of 1120 units, so that no label is below 9 pt.

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
light(c, part) = part < 2 ? c : tint(int(c / 65536), part) * 65536 + tint(int(c / 256) % 256, part) * 256 + tint(int(c) % 256, part)
tint(channel, part) = int(channel + (255 - channel) * (part == 2 ? 0.62 : 0.85))
red = 0xb3261e
scale_ = kind eq "svg" ? 0.6 : 1.0
mark = 'pointtype 13 pointsize 1.3 * scale_ linecolor rgb red'
halo = 'pointtype 13 pointsize 2.0 * scale_ linecolor rgb "white"'

# Bar i in group g; groups are 1 apart.  Series i has its numbers from this column on.
bar = 0.84 / (n1 > 0 ? n1 : 1)
place(g, i) = g + (i - (n1 + 1) / 2.0) * bar
at(i) = 3 * i
foot = strlen(yrange) ? real(yrange[1:strstrt(yrange, ":") - 1]) : log_y
roof = strlen(yrange) ? real(yrange[strstrt(yrange, ":") + 1:*]) : 1e300
number(x) = sprintf(abs(x) < 10 ? "%.2f" : abs(x) < 1000 ? "%.1f" : "%.0f", x)

set border 3 linewidth 0.8 linecolor rgb "#444444"
set tics nomirror out scale 0.5 textcolor rgb "#222222"
set grid ytics linewidth 0.6 linecolor rgb "#d8d8d8" dashtype solid
set style fill solid 1.0 border rgb "#333333"
set key outside top center horizontal maxrows 2 samplen 1.2 reverse Left width (kind eq "svg" ? -3 : -1) noautotitle
set bars small
set bmargin 3.4 + lines_below
set xlabel xlabel.(strlen(xlabel) && strlen(caption) ? "   " : "").caption offset 0, 1 - lines_below
set offsets 0, 0, graph 0.06, 0
set ylabel ylabel
set label 99 note at screen 0.99, screen 0.04 right font family.",".(kind eq "svg" ? 12 : 9) textcolor rgb "#777777"
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
if (empty) {
	set xrange [0.5:1.5]
	set yrange [0.5:1.5]
	set label 98 "no values" at graph 0.5, graph 0.5 center textcolor rgb "#777777"
}
