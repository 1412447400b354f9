# Bars over SSDsim's own mean response.  Set before: data, output_file, what.

set terminal svg size 900, 380 font "sans,11" background "white"
set output output_file
set style data histogram
set style histogram clustered gap 1
set style fill solid 0.85 noborder
set logscale y
set yrange [0.1:*]
set grid ytics linecolor rgb "#dddddd"
set key outside right top
set ylabel "mean response of ".what." over SSDsim's"
set xlabel "quirk repaired"
set arrow from graph 0, first 1 to graph 1, first 1 nohead linecolor rgb "#444444"
colors = "#9ecae1 #4292c6 #084594 #fdae6b #f16913 #8c2d04"
plot for [i = 2:7] data using (column(i)):xtic(1) title columnheader(i) linecolor rgb word(colors, i - 1)
