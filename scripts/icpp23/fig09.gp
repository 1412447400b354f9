# Fig. 9: latency over the baseline's.
wide = 1150; high = 350
load scripts."style.gp"
set multiplot layout 1, 3 margins 0.06, 0.99, 0.3, 0.87 spacing 0.04, 0
stated_anywhere = 1
array file[3] = ["fig09a", "fig09b", "fig09c"]
array text[3] = ["(a) read latency (FTL: ms)", "(b) write latency (FTL: ms)", "(c) overall latency (FTL: ms)"]
set ylabel "normalised to FTL" offset 1, 0
do for [p = 1:3] {
	name = file[p]
	caption = text[p]
	load scripts."bars.gp"
	unset ylabel
}
unset multiplot
