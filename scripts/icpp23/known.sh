#!/bin/sh
# known.sh SSD FTL...: those of the FTLs that the simulator has, in the order given.
set -eu
ssd=$1
shift
have=$("$ssd" list ftls | awk '/^  / { print $1 }')
known=
for ftl in "$@"; do
	if echo "$have" | grep -qx "$ftl"; then
		known="$known$ftl "
	fi
done
echo "${known% }"
