#!/bin/sh
# Checksums of what the runs of tests/same-bytes.runs print, the same on every machine:
# tests/same-bytes.sh [SSD] >sums
set -eu
while read -r line; do
	# shellcheck disable=SC2086 # a list of words
	printed=$("${1:-./ssd}" run $line 2>/dev/null)
	printf '%s  %s\n' "$(echo "$printed" | cksum)" "$line"
done <tests/same-bytes.runs
