#!/usr/bin/env python3
"""scripts/lab with the real traces of the papers: tiny files under their names, in the originals' formats.

Runs from the top of the tree, as `make test` does.
"""

import bz2
import csv
import glob
import gzip
import io
import lzma
import os
import random
import re
import unittest
from collections.abc import Iterator

from lab_fixture import Folder
from laboratory import real_traces
from tier import LONG

FIRST_OF_MSR = 128166372003061629  # of 100 ns since 1601
HOUR = {  # of Japan, in seconds since 1970, and the LUN
    "2016021616-LUN1": (1455606000, 1),
    "2016021614-LUN0": (1455598800, 0),
    "2016021617-LUN2": (1455609600, 2),
    "2016021618-LUN6": (1455613200, 6),
    "2016021616-LUN4": (1455606000, 4),
    "2016021718-LUN4": (1455699600, 4),
}
SMALLER = {r"blocks = \d+;": "blocks = 4096;", r"logs = \d+;": "logs = 100;"}


def requests(count: int, seed: int) -> Iterator[tuple[float, str, int, int]]:
    """Seconds, R or W, first sector, bytes."""
    draw, now = random.Random(seed), 0.0
    for _ in range(count):
        yield now, draw.choice("RWWW"), draw.randrange(0, 100_000, 2), draw.choice((1024, 4096, 8192))
        now += 0.01


def spc(count: int, seed: int, first: str = "") -> str:
    lines = [
        f"{i % 3},{at},{size},{op},{now:.6f}" for i, (now, op, at, size) in enumerate(requests(count, seed))
    ]
    return "\n".join([first or lines[0], *lines[1:]]) + "\n"


def msr(count: int, host: str) -> str:
    named = {"R": "Read", "W": "Write"}
    return "".join(
        f"{FIRST_OF_MSR + round(now * 1e7)},{host},0,{named[op]},{at * 512},{size},100\n"
        for now, op, at, size in requests(count, 3)
    )


def systor(count: int, name: str) -> str:
    start, lun = HOUR[name]
    lines = (
        f"{start + now:.9f},0.001,{op},{lun},{at * 512 + 2**40},{size}"
        for now, op, at, size in requests(count, lun)
    )
    return "\n".join(["Timestamp,Response,IOType,LUN,Offset,Size", *lines, ""])


def ssdsim(count: int) -> str:
    return "".join(
        f"{round(now * 1e9)} 0 {at} {size // 512} {int(op == 'R')}\n"
        for now, op, at, size in requests(count, 4)
    )


class WithTraces(Folder):
    def setUp(self) -> None:
        super().setUp()
        os.makedirs(self.at("traces/deep"))

    def pack(self, name: str, text: str) -> None:
        plain = text.encode()
        packed = {
            "gz": gzip.compress(plain),
            "xz": lzma.compress(plain),
            "bz2": bz2.compress(plain),
        }
        with open(self.at(f"traces/{name}"), "wb") as file:
            file.write(packed.get(name.rpartition(".")[2], plain))

    def copy(self, paper: str, figures: str, drive: str = "") -> str:
        """The paper's description with these figures only; `drive`: a smaller one in place of its own."""
        os.makedirs(self.at(paper))
        with open(f"scripts/{paper}/experiment.ini", encoding="utf-8") as file:
            text = file.read()
        sections = re.split(r"(?m)^(?=\[)", text)
        kept = [
            one
            for one in sections
            if not one.startswith("[figure ") or re.split(r"[ \]]", one)[1] in figures.split()
        ]
        if drive:
            with open(drive, encoding="utf-8") as file:
                small = file.read()
            for what, instead in SMALLER.items():
                small = re.sub(what, instead, small)
            self.write("small.cfg", small)
        self.write(f"{paper}/experiment.ini", "".join(kept).replace(drive or "\0", self.at("small.cfg")))
        with open(f"scripts/{paper}/published.tsv", encoding="utf-8") as file:
            self.write(f"{paper}/published.tsv", file.read())
        return self.at(paper)

    def report(self, *words: str) -> tuple[str, str, dict[str, dict[str, str]], str]:
        """Page, numbers with the real traces, what the log says, and the folder of the pictures."""
        done = self.lab("report", *words, f"traces={self.at('traces')}", status=self.status)
        (path,) = glob.glob(self.at("results/*/*/report*.html"))
        with open(path, encoding="utf-8") as file:
            page = re.sub(r"data:image[^\"]*", "", file.read())
        folder = os.path.dirname(path)
        with open(os.path.join(folder, "numbers.tsv"), encoding="utf-8", newline="") as file:
            rows = csv.DictReader(io.StringIO(file.read()), delimiter="\t", quoting=csv.QUOTE_NONE)
            numbers = {row["id"]: row for row in rows if row["family"] == "traces"}
        return page, done.stderr, numbers, os.path.join(folder, "figures")

    status = 0

    def note(self, figures: str, name: str) -> str:
        """The stamp in a picture."""
        with open(os.path.join(figures, name + ".svg"), encoding="utf-8") as file:
            self.assertIn("<svg", file.read())
        with open(os.path.join(figures, name + ".gp"), encoding="utf-8") as file:
            (found,) = re.findall(r"(?m)^note = ['\"](.*)['\"]$", file.read())
            return str(found)


