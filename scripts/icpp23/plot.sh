#!/bin/sh
# plot.sh SCRIPTS RESULTS FIGURE FTLS DIVISOR TRACES: draws a figure as SVG and as PNG.
set -eu
scripts=$1 results=$2 figure=$3 ftls=$4 divisor=$5 traces=$6

note="workloads: generated"
[ -z "$traces" ] || note="traces: SYSTOR '17"
scale="1/$divisor of the paper's size"
[ "$divisor" != 1 ] || scale="the paper's size"

for kind in svg png; do
	out=$results/figures/$figure.$kind
	gnuplot -e "kind = \"$kind\"; figure = \"$figure\"; output_file = \"$out.part\"; data = \"$results/data/\"" \
		-e "note = \"$note  |  drive and traces: $scale\"; scripts = \"$scripts/\"; ftls = \"$ftls\"" \
		"$scripts/$figure.gp" || { rm -f "$out.part"; exit 2; }
	mv "$out.part" "$out"
done
