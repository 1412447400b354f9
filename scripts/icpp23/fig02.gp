# Fig. 2: share of across-page requests, every trace of the folder.
wide = 640; high = 290
load scripts."style.gp"
set ylabel "across-page requests (%)"
set style fill solid 1.0 noborder
stats data."fig02.dat" using 1 skip 1 nooutput
set xrange [0.4:STATS_records + 0.6]
if (STATS_records > 12) {
	set xtics 0, 10
	plot data."fig02.dat" using 1:3:(0.7) skip 1 with boxes linecolor rgb blue
} else {
	plot data."fig02.dat" using 1:3:(0.5):xtic(2) skip 1 with boxes linecolor rgb blue, \
		"" using 1:3:(sprintf("%.1f", $3)) skip 1 with labels offset 0, 0.6 font small
}
