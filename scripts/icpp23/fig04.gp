# Fig. 4: cost of a sector, across-page and normal requests, the baseline FTL.
wide = 1000; high = 320
load scripts."style.gp"
set multiplot layout 1, 3 margins 0.06, 0.99, 0.24, 0.87 spacing 0.075, 0
eval lun_tics
array file[3] = ["fig04a", "fig04b", "fig04c"]
array unit[3] = ["µs per sector", "µs per sector", "pages per sector"]
array panel[3] = ["(a) read latency (paper: 1.61x on average)", "(b) write latency (paper: 1.49x)", "(c) flush count (paper: 2.69x)"]
set key at screen 0.5, 0.99 center top vertical maxrows 1
do for [p = 1:3] {
	set ylabel unit[p] offset 1, 0
	set xlabel panel[p]
	plot data.file[p].".dat" using (place($0 + 1, 1, 2)):2:(bar(2)) skip 1 with boxes linecolor rgb blue title "across-page", \
		"" using (place($0 + 1, 2, 2)):3:(bar(2)) skip 1 with boxes linecolor rgb grey title "normal", \
		"" using ($0 + 1):($2 > $3 ? $2 : $3):(sprintf("%.2fx", $4)) skip 1 with labels offset 0, 0.6 font small
	unset label 99
	unset key
}
unset multiplot
