#!/usr/bin/env python3
"""scripts/lab: what a description means, and a sweep run with the simulator of $SSD (default ./ssd).

Runs from the top of the tree, as `make test` does.
"""

import base64
import contextlib
import csv
import glob
import json
import os
import re
import runpy
import signal
import subprocess
import tarfile
import time
import unittest
from collections.abc import Callable

from lab_fixture import HEAD, PUBLISHED, SSD, SWEEP, Folder
from laboratory import description, figures, gnuplot, numbers, page, reasons
from laboratory.mistake import Mistake
from laboratory.published import Published, read_published
from laboratory.values import Vector, above, interval
from laboratory.verdicts import Compared, judge, score, written
from tier import LONG

ALONE = """
[experiment]
drive = parameters/tiny.cfg
alone = yes
[axis workload]
both = uniform requests=300 space=3M + mixed requests=400 space=3M write_share=0
[axis kind]
priority round_robin = host.arbitration=*
[measures]
slow0 = tenant.0.slowdown
slow1 = tenant.1.slowdown
fair = tenant.fairness
mean0 = tenant.0.all.latency_mean_ns + 0
mean1 = tenant.1.all.latency_mean_ns + 0
there = alone.tenant.0.all.count - tenant.0.all.count + alone.tenant.1.read.count - tenant.1.read.count
others = alone.tenant.1.write.count + 0
"""
FAMILIES = """
[experiment]
drive = parameters/tiny.cfg
columns = family
fitted = replayed
stamp = generated
[numbers]
trace =
[axis workload]
a = mixed requests=300 space=3M
[axis family]
written = workload.write_share=1
read = workload.write_share=0
replayed =
[axis workload at replayed]
a = traces/samples/random.trace trace.limit=50
[axis variant]
default =
short = trace.limit=7
[defaults]
family = written
variant = default
[grid]
family = written replayed
[grid variants]
variant = *
[figure one]
title = Fig. 1
plot = bars
measure = run.served
[labels]
stamp replayed = replayed, fitted
"""
SEARCHED = """
[experiment]
drive = parameters/tiny.cfg
columns = family
fitted = fitted
[axis workload]
a = mixed requests=300 space=3M
[axis limit]
all =
8 100 = trace.limit=*
[axis kind]
written = workload.write_share=1
read = workload.write_share=0
[axis idle]
one two =
[axis ftl]
page across = ftl=*
[axis family]
default =
fitted = @limit=8 @kind=read
[defaults]
limit = all
kind = written
idle = one
ftl = page
family = default
[grid]
ftl = *
family = *
[search open]
title = The search
limit = *
kind = *
idle = *
[measures]
served = run.served
"""


def running(pattern: str) -> list[str]:
    """Commands of the processes that match the pattern."""
    shown = []
    for name in glob.glob("/proc/[0-9]*/cmdline"):
        with contextlib.suppress(OSError), open(name, encoding="utf-8", errors="replace") as file:
            shown.append(file.read().replace("\0", " ").rstrip())
    if not shown:  # macOS
        listed = subprocess.run(["ps", "-A", "-o", "args="], capture_output=True, text=True)
        shown = listed.stdout.splitlines()
    return [line for line in shown if re.match(pattern, line)]


class Description(Folder):
    def test_axes_and_numbers(self) -> None:
        e = description.read(self.at("sweep"), ["n=7"])
        self.assertEqual(e.axes["workload"]["mixed"], ["mixed", "requests=7", "space=3072K"])
        self.assertEqual(e.axes["cache"], {"1K": ["map.cache_bytes=1K"], "4K": ["map.cache_bytes=4K"]})
        self.assertEqual(e.axes["seed"], {"1": ["seed=1"], "2": ["seed=2"]})
        self.assertEqual(e.name, "sweep")

    def test_settings_of_a_place(self) -> None:
        e = description.read(self.at("sweep"), [])
        place = {"workload": "mixed", "ftl": "page", "cache": "1K", "seed": "2"}
        self.assertEqual(
            e.settings(place),
            (
                ["mixed"],
                ["workload.requests=300", "workload.space=3072K", "ftl=page", "map.cache_bytes=1K", "seed=2"],
            ),
        )
        place["workload"] = "trace"
        self.assertEqual(e.settings(place)[1][0], "trace.limit=300")

    def test_several_workloads_of_a_point(self) -> None:
        both = "uniform requests=5 space=3M + traces/samples/random.trace + mixed requests=6 workload.seed=1"
        self.write("both.ini", SWEEP.replace("mixed requests={n} space={3*1024}K", both))
        e = description.read(self.at("both.ini"), [])
        place = {"workload": "mixed", "ftl": "page", "cache": "1K", "seed": "2"}
        workloads, settings = e.settings(place)
        self.assertEqual(workloads, ["uniform", "traces/samples/random.trace", "mixed"])
        self.assertEqual(settings[:2], ["workload.0.requests=5", "workload.0.space=3M"])
        self.assertEqual(settings[2:4], ["workload.2.requests=6", "workload.seed=1"])
        for wrong in "uniform +", "+ uniform", "uniform + + mixed":
            self.mistake(
                SWEEP.replace("mixed requests={n} space={3*1024}K", wrong),
                "[axis workload] mixed: should be a profile or a trace",
            )

    def test_settings_that_depend_on_two_axes(self) -> None:
        two = SWEEP.replace(
            "[axis seed]",
            "[axis size]\nsmall = flash.blocks=300\n[axis size at {}]\n{} = flash.blocks=600\n[axis seed]",
        )
        self.write("two.ini", two.replace("{}", "trace across", 1).replace("{}", "small"))
        e = description.read(self.at("two.ini"), [])
        for workload, ftl, blocks in ("mixed", "page", 300), ("trace", "page", 600), ("mixed", "across", 600):
            place = {"workload": workload, "ftl": ftl, "cache": "1K", "size": "small", "seed": "2"}
            self.assertIn(f"flash.blocks={blocks}", e.settings(place)[1])
        self.mistake(
            two.replace("{}", "trcae", 1).replace("{}", "small"), "at trcae: no axis has such a point"
        )
        self.mistake(
            two.replace("{}", "trace", 1).replace("{}", "smal"),
            "[axis size at trace] smal: should be points of [axis size]",
        )

    def test_grids_and_cases(self) -> None:
        e = description.read(self.at("sweep"), [])
        self.assertEqual(len(e.places([""])), 2 * 2 * 2 * 2)
        self.assertEqual(len(e.places(["more"])), 2 * 1 * 1 * 2)
        self.assertEqual(len(e.places(["", "more"])), 16)
        self.assertEqual([c["cache"] for c in e.cases({"ftl": "page", "seed": "1"})], ["4K", "4K"])
        self.assertEqual(len(e.cases(e.place("page cache=*"))), 2 * 2 * 2)
        self.assertEqual([c["cache"] for c in e.cases(e.place("page mixed seed=1 cache=1*"))], ["1K"])

    def test_a_section_that_counts_only_if(self) -> None:
        self.write(
            "if.ini", SWEEP.replace("n = 300", "n = 300\nother =") + "[axis workload if other]\nw = zipf\n"
        )
        self.assertIn("mixed", description.read(self.at("if.ini"), []).axes["workload"])
        self.assertEqual(description.read(self.at("if.ini"), ["other=1"]).axes["workload"], {"w": ["zipf"]})

    def test_mistakes(self) -> None:
        self.mistake(
            "[experiment]\ndrive = parameters/none.cfg\n[axis workload]\na = mixed\n", "parameters/none.cfg"
        )
        self.mistake("[experiment]\ndrive = parameters/tiny.cfg\n", "no [axis workload]")
        self.mistake(SWEEP.replace("{n} space", "{m} space"), "name 'm' is not defined")
        self.mistake(SWEEP + "[grid less]\ncache = 2K\n", "should be of 1K 4K")
        self.mistake("nonsense", "no section headers")
        with self.assertRaisesRegex(Mistake, "has no number m"):
            description.read(self.at("sweep"), ["m=1"])
        with self.assertRaisesRegex(Mistake, "no axis has"):
            description.read(self.at("sweep"), []).place("slow")


KINDS = (
    SWEEP
    + """
[labels]
trace = what a place is called on two axes
workload trace = a trace
[figure cdf]
plot = cdf
measure = reads | writes
series = ftl
panels = workload
log = x
xlabel = ms
[figure heat]
plot = heat
x = cache
series = ftl
measure = programs
at = mixed
[figure stacks]
plot = stacks
measure = programs doubled
series = ftl
over = page
marks = programs:across=0.9
[figure second]
plot = bars
measure = programs waf
second = waf
at = across
levels = paper=3 other=4
[figure curves]
plot = lines
x = cache
measure = programs doubled waf
curves = doubled
points = programs
second = waf
at = mixed across
log = x y2
[figure over]
plot = lines
x = cache
series = workload
measure = programs
at = across
over = page
[figure dots]
plot = dots
x = cache
measure = same far
marks = same=1
[figure deviations]
plot = dots
measure = published
levels = tolerance=1
[figure nothing]
plot = bars
measure = areas
at = page
[figure change]
plot = bars
measure = programs
series = ftl
values = across
over = page
change = yes
marks = programs:across=-5
[figure cut]
plot = bars
measure = waf
at = across
yrange = 0:1
[figure open]
plot = bars
measure = waf | programs
at = across
yrange = 0:1 | 0:*
"""
)


