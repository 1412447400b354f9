#!/bin/sh
# `make pandas-test`: pandas reads the log of requests (plain and packed) and the series that a run writes,
# and their columns add up to the statistics.  pandas comes from PyPI into a temporary folder and is no
# dependency.
set -eu
ssd=${SSD:-./ssd}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install --quiet --disable-pip-version-check pandas zstandard
run() { "$ssd" run --quiet -o "$work" --series 1000 --warmup 500 --json "$work/json" --log "$1" \
	-s trace.limit=20000 -s buffer=lru -s dram.buffer_bytes=64K -s ftl=across -s map.cache_bytes=2K \
	parameters/tiny.cfg mixed 2>/dev/null; }
run "$work/log.csv.zst"
run "$work/log.csv"
"$work/venv/bin/python3" - "$work" <<'END'
import json
import sys

import pandas

names = "log.csv", "log.csv.zst", "series.csv"
log, packed, series = (pandas.read_csv(f"{sys.argv[1]}/{name}") for name in names)
with open(f"{sys.argv[1]}/json") as file:
    said = json.load(file)["statistics"]
assert packed.equals(log) and not log.isna().any().any()
parts = [f"{part}_ns" for part in "door controller map die collection bus cells link".split()]
assert (log[parts].sum(axis=1) == log.latency_ns).all()
assert (log.completed_ns - log.arrival_ns == log.latency_ns).all()
for kind in "read", "write":
    rows = log[log.type == kind]
    assert len(rows) == said[f"request.{kind}.count"] == series[f"request.{kind}.count"].sum()
    assert 512 * rows.sectors.sum() == said[f"request.{kind}.bytes"]
    assert abs(rows.latency_ns.mean() / said[f"request.{kind}.latency_mean_ns"] - 1) < 1e-8
counted = "request.", "flash.", "gc.", "buffer.read.", "buffer.write."
compared = [name for name in series if name.startswith(counted) and name in said and not name.endswith("_ns")]
for name in compared:
    assert series[name].sum() == said[name], name
assert len(compared) > 50
print(f"pandas {pandas.__version__}: a log of {len(log)} rows, {len(compared)} columns of "
      f"{len(series)} windows add up")
END
