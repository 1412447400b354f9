# Fig. 8: areas rolled back; what across-page writes were.
wide = 950; high = 330
load scripts."style.gp"
set multiplot layout 1, 2 margins 0.07, 0.99, 0.23, 0.87 spacing 0.09, 0
eval lun_tics
set offsets 0, 0, graph 0.1, 0
set ylabel "of all areas (%)"
set xlabel "(a) areas rolled back (dashed: the paper's average)"
plot data."fig08.dat" using ($0 + 1):2:(0.55) skip 1 with boxes linecolor rgb blue, \
	"" using ($0 + 1):2:(sprintf("%.1f", $2)) skip 1 with labels offset 0, 0.6 font small, \
	3.9 with lines linewidth 1.5 dashtype 2 linecolor rgb red
unset label 99
set ylabel "of all across-page writes (%)"
set xlabel "(b) kinds of across-page writes (paper: 8.9 % unprofitable)"
set yrange [0:100]
set key at screen 0.99, 0.985 right top vertical maxrows 1
plot data."fig08.dat" using ($0 + 1):($3 + $4 + $5):(0.55) skip 1 with boxes linecolor rgb amber title "Unprofitable-AMerge", \
	"" using ($0 + 1):($3 + $4):(0.55) skip 1 with boxes linecolor rgb grey title "Profitable-AMerge", \
	"" using ($0 + 1):3:(0.55) skip 1 with boxes linecolor rgb blue title "Direct-write", \
	"" using ($0 + 1):($3 + $4 + $5 / 2):(sprintf("%.1f", $5)) skip 1 with labels font small
unset multiplot
