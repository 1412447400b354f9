#!/bin/sh
# `make replay-test`: fio replays what `ssd trace convert` writes for it, every request once, nothing is
# transferred; and runs the jobs of `ssd probe --fio` on a file, whose results `ssd probe --fit` reads.
set -eu
ssd=$(realpath "${SSD:-./ssd}")
top=$PWD
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
"$ssd" trace generate -s requests=2000 lun1 -o trace
"$ssd" trace convert --to fio trace -o log 2>/dev/null
fio --name=replay --ioengine=null --read_iolog=log --replay_no_stall=1 --output-format=json --output=said
"$ssd" trace stat --json counts log >/dev/null 2>&1
python3 - <<'END'
import json

with open("said") as said, open("counts") as counts:
    job, trace = json.load(said)["jobs"][0], json.load(counts)["statistics"]
for kind in "read", "write":
    assert job[kind]["total_ios"] == trace[f"trace.{kind}s"] > 0, kind
    assert job[kind]["io_bytes"] == trace[f"trace.{kind}_bytes"], kind
print("replay-test: fio replayed", trace["trace.requests"], "requests")
END

truncate -s 16M target
"$ssd" probe --fio jobs target >/dev/null
for stage in 2-fresh 3-memory 4-full; do
	fio --output-format=json --output="$stage.json" "jobs/$stage.fio"
done
(cd "$top" && "$ssd" probe --fit "$work"/*-*.json >"$work/fitted.cfg")
"$ssd" run --check fitted.cfg uniform >/dev/null
python3 - <<'END'
import configparser
import glob
import json

asked = {}
for path in sorted(glob.glob("jobs/*.fio")):
    file = configparser.ConfigParser(delimiters="=", allow_no_value=True)
    file.read(path)
    asked |= {name: int(file[name]["io_size"]) for name in file.sections() if name != "global"}
done = {}
for path in glob.glob("[234]-*.json"):
    with open(path) as file:
        for job in json.load(file)["jobs"]:
            done[job["jobname"]] = job["read"]["io_bytes"] + job["write"]["io_bytes"]
assert done == asked, {name: (size, done.get(name)) for name, size in asked.items() if done.get(name) != size}
print("replay-test: fio ran", len(done), "jobs of ssd probe, and a drive was fitted to them")
END
