#!/usr/bin/env python3
"""`ssd probe`: times by hand, fio's job files, results of fio, and models whose parameters are found again.

Runs from the top of the tree, as `make test` does; $SSD (default ./ssd) is the simulator.
"""

import configparser
import json
import lzma
import os
import random
import re
import subprocess
import tempfile
import unittest
from collections.abc import Callable
from typing import Any

from tier import LONG, SOAK

SSD = os.environ.get("SSD", "./ssd")
FIO = ["fresh", "memory", "cache", "full"]  # tests/probe/: results of fio 3.33 on a file of 16 MiB
KEYS = [
    "flash.read_ns",
    "flash.program_ns",
    "flash.bus_mb_per_s",
    "dram.buffer_bytes",
    "host.link_ns",
    "host.link_mb_per_s",
    "host.write_bytes",
    "slc.share",
    "slc.program_ns",
]
WITHIN = 0.10  # largest relative error of the fit
NOISE = 0.002  # relative, of every number of a job: as much as fio's means on an idle drive vary

# 2 x 2 dies, pages of 8 KiB: a command takes nothing, a sector 1280 ns on the bus and 1000 ns on the link.
BY_HAND: dict[str, Any] = {
    "flash.channels": 2,
    "flash.chips": 2,
    "flash.dies": 1,
    "flash.planes": 1,
    "flash.blocks": 64,
    "flash.pages": 64,
    "flash.page_bytes": 8192,
    "flash.over_provisioning": 0.2,
    "flash.read_ns": 50000,
    "flash.program_ns": 500000,
    "flash.erase_ns": 3000000,
    "flash.command_ns": 0,
    "flash.plane_command_ns": 0,
    "flash.bus_mb_per_s": 400,
    "dram.access_ns": 100,
    "host.link_ns": 7000,
    "host.link_mb_per_s": 512,
    "gc.threshold": 0.05,
}

Settings = dict[str, Any]  # of a drive
Json = dict[str, Any]  # what fio and `ssd probe` write


