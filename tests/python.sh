#!/bin/sh
# Installs the Python package as a user does, into an environment of its own with numpy and pandas (PyPI), and
# uses it and runs its examples there.  From the top of the tree.
set -eu

in=$(mktemp -d)
trap 'rm -rf "$in"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

python3 -m venv "$in/venv"
"$in/venv/bin/pip" install -q . numpy pandas
unset SSDLAB_LIBRARY PYTHONPATH
cp -r library/python/examples "$in"
cd "$in"
"$in/venv/bin/python" - <<'END'
import numpy
import pandas
import ssdlab

drive = ssdlab.Drive("class", completions="parts", precondition={"mode": "none", "premap": "none"})
n = 1000
rng = numpy.random.default_rng(1)
table = pandas.DataFrame({"sector": 16 * rng.integers(0, drive.sectors // 16, n), "sectors": 16, "kind": 1})
assert drive.submit(table) == n
drive.drain()
assert len(drive.completions(0)) == 0
done = pandas.DataFrame(drive.completions())
latency = done.completion_ns - done.arrival_ns
statistics = drive.to_pandas()
assert len(done) == n
assert abs(latency.mean() - statistics.value["request.write.latency_mean_ns"]) < 1
parts = done[["controller_ns", "map_ns", "die_ns", "collection_ns", "bus_ns", "cells_ns", "link_ns"]]
assert (parts.sum(axis=1) == done.completion_ns - done.start_ns).all()
blocks = drive.blocks()
assert blocks["valid_pages"].sum() == table.sector.nunique()


@ssdlab.gc_policy
def oldest(plane, blocks):
    return blocks["age"].argmax()


fresh = {"mode": "none", "premap": "none"}
with ssdlab.Drive("tiny", gc_policy=oldest, verify=True, precondition=fresh) as drive:
    sector = 4 * rng.integers(0, drive.sectors // 4, n)
    drive.submit(sector=sector, sectors=numpy.full(n, 4), kind=numpy.ones(n, int))
    drive.drain()
    assert drive.statistics["gc.collections"] > 10
print("python: numpy and pandas in and out, and a policy over arrays")
END
for example in examples/*.py; do
	"$in/venv/bin/python" "$example" >said.txt || { cat said.txt; exit 1; }
	echo "python: ${example#examples/}: $(tail -n 1 said.txt)"
done