class Papers(WithTraces):
    def test_sftl(self) -> None:
        self.pack("FINANCIAL1.SPC.gz", spc(300, 1))  # of 1066
        self.pack("deep/search.bz2", spc(300, 2, "0,657728,8192,R,0.011413"))  # found by its first line
        self.pack("ts_0.csv", msr(400, "ts"))
        self.pack("Cello99-disk7.trace.xz", ssdsim(250))
        self.pack("another.spc", spc(5, 9))
        at = self.copy("sftl", "fig04a fig06 fig08a", "parameters/sftl.cfg")
        page, log, numbers, figures = self.report(at, "scale=5000", "caches")
        short = f"Too few requests: financial: 300 of 1,066 requests ({self.at('traces')}/FINANCIAL1.SPC.gz)."
        self.contains(page, short, "ranges: generated by the paper, too", "the real traces")
        self.assertIn(short, log)
        self.assertTrue(log.splitlines()[-1].startswith("Traces without a file: ranges: "))
        few = "no verdict: too few requests: financial"
        self.assertEqual(numbers["hit.financial"]["verdict"], few)
        self.assertEqual(numbers["hit.order"]["verdict"], few)
        self.assertEqual(numbers["financial.size"]["verdict"], few)
        self.assertRegex(numbers["hit.websearch"]["verdict"], "^(off|within)")
        self.assertEqual(numbers["range.16K"]["verdict"], "no verdict: ranges: generated by the paper, too")
        self.assertEqual(numbers["range.16K"]["ours"], "-")
        # What is fitted is so to the generated workloads.
        (score,) = re.findall(r"<tr><td>the real traces \(\d+ without a verdict\).*?</tr>", page, re.S)
        self.assertEqual(re.findall(r'<td class="n">(\d+)</td>', score), ["0"])
        self.assertEqual(
            self.note(figures, "fig04a"), "1/5000 of the requests; workloads generated, locality chosen"
        )
        self.assertEqual(self.note(figures, "fig04a_traces"), "1/5000 of the requests; the real traces")
        self.assertEqual(self.note(figures, "fig06_traces-2"), "1/5000 of the requests; the real traces")
        self.assertEqual(glob.glob(f"{figures}/fig08*"), [])

    def test_msac(self) -> None:
        self.pack("deep/WebSearch1.spc.bz2", spc(500, 1))  # of 7812
        self.pack("finance", spc(8300, 2, "0,303567,3584,w,0.000000"))
        self.pack("Financial2.spc.xz", spc(7812, 3))
        at = self.copy("msac", "fig02 hits hits_traces")
        page, log, numbers, figures = self.report(at, "scale=64")
        self.contains(page, "Too few requests: web: 500 of 7,812 requests", "the real traces (Syn generated)")
        self.assertNotIn("fin1: ", log)
        self.assertEqual(numbers["write.lru"]["verdict"], "no verdict: too few requests: web")
        self.assertRegex(numbers["write_hits.lru"]["verdict"], "^(off|within)")
        self.assertEqual(
            self.note(figures, "fig02_traces-1"), "1/64; the real traces (Syn generated); 256 KB, 40x"
        )
        self.assertEqual(
            self.note(figures, "fig02_fitted-1"), "1/64; workloads generated; four choices fitted"
        )

    def test_pmftl(self) -> None:
        self.pack("Financial1.spc", spc(7621, 1))
        self.pack("Financial2.spc", spc(5284, 2))
        self.pack("deep/msr-ts_0.csv.gz", msr(2573, "ts"))
        self.pack(
            "a week", "Timestamp,Hostname,DiskNumber,Type,Offset,Size,ResponseTime\n" + msr(2225, "src2")
        )
        at = self.copy("pmftl", "fig_a amplification")
        page, log, numbers, figures = self.report(at, "scale=700")
        none = "cloudvps: the slides' own trace, not public"
        self.assertTrue(log.splitlines()[-1].startswith(f"Traces without a file: {none}"))
        self.assertNotIn("Too few", page)
        self.assertEqual(
            {row["verdict"] for id, row in numbers.items() if id == "writes.pm.16k.avg"},
            {f"no verdict: {none}"},
        )
        self.assertRegex(numbers["writes.pm.16k.avg"]["ours"], r"\d %$")
        self.assertIn("the real traces (25 without a verdict)", page)
        self.assertEqual(numbers["f1.requests"]["verdict"], "within 1 %")
        stamp = "768 KB of DRAM fitted; 1/700 of the requests; "
        self.assertEqual(self.note(figures, "fig_a"), stamp + "workloads generated")
        self.assertEqual(self.note(figures, "fig_a_traces"), stamp + "the real traces, without CloudVPS")
        with open(os.path.join(figures, "fig_a_traces.gp"), encoding="utf-8") as file:
            self.assertNotIn("CloudVPS", re.findall(r"(?s)\$data.*?END\n.*?END", file.read())[0])

    def test_icpp23(self) -> None:
        self.status = 3  # a drive of this size is too small for MRSM with pages of 16 KB
        *names, last = HOUR
        for name in names:
            self.pack(f"deep/x-{name}.csv.gz", systor(700 if name == "2016021616-LUN4" else 3400, name))
        self.pack("last", systor(3400, last))
        for hour in range(40):
            self.pack(f"additional-01-20160217{hour % 24:02}-LUN{hour // 24}.csv", systor(20, names[1]))
        at = self.copy("icpp23", "fig02 fig04 fig08")
        page, log, numbers, figures = self.report(at, "scale=256")
        self.contains(
            page,
            "Too few requests: lun5: 700 of 2,498 requests",
            "45 names",
            "<li>additional-01-2016021700-LUN0</li>",
        )
        self.assertEqual(numbers["class.read"]["verdict"], "no verdict: too few requests: lun5")
        self.assertEqual(numbers["t2.lun1.requests"]["verdict"], "within 3 %")
        self.assertEqual(numbers["t2.lun5.requests"]["verdict"], "no verdict: too few requests: lun5")
        self.assertEqual(self.note(figures, "fig02"), "the real traces, whole files")
        self.assertEqual(self.note(figures, "fig04_traces-1"), "1/256 of the size; the real traces")
        with open(os.path.join(figures, "fig02.gp"), encoding="utf-8") as file:
            drawn = file.read()
        self.assertRegex(drawn, r'(?s)\n1 "1" .*\n45 "45" ')
        self.assertNotIn("additional", drawn)
        # Each panel's three columns begin a line.
        self.assertEqual(page.count('</div><div class="panels">'), 2)