def ssd(*words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([SSD, *words], capture_output=True, text=True)


def settings(values: Settings) -> list[str]:
    return [word for key, value in values.items() for word in ("-s", f"{key}={value}")]


def number(text: str, key: str, behind: str = "") -> float | None:
    """A value in a parameter file, or what the pattern `behind` finds after it; None if it is missing."""
    group, name = key.split(".")
    found = re.search(rf"^{group}: {{[^}}]*\b{name} = ([\d.]+);{behind}", text, re.M)
    return float(found[2 if behind else 1]) if found else None


def value(text: str, key: str, behind: str = "") -> float:
    found = number(text, key, behind)
    assert found is not None, key
    return found


def hidden_drive(seed: int) -> Settings:
    """Every other one has a write buffer."""
    r = random.Random(seed)
    drive: Settings = {
        "flash.channels": r.choice([2, 4, 8]),
        "flash.chips": r.choice([1, 2]),
        "flash.dies": r.choice([1, 2]),
        "flash.planes": 1,
        "flash.pages": 32,
        "flash.page_bytes": r.choice([4096, 8192, 16384]),
        "flash.over_provisioning": round(r.uniform(0.12, 0.28), 3),
        "flash.read_ns": r.randrange(30000, 100000),
        "flash.program_ns": r.randrange(200000, 2000000),
        "flash.bus_mb_per_s": r.randrange(200, 1200),
        "flash.erase_ns": 3000000,
        "host.link_ns": r.randrange(2000, 20000),
        "host.link_mb_per_s": r.randrange(1000, 4000),
        "gc.threshold": 0.05,
    }
    if seed % 2:
        drive |= {"buffer": "lru", "dram.buffer_bytes": r.randrange(2 << 20, 12 << 20)}
    return sized(drive, 640)


def hidden_drive_of_today(seed: int) -> Settings:
    """Writes are acknowledged from memory and go to an SLC cache."""
    r = random.Random(seed)
    drive: Settings = {
        "flash.channels": r.choice([2, 4, 8]),
        "flash.chips": r.choice([1, 2]),
        "flash.dies": 1,
        "flash.planes": 1,
        "flash.pages": 48,
        "flash.page_bytes": r.choice([4096, 8192, 16384]),
        "flash.over_provisioning": round(r.uniform(0.2, 0.28), 3),
        "flash.read_ns": r.randrange(30000, 100000),
        "flash.program_ns": r.randrange(500000, 2000000),
        "flash.bus_mb_per_s": r.randrange(400, 1200),
        "flash.erase_ns": 3000000,
        "host.link_ns": r.randrange(2000, 20000),
        "host.link_mb_per_s": r.randrange(2000, 4000),
        "host.write_done": "memory",
        "host.write_bytes": r.randrange(2 << 20, 6 << 20),
        "slc.mode": r.choice(["static", "dynamic"]),
        "slc.density": 3,
        "slc.share": round(r.uniform(0.06, 0.12), 3),
        "slc.program_ns": r.randrange(100000, 250000),
        "slc.read_ns": r.randrange(20000, 30000),
        "gc.threshold": 0.05,
    }
    return sized(drive, 2048)


def sized(drive: Settings, megabytes: int) -> Settings:
    """Sets the number of blocks for this size."""
    block = drive["flash.pages"] * drive["flash.page_bytes"]
    for part in "channels", "chips", "dies":
        block *= drive["flash." + part]
    return drive | {"flash.blocks": (megabytes << 20) // block}


def with_noise(result: Json, seed: int) -> Json:
    r = random.Random(seed)
    for job in result["jobs"]:
        for kind in "read", "write", "sync":
            part, wrong = job.get(kind, {}), r.gauss(1, NOISE)
            times = part.get("clat_ns" if kind != "sync" else "lat_ns", {"mean": 0, "stddev": 0})
            if kind != "sync":
                part["bw_bytes"] /= wrong
            times["mean"] *= wrong
            times["stddev"] *= wrong
            for share, value in times.get("percentile", {}).items():
                times["percentile"][share] = int(value * wrong * r.gauss(1, NOISE))
    return result


def burst(size: int, at_percent: Callable[[float], float]) -> Json:
    """A job of bursts whose requests are done at these times (ns)."""
    latency = {
        "mean": at_percent(50),
        "stddev": 0,
        "percentile": {f"{p:.6f}": at_percent(p) for p in (5, 10, 25, 50, 75, 90, 95)},
    }
    return {
        "jobname": f"burst-{size // 1024}k" if size < 1 << 20 else f"burst-{size >> 20}m",
        "error": 0,
        "job options": {"bs": "65536", "rw": "randwrite"},
        "read": {"total_ios": 0},
        "write": {"total_ios": 8 * size // 65536, "io_bytes": 8 * size, "bw_bytes": 1, "clat_ns": latency},
    }


class Probe(unittest.TestCase):
    def setUp(self) -> None:
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def path(self, name: str) -> str:
        return os.path.join(self.folder.name, name)

    def write(self, name: str, text: str) -> str:
        with open(self.path(name), "w", encoding="utf-8") as file:
            file.write(text)
        return self.path(name)

    def probed(self, drive: Settings, *words: str) -> Json:
        done = ssd("probe", "--json", self.path("result.json"), *settings(drive), *words, "tiny")
        self.assertEqual(done.returncode, 0, done.stderr)
        with open(self.path("result.json"), encoding="utf-8") as file:
            result: Json = json.load(file)
        return result

    def fit(self, *paths: str) -> str:
        done = ssd("probe", "--fit", *paths)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return done.stdout

    def refused(self, message: str, *words: str) -> None:
        done = ssd("probe", *words)
        self.assertEqual(done.returncode, 2)
        self.assertIn(message, done.stderr)
        self.assertEqual(done.stderr.count("\n"), 1)


class ModelTest(Probe):
    def test_by_hand(self) -> None:
        mean = {}
        for job in self.probed(BY_HAND)["jobs"]:
            for kind in "read", "write":
                if job[kind]["total_ios"]:
                    mean[job["jobname"], kind] = job[kind]["clat_ns"]["mean"]
        # Look-up, link; then sense and bus; a write the other way round.
        self.assertEqual(mean["empty-read-512", "read"], 100 + 7000 + 1000)
        self.assertEqual(mean["empty-read-8k", "read"], 100 + 7000 + 16000)
        self.assertEqual(mean["read-512", "read"], 100 + 50000 + 1280 + 7000 + 1000)
        self.assertEqual(mean["read-8k", "read"], 100 + 50000 + 16 * 1280 + 7000 + 16000)
        self.assertEqual(mean["write-8k", "write"], 7000 + 16000 + 100 + 16 * 1280 + 500000)

    def test_flushes_by_hand(self) -> None:
        """A write ends in memory; the FLUSH behind it when the page is programmed."""
        result = self.probed(BY_HAND | {"host.write_done": "memory"}, "--only", "flush")
        for job in result["jobs"]:
            sectors = int(job["job options"]["bs"]) // 512
            self.assertEqual(job["write"]["total_ios"], job["sync"]["total_ios"])
            if sectors == 16:
                self.assertEqual(job["write"]["clat_ns"]["mean"], 7000 + 16 * 1000 + 100)
                self.assertEqual(job["sync"]["lat_ns"]["mean"], 16 * 1280 + 500000)

    def test_every_request_of_a_job_is_counted(self) -> None:
        result = self.probed(BY_HAND)
        jobs = {job["jobname"]: job for job in result["jobs"]}
        self.assertEqual(len(jobs), len(result["jobs"]))
        for name, job in jobs.items():
            size = int(job["job options"]["bs"])
            self.assertEqual(
                job["read"]["io_bytes"] + job["write"]["io_bytes"],
                size * (job["read"]["total_ios"] + job["write"]["total_ios"]),
                name,
            )
        filled = sum(job["write"]["io_bytes"] for name, job in jobs.items() if name.startswith("fill-"))
        self.assertGreater(filled, 0.99 * 0.8 * 4 * 64 * 64 * 8192)
        # 4 dies, each a page every 520,480 ns.
        self.assertAlmostEqual(jobs["fill-10"]["write"]["bw_bytes"] / (4 * 8192 / 520480e-9), 1, delta=0.03)

    def test_the_same_again(self) -> None:
        first = self.probed(BY_HAND)
        self.assertEqual(first, self.probed(BY_HAND))
        self.assertNotEqual(first, self.probed(BY_HAND, "-s", "seed=2"))

    def test_some_of_the_series(self) -> None:
        """Series that change the drive before them have the same effect, whether they are printed or not."""
        whole = {job["jobname"]: job for job in self.probed(BY_HAND)["jobs"]}
        some = self.probed(BY_HAND, "--only", "write-4k fill")["jobs"]
        names = [name for name in whole if name.startswith(("write-4k-", "fill-"))]
        self.assertEqual([job["jobname"] for job in some], names)
        for job in some:
            rate = whole[job["jobname"]]["write"]["iops"]
            self.assertAlmostEqual(job["write"]["iops"] / rate, 1, delta=0.02)

    def test_whatever_the_file_prepares(self) -> None:
        drive = BY_HAND | {"precondition.mode": "synthetic"}
        self.assertEqual(self.probed(drive), self.probed(BY_HAND))

    def test_a_drive_that_wears_out(self) -> None:
        done = ssd("probe", *settings(BY_HAND | {"flash.endurance": 1}), "tiny")
        self.assertEqual(done.returncode, 3, done.stderr)
        self.assertIn("fill-01", done.stdout)

    def test_mistakes(self) -> None:
        self.refused("too small to be probed", "tiny")
        self.refused("one thing at a time", "tiny", "class")
        self.refused('there is no series "fil"; there are empty-read, first', "--only", "read fil", "class")
        self.refused("striped.superblock", "chardin-ssd")
        self.refused("--fit takes results alone", "--fit", "-s", "seed=2", "a.json")
        self.refused("--fio takes a drive or file alone", "--fio", self.path("jobs"), "--json", "x", "class")
        self.refused("No such file", "--fio", self.path("jobs"), self.path("none"))
        self.refused("neither a file nor a drive", "--fio", self.path("jobs"), "/dev/null")
        self.refused("too small to be probed", "--fio", self.path("jobs"), self.write("small", "text"))
        self.refused('cannot write "/dev/full"', "--json", "/dev/full", *settings(BY_HAND), "tiny")


class FioTest(Probe):
    def jobs(self, megabytes: int) -> tuple[list[str], str]:
        target = self.path("target:1")
        with open(target, "wb") as file:
            file.truncate(megabytes << 20)
        done = ssd("probe", "--fio", self.path("jobs"), target)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(os.path.getsize(target), megabytes << 20)
        return done.stdout.split(), target

    def test_job_files(self) -> None:
        paths, target = self.jobs(64)
        self.assertEqual(
            [os.path.basename(path) for path in paths],
            ["2-fresh.fio", "3-memory.fio", "4-cache.fio", "5-full.fio"],
        )
        model = BY_HAND | {"flash.over_provisioning": 0.5, "flash.blocks": 64}  # 64 MiB for the host
        measured = {job["jobname"]: job for job in self.probed(model)["jobs"]}
        seen = set()
        for path in paths:
            file = configparser.ConfigParser(allow_no_value=True, delimiters="=")
            file.read(path)
            self.assertEqual(file["global"]["filename"], target.replace(":", "\\:"))
            self.assertEqual(file["global"]["direct"], "1")
            for name in file.sections()[1:]:
                job, options = file[name], measured[name]["job options"]
                self.assertEqual(
                    (job["rw"], job["bs"], job["iodepth"]),
                    (options["rw"], options["bs"], options["iodepth"]),
                )
                done = measured[name]["read"]["io_bytes"] + measured[name]["write"]["io_bytes"]
                self.assertEqual(int(job["io_size"]), done, name)
                self.assertLessEqual(int(job["offset"]) + int(job["size"]), 64 << 20)
                seen.add(name)
        self.assertEqual({name for name in measured if not name.startswith("empty-read-")}, seen)

    def test_results_of_fio(self) -> None:
        paths = []
        for name in FIO:
            with lzma.open(f"tests/probe/fio-3.33-{name}.json.xz", "rt", encoding="utf-8") as file:
                paths.append(self.write(f"{name}.json", "fio: a warning before it\n" + file.read()))
        text = self.fit(*paths)
        # Read from the results by hand: the mean of read-512 is 36,895 ns, of write-2k it is 77,262.
        read_ns = value(text, "flash.read_ns")
        self.assertGreater(read_ns, 20000)
        self.assertLess(read_ns, 80000)
        self.assertIn("Not determined: host.link_ns", text)
        done = ssd("run", "--check", self.write("fitted.cfg", text), "uniform")
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_jobs_that_failed_are_left_out(self) -> None:
        result = self.probed(BY_HAND)
        for job in result["jobs"]:
            if job["jobname"] in ("read-512", "read-1k", "empty-read-512"):
                job["error"] = 22  # the drive's blocks are 4 KiB
                job["read"]["total_ios"] = 0
        text = self.fit(self.write("failed.json", json.dumps(result)))
        self.assertAlmostEqual(value(text, "flash.bus_mb_per_s") / 400, 1, delta=WITHIN)

    def test_what_is_no_result(self) -> None:
        self.refused("not a result of fio", "--fit", self.write("a.json", "text"))
        self.refused("not a result of fio", "--fit", self.path("none.json"))
        self.refused("not a result of fio", "--fit", self.write("a.json", '{"jobs": 5, "x": [}'))
        self.refused(
            "no job of `ssd probe --fio`", "--fit", self.write("b.json", '{"jobs": [{"jobname": "mine"}]}')
        )


class DriveTest(Probe):
    """parameters/drives against arithmetic on their own lines; published numbers are in scripts/drives."""

    def place(self, *words: str) -> dict[str, float]:
        small = ["flash.blocks=64", "flash.pages=128", "parameters/drives/970pro.cfg"]
        done = subprocess.run(
            ["scripts/drives/measure", SSD, *words, *small], stdout=subprocess.PIPE, text=True, check=True
        )
        return {
            name: float(value) for name, value in (line.split(" = ") for line in done.stdout.splitlines())
        }

    def test_970pro(self) -> None:
        alone, deep, full = self.place("depth=1"), self.place("depth=128"), self.place("depth=0", "part=10")
        program = 185 + 8 * (4.096 / 0.8 + 0.2)  # us: eight parts of 4 KiB
        for found, by_hand in (
            (alone["device.read_us"], 1.95 + 15 + 0.2 + 35.8 + 4.096 / 0.8 + 4.096 / 3.36),
            (alone["device.write_us"], 1.95 + 15 + 4.096 / 3.36),
            (alone["device.cached_iops"], 1e6 / (1.95 + 15 + 4.096 / 3.36)),
            (full["device.fill"], 16 * 32768 / program),
            (full["device.fill_cached"], 16 * 32768 / program),
            (deep["device.write_iops"], 1e6 / 1.95),
        ):
            self.assertAlmostEqual(found / by_hand, 1, delta=0.03)
        self.assertLess(deep["device.read_iops"], 16e6 / (0.2 + 35.8))
        self.assertNotIn("device.fill", deep)


class FitTest(Probe):
    def found(self, drive: Settings, seed: int) -> str:
        result = with_noise(self.probed(drive), seed)
        return self.fit(self.write("noisy.json", json.dumps(result)))

    def test_hidden_drives(self) -> None:
        self.are_found(hidden_drive)

    def test_hidden_drives_of_today(self) -> None:
        self.are_found(hidden_drive_of_today)

    def are_found(self, hidden: Callable[[int], Settings]) -> None:
        """All values are within WITHIN, and nine of ten within the uncertainty that is printed."""
        inside = []
        for seed in range(40 if SOAK else 6 if LONG else 2):
            drive = hidden(seed)
            text = self.found(drive, seed)
            done = ssd("run", "--check", self.write("fitted.cfg", text), "uniform")
            self.assertEqual(done.returncode, 0, done.stderr)
            for key in KEYS:
                with self.subTest(seed=seed, key=key):
                    if key not in drive:
                        self.assertIsNone(number(text, key))
                        continue
                    off = abs(value(text, key) / drive[key] - 1)
                    self.assertLess(off, WITHIN, msg=text)
                    inside.append(off <= value(text, key, r" *# measured, \+- ([\d.e+-]+) %") / 100)
        self.assertGreater(sum(inside) / len(inside), 0.9)

    def test_a_fitted_drive_measures_as_the_one_it_is_fitted_to(self) -> None:
        drive = hidden_drive(3)
        text = self.found(drive, 3)
        before = {job["jobname"]: job for job in self.probed(drive)["jobs"]}
        done = ssd("probe", "--json", self.path("again.json"), self.write("fitted.cfg", text))
        self.assertEqual(done.returncode, 0, done.stderr)
        with open(self.path("again.json"), encoding="utf-8") as file:
            again = {job["jobname"]: job for job in json.load(file)["jobs"]}
        for name, kind in (
            ("read-4k-1", "read"),
            ("read-64k", "read"),
            ("stream-32", "read"),
            ("write-64k", "write"),
            ("fill-10", "write"),
        ):
            share = again[name][kind]["bw_bytes"] / before[name][kind]["bw_bytes"]
            self.assertAlmostEqual(share, 1, delta=WITHIN, msg=name)

    def test_a_flush_that_costs_nothing(self) -> None:
        """With power-loss protection no program is seen, and the fit says so."""
        drive = hidden_drive_of_today(1) | {"host.plp": "true"}
        text = self.fit(self.write("plp.json", json.dumps(self.probed(drive))))
        self.assertIn("Not determined: flash.program_ns: neither a write nor a FLUSH waits", text)
        self.assertIsNone(number(text, "flash.program_ns"))
        self.assertIsNone(number(text, "slc.share"))
        done = ssd("run", "--check", self.write("fitted.cfg", text), "uniform")
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_a_memory_that_is_emptied_behind_bursts(self) -> None:
        """Up to 3 MB at 2 bytes/ns, the rest at 0.25."""

        def done_at(size: int) -> Callable[[float], float]:
            return lambda percent: (
                min(size * percent / 100, 3e6) / 2 + max(size * percent / 100 - 3e6, 0) * 4 + 5000
            )

        bursts = [burst(1 << n, done_at(1 << n)) for n in range(17, 27)]
        text = self.fit(self.write("bursts.json", json.dumps({"jobs": bursts})))
        found = re.search(r"Bursts are fast for ([\d.]+) MB", text)
        assert found, text
        self.assertAlmostEqual(float(found[1]) / 3, 1, delta=WITHIN)


if __name__ == "__main__":
    unittest.main()
