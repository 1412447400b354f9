#!/bin/sh
# `make replay-test`: fio replays what `ssd trace convert` writes for it, every request once.  Nothing is
# transferred.
set -eu
ssd=$(realpath "${SSD:-./ssd}")
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
