# Fig. 12: size of the mapping table and accesses to DRAM, the latter on a logarithmic axis.
wide = 1000; high = 350
load scripts."style.gp"
set multiplot layout 1, 2 margins 0.07, 0.99, 0.3, 0.87 spacing 0.05, 0
stated_anywhere = 1
set ylabel "normalised to FTL" offset 1, 0
p = 1
name = "fig12a"
caption = "(a) size of the mapping table (FTL: MiB)"
load scripts."bars.gp"
p = 2
unset ylabel
name = "fig12b"
caption = "(b) DRAM accesses (FTL), logarithmic"
set logscale y
set yrange [0.5:100]
floor_of_panel = 0.5
load scripts."bars.gp"
unset multiplot
