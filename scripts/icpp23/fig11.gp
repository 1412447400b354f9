# Fig. 11: erases.
wide = 700; high = 340
load scripts."style.gp"
set bmargin 5.6
set tmargin 3
set ylabel "normalised to FTL" offset 1, 0
p = 1
stated_anywhere = 1
name = "fig11"
caption = "erase count (FTL: blocks)"
load scripts."bars.gp"
