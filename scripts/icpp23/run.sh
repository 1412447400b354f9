#!/bin/sh
# run.sh SSD DIVISOR TRACE FTL PAGE_KB FOLDER [KEY=VALUE...]
#
# One run of the evaluation.  The drive has the paper's 128 GiB, over DIVISOR, at every page size: pages
# per block stay at 64, blocks per plane make up for it.  The mapping cache holds 8 bytes for every page, the
# table of the baseline FTL: with pages of 8 KB that is the paper's 1/1000 of the capacity.
# The folder then holds the command, the parameters in force, the statistics and their columns;
# statistics.txt is missing if the run failed.
set -eu
ssd=$1 divisor=$2 trace=$3 ftl=$4 kb=$5 folder=$6
shift 6

pages=$((128 * 1024 * 1024 / kb / divisor))
settings="-s ftl=$ftl -s flash.page_bytes=$((kb * 1024)) -s flash.blocks=$((2048 * 8 / kb / divisor))"
settings="$settings -s map.cache_bytes=$((8 * pages))"
for setting in "$@"; do
	settings="$settings -s $setting"
done
# shellcheck disable=SC2086  # settings are words
set -- "$ssd" run --quiet -o "$folder" $settings parameters/icpp23.cfg "$trace"

mkdir -p "$folder"
rm -f "$folder/statistics.txt" "$folder/latency.txt" "$folder/wear.txt" "$folder/parameters.txt"
echo "$*" >"$folder/command"
"$@" 2>"$folder/log" || {
	status=$?
	echo "failed: $*" >&2
	cat "$folder/log" >&2
	rm -f "$folder/statistics.txt"
	exit $status
}
awk '/^# ---- / { here = /effective parameters/; next } here && sub(/^# /, "")' \
	"$folder/statistics.txt" >"$folder/parameters.txt"