if not LONG:  # `make check` runs them
    del Papers.test_msac, Papers.test_pmftl, Papers.test_icpp23


class Finding(WithTraces):
    def find(self, paper: str, *words: str) -> str:
        return self.lab(
            "list", f"scripts/{paper}", f"traces={self.at('traces')}", "--count", *words, status=2
        ).stderr

    def test_everything_that_is_missing_is_listed(self) -> None:
        self.pack("Financial1.spc", spc(5, 1))
        self.pack("deep/financial1.SPC.gz", spc(5, 1))
        self.pack("src2_0.csv", msr(5, "src2"))
        self.pack("notes", "1 of many\n")
        folder = self.at("traces")
        self.assertEqual(
            self.find("pmftl").splitlines(),
            [
                f"lab: traces={folder}: 1 of 4 traces are there; a number without=NAME,NAME leaves some out",
                f"  several: f1: {folder}/Financial1.spc and {folder}/deep/financial1.SPC.gz; should be one",
                "  missing: f2: Financial2.spc; UMass Trace Repository, https://traces.cs.umass.edu; "
                "3,698,863 requests",
                "  missing: msr-ts: ts_0.csv or MSR-ts_0.csv; MSR Cambridge (SNIA IOTTA trace set 388); "
                r"1,801,486 requests; a week; first line like \d{18},ts,0,",
                f"  found: msr-src: {folder}/src2_0.csv",
                "  not asked for: notes",
            ],
        )
        self.assertIn("should be a folder", self.lab("list", "scripts/sftl", "traces=none", status=2).stderr)

    def test_some_are_left_out(self) -> None:
        self.pack("Financial1.spc", spc(5, 1))
        self.pack("WebSearch1.spc", spc(5, 1))
        words = [f"traces={self.at('traces')}", "--count"]
        done = self.lab("list", "scripts/sftl", "without=cello99,msr", *words)
        self.assertEqual(done.stdout, f"{28 + 2 * 7}\n")
        said = self.find("sftl", "without=cello")
        self.assertIn("without=cello: cello: should be of financial msr cello99 websearch ranges", said)

    def test_first_lines(self) -> None:
        self.pack("a.gz", "time,op\n# 1 of many\n 7,x\n8,y\n")
        self.assertEqual(real_traces.first_line(self.at("traces/a.gz")), " 7,x")
        with open(self.at("traces/b.gz"), "wb") as file:
            file.write(gzip.compress(b"1,2\n")[:12])
        self.assertEqual(real_traces.first_line(self.at("traces/b.gz")), "")
        os.symlink(self.at("traces"), self.at("traces/deep/again"))
        self.assertEqual(len(list(real_traces.below(self.at("traces")))), 2)

    def test_mistakes_in_a_section(self) -> None:
        wrong = {
            "file = a": "should have file and source",
            "file = a\nsource = b\nname = c": "name: should be of file first none requests size source",
            "file = a\nsource = b\nfirst = (": "first = (: ",
            "file = a\nsource = b\nrequests = many": "requests = many: should be a number",
        }
        for section, says in wrong.items():
            self.mistake(f"[trace x]\n{section}\n[axis workload]\nw = mixed\n", says)


class Stamps(WithTraces):
    def test_every_figure_says_of_which_workloads_it_is(self) -> None:
        self.pack("Financial1.spc", spc(5, 1))
        self.pack("Financial2.spc", spc(5, 1))
        self.pack("WebSearch1.spc", spc(5, 1))
        self.pack("ts_0.csv", msr(5, "ts"))
        self.pack("src2_0.csv", msr(5, "src2"))
        self.pack("cello99.trace", ssdsim(5))
        for paper in ("sftl", "msac", "pmftl") if LONG else ("pmftl",):
            for figure in self.figures(f"scripts/{paper}", "scale=16", f"traces={self.at('traces')}"):
                stamp, real = figure.option["stamp"], figure.at.get("family") == "traces"
                self.assertEqual("real traces" in stamp, real, f"{figure.name}: {stamp}")
                self.assertEqual("workloads generated" in stamp, not real, f"{figure.name}: {stamp}")


if __name__ == "__main__":
    unittest.main()
