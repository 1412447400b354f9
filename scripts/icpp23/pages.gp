# Fig. 10 and its variant: flash pages written and read, data and map.
wide = 1000; high = 350
load scripts."style.gp"
set multiplot layout 1, 2 margins 0.07, 0.99, 0.3, 0.87 spacing 0.05, 0
stated_anywhere = variant eq ""
array file[2] = ["fig10a", "fig10b"]
array text[2] = ["(a) flash writes (FTL: pages)", "(b) flash reads (FTL: pages)"]
set ylabel "normalised to FTL" offset 1, 0
do for [p = 1:2] {
	name = file[p].variant
	caption = text[p]
	load scripts."stacks.gp"
	unset ylabel
}
unset multiplot
