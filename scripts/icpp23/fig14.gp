# Fig. 14: overall latency and erases at three page sizes.
wide = 1150; high = 640
load scripts."style.gp"
set multiplot layout 2, 3 margins 0.06, 0.99, 0.16, 0.93 spacing 0.04, 0.17
stated_anywhere = 0
array file[6] = ["fig14a-4", "fig14a-8", "fig14a-16", "fig14b-4", "fig14b-8", "fig14b-16"]
array text[6] = ["(a) latency, 4 KB pages (FTL: ms)", "(a) latency, 8 KB pages (FTL: ms)", "(a) latency, 16 KB pages (FTL: ms)", \
	"(b) erases, 4 KB pages (FTL: blocks)", "(b) erases, 8 KB pages (FTL: blocks)", "(b) erases, 16 KB pages (FTL: blocks)"]
do for [p = 1:6] {
	if (p % 3 == 1) { set ylabel "normalised to FTL" offset 1, 0 } else { unset ylabel }
	name = file[p]
	caption = text[p]
	load scripts."bars.gp"
}
unset multiplot
