# What bars.gp and stacks.gp share.  Set before, besides theirs: stated_anywhere, 1 if a panel has marks.

n = words(ftls)
table = data.name.".dat"
marks = data.name.".paper"
below(lun, base) = lun."\n".(base eq "-" ? "" : base)
short(x) = sprintf(x < 10 ? "%.2f" : "%.1f", x)
stated = system("test -f ".marks." && echo 1 || echo 0") + 0
if (!stated) { marks = table }   # named, never drawn

set xrange [0.4:7.6]
set xlabel caption offset 0, -0.9
if (p == 1) {
	set key at screen 0.5, 0.985 center top vertical maxrows 1
} else {
	unset key
	unset label 99
}
