# Fig. 13: share of across-page requests at three page sizes.
wide = 640; high = 320
load scripts."style.gp"
eval lun_tics
set ylabel "across-page requests (%)"
plot data."fig13.dat" using (place($0 + 1, 1, 3)):2:(bar(3)) skip 1 with boxes linecolor rgb grey title "4 KB", \
	"" using (place($0 + 1, 2, 3)):3:(bar(3)) skip 1 with boxes linecolor rgb blue title "8 KB", \
	"" using (place($0 + 1, 3, 3)):4:(bar(3)) skip 1 with boxes linecolor rgb amber title "16 KB", \
	"" using (place($0 + 1, 1, 3)):2:(sprintf("%.0f", $2)) skip 1 with labels offset 0, 0.5 font small, \
	"" using (place($0 + 1, 2, 3)):3:(sprintf("%.0f", $3)) skip 1 with labels offset 0, 0.5 font small, \
	"" using (place($0 + 1, 3, 3)):4:(sprintf("%.0f", $4)) skip 1 with labels offset 0, 0.5 font small
