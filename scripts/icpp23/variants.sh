#!/bin/sh
# What variants.txt says:
#   variants.sh list "FTLS" TRACES          ids of the variants that these FTLs and traces can be asked
#   variants.sh generated                   ids of those with a workload of their own
#   variants.sh drive|workload ID DIVISOR   settings of one variant, one to a line
set -eu
table=$(dirname "$0")/variants.txt

# settings COLUMN ID DIVISOR: @N becomes N over the scale.
settings() {
	awk -F ' *[|] *' -v column="$1" -v id="$2" -v divisor="$3" '
		$1 == id {
			n = split($column, setting, " ")
			for (i = 1; i <= n; i++) {
				at = index(setting[i], "@")
				if (at)
					setting[i] = sprintf("%s%d", substr(setting[i], 1, at - 1), substr(setting[i], at + 1) / divisor)
				print setting[i]
			}
		}' "$table"
}

case $1 in
list)
	awk -F ' *[|] *' -v ftls=" $2 " -v real="$3" '
		/^#|^$/ { next }
		$4 ~ /across\./ && ftls !~ / across / { next }
		$4 ~ /mrsm\./ && ftls !~ / mrsm / { next }
		$4 ~ /map\./ && ftls !~ / across | mrsm / { next }
		$5 != "" && real != "" { next }
		{ printf "%s ", $1 }' "$table"
	;;
generated)
	awk -F ' *[|] *' '!/^#|^$/ && $5 != "" { printf "%s ", $1 }' "$table"
	;;
drive)
	settings 4 "$2" "$3"
	;;
workload)
	settings 5 "$2" "$3"
	;;
esac
