#!/bin/sh
# workload.sh SSD DIVISOR OUT PROFILE NAME TRACES FILE [KEY=VALUE...]
#
# Writes the workload of all runs of one LUN: made by the profile, with 1/DIVISOR of its requests and of
# its address space, settings changed as given (commas become spaces in lists); or, if a folder
# TRACES is given, the first 1/DIVISOR of the real FILE.
set -eu
ssd=$1 divisor=$2 out=$3 profile=$4 name=$5 traces=$6 file=$7
shift 7

# number KEY: a number of the profile; sizes are in G.
number() {
	awk -v key="$1" '$1 == key { gsub(/[";]/, "", $3); sub(/G$/, "", $3); print $3; exit }' \
		"traces/profiles/$profile.cfg"
}

generate() {
	for setting in "$@"; do
		shift
		set -- "$@" -s "$(echo "$setting" | tr , ' ')"
	done
	"$ssd" trace generate -o "$out" -s "requests=$(($(number requests) / divisor))" \
		-s "space=$(($(number space) * 1024 / divisor))M" "$@" "$profile"
}

convert() {
	trap 'rm -f "$out.all"' EXIT
	"$ssd" trace convert --to ssdsim -o "$out.all" "$file"
	requests=$(wc -l <"$out.all")
	head -n $((requests / divisor)) "$out.all" >"$out"
}

mkdir -p "$(dirname "$out")"
if [ -z "$traces" ]; then
	generate "$@"
elif [ -n "$file" ]; then
	convert
else
	echo "TRACES=$traces: $profile is *$name.csv, plain or .gz, .xz, .zst; there is no such file" >&2
	exit 2
fi