class Values_(Folder):
    def test_vectors(self) -> None:
        v = Vector((1.0, 2.0, 4.0))
        self.assertEqual(v / Vector((1.0, 1.0, 2.0)), (1, 2, 2))
        self.assertEqual(1 - v, (0, -1, -3))
        self.assertEqual(sum((v < 3) & (v > 1)), 1)
        with self.assertRaises(Mistake):
            v + Vector((1.0, 2.0))

    def test_interval(self) -> None:
        self.assertEqual(interval([5.0]), (5.0, 0.0))
        mean, half = interval([1.0, 2.0, 3.0])  # t(2) = 4.303, s = 1
        self.assertAlmostEqual(mean, 2.0)
        self.assertAlmostEqual(half, 4.303 / 3**0.5)

    def verdict(
        self,
        relation: str,
        paper: str,
        unit: str,
        ours: list[float],
        tolerance: str = "",
        spread: float = 0.0,
    ) -> Compared:
        self.write("published.tsv", f"{HEAD}-\t\twhere\twhat\t\t{relation}\t{paper}\t{unit}\t{tolerance}\t\n")
        return judge(read_published(self.at("published.tsv"))[0], ours, spread, [])

    def test_verdicts(self) -> None:
        verdicts: list[tuple[str, str, list[float], str]] = [
            ("=", "-8.9", [-6.7], "within a quarter"),
            ("=", "-8.9", [-6.6], "off"),
            ("=", "-8.9", [8.9], "off"),
            ("=", "4", [5.0], "within a quarter"),
            ("=", "4", [5.1], "off"),
            ("<=", "-5", [-6.0], "holds"),
            ("<=", "-5", [-2.4], "off"),
            (">=", "1", [1.5], "holds"),
            (">=", "1", [0.9], "off"),
            ("range", "4 12", [4.5, 11.0], "within a quarter"),
            ("range", "4 12", [4.5, 20.0], "off"),
            ("holds", "6", [6], "holds"),
            ("holds", "6", [5], "does not hold everywhere"),
        ]
        for relation, paper, ours, verdict in verdicts:
            self.assertEqual(
                self.verdict(relation, paper, "change", ours).verdict, verdict, (relation, paper, ours)
            )
        self.assertEqual(self.verdict("=", "100", "count", [104.0], "5%").verdict, "within 5 %")
        self.assertEqual(self.verdict("=", "100", "", [104.0], "3").verdict, "off")
        self.assertEqual(self.verdict("=", "100", "", [97.0], "3").verdict, "within 3")
        self.assertEqual(self.verdict("=", "100", "ms", [97.0], "3").verdict, "within 3 ms")
        self.assertEqual(self.verdict("=", "50", "change", [52.0], "3").verdict, "within 3 points")
        self.assertEqual(self.verdict("=", "8", "KB", [8.0], "0").verdict, "equal")
        self.assertEqual(
            [self.verdict("<=", "1", "percent", [x]).deviation for x in (0.0, 2.0)], ["-", "+100.0 %"]
        )
        self.assertEqual(self.verdict("=", "2", "factor", [3.0]).deviation, "+50.0 %")
        self.assertEqual(
            [self.verdict("=", "2", "", [2.0], spread=s).spread for s in (0.0, 0.09923, 12.34)],
            ["", "± 0.099", "± 12"],
        )
        cases: list[tuple[str, str, str, list[float]]] = [
            ("=", "-8", "", [-6.0]),
            ("<=", "1", "", [0.5]),
            ("<=", "1", "", [3.0]),
            ("between", "-11 -5", "", [2.0]),
            ("between", "-11 -5", "", [-7.0]),
            ("range", "4 12", "", [5.0, 9.0]),
            ("holds", "6", "", [4]),
        ]
        self.assertEqual([self.verdict(*case).distance for case in cases], [2, 0, 2, 7, 0, 3, 2])

    def test_writing(self) -> None:
        self.assertEqual(
            [
                written(*x)
                for x in (
                    (1234567, "count"),
                    (0.45, "percent"),
                    (12.3, "factor"),
                    (-0.01, "change"),
                    (1.5, "ms"),
                    (16384, "MB"),
                )
            ],
            ["1,234,567", "0.45 %", "12.3x", "+0.0 %", "1.5 ms", "16,384 MB"],
        )
        self.assertEqual(
            [figures.short(x) for x in (None, 0.5, 12.34, 1234, 12345, 2.5e6)],
            ["", "0.5", "12.3", "1234", "12.3k", "2.5M"],
        )


