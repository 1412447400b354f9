# Numbers of one run, "name = value": mean response of reads and writes (ns), pages read and programmed on flash (without
# -v before=SO_MANY), blocks erased, sectors hit in the buffer by reads.  Reads a statistic10.dat of SSDsim, ours or the
# original's, or a statistics.txt of `ssd run`.  "ended = 1": the run died early.

function after_colon(line)
{
	sub(/.*: */, "", line)
	sub(/ .*/, "", line)
	return line
}

/^read request average response time:/  { value["read"] = after_colon($0) }
/^write request average response time:/ { value["write"] = after_colon($0) }
/^read count:/                          { value["reads"] = after_colon($0) }
/^write flash count:/                   { value["programs"] = after_colon($0) }
/^erase count:/                         { value["erases"] = after_colon($0) }
/^buffer read hits:/                    { value["hits"] = after_colon($0) }
/ENDED EARLY/                           { ended = 1 }

$1 == "request.read.latency_mean_ns"    { value["read"] = int($3) }
$1 == "request.write.latency_mean_ns"   { value["write"] = int($3) }
# SSDsim does not count what a collection reads.
$1 == "flash.read.total"                { value["reads"] += $3 }
$1 == "flash.read.gc"                   { value["reads"] -= $3 }
$1 == "flash.program.total"             { value["programs"] = $3 }
$1 == "flash.erase.total"               { value["erases"] = $3 }
$1 == "buffer.read.hit_sectors"         { value["hits"] = $3 }
$1 == "run.drive_failed" && $3          { ended = 1 }

END {
	printf "read_ns = %.0f\nwrite_ns = %.0f\nreads = %.0f\n", value["read"], value["write"], value["reads"]
	printf "programs = %.0f\nerases = %.0f\nhits = %.0f\n", value["programs"] - before, value["erases"], value["hits"]
	printf "ended = %d\n", ended
}
