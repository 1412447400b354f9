# Gathers statistics files into lines "RUN KEY VALUE".  RUN is the folder of statistics.txt, or the name
# before .stat; "VARIANT:" stands before runs of sensitivity/VARIANT, "file:" before files/NAME.stat.
# Parameters in force, which the statistics list as comments, become "param.KEY".

FNR == 1 {
	n = split(FILENAME, part, "/")
	run = part[n]
	prefix = ""
	if (run == "statistics.txt") {
		run = part[n - 1]
		if (part[n - 3] == "sensitivity")
			prefix = part[n - 2] ":"
	} else if (part[n - 1] == "files") {
		prefix = "file:"
	}
	sub(/\.stat$/, "", run)
	run = prefix run
	parameters = 0
}

/^# ---- / { parameters = /effective parameters/; next }
parameters && /^# .* = / { print run, "param." $2, $4; next }
/^[a-z].* = / && NF >= 3 { print run, $1, $3 }