class Sweep(Folder):
    def test_figures_are_a_report_of_the_grids_that_are_named(self) -> None:
        self.write("sweep/experiment.ini", SWEEP.replace("tiny.cfg\n", "tiny.cfg\ngrids = more\n"))
        self.assertIn("12 runs", self.lab("report", self.at("sweep")).stderr)
        self.lab("figures", self.at("sweep"))
        named = self.text("results/sweep/n-300/results.tsv")
        self.lab("report", self.at("sweep"), "more")
        self.assertEqual(self.text("results/sweep/n-300/results.tsv"), named)
        self.write("sweep/experiment.ini", SWEEP.replace("tiny.cfg\n", "tiny.cfg\ngrids = more none\n"))
        self.assertIn("there is no [grid none]", self.lab("figures", self.at("sweep"), status=2).stderr)

    def test_a_sweep(self) -> None:
        said = self.lab("report", self.at("sweep")).stderr
        self.assertIn("16 places, 12 runs (map.cache_bytes: without effect, ftl = page)", said)
        rows = [line.split("\t") for line in self.text("results/sweep/n-300/results.tsv").splitlines()]
        self.assertEqual(rows[0], "workload ftl cache seed run state programs doubled per_read areas".split())
        self.assertEqual(len(rows), 17)
        for row in rows[1:]:
            self.assertEqual(row[5], "done")
            self.assertEqual(int(row[7]), 2 * int(row[6]))
            self.assertEqual(row[9] == "", row[1] == "page")  # without areas there is no value, not even 0
        numbers = {
            row.split("\t")[0]: row.split("\t")
            for row in self.text("results/sweep/n-300/numbers.tsv").splitlines()
        }
        self.assertEqual(numbers["same"][5:8], ["1.00x", "+0.0 %", "within a quarter"])
        self.assertEqual(numbers["far"][5:8], ["+100.0 %", "+900.0 %", "off"])
        self.assertEqual(numbers["none"][5], "-")
        self.assertEqual(numbers["count"][5], "2 of 2")
        page = self.text("results/sweep/n-300/report.html")
        # Counts of the numbers that were run, and of the directions.
        self.contains(page, "<b>1</b> of 2</td>", "<b>1</b> of 1</td>", "(1 not run)", "because")
        self.assertEqual(page.count("data:image/svg+xml"), 4)
        self.assertIn('\n1024 "1K" ', self.text("results/sweep/n-300/figures/lines-1.gp"))

    def test_tenants_beside_themselves_alone(self) -> None:
        """A run of each tenant alone, shared by places that differ only in arbitration."""
        self.write("two.ini", ALONE)
        self.assertEqual(len(self.lab("list", self.at("two.ini")).stdout.splitlines()), 2 + 2)
        self.lab("run", self.at("two.ini"))
        rows = [line.split("\t") for line in self.text("results/two/default/results.tsv").splitlines()]
        self.assertEqual(len(rows), 3)
        runs = self.at("results/two/default/runs")
        alone = {}
        for name in os.listdir(runs):
            with open(os.path.join(runs, name), encoding="utf-8") as file:
                run = json.load(file)
            if "host.alone" in run["parameters"]:
                alone[run["parameters"]["host.alone"]] = run["statistics"]
        self.assertEqual(sorted(alone), ["0", "1"])
        for row in (dict(zip(rows[0], cells)) for cells in rows[1:]):
            slow = [float(row[f"mean{i}"]) / alone[str(i)][f"tenant.{i}.all.latency_mean_ns"] for i in (0, 1)]
            self.assertAlmostEqual(float(row["slow0"]), slow[0], 6)
            self.assertAlmostEqual(float(row["slow1"]), slow[1], 6)
            self.assertGreater(slow[1], 1)
            self.assertAlmostEqual(float(row["fair"]), min(slow) / max(slow), 6)
            self.assertEqual(float(row["there"]), 0)
            self.assertEqual(float(row["others"]), 0)
        again = self.lab("rerun", self.at("results/two/default")).stdout
        self.assertEqual(again, "4 runs of 4 are the same\n")
        self.write("two.ini", ALONE.replace("alone = yes", "alone = perhaps"))
        self.assertIn(
            "alone = perhaps: should be yes or no", self.lab("list", self.at("two.ini"), status=2).stderr
        )
        self.write("two.ini", ALONE.replace("alone = yes\n", ""))
        self.assertIn(
            "tenant.0.slowdown: needs alone = yes in [experiment]",
            self.lab("list", self.at("two.ini"), status=2).stderr,
        )

    def test_nothing_runs_twice(self) -> None:
        self.lab("run", self.at("sweep"))
        runs = self.at("results/sweep/n-300/runs")
        before = {name: os.stat(os.path.join(runs, name)).st_mtime_ns for name in os.listdir(runs)}
        self.lab("run", self.at("sweep"))
        self.assertEqual(
            before, {name: os.stat(os.path.join(runs, name)).st_mtime_ns for name in os.listdir(runs)}
        )
        self.write(
            "sweep/experiment.ini",
            SWEEP.replace("1K 4K = map", "1K 4K 8K = map").replace("cache = 1K 4K", "cache = *"),
        )
        self.assertEqual(self.lab("list", self.at("sweep"), "--count").stdout, "24\n")
        self.assertEqual(len(self.lab("list", self.at("sweep")).stdout.splitlines()), 16)
        self.lab("run", self.at("sweep"))
        self.assertEqual(len(os.listdir(runs)) - len(before), 4)  # across with 8K, two workloads, two seeds

    def test_killed_and_typed_again(self) -> None:
        self.lab("run", self.at("sweep"), "n=20000")
        undisturbed = self.text("results/sweep/n-20000/results.tsv")
        os.rename(self.at("results"), self.at("first"))
        for _ in range(2):
            process = subprocess.Popen(
                self.command("run", self.at("sweep"), "n=20000"),
                stderr=subprocess.PIPE,
                start_new_session=True,
            )
            assert process.stderr
            process.stderr.readline()
            process.stderr.readline()
            os.killpg(process.pid, signal.SIGKILL)
            process.communicate()
        self.lab("run", self.at("sweep"), "n=20000")
        self.assertEqual(self.text("results/sweep/n-20000/results.tsv"), undisturbed)

    def test_a_signal_ends_the_runs_too(self) -> None:
        """Even if the signal reaches only the lab, and if a run has children of its own."""
        self.write("program", f"#!/bin/sh\nsleep 61.{os.getpid()} & sleep 62.{os.getpid()}\n")
        os.chmod(self.at("program"), 0o755)
        self.write(
            "long.ini",
            f"[experiment]\nprogram = {self.at('program')}\n[axis n]\n1..3 = n=*\n"
            "[axis workload]\nw = w\n[measures]\nn = n\n",
        )
        for number in signal.SIGTERM, signal.SIGHUP, signal.SIGINT, signal.SIGKILL:
            lab = subprocess.Popen(self.command("run", self.at("long.ini")), stderr=subprocess.PIPE)
            self.wait_for(lambda: len(running(f"sleep 6[12].{os.getpid()}")) == 4, lab)
            lab.send_signal(number)
            lab.communicate()
            self.assertEqual(lab.returncode, -9 if number == signal.SIGKILL else 128 + number)
            self.wait_for(lambda: not running(f"sleep 6[12].{os.getpid()}"))
            self.assertEqual(os.listdir(self.at("results/long/default/runs")), [])

    def test_a_listing_ends_quietly_with_its_reader(self) -> None:
        """`lab list ... | head` is no error, nor is `ssd grade 2 | head`."""
        for command in (self.command("list", self.at("sweep")), [SSD, "grade", "2"]):
            reader, writer = os.pipe()
            os.close(reader)
            done = subprocess.run(command, stdout=writer, stderr=subprocess.PIPE, text=True)
            os.close(writer)
            self.assertNotIn("Broken pipe", done.stderr, command)

    def wait_for(self, holds: Callable[[], object], process: subprocess.Popen[bytes] | None = None) -> None:
        """Waits for a condition, however slow the machine is; fails if the process ends first."""
        while not holds():
            self.assertTrue(process is None or process.poll() is None)
            time.sleep(0.02)

    def test_what_an_ended_run_leaves_is_no_result(self) -> None:
        """A run that a signal ends writes its statistics so far."""
        self.lab("run", self.at("sweep"))
        undisturbed = self.text("results/sweep/n-300/results.tsv")
        runs = "results/sweep/n-300/runs"
        for name in os.listdir(self.at(runs))[:2]:
            done = json.loads(self.text(os.path.join(runs, name)))
            done["statistics"] |= {"run.interrupted": 1, "flash.program.total": 1}
            self.write(os.path.join(runs, name), json.dumps(done, indent=2))
        self.lab("run", self.at("sweep"))
        self.assertEqual(self.text("results/sweep/n-300/results.tsv"), undisturbed)

    def test_a_run_that_is_ended_is_told(self) -> None:
        """Ended by SIGTERM, as on a cluster; its numbers are in no row."""
        self.write(
            "ended",
            f"""#!/bin/sh
case "$*" in
*--check*) exec {SSD} "$@" ;;
*ftl=across*) {SSD} "$@" && sed -i 's/"run.interrupted": 0/"run.interrupted": 1/' "$4" && exit 143 ;;
*) exec {SSD} "$@" ;;
esac
""",
        )
        os.chmod(self.at("ended"), 0o755)
        said = subprocess.run(
            [*self.command("run", self.at("sweep")), "--ssd", self.at("ended")],
            capture_output=True,
            text=True,
        )
        self.assertIn("ended by signal 15", said.stderr)
        rows = [line.split("\t") for line in self.text("results/sweep/n-300/results.tsv").splitlines()[1:]]
        self.assertEqual(
            {tuple(row[5:]) for row in rows if "across" in row}, {("ended by signal 15", "", "", "", "")}
        )

    def test_tasks_share_the_folder(self) -> None:
        tasks = [
            subprocess.Popen(
                self.command("run", self.at("sweep"), "--task", str(i), "--of", "3"),
                stderr=subprocess.DEVNULL,
            )
            for i in range(3)
        ]
        self.assertEqual([task.wait() for task in tasks], [0, 0, 0])
        self.assertIn("0 failed", self.lab("run", self.at("sweep")).stderr)
        self.assertEqual(len(os.listdir(self.at("results/sweep/n-300/runs"))), 12)

    def test_a_mistake_is_found_before_the_first_run(self) -> None:
        more = "[axis more]\nfine =\nwrong = gc.treshold=0.2\n"
        self.write("sweep/experiment.ini", SWEEP[: SWEEP.index("[figure")] + more)
        said = self.lab("run", self.at("sweep"), status=2).stderr
        self.assertIn('did you mean "gc.threshold"', said)
        self.assertEqual(said.count("\n"), 1)
        self.assertFalse(os.path.exists(self.at("results")))

    def test_a_failed_point_is_a_row(self) -> None:
        plain = SWEEP[: SWEEP.index("[figure")]
        lines = plain.replace("[axis cache]", "[axis wear]\nworn = flash.endurance=1\nfresh =\n[axis cache]")
        self.write("sweep/experiment.ini", lines)
        self.lab("run", self.at("sweep"), "n=5000")
        rows = [line.split("\t") for line in self.text("results/sweep/n-5000/results.tsv").splitlines()[1:]]
        self.assertEqual({(row[2], row[6]) for row in rows}, {("worn", "drive failed"), ("fresh", "done")})

    def test_a_grid_that_is_not_asked_for(self) -> None:
        row = "more\t\tFig. 4\tless\tmean(programs[{} mixed cache=1K])\t=\t2\tcount\t\t\n"
        self.write(
            "sweep/experiment.ini", SWEEP[: SWEEP.index("[figure")].replace("cache = 1K 4K", "cache = 4K")
        )
        self.write("sweep/published.tsv", PUBLISHED + row.format("page"))
        self.lab("report", self.at("sweep"))
        self.assertIn("left out", self.text("results/sweep/n-300/numbers.tsv").splitlines()[-1])
        self.write("sweep/published.tsv", PUBLISHED + row.format("across"))
        self.assertIn("is not in what is run", self.lab("report", self.at("sweep"), status=2).stderr)

    def test_an_unknown_measure(self) -> None:
        self.write("sweep/published.tsv", PUBLISHED.replace("mean(programs[page] /", "mean(progams[page] /"))
        self.assertIn(
            'same: "progams": there is no such measure', self.lab("report", self.at("sweep"), status=2).stderr
        )

    def test_every_kind_of_figure(self) -> None:
        self.write("sweep/experiment.ini", KINDS)
        self.lab("report", self.at("sweep"))
        drawn = sorted(os.listdir(self.at("results/sweep/n-300/figures")))
        names = [
            "bars-1",
            "bars-2",
            "cdf-1",
            "cdf-2",
            "cdf-3",
            "cdf-4",
            "change",
            "curves",
            "cut",
            "deviations",
            "dots",
            "heat",
            "lines-1",
            "lines-2",
            "nothing",
            "open-1",
            "open-2",
            "over",
            "second",
            "stacks",
        ]
        self.assertEqual(drawn, sorted(name + kind for name in names for kind in (".gp", ".png", ".svg")))
        self.assertIn("no values", self.text("results/sweep/n-300/figures/nothing.svg"))
        self.assertRegex(
            self.text("results/sweep/n-300/figures/cut.svg"), r">\s*[1-9]\.\d\d<"
        )  # the number at a bar that is cut off
        self.assertNotIn("no values", self.text("results/sweep/n-300/figures/cdf-1.svg"))
        self.assertNotIn("$marks << END\n1 1", self.text("results/sweep/n-300/figures/bars-1.gp"))
        self.assertIn(
            "ylabel = 'change against page (%)'", self.text("results/sweep/n-300/figures/change.gp")
        )
        self.assertIn("$marks << END\n1 -5\nEND", self.text("results/sweep/n-300/figures/change.gp"))
        self.assertIn("$marks << END\n1 1\nEND", self.text("results/sweep/n-300/figures/dots.gp"))
        self.assertIn("xlabel = 'ms'", self.text("results/sweep/n-300/figures/cdf-1.gp"))
        self.assertIn(
            "array names[2] = ['mixed', 'a trace']", self.text("results/sweep/n-300/figures/over.gp")
        )
        self.assertIn("lines_below = 1", self.text("results/sweep/n-300/figures/over.gp"))

    def test_what_a_paper_states_of_one_point(self) -> None:
        self.write(
            "sweep/experiment.ini",
            SWEEP.replace(
                "[measures]\n", "[measures]\nfirst = either(upkeep.steps, areas, programs * 0 + 7)\n"
            )
            + "[figure spots]\nplot = lines\nx = cache\nseries = ftl\nmeasure = programs\nat = mixed\n"
            "marks = programs:across@4K=5 programs:page@1K programs:mixed:page=7 programs:trace@1K=9\n"
            "[figure beside]\nplot = bars\nseries = ftl\nmeasure = programs\n"
            "marks = programs:across@trace=3\n",
        )
        done = self.lab("report", self.at("sweep"))
        gp = self.text("results/sweep/n-300/figures/spots.gp")
        self.contains(
            gp, "$spots << END\n2 4096 5\nEND", "$events << END\n1 1024\nEND", "$marks << END\n1 7\nEND"
        )
        self.assertIn("$spots << END\n2 2 3\nEND", self.text("results/sweep/n-300/figures/beside.gp"))
        table = [line.split("\t") for line in self.text("results/sweep/n-300/results.tsv").splitlines()]
        self.assertEqual(done.stderr.count("no run has the statistic"), 0)
        first, areas = table[0].index("first"), table[0].index("areas")
        self.assertTrue(all(row[first] == (row[areas] or "7") for row in table[1:]))

    def test_the_least_of_several_vectors(self) -> None:
        self.write(
            "sweep/published.tsv",
            PUBLISHED.replace(
                "mean(programs[page] / programs[page])",
                "min(doubled[page] / programs[page], programs[page] / programs[page], "
                "doubled[page] / programs[page])",
            ),
        )
        self.lab("report", self.at("sweep"))
        self.assertIn("\t1.00x\t", self.text("results/sweep/n-300/numbers.tsv"))

    def test_heat_of_published_numbers(self) -> None:
        self.write(
            "sweep/experiment.ini",
            SWEEP + "[figure heat]\nplot = heat\nx = cache\nseries = ftl\nmeasure = far\n",
        )
        self.lab("report", self.at("sweep"))
        data = (
            self.text("results/sweep/n-300/figures/heat.gp").partition("$data << END\n")[2].splitlines()[:2]
        )
        # Twice as much at every point, ten times the published number.
        self.assertEqual(data, ['1 "1K" 100 10 NaN 100 10 NaN', '2 "4K" 100 10 NaN 100 10 NaN'])
        self.assertIn("ratio = 1", self.text("results/sweep/n-300/figures/heat.gp"))

    def test_columns_of_an_axis_and_reasons_that_are_computed(self) -> None:
        self.write("sweep/experiment.ini", FAMILIES + "[matrix variants]\naxis = variant\nnumbers = served\n")
        self.write(
            "sweep/published.tsv",
            HEAD + "share\tinput\tTable 2\twrites\ttrace.write_share[a]\t=\t0.5\tfactor\t\t\n"
            "served\t\tFig. 1\tserved\trun.served[a]\t=\t9\tcount\t\tOf {short} fewer, see {share}.\n",
        )
        self.lab("report", self.at("sweep"), "variants")
        rows = [line.split("\t") for line in self.text("results/sweep/default/numbers.tsv").splitlines()]
        self.assertEqual(
            [(row[0], row[1], row[5], row[-1]) for row in rows],
            [
                ("id", "kind", "ours", "family"),
                ("share", "input", "1.00x", "written"),
                ("served", "result", "300", "written"),
                ("share", "input", "1.00x", "replayed"),
                ("served", "result", "50", "replayed"),
            ],
        )
        whole = self.text("results/sweep/default/report-variants.html")
        self.contains(
            whole,
            'Of <a href="#at-short">short</a> 7 fewer, see <a href="#n-share">Table 2</a>.',
            "<span>replayed</span>",
            'data-is="replayed">50<',
        )
        self.assertIn(
            "note = 'generated; replayed, fitted'", self.text("results/sweep/default/figures/one_replayed.gp")
        )
        self.lab("report", self.at("sweep"))
        part = self.text("results/sweep/default/report.html")
        self.contains(part, "Of <code>short</code> fewer")
        for text in whole, part:  # every link has a target
            self.assertEqual(
                set(re.findall(r'href="#([^"]+)"', text)) - set(re.findall(r'id="([^"]+)"', text)), set()
            )

    def test_variants_under_which_a_verdict_is_another(self) -> None:
        matrix = "[matrix variants]\naxis = variant\nnumbers = moved\n"
        self.write("sweep/experiment.ini", FAMILIES + matrix)
        row = "{}\t{}\tFig. 1\tserved\trun.served[{}]\t{}\t{}\tcount\t\t{}\n".format
        text = (
            HEAD
            + row("moved", "", "a", "=", 8, "")
            + row("lost", "", "a", ">=", 200, "")
            + row("kept", "", "a", "<=", 400, "")
            + row("far", "", "a", "=", 1000, "")
            + row("other", "", "replayed", "=", 50, "")
            + row("reading", "", "a", "also", 8, "")
            + row("never", "cannot", "a", "=", 1000, "")
            + row("once", "cannot", "a", "=", 7, "")
            + "sum\tarithmetic\tFig. 1\tarithmetic\t2 + 2\t=\t1000\tcount\n"
        )
        self.write("sweep/published.tsv", text)
        self.lab("report", self.at("sweep"), "variants")
        lines = [line.split("\t") for line in self.text("results/sweep/default/numbers.tsv").splitlines()]
        self.assertEqual(
            {line[0]: line[9] for line in lines if line[10] == "written"},
            {
                "moved": "Met with 1 of 1 variant: short 7.",
                "lost": "Not met with 1 of 1 variant: short 7.",
                "kept": "Met with all 1 variant.",
                "far": "Met with none of 1 variant; nearest short 7.",
                "other": "",
                "reading": "",
                "never": "Met with none of 1 variant; nearest short 7.",
                "once": "Met with 1 of 1 variant: short 7.",
                "sum": "",
            },
        )
        self.assertEqual({line[9] for line in lines if line[10] == "replayed"}, {""})
        page_ = self.text("results/sweep/default/report-variants.html")
        self.contains(page_, 'Met with 1 of 1 variant: <a href="#at-short">short</a> 7.')
        # Refuted: a number of kind `cannot` that a variant meets.
        self.assertEqual(re.findall(r'id="n-(\w+)"[^\n]*>refuted<', page_), ["once"])
        self.lab("report", self.at("sweep"))
        self.assertNotIn("1 variant", self.text("results/sweep/default/numbers.tsv"))
        # A variant that departs from what is published is in the matrix, but explains nothing.
        self.write("sweep/experiment.ini", FAMILIES + matrix + "outside = short\nleaves = leaves Table 1\n")
        self.lab("report", self.at("sweep"), "variants")
        self.assertNotIn("1 variant", self.text("results/sweep/default/numbers.tsv"))
        self.contains(self.text("results/sweep/default/report-variants.html"), "short (leaves Table 1)")
        self.write("sweep/published.tsv", text.replace("8\tcount\t\t\n", "8\tcount\t\tWith {short}.\n", 1))
        self.assertIn(
            "moved: short leaves what is published", self.lab("report", self.at("sweep"), status=2).stderr
        )

    def test_a_search(self) -> None:
        self.write("sweep/experiment.ini", SEARCHED)
        row = "{}\t{}\tFig. 1\tserved\trun.served[across]\t{}\t{}\tcount\t\t\n".format
        self.write(
            "sweep/published.tsv",
            HEAD
            + row("nine", "", "=", 9)
            + row("far", "", "=", 1000)
            + row("more", "", ">=", 1)
            + row("reading", "", "also", 9),
        )
        self.lab("report", self.at("sweep"), "open")
        # The default, the point `fitted` and the five others with settings of their own: `idle` has none.
        rows = [line.split("\t") for line in self.text("results/sweep/default/results.tsv").splitlines()[1:]]
        self.assertEqual(
            [row[:6] for row in rows],
            [
                ["a", "all", "written", "one", ftl, family]
                for ftl in ("page", "across")
                for family in ("default", "fitted")
            ]
            + [
                ["a", limit, kind, "one", ftl, "default"]
                for limit, kind in (("all", "read"), ("8", "written"), ("100", "written"), ("100", "read"))
                for ftl in ("page", "across")
            ],
        )
        self.assertEqual([row[-1] for row in rows], ["300", "8"] * 2 + ["300"] * 2 + ["8"] * 2 + ["100"] * 4)
        lines = [line.split("\t") for line in self.text("results/sweep/default/numbers.tsv").splitlines()]
        self.assertEqual(
            {line[0]: line[9] for line in lines if line[10] == "default"},
            {
                "nine": "Comes out at 4 of the 12 points that were searched.",
                "far": "Comes out at none of the 12 points that were searched; nearest 300 (the default).",
                "more": "",
                "reading": "",
            },
        )
        self.assertEqual(
            {line[0]: line[5] for line in lines if line[10] == "fitted"},
            {"nine": "8", "far": "8", "more": "8", "reading": "8"},
        )
        table = self.text("results/sweep/default/search-open.tsv").splitlines()
        self.assertEqual(table[0], "limit\tkind\tidle\tcome_out\tnine\tfar")
        self.assertEqual(table[1], "all\twritten\tone\t0\t300\t300")
        self.assertEqual(len(table), 13)
        whole = self.text("results/sweep/default/report-open.html")
        row = '<td class="n">{}</td><td class="n">{}</td>\n<td class="n">{}</td>\n<td>{}</td>'.format
        self.contains(
            whole,
            '<h2 id="search-open">The search</h2>',
            "12 points, every combination of",
            row(0, 1, "0 of 2", "the default"),
            row(1, 4, "1 of 2", "limit: 8"),
            "<b>fitted</b>: limit: 8; kind: read",
        )
        self.write("sweep/experiment.ini", SEARCHED.replace("idle = *", "idle = *\nnumbers = nine"))
        self.lab("report", self.at("sweep"), "open")
        table = self.text("results/sweep/default/search-open.tsv").splitlines()
        self.assertEqual(table[0], "limit\tkind\tidle\tcome_out\tnine")
        for text, says in (
            (
                SEARCHED.replace("kind = *", "kind = *\nnumbers = ten"),
                "[search open] ten: published.tsv has no such number",
            ),
            (
                SEARCHED.replace("kind = *", "sort = *"),
                "[search open] sort = : should be of workload limit kind idle ftl family",
            ),
            (SEARCHED.replace("@kind=read", "@kind=sold"), '"kind=sold": should be a point of'),
            (
                SEARCHED + "[axis kind at 8]\nread = @limit=8\n",
                "a point that stands for others (@) should be in [axis kind]",
            ),
        ):
            self.write("sweep/experiment.ini", text)
            self.contains(self.lab("report", self.at("sweep"), "open", status=2).stderr, says)

    def published(self, *rows: tuple[str, ...]) -> list[Published]:
        self.write("sweep/published.tsv", HEAD + "".join("\t".join(row) + "\n" for row in rows))
        return read_published(self.at("sweep/published.tsv"))

    def test_kinds_of_numbers(self) -> None:
        row = ("Fig. 1", "what", "1", "=")
        found = self.published(
            ("a", "", *row, "100", "count"),
            ("b", "input", *row, "100", "count"),
            ("c", "fitted again", *row, "100", "count"),
            ("d", "input", *row, "100", "count", "5%"),
        )
        self.assertEqual(
            [(r.kind, r.fitted, r.again, r.tolerance) for r in found],
            [
                ("result", False, False, 25),
                ("input", False, False, 3),
                ("result", True, True, 25),
                ("input", False, False, 5),
            ],
        )
        with self.assertRaisesRegex(
            Mistake, 'a: "table" should be result, input, arithmetic, other, cannot, fitted or again'
        ):
            self.published(("a", "table", *row, "100", "count"))
        with self.assertRaisesRegex(Mistake, 'a: "~" should be =, <=, '):
            self.published(("a", "", "Fig. 1", "what", "1", "~", "100", "count"))
        self.write("sweep/published.tsv", "id\twhat\na\tb\n")
        with self.assertRaisesRegex(Mistake, "there is no column measure, paper, relation, unit, where"):
            read_published(self.at("sweep/published.tsv"))

    def test_a_published_number_is_judged_once(self) -> None:
        first, again = (
            ("a", "", "Fig. 1", "what", "1", "=", "-25", "change"),
            (
                "Fig. 2",
                "other",
                "2",
                "=",
                "25",
                "percent",
            ),
        )
        with self.assertRaisesRegex(Mistake, "b: 25 is judged by a, too"):
            self.published(first, ("b", "", *again))
        for kind in "again", "input", "arithmetic", "other", "cannot":
            self.assertEqual(len(self.published(first, ("b", kind, *again))), 2)
        self.assertEqual(
            len(self.published(first, ("b", "", "Fig. 2", "other", "2", "also", "25", "percent"))), 2
        )
        self.assertEqual(len(self.published(first, ("b", "", "Fig. 2", "other", "2", "=", "25", "ms"))), 2)
        # A direction has no value that could be printed twice.
        more = ("c", "", "Fig. 3", "more", "2", ">=", "1", "factor")
        self.assertEqual(
            len(
                self.published(more, ("d", *more[1:]), ("e", "", "Fig. 3", "all", "6", "holds", "6", "cases"))
            ),
            3,
        )

    def test_headlines_count_results(self) -> None:
        rows = self.published(
            ("a", "", "Fig. 1", "what", "", "=", "8", "count"),
            ("b", "fitted", "Fig. 1", "what", "", "=", "9", "count"),
            ("c", "", "Fig. 1", "what", "", "also", "9", "count"),
            ("d", "input", "Fig. 1", "what", "", "=", "9", "count"),
            ("e", "cannot", "Fig. 1", "what", "", "=", "9", "count"),
            ("f", "", "Fig. 1", "what", "", "holds", "2", "cases"),
            ("g", "", "Fig. 1", "what", "", ">=", "1", "factor"),
            ("h", "", "Fig. 1", "what", "", "also", "2", "cases"),
        )
        ours = [20.0, 9.0, 9.0, 9.0, 9.0, 2.0, 0.5, 1.0]
        found = score(judge(row, [value], 0, []) for row, value in zip(rows, ours))
        self.assertEqual(
            (found.numbers, found.near, found.directions, found.holding, found.fitted), (2, 1, 2, 1, 1)
        )
        # Another reading of a direction is written like the direction.
        after = self.published(
            ("f", "", "Fig. 1", "what", "", "holds", "2", "cases"),
            ("h", "", "Fig. 1", "what", "", "also", "2", "cases"),
        )[1]
        self.assertEqual(
            [getattr(judge(after, [1.0], 0, []), name) for name in ("paper", "ours", "deviation", "verdict")],
            ["holds", "1 of 2", "-", ""],
        )

    def test_dots_of_the_chart(self) -> None:
        def dot(
            relation: str, paper: str, ours: list[float], tolerance: str = ""
        ) -> list[tuple[float, float, float]]:
            row = self.published(("a", "", "Fig. 1", "what", "", relation, paper, "", tolerance))[0]
            return judge(row, ours, 0, []).ratios

        self.assertEqual(dot("=", "-8", [-6.0]), [(0.75, 0.75, 1.25)])
        self.assertEqual(dot("=", "100", [50.0], "5"), [(0.5, 0.95, 1.05)])
        self.assertEqual(dot("<=", "-5", [-10.0]), [(2.0, 1.0, float("inf"))])
        self.assertEqual(dot("between", "4 8", [6.0]), [(1.5, 1.0, 2.0)])
        self.assertEqual(dot("holds", "6", [3]), [(0.5, 1.0, 1.0)])
        self.assertEqual([len(dot("range", "4 12", [4.0, 10.0])), dot("=", "0", [1.0])], [2, []])
        self.assertEqual(
            [round(numbers.position(x)) for x in (1 / 8, 1, 8, 100, 0, -1)], [0, 50, 100, 100, 0, 0]
        )

    def test_the_page_of_a_paper(self) -> None:
        self.write(
            "sweep/experiment.ini",
            SWEEP.replace(
                "[figure bars]",
                "[figure ten]\ntitle = Fig. 10\nplot = bars\n"
                "measure = programs\nat = page\n[figure bars]\ntitle = Fig. 2(b), more",
            ),
        )
        self.write(
            "sweep/published.tsv",
            PUBLISHED.replace("Fig. 2\tmuch", "Fig. 2(b)\tmuch").replace("Fig. 3", "Section 5")
            + "hold\t\tFig. 2(a)\tfew\tmean(programs[page] / doubled[page])\t=\t0.5\tfactor\t\t\n"
            + "size\tinput\tTable 1\tpage\tparam.flash.page_bytes[page mixed]\t=\t7\tcount\t\t\n"
            + "sum\tother\tElsewhere\tsum\t2 + 2\t=\t4\tcount\t\t\n",
        )
        self.lab("report", self.at("sweep"))
        text = self.text("results/sweep/n-300/report.html")
        places = [
            text.index(mark)
            for mark in (
                "Every published result",
                'class="chart one"',
                "<h2>Figures</h2>",
                '<section id="lines">',
                '<tr id="n-same"',
                '<section id="ten">',
                '<section id="bars">',
                '<tr id="n-far"',
                '<tr id="n-none"',
                '<tr id="n-hold"',
                "<h3>Section 5</h3>",
                '<tr id="n-count"',
                "<h2>Inputs",
                "1 number, 1 off",
                "<h2>Numbers of other papers",
                "<h2>Runs",
            )
        ]
        self.assertEqual(places, sorted(places))
        self.assertEqual(
            [reasons.head("Fig. 9(b), more"), page.whole("Fig. 9(b)"), page.whole("(a) writes")],
            ["Fig. 9(b)", "Fig. 9", "(a) writes"],
        )
        self.assertTrue(
            re.search(r'<tr id="n-far" class="missed">.*<details><summary>why</summary>because', text)
        )
        self.assertIn("16 places", self.lab("report", self.at("sweep")).stderr)
        self.contains(text, "seeds 1, 2, means with 95 % intervals")
        self.assertEqual(text.count("Download"), 0)

    def test_the_page_of_a_sweep(self) -> None:
        os.remove(self.at("sweep/published.tsv"))
        self.write(
            "sweep/experiment.ini", SWEEP + "[figure one]\nplot = bars\nmeasure = programs\nat = page\n"
        )
        self.lab("report", self.at("sweep"))
        text = self.text("results/sweep/n-300/report.html").replace("\n", "")
        self.contains(
            text,
            "12 runs of parameters/tiny.cfg: workload mixed, trace; ftl page, across; cache 1K, 4K; "
            "seeds 1, 2",
            text,
        )
        self.assertLess(text.index("<h2>Figures"), text.index("<h2>Measures"))
        self.contains(text, '<a class="wide" href="figures/one.svg">')
        self.contains(
            text, '<table class="sort"><thead><tr><th>workload</th><th>ftl</th><th>cache</th><th class="n">'
        )
        rows = re.findall(
            r'<tr><td>(\w+)</td><td>(\w+)</td><td>(\w+)</td><td class="n" data-value="([\d.]+)">([^<]+)', text
        )
        self.assertEqual(len(rows), 8)
        every = [line.split("\t") for line in self.text("results/sweep/n-300/results.tsv").splitlines()[1:]]
        for workload, ftl, cache, value, shown in rows:
            ours = [float(line[6]) for line in every if line[:3] == [workload, ftl, cache]]
            self.assertAlmostEqual(float(value), sum(ours) / 2)
            self.assertEqual("±" in shown, ours[0] != ours[1])
        (link,) = re.findall(
            r'href="data:text/tab-separated-values;base64,([^"]+)" download="sweep.tsv"', text
        )
        self.assertEqual(base64.b64decode(link).decode(), self.text("results/sweep/n-300/results.tsv"))
        self.assertEqual(re.findall(r'(?:src|href)="(?:http|//)[^"]*', text), [])  # no network

    def test_the_share_above_a_latency(self) -> None:
        self.assertEqual(above([(1.0, 6), (4.0, 2), (8.0, 2)], 4), 0.2)
        slow = SWEEP.replace("areas = across", "slow = above('writes', 0.3)\nareas = across")
        self.write(
            "sweep/experiment.ini",
            slow + "[figure cdf]\nplot = cdf\nmeasure = all\nat = mixed page\nlevels = 0.3_ms=0.3\n",
        )
        self.lab("report", self.at("sweep"))
        rows = [line.split("\t") for line in self.text("results/sweep/n-300/results.tsv").splitlines()]
        shares = [float(row[rows[0].index("slow")]) for row in rows[1:]]
        self.assertTrue(all(0 <= share <= 1 for share in shares) and any(0 < share < 1 for share in shares))
        self.assertIn('"0.3 ms" 0.3', self.text("results/sweep/n-300/figures/cdf.gp"))

    def test_texts_reach_gnuplot_as_they_are(self) -> None:
        """With quotation marks anywhere, and nothing in them that gnuplot replaces or runs."""
        caught = self.at("caught")
        texts = [
            "plain",
            "'quick' mode",
            "it's",
            "'",
            "''",
            "''' a''b '''",
            "a'",
            'say "so"',
            "'say \"so\"'",
            f"`touch {caught}`",
            f"'`touch {caught}`",
            f"it's $(touch {caught}) \\`touch {caught}\\`",
            "it's C:\\new\\",
            "\\047 '\\",
            "'@x $0 ${x}",
            "100 %'s %d",
            "'\xb5s \u2212 5'",
        ]
        script = "x = 'macro'\n" + "".join(f"print {gnuplot.quoted(text)}\n" for text in texts)
        script += f"array names[{len(texts)}] = [{', '.join(map(gnuplot.quoted, texts))}]\n"
        script += f"do for [i = 1:{len(texts)}] {{ print names[i] }}\n"
        self.write("texts.gp", script)
        done = subprocess.run(["gnuplot", self.at("texts.gp")], capture_output=True, text=True)
        self.assertEqual(done.stderr.splitlines(), texts + texts)
        self.assertFalse(os.path.exists(caught))

    def test_what_the_page_says_first(self) -> None:
        text = SWEEP[: SWEEP.index("[axis ftl]")] + "[measures]\nsize = trace.requests + 0\n"
        self.write("sweep/experiment.ini", text.replace("drive = parameters/tiny.cfg", "note = {n} of <all>"))
        os.remove(self.at("sweep/published.tsv"))
        self.lab("report", self.at("sweep"))
        self.contains(
            self.text("results/sweep/n-300/report.html"),
            "2 workloads, measured; nothing was run.",
            '<p class="note">300 of &lt;all&gt;</p>',
        )

    def test_labels_of_numbers(self) -> None:
        self.assertEqual(
            [gnuplot.unitless(name) for name in ("25p", "-8d", "4K", "page", "7")],
            ["25", "-8", "4K", "page", "7"],
        )
        self.assertEqual(gnuplot.apart([-100.0, -2.0, 1.0, 60.0, 100.0], False), {0, 1, 3, 4})
        self.assertEqual(gnuplot.apart([1.0, 10.0, 11.0, 1000.0], True), {0, 1, 3})

    def test_no_text_of_a_description_is_run(self) -> None:
        """Neither by a shell nor by gnuplot, and no page contains a tag from it."""
        caught = self.at("caught")
        bait = (
            f"'x''' `touch {caught}` $(touch {caught}) \"q\" 'a' \\ \\n @macro <i>% # END\n END\n"
            f"  system('touch {caught}')\n  "
        )
        lines = KINDS.replace(
            "[experiment]\n",
            "[experiment]\nabout = {0}\ntitle = {0}\nreading = {0}\nsource = {0}\nstamp = {0}\n",
        ).replace("[labels]\n", "[labels]\n{1}")
        lines = re.sub(r"(?m)^(title|xlabel|ylabel) = .*", r"\1 = {0}", lines)
        lines = re.sub(r"(plot = \w+)", r"\1\ncaption = {0}\nxlabel = {0}\nylabel = {0}", lines)
        names = "page across 1K 4K mixed programs doubled waf areas cache"
        labels = "".join(f"{name} = {bait}\n" for name in names.split())
        lines = re.sub(r"\nxlabel = {0}(?=[^[]*\nxlabel)", "", lines)
        lines = lines.replace("{n}", "300").replace("{3*1024}", "3072")
        point = "`touch${IFS}" + caught + "`<i>'\\"
        lines = lines.replace("1..2 = seed=*", f"{point} = seed=1\n2 = seed=2")
        lines = lines.replace("levels = paper=3 other=4", f"levels = {point}=3 other=4")
        self.write("sweep/experiment.ini", lines.replace("{0}", bait).replace("{1}", labels))
        rows = PUBLISHED.replace("much", '`touch x` <i>"').replace("Fig. 2", point)
        self.write("sweep/published.tsv", rows)
        self.lab("report", self.at("sweep"))
        self.assertFalse(os.path.exists(self.at("caught")))
        self.assertNotIn("<i>", self.text("results/sweep/n-300/report.html").replace("<i class", ""))
        self.assertIn("`touch", self.text("results/sweep/n-300/figures/bars-1.svg"))
        self.lab("list", self.at("sweep"))

    def test_names_that_leave_the_folder(self) -> None:
        for section in (
            "[figure ../../X]\nplot = bars\nmeasure = programs\n",
            "[figure |x]\nplot = bars\n",
            "[grid ../x]\n",
            "[numbers]\n../../x = 1\n",
        ):
            wrong = SWEEP.replace("[numbers]\n", section, 1) if "numbers" in section else SWEEP + section
            self.mistake(wrong, "names a file; should be letters")
        self.mistake(FAMILIES.replace("read =", "../read ="), "names a file")

    def test_every_mistake_is_found_before_the_first_run(self) -> None:
        wrong = SWEEP.replace
        mistakes: list[tuple[str | bytes, str]] = [
            (
                wrong("programs * 2", "progams * 2"),
                '[measures] doubled = progams * 2: "progams": there is no',
            ),
            (wrong("programs * 2", "doubled + 1"), "doubled: is made of itself: doubled of doubled"),
            (wrong("programs * 2", "().__class__"), "().__class__: should be made of numbers, names"),
            (wrong("programs * 2", "programs.append(1)"), "should be made of numbers, names"),
            (wrong("programs * 2", "[p for p in programs]"), "should be made of numbers, names"),
            (wrong("programs * 2", "programs *"), "[measures] doubled = programs *: invalid syntax"),
            (wrong("{n} space", "{9**9**9} space"), "{9**9**9}: a number of more than 4096 bits"),
            (wrong("{n} space", "{1 << n ** 9} space"), "a number of more than 4096 bits"),
            (wrong("{n} space", "{'%99999999d' % n} space"), "is not a number"),
            (wrong("{n} space", "{n.__class__} space"), "n.__class__: should be made of"),
            (wrong("{n} space", "{n / 0} space"), "{n / 0}: division by zero"),
            (wrong("1..2", "1..1000000000"), "1..1000000000: 1000000000 points; should be at least 1 and at"),
            (wrong("1..2", "2..1"), "2..1: 0 points"),
            (
                wrong("[axis seed]\n1..2", "[axis more]\n1..9999 = gc.low=*\n[axis seed]\n1..9999"),
                " places; sho",
            ),
            (wrong("mixed requests", "'mixed requests"), "No closing quotation"),
            (
                wrong("mixed = mixed requests={n} space={3*1024}K", "mixed ="),
                "mixed: should be a profile or a",
            ),
            (wrong("tiny.cfg", "tiny.cfg\nfold = 0"), "fold = 0: should be a number from 1"),
            (wrong("tiny.cfg", "tiny.cfg\ncolor = red"), "[experiment] color: should be of about"),
            (wrong("tiny.cfg", "tiny.cfg\nprogram = /none"), "program = /none: should be a program"),
            (SWEEP + "[figures x]\nplot = bars\n", "[figures x]: should be of axis"),
            (SWEEP + "[matrix x]\naxis = cach\nnumbers = far\n", "[matrix x] should have numbers and axis"),
            (SWEEP + "[figure x]\nplot = bar\n", "[figure x] plot = bar: should be of bars"),
            (SWEEP + "[figure x]\nplot = bars\n", "[figure x] measure: should be named"),
            (
                SWEEP + "[figure x]\nplot = bars\nmeasure = progams\n",
                '[figure x] "progams": there is no such',
            ),
            (
                SWEEP + "[figure x]\nplot = lines\nmeasure = waf\nx = cach\n",
                "[figure x] x = cach: should be of",
            ),
            (
                SWEEP + "[figure x]\nplot = bars\nmeasure = waf\nlevels = a=b\n",
                "levels = a=b: should be NAME=",
            ),
            (
                SWEEP + "[figure x]\nplot = bars\nmeasure = waf\nmarks = 3\n",
                "marks = 3: should be MEASURE=NUMBER",
            ),
            (
                SWEEP + "[axis more]\na b = gc.soft=0\n",
                "[figure lines] more is left open: at = should name a point of it",
            ),
            (
                SWEEP + "[figure four]\nplot = cdf\nmeasure = reads\n",
                "[figure four] workload is left open: at =",
            ),
            (
                SWEEP + "[figure four]\nplot = bars\nmeasure = programs\nat = across 8K\n",
                '[figure four] "8K": no axis has such a point',
            ),
            (
                wrong("cache = 1K 4K", "ftl = page\ncache = 1K 4K").replace("series = ftl", "at = across"),
                "[figure lines] mixed across 1K 1 is not in what is run",
            ),
            (
                wrong("programs * 2", "flash.program.totl * 2"),
                "[measures] doubled = flash.program.totl * 2: flash.program.totl: there is no such "
                "statistic; did you mean flash.program.total?",
            ),
            (
                SWEEP + "[figure x]\nplot = bars\nmeasure = request.raed.count\nat = page\n",
                "[figure x] request.raed.count: there is no such statistic; did you mean request.read.count?",
            ),
            (wrong("programs * 2", "tenant.70.read.cout + 0"), "tenant.70.read.cout: there is no such"),
            (SWEEP.replace("n = 300", "n = \xb5").encode("latin-1"), "should be UTF-8"),
            (SWEEP + "\0", "has a zero byte"),
        ]
        for text, says in mistakes if LONG else mistakes[::3]:  # the others: `make check`
            with open(self.at("sweep/experiment.ini"), "wb") as file:
                file.write(text if isinstance(text, bytes) else text.encode())
            said = self.lab("run", self.at("sweep"), status=2).stderr
            self.assertIn(says, said)
            self.assertEqual(said.count("\n"), 1)
        self.write("sweep/experiment.ini", SWEEP)
        for row, says in (
            (
                "x\t\tFig. 1\twhat\tmean(progams[page])\t=\t1\tcount\n",
                'x: "progams": there is no such measure',
            ),
            ("x\t\tFig. 1\twhat\tmean(programs[pgae])\t=\t1\tcount\n", 'x: "pgae": no axis has such a point'),
            ("x\t\tFig. 1\twhat\topen('x')\t=\t1\tcount\n", 'x: "open": there is no such measure'),
            ("x\t\tFig. 1\twhat\tflash.erase.none[page]\t=\t1\tcount\n", "x: flash.erase.none: there is no"),
            ("x\t\tFig. 1\twhat\tprograms[page]\t=\t1\tcount\n", "published.tsv: programs[page]: 2 values;"),
            (
                "x\t\tFig. 1\twhat\tmean(programs[page] / programs[page mixed])\t=\t1\tcount\n",
                "2 places beside 1",
            ),
            ("x\t\tFig. 1\twhat\t1\t=\tmuch\tcount\n", "x: could not convert string to float: 'much'"),
            ("x\t\tFig. 1\twhat\t1\t=\t\tcount\n", "x: paper: should be a number"),
        ):
            self.write("sweep/published.tsv", HEAD + row)
            self.assertIn(says, self.lab("run", self.at("sweep"), status=2).stderr)
        for words, says in (
            (["compare", self.at("list.json"), self.at("list.json")], "list.json: should be a run, as"),
            (["run", self.at("sweep"), "-j", "0"], "0: should be a number from 1"),
            (["run", self.at("sweep"), "--task", "3", "--of", "3"], "--task 3: should be from 0 to 2"),
            (["table", self.at("sweep"), "--show", "__class__"], '"__class__": there is no such measure'),
            (["table", self.at("sweep"), "--show", "gc.nothing"], "gc.nothing: there is no such statistic"),
            (["run", self.at("sweep"), "--ssd", self.at("list.json")], "Permission denied"),
        ):
            self.write("sweep/published.tsv", PUBLISHED)
            self.write("list.json", "[1, 2]")
            done = subprocess.run([*self.command(*words[:2]), *words[2:]], capture_output=True, text=True)
            self.assertEqual((done.returncode, "Traceback" in done.stderr), (2, False))
            self.assertIn(says, done.stderr)
        os.remove(self.at("sweep/published.tsv"))
        self.write("sweep/experiment.ini", SWEEP + "[figure x]\nplot = dots\nmeasure = published\n")
        self.assertIn("there is no published.tsv", self.lab("run", self.at("sweep"), status=2).stderr)
        self.assertFalse(os.path.exists(self.at("results")))

    def test_an_axis_with_one_point_leaves_nothing_open(self) -> None:
        """Neither one that has no other point, nor one of which one point is run."""
        axes = "[axis common]\nbase =\n[axis other]\na b = gc.soft=0\n[axis seed]"
        lines = SWEEP.replace("[axis seed]", axes).replace("[grid]\n", "[grid]\nother = b\n")
        self.write("sweep/experiment.ini", lines)
        self.lab("report", self.at("sweep"))
        self.assertNotIn("no values", self.text("results/sweep/n-300/figures/lines-1.svg"))

    def test_a_statistic_without_a_value_is_not_misspelt(self) -> None:
        """A sweep of writes alone has no latency of reads; a plug-in's statistics are not known before."""
        writes = SWEEP[: SWEEP.index("[measures]")].replace("mixed requests", "mixed write_share=1 requests")
        trace = "trace = traces/samples/random.trace trace.limit={n}\n"
        self.write("sweep/experiment.ini", writes.replace(trace, ""))
        os.remove(self.at("sweep/published.tsv"))
        self.assertNotIn("has the statistic", self.lab("report", self.at("sweep")).stderr)
        row = self.text("results/sweep/n-300/results.tsv").splitlines()[1].split("\t")
        self.assertEqual((row[5], row[6]), ("done", ""))
        self.write("sweep/experiment.ini", writes + "[measures]\nslow = tenant.7.all.count + 0\n")
        self.assertIn(
            "warning: no run has the statistic tenant.7.all.count",
            self.lab("report", self.at("sweep")).stderr,
        )

    def test_mistakes_in_figures(self) -> None:
        for wrong, says in (
            ("plot = pie", "should be of bars"),
            ("plot = bars\nmeasure = programs\ncolour = red", "colour"),
            ("plot = cdf\nmeasure = programs", "a cdf is of reads or writes or all"),
            ("plot = dots\nmeasure = programs", "no such number"),
            ("plot = bars\nmeasure = programs\nover = slow", "no axis has"),
            ("plot = bars\nmeasure = programs\nmarks = programs:page", "should be MEASURE=NUMBER"),
            ("plot = bars\nmeasure = programs\nmarks = doubled=1", "doubled should be a measure of the"),
            ("plot = lines\nx = cache\nmeasure = programs\nmarks = programs@2K=1", "2K should be a point"),
            ("plot = bars\nmeasure = programs\nmarks = programs:pag=1", "pag should be a point of workload"),
            ("plot = bars\nmeasure = programs\nyrange = 0:1]; system('x'); #", "should be LOW:HIGH, numbers"),
        ):
            self.write("sweep/experiment.ini", SWEEP + f"[figure wrong]\n{wrong}\n")
            self.assertIn(says, self.lab("report", self.at("sweep"), status=2).stderr)

    def test_another_program(self) -> None:
        self.write("program", "#!/bin/sh\necho 'words = '$#\necho \"double = $((2 * ${2#n=}))\"\n")
        os.chmod(self.at("program"), 0o755)
        self.write(
            "other.ini",
            f"[experiment]\nprogram = {self.at('program')}\n[axis n]\n1..3 = n=*\n[axis workload]\nw = w\n"
            "[measures]\nwords = words\ndouble = double\n",
        )
        self.lab("run", self.at("other.ini"))
        rows = [line.split("\t") for line in self.text("results/other/default/results.tsv").splitlines()[1:]]
        self.assertEqual(
            [(row[0], row[4], row[5]) for row in rows], [("1", "3", "2"), ("2", "3", "4"), ("3", "3", "6")]
        )

    def test_places_of_chardin(self) -> None:
        def measured(*words: str) -> subprocess.CompletedProcess[str]:
            return subprocess.run(
                [
                    "scripts/chardin/measure",
                    SSD,
                    *words,
                    "costs.striped.sectors=16384",
                    "striped.sectors=32768",
                    "indirect.logical_sectors=20000",
                    "parameters/chardin-ssd.cfg",
                ],
                capture_output=True,
                text=True,
            )

        def place(*words: str) -> dict[str, str]:
            return dict(line.split(" = ") for line in measured(*words).stdout.splitlines())

        near, far, sector = place("writes=4d"), place("writes=-512f"), place("writes=16k")
        self.assertEqual(
            (near["device.cost_ms"], near["device.best_distance"], near["device.d_max"]),
            ("0.128", "4", "256"),
        )
        self.assertAlmostEqual(float(far["device.cost_ms"]), 7.36, delta=0.02)
        self.assertEqual((sector["device.sequential"], "device.cost_ms" in sector), ("1953.125", False))
        pool = place("writes=50p", "model=scripts/chardin/model")
        self.assertEqual(
            (pool["layer.sectors"], pool["indirect.pool_sectors"], pool["model.distance"]),
            ("20000", "10000", "3.000"),
        )
        self.assertAlmostEqual(
            float(pool["indirect.distance_mean"]), float(pool["model.distance_u"]), delta=0.03
        )
        wrong = measured("writes=4d", "striped.chips=0")
        self.assertEqual((wrong.returncode, wrong.stderr.count("\n")), (2, 1))

    def test_traces_of_the_legacy_study(self) -> None:
        study = runpy.run_path("scripts/legacy/study")
        # The two pieces of one request stay together; the piece touched first comes first.
        small = study["compact"](
            study["requests"]("1000 0 6400000070 4 1\n3000 7 126 4 0\n3500 0 6400000064 1 0\n")
        )
        self.assertEqual(
            small,
            [(0, 0, 6, 4, "1"), (2000, 0, 126, 4, "0"), (2500, 0, 0, 1, "0"), (60000002500, 0, 0, 1, "0")],
        )
        # 2048 pages of 2 KB are 60 % of 3413.3: 13.3 blocks of 16 pages in each of 16 planes; at least 128.
        self.assertEqual(
            [study["blocks"](study["requests"](f"0 0 0 {sectors} 0")) for sectors in (8192, 81920)],
            [128, 136],
        )

    def test_a_case_of_the_legacy_study_without_reads(self) -> None:
        with tarfile.open("tests/legacy/golden.tar.xz") as golden:
            file = golden.extractfile("01_default/page.parameters")
            assert file
            self.write("page.parameters", file.read().decode("latin-1"))
        self.write("writes.trace", "".join(f"{i * 1000000} 0 {8 * i} 8 0\n" for i in range(50)))
        for repaired in "none", "main":
            done = subprocess.run(
                [
                    "scripts/legacy/measure",
                    SSD,
                    f"repaired={repaired}",
                    f"trace={self.at('writes.trace')}",
                    self.at("page.parameters"),
                ],
                capture_output=True,
                text=True,
                check=True,
            )
            self.assertIn("read_ns = 0\n", done.stdout)
            self.assertRegex(done.stdout, r"write_ns = [1-9]")

    def test_a_profile_is_fitted(self) -> None:
        fit = runpy.run_path("scripts/workloads/fit")
        # Most starts are on the grid; one is where another ended; one repeats a start with another length.
        trace = fit["Trace"](
            "0 0 16 8 0\n1000 0 24 8 0\n3000 0 800002 2 1\n6000 0 16 4 0\n10000 0 1600 8 1\n"
        )
        said = trace.profile([1.0, 1.0])
        for line in (
            "offset = 0;",
            'gaps = "1.000:1 2.000:1 3.000:1 4.000:1";',
            "write_share = 0.600000;",
            "sequential = 0.3333;",
            "recent = 0.3333;",
            "resized = 1.000;",
            'sizes = "2048:1 4096:2";',
            'space = "391M";',
        ):
            self.assertIn(line, said)
        self.write("fitted.cfg", said)
        made = subprocess.run(
            [SSD, "trace", "generate", self.at("fitted.cfg")], capture_output=True, text=True, check=True
        )
        self.assertEqual(len(made.stdout.splitlines()), 5)

    def test_kept_drives(self) -> None:
        self.write(
            "aged.ini",
            "[experiment]\ndrive = parameters/tiny.cfg\n[axis workload]\nw = mixed requests=500\n"
            "[axis state]\naged = precondition.mode=fill\n[axis speed]\n1 2 4 = host.time_scale=*\n",
        )
        self.lab("run", self.at("aged.ini"))
        without = self.text("results/aged/default/results.tsv")
        os.rename(self.at("results"), self.at("first"))
        self.lab("run", self.at("aged.ini"), "--drives")
        self.assertEqual(self.text("results/aged/default/results.tsv"), without)
        self.assertEqual(len(os.listdir(self.at("results/drives"))), 1)

    def test_options_of_a_run_are_settings_of_a_point(self) -> None:
        self.write(
            "warm.ini",
            "[experiment]\ndrive = parameters/tiny.cfg\n[axis workload]\nw = mixed requests=500\n"
            "[axis warm]\nnot =\nlater = --warmup=100\n[measures]\ncounted = request.all.count\n",
        )
        self.lab("run", self.at("warm.ini"))
        rows = [line.split("\t") for line in self.text("results/warm/default/results.tsv").splitlines()[1:]]
        self.assertEqual([(row[1], row[4]) for row in rows], [("not", "500"), ("later", "400")])
        self.write("warm.ini", self.text("warm.ini").replace("=100", "=soon"))
        self.assertIn("w later: ", self.lab("run", self.at("warm.ini"), status=2).stderr)

    def test_channels_are_folded(self) -> None:
        self.write(
            "fold.ini",
            "[experiment]\ndrive = parameters/icpp23.cfg\nfold = {scale}\n[numbers]\nscale = 1\n"
            "[axis workload]\nw = mixed\n[axis page]\n8k = flash.blocks={2048//scale}\n"
            "[axis host]\nopen = host.time_scale=0.5\nclosed = host.mode=closed host.queue_depth=12\n",
        )

        def folded(scale: int) -> list[str]:
            lines = self.lab("list", self.at("fold.ini"), f"scale={scale}").stdout.splitlines()
            return [
                line.split("-s flash.blocks=")[-1].split(" parameters")[0].replace("-s ", "")
                for line in lines
            ]

        self.assertEqual(folded(1), ["2048 host.time_scale=0.5", "2048 host.mode=closed host.queue_depth=12"])
        self.assertEqual(folded(2), ["2048"] * 2)  # two planes become one
        self.assertEqual(
            folded(64), ["512 host.queue_limit=32 host.time_scale=4", "512 host.queue_depth=2"]
        )  # 16 planes become one
        self.assertIn(
            "flash.planes=1 -s flash.channels=4", self.lab("list", self.at("fold.ini"), "scale=4").stdout
        )
        self.assertIn("w 8k open: ", self.lab("list", self.at("fold.ini"), "scale=2048", status=2).stderr)

    def test_comparing(self) -> None:
        self.lab("run", self.at("sweep"))
        self.lab("run", self.at("sweep"), "n=200")
        ours, theirs = self.at("results/sweep/n-300"), self.at("results/sweep/n-200")
        self.assertEqual(self.lab("compare", ours, ours).stdout, "no difference\n")
        line = self.lab("compare", ours, theirs).stdout.splitlines()[0].split("\t")
        self.assertEqual(line[:2], ["mixed page 1K", "programs"])
        self.assertRegex(line[4], r"^~?x0\.\d+ ± ")
        keys = [
            line.split("\t")[4] for line in self.text("results/sweep/n-300/results.tsv").splitlines()[1:3]
        ]
        said = self.lab("compare", *(os.path.join(ours, "runs", key + ".json") for key in keys)).stdout
        self.assertIn("run.seed\t1\t2\tx2\n", said)

    def test_the_curve_of_the_course(self) -> None:
        self.assertEqual(self.lab("list", "docs/course/over-provisioning.ini", "--count").stdout, "54\n")
        self.assertEqual(self.lab("list", "docs/modern/ahead.ini", "--count").stdout, "27\n")

    def test_results_are_made_again(self) -> None:
        """By the simulator of another folder, with the drive and the profile that were kept."""
        self.lab("run", self.at("sweep"))
        results = self.at("results/sweep/n-300")
        self.assertEqual(self.lab("rerun", results).stdout, "12 runs of 12 are the same\n")
        manifest = json.loads(self.text("results/sweep/n-300/manifest.json"))
        self.assertEqual(
            sorted(manifest["files"]),
            ["parameters/tiny.cfg", "traces/profiles/mixed.cfg", "traces/samples/random.trace"],
        )
        self.assertIn("blocks = 16;", manifest["files"]["parameters/tiny.cfg"]["text"])
        key = next(iter(manifest["runs"]))
        run = json.loads(self.text(f"results/sweep/n-300/runs/{key}.json"))
        run["statistics"]["flash.program.total"] += 1
        self.write(f"results/sweep/n-300/runs/{key}.json", json.dumps(run))
        said = self.lab("rerun", results, status=1).stdout
        self.assertIn(f"{key}: flash.program.total: ", said)
        self.assertIn("11 runs of 12 are the same\n", said)
        manifest["files"]["traces/samples/random.trace"]["sha256"] = "0"
        self.write("results/sweep/n-300/manifest.json", json.dumps(manifest))
        said = self.lab("rerun", results, status=2).stderr
        self.assertIn("traces/samples/random.trace is another file here: 129846 bytes, SHA-256 0", said)
        self.assertIn("no results that `lab run` made", self.lab("rerun", self.folder, status=2).stderr)

    def test_no_file_of_a_manifest_leaves_its_folder(self) -> None:
        files: dict[str, dict[str, object]] = {}
        for path in "/tmp/evil.cfg", "../../evil.cfg", "a/../../../evil.cfg":
            files[path] = {"sha256": "../0123456789abcdef", "bytes": 1, "text": "ftl = 1"}
            files["x" + path] = {"sha256": "0", "bytes": 1, "text": "ftl = 1", "as": path}
        self.write("manifest.json", json.dumps({"simulator": "x", "runs": {}, "files": files}))
        self.lab("rerun", self.folder)
        for folder in "/tmp", self.folder, os.path.dirname(self.folder):
            self.assertFalse(os.path.exists(os.path.join(folder, "evil.cfg")))

    def test_exports(self) -> None:
        self.lab("run", self.at("sweep"))
        said = self.lab("export", self.at("sweep"), "--as", "jsonl").stdout
        rows = [json.loads(line) for line in said.splitlines()]
        table = [line.split("\t") for line in self.lab("export", self.at("sweep")).stdout.splitlines()]
        self.assertEqual(table[0], "workload ftl cache seed command".split())
        self.assertEqual(len(rows), 16)
        self.assertEqual([list(row["place"].values()) for row in rows], [row[:4] for row in table[1:]])
        self.assertTrue(all(row["statistics"]["run.seed"] == row["parameters"]["seed"] for row in rows))
        path = self.at("Snakefile")
        self.lab("export", self.at("sweep"), "--as", "snakemake", "--out", path)
        rules = self.text("Snakefile").split("\nrule ")
        self.assertEqual(len(rules), 13)
        self.assertEqual(rules[0].count(".json"), 12)
        for rule in rules[1:]:
            output, shell = (eval(line.partition(": ")[2]) for line in rule.splitlines()[1:3])
            os.remove(output)
            subprocess.run(shell, shell=True, check=True)
            self.assertTrue(os.path.exists(output))

    def test_the_worst_requests(self) -> None:
        for name in ("log.csv", "log.csv.zst"):
            subprocess.run(
                [
                    SSD,
                    "run",
                    "-q",
                    "--log",
                    self.at(name),
                    "-s",
                    "trace.limit=3000",
                    "parameters/tiny.cfg",
                    "mixed",
                ],
                check=True,
                capture_output=True,
            )
        with open(self.at("log.csv"), encoding="ascii") as file:
            slowest = max(csv.DictReader(file), key=lambda row: int(row["latency_ns"]))
        said = self.lab("worst", self.at("log.csv")).stdout
        self.assertTrue(
            said.startswith(f"{slowest['number']}: {slowest['type']} of {slowest['sectors']} sectors")
        )
        self.assertEqual(len(said.splitlines()), 10)
        self.assertEqual(self.lab("worst", self.at("log.csv.zst")).stdout, said)
        self.assertIn("should be a log", self.lab("worst", self.at("sweep/experiment.ini"), status=2).stderr)
        self.assertIn("there is no such file", self.lab("worst", self.at("none.csv"), status=2).stderr)


if __name__ == "__main__":
    unittest.main()
