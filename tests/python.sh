#!/bin/sh
# Installs the Python package as a user does, into an environment of its own with numpy and pandas (PyPI), and
# uses it and runs its examples there.  From the top of the tree.
set -eu

in=$(mktemp -d)
trap 'rm -rf "$in"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

python3 -m venv "$in/venv"
"$in/venv/bin/pip" install -q . numpy pandas mypy
make -s build/dev/libssdlab.so
"$in/venv/bin/python" tests/test_misuse.py
unset SSDLAB_LIBRARY PYTHONPATH
cp -r library/python/examples "$in"
cd "$in"
cat >user.py <<'END'
from typing import Any, List, Optional

import ssdlab


@ssdlab.gc_policy
def oldest(plane: int, blocks: Any) -> Optional[int]:
    return max(range(len(blocks)), key=lambda i: int(blocks[i].age))


def amplification(name: str) -> float:
    with ssdlab.Drive(name, gc_policy=oldest, completions="times", trace__limit=2000) as drive:
        first: float = drive.run("lun1")["waf"]
        drive.submit(sector=[0], sectors=[8], kind=[ssdlab.Kind.WRITE])
        drive.drain()
        latency: List[int] = [row.completion_ns - row.arrival_ns for row in drive.completions()]
        valid: int = drive.blocks()[0].valid_pages
        print(first, max(latency), valid, len(drive.to_pandas("gc.*")))
        waf: float = drive.statistics["waf"]
        return waf + drive.statistic("waf")
END
"$in/venv/bin/mypy" --strict -p ssdlab
"$in/venv/bin/mypy" --strict user.py
sed 's/"times"/"tims"/' user.py >wrong.py
if "$in/venv/bin/mypy" --strict wrong.py >wrong.txt || ! grep -q tims wrong.txt; then
	echo 'python: mypy finds nothing wrong with completions="tims"' >&2
	exit 1
fi
"$in/venv/bin/python" -c 'import user; user.amplification("class")'
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
