# Look of every figure.  Called by plot.sh with: kind (svg or png), output_file, figure, note, data and
# scripts (folders), ftls ("page mrsm across", those that were run); a figure sets wide and high before.

family = kind eq "svg" ? "Helvetica, Arial, sans-serif" : "DejaVu Sans"
points = kind eq "svg" ? 12 : 10
if (kind eq "svg") {
	set terminal svg size wide,high dynamic font family.",".points name figure background "white" rounded
} else {
	set terminal pngcairo size 2*wide,2*high font family.",".points fontscale 2 linewidth 2 rounded
}
set output output_file
small = family.",".(points - 3)

# Series in the paper's order; colours that print well and that the colour-blind tell apart.
title_of(ftl) = ftl eq "page" ? "FTL" : ftl eq "mrsm" ? "MRSM" : ftl eq "across" ? "Across-FTL" : ftl
color_of(ftl) = ftl eq "page" ? 0x8d99a6 : ftl eq "mrsm" ? 0xe8a33d : 0x2867b2
light_of(ftl) = ftl eq "page" ? 0xdfe3e8 : ftl eq "mrsm" ? 0xf9e0b4 : 0xb5d0ef
ink_of(ftl) = ftl eq "across" ? 0xffffff : 0x000000
blue = 0x2867b2
grey = 0x8d99a6
amber = 0xe8a33d
red = 0xb3261e

# Bar i of n in group g; groups are 1 apart.
bar(n) = 0.8 / n
place(g, i, n) = g + (i - (n + 1) / 2.0) * bar(n)

set border 3 linewidth 0.8 linecolor rgb "#444444"
set tics nomirror out scale 0.5 textcolor rgb "#222222"
set xtics scale 0
set grid ytics linewidth 0.6 linecolor rgb "#d8d8d8" dashtype solid
set style fill solid 1.0 border rgb "#333333"
set boxwidth 1 relative
set key outside top center vertical maxrows 1 samplen 1.4 reverse Left width 1 noautotitle
set yrange [0:*]
floor_of_panel = 0
set bmargin 3.4

# What was measured, at the foot of every figure.  In a figure of several panels: once.
set label 99 note at screen 0.99, screen 0.03 right font small textcolor rgb "#777777"
lun_tics = 'set xtics ("lun1" 1, "lun2" 2, "lun3" 3, "lun4" 4, "lun5" 5, "lun6" 6, "avg" 7); set xrange [0.4:7.6]'
paper_halo = 'pointtype 13 pointsize 1.7 linecolor rgb "white"'
paper_mark = 'pointtype 13 pointsize 1.1 linecolor rgb red'
