#!/usr/bin/env python3
"""Mistakes in Python: each is an exception with one line, none passes in silence, and the drive goes on.

    tests/run tests/test_misuse.py

Needs neither numpy nor pandas; with numpy (tests/python.sh) its types are tried, too.
"""

import array
import contextlib
import copy
import functools
import gc
import os
import pickle
import signal
import sys
import threading
import unittest
import unittest.mock
import weakref
from collections.abc import Callable
from typing import Any

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
os.environ.setdefault("SSDLAB_LIBRARY", os.path.join(ROOT, "build/dev/libssdlab.so"))
os.environ["SSDLAB_LIBRARY"] = os.path.join(ROOT, os.environ["SSDLAB_LIBRARY"])

import ssdlab
from ssdlab.columns import numpy

TINY = os.path.join(ROOT, "parameters/tiny.cfg")
FRESH: dict[str, object] = {"precondition": {"mode": "none", "premap": "none"}}
FOLDED: dict[str, object] = {**FRESH, "trace.fold": True}  # for profiles, which address terabytes
END = 768  # sectors of the drive


def fresh(**more: Any) -> ssdlab.Drive:
    return ssdlab.Drive(TINY, FRESH, progress=False, **more)


def rows(**more: object) -> dict[str, object]:
    """Columns of one write."""
    return {"sector": [0], "sectors": [1], "kind": [1], **more}


NUMBERED: dict[object, object] = {"sector": [0], "sectors": [1], "kind": [1], 3: [1]}


def policy(_plane: int, _blocks: object) -> None:
    return None


class Row:
    """Looks like a DataFrame with a column that requests do not have."""

    columns = ["sector", "sectors", "kind", "latency"]

    def __getitem__(self, name: str) -> list[int]:
        return [1]


# A call of a drive, and what its message says.
CALLS: list[tuple[Callable[[Any], object], str]] = [
    (lambda d: d.write(END, 8), r"sectors 768 to 775 lie beyond the drive of 768 sectors"),
    (lambda d: d.read(END - 1, 2), r"sectors 767 to 768 lie beyond the drive of 768"),
    (lambda d: d.write(2**64 - 1, 1), r"beyond the drive of 768"),
    (lambda d: d.trim(0, 2**32 - 1), r"larger than the drive of 768"),
    (lambda d: d.read(-8, 8), r"^sector is -8, should be from 0 to 18446744073709551615$"),
    (lambda d: d.write(2**64, 1), r"^sector is 18446744073709551616, should be from 0"),
    (lambda d: d.write(0, 2**32 + 8), r"^sectors is 4294967304, should be from 0 to 4294967295$"),
    (lambda d: d.write(0, -1), r"^sectors is -1, should be from 0"),
    (lambda d: d.write(0, 0), r"0 sectors; it should have at least 1"),
    (lambda d: d.write(0.5, 1), r"^sector is 0.5, should be a whole number$"),
    (lambda d: d.write("0", 1), r"^sector is '0', should be a whole number$"),
    (lambda d: d.write(None, 1), r"^sector is None, should be a whole number$"),
    (lambda d: d.write(True, 1), r"^sector is True, should be a whole number$"),
    (lambda d: d.write(float("nan"), 1), r"^sector is nan, should be a whole number$"),
    (lambda d: d.write(float("inf"), 1), r"^sector is inf, should be a whole number$"),
    (lambda d: d.write([0], 1), r"^sector is \[0\], should be a whole number$"),
    (lambda d: d.write(0, 1, tag=-1), r"^tag is -1, should be from 0"),
    (lambda d: d.write(0, 1, tag=2**64), r"^tag is 18446744073709551616"),
    (lambda d: d.write(0, 1, hint=257), r"^hint is 257, should be from 0 to 255$"),
    (lambda d: d.write(0, 1, hint=-1), r"^hint is -1, should be from 0 to 255$"),
    (lambda d: d.write(0, 1, hint=1), r"hint 1, which nothing reads; set fdp.handles and fdp.by=hint"),
    (lambda d: d.write(0, 1, fua="no"), r"^fua is 'no', should be True or False$"),
    (lambda d: d.write(0, 1, fua=2), r"^fua is 2, should be True or False$"),
    (lambda d: d.write(0, 1, arrival_ns=-5), r"^arrival_ns is -5, should be from 0"),
    (lambda d: d.write(0, 1, arrival_ns=2**64 - 1), r"the last moment is 9223372036854775807 ns"),
    (lambda d: d.write(0, 1, arrival_ns=2**63), r"the last moment is 9223372036854775807 ns"),
    (lambda d: d.flush(tag="x"), r"^tag is 'x', should be a whole number$"),
    (lambda d: d.flush(arrival_ns=1.5), r"^arrival_ns is 1.5, should be a whole number$"),
    (lambda d: d.advance(-1), r"^until_ns is -1, should be from 0"),
    (lambda d: d.advance(2**63), r"9223372036854775808 ns is too late; the last moment is"),
    (lambda d: d.advance(2**64), r"^until_ns is 18446744073709551616"),
    (lambda d: d.advance(1e30), r"^until_ns is 1"),
    (lambda d: d.advance("1 s"), r"^until_ns is '1 s', should be a whole number$"),
    (lambda d: d.advance(None), r"^until_ns is None"),
    (lambda d: d.submit(), r"^sector is missing$"),
    (lambda d: d.submit({}), r"^sector is missing$"),
    (lambda d: d.submit(sector=[0], kind=[1]), r"^sectors is missing$"),
    (lambda d: d.submit(sector=[0], sectors=[1]), r"^kind is missing$"),
    (lambda d: d.submit(rows(sectors=[1, 1])), r"^sectors has 2 rows, the columns before it 1$"),
    (lambda d: d.submit(rows(arival_ns=[5])), r"'arival_ns' is no column .*; did you mean arrival_ns\?$"),
    (lambda d: d.submit(rows(latency=[5])), r"'latency' is no column of requests; columns are arrival_ns, "),
    (lambda d: d.submit(NUMBERED), r"^3 is no column of requests"),
    (lambda d: d.submit(Row()), r"'latency' is no column"),
    (lambda d: d.submit(rows(), kind=[0]), r"^kind is given twice, in requests and as an argument$"),
    (lambda d: d.submit([(0, 1, 1)]), r"^requests are \[\(0, 1, 1\)\], should be a mapping of columns"),
    (lambda d: d.submit(7), r"^requests are 7, should be a mapping of columns"),
    (lambda d: d.submit(rows(sector=[-1])), r"^sector should be "),
    (lambda d: d.submit(rows(sector=[2**64])), r"^sector should be "),
    (lambda d: d.submit(rows(sector=[0.5])), r"^sector should be "),
    (lambda d: d.submit(rows(sector=["0"])), r"^sector should be "),
    (lambda d: d.submit(rows(sector="0")), r"^sector is a str, should be a list or an array"),
    (lambda d: d.submit(rows(sector=0)), r"^sector should be a list or an array"),
    (lambda d: d.submit(rows(sector=b"12345678")), r"^sector is a bytes, should be a list or an array"),
    (lambda d: d.submit(rows(sector={0: 1})), r"^sector is a dict, should be a list or an array"),
    (lambda d: d.submit(rows(sector={0})), r"^sector is a set, should be a list or an array"),
    (lambda d: d.submit(rows(sector=[[0]])), r"^sector should be "),
    (lambda d: d.submit(rows(sectors=array.array("d", [1.5]))), r"^sectors should be "),
    (lambda d: d.submit(rows(kind=[256])), r"^kind should be "),
    (lambda d: d.submit(rows(kind=[9])), r"request:0: kind 9 is not 0 read"),
    (lambda d: d.submit(rows(kind=["write"])), r"^kind should be "),
    (lambda d: d.submit(rows(kind=[4])), r"a command has 0 sectors"),
    (lambda d: d.submit(rows(kind=[5], sectors=[0])), r"an update needs placement handles"),
    (lambda d: d.submit(rows(kind=[0], flags=[1])), r"flags 1; a write can have 1 \(FUA\)"),
    (lambda d: d.submit(rows(flags=[8])), r"flags 8"),
    (lambda d: d.submit(rows(hint=[3])), r"request:0: hint 3, which nothing reads"),
    (lambda d: d.submit(rows(device=[3])), r"request:0: device 3, which nothing reads"),
    (lambda d: d.submit(rows(arrival_ns=[2**64 - 1])), r"request:0: arrives at 18446744073709551615 ns"),
    (
        lambda d: d.submit(sector=[0, 0], sectors=[1, 1], kind=[1, 1], arrival_ns=[9, 8]),
        r"request:1: arrives at 8 ns, before the request before it",
    ),
    (lambda d: d.submit(sector=[0, END], sectors=[1, 1], kind=[1, 1]), r"request:1: sectors 768 to 768"),
    (lambda d: d.run("no-such"), r"no-such"),
    (lambda d: d.run(""), r"neither a file nor a profile"),
    (lambda d: d.run(None), r"^workload is None, should be a path or a name$"),
    (lambda d: d.run(["mixed"]), r"^workload is \['mixed'\], should be a path"),
    (lambda d: d.run("mi\0xed"), r"a text ends at the character 0"),
    (lambda d: d.run("mixed"), r"beyond the drive of 768 sectors"),
    (lambda d: d.prepare(), r"it is, once, before its first request"),
    (lambda d: d.prepare(3), r"^workload is 3, should be a path"),
    (lambda d: d.completions(), r"opened without completions; set options.completions"),
    (lambda d: d.statistic("nonsense"), r"there is no statistic \"nonsense\""),
    (lambda d: d.statistic(None), r"^name is None, should be a text$"),
    (lambda d: d.statistic(b"waf"), r"^name is b'waf', should be a text$"),
    (lambda d: d.statistic("waf\0"), r"a text ends at the character 0"),
    (lambda d: d.statistic(""), r"there is no statistic \"\""),
    (lambda d: d.statistic("gc.*"), r"there is no statistic \"gc.\*\""),
    (lambda d: d.statistic("run.ftl"), r"run.ftl is a text, not a number"),
    (lambda d: d.to_pandas("gcc.*"), r"there is no statistic \"gcc.\*\""),
    (lambda d: d.json(command=3), r"^command is 3, should be a text$"),
    (lambda d: d.save(None), r"^path is None, should be a path or a name$"),
    (lambda d: d.save(""), r"cannot create \"\""),
    (lambda d: d.save("/no/such/folder"), r"cannot create \"/no/such/folder\""),
    (lambda d: d.save("a\0b"), r"a text ends at the character 0"),
    (lambda d: d.load("/no/such/file"), r"load into one that was just opened"),
    (lambda d: d.load(3.5), r"^path is 3.5, should be a path"),
]

if numpy is not None:
    CALLS += [
        (lambda d: d.submit(rows(sector=numpy.array([0.5]))), r"^sector should be .*, it is float64$"),
        (lambda d: d.submit(rows(sector=numpy.zeros((2, 2), int))), r"one dimension, it has 2$"),
        (lambda d: d.submit(rows(sector=numpy.uint64(1))), r"one dimension, it has 0$"),
        (lambda d: d.submit(rows(sectors=numpy.array([2**32]))), r"^sectors should be from 0 to 4294967295$"),
        (lambda d: d.submit(rows(sector=numpy.array([-1]))), r"^sector should be from 0 to"),
        (lambda d: d.write(numpy.bool_(True), 1), r"^sector is .*True.*, should be a whole number$"),
        (lambda d: d.write(numpy.float32(0.5), 1), r"^sector is .*0.5.*, should be a whole number$"),
    ]

# Arguments of Drive(), and what the message says.
DRIVES: list[tuple[tuple[Any, ...], dict[str, Any], str]] = [
    (("no-such.cfg",), {}, r"no-such.cfg"),
    (("tinny",), {}, r"did you mean tiny\?"),
    ((3,), {}, r"^parameters is 3, should be a path or a name$"),
    (("tiny\0",), {}, r"a text ends at the character 0"),
    (("tiny", "ftl=dftl"), {}, r"^settings are 'ftl=dftl', should be a mapping"),
    (("tiny", ["ftl=dftl"]), {}, r"^settings are \['ftl=dftl'\], should be a mapping"),
    (({"seed": 1}, {"seed": 1}), {}, r"^settings are given twice"),
    (("tiny", {"gc.treshold": 1}), {}, r"did you mean \"gc.threshold\"\?"),
    (("tiny", {"gc.threshold": 2}), {}, r"gc.threshold"),
    (("tiny", {"gc.threshold": None}), {}, r"^gc.threshold is None, should be a number, a text"),
    (("tiny", {"gc.threshold": float("nan")}), {}, r"gc.threshold"),
    (("tiny", {"gc.threshold": {1, 2}}), {}, r"^gc.threshold is \{1, 2\}"),
    (("tiny", {"trace.format": b"csv"}), {}, r"^trace.format is b'csv'"),
    (("tiny", {"trace.format": "a\0b"}), {}, r"a text ends at the character 0"),
    (("tiny", {"trace.format=csv": 1}), {}, r"^'trace.format=csv' is no name of a parameter$"),
    (("tiny", {3: 1}), {}, r"^3 is no name of a parameter$"),
    (("tiny", {"gc": 0.1}), {}, r"is a group"),
    (("tiny", {"gc": {"threshold": 1}}), {"gc__threshold": 2}, r"^gc.threshold is set twice, to 1 and to 2$"),
    (("tiny", {"gc.threshold": 0.1, "gc__threshold": 0.1}), {}, r"^gc.threshold is set twice"),
    (("tiny", {"ftl": "page"}), {"ftl": "dftl"}, r"^ftl is set twice, to page and to dftl$"),
    (("tiny",), {"ftl": "pages"}, r"did you mean \"page\"|ftl"),
    (("tiny",), {"completion": "times"}, r"unknown parameter \"completion\""),
    (("tiny",), {"gc_polcy": policy}, r"^gc_polcy is <function .*, should be a number, a text"),
    (("tiny",), {"completions": "tims"}, r"^completions is 'tims', should be None, \"times\" or \"parts\"$"),
    (("tiny",), {"completions": ["times"]}, r"^completions is \['times'\], should be None"),
    (("tiny",), {"completions": 2}, r"^completions is 2, should be None"),
    (("tiny",), {"verify": "no"}, r"^verify is 'no', should be True or False$"),
    (("tiny",), {"verify": None}, r"^verify is None, should be True or False$"),
    (("tiny",), {"progress": "yes"}, r"^progress is 'yes', should be a function of \(requests, share\)$"),
    (("tiny",), {"progress": lambda: 0}, r"^progress should be a function of \(requests, share\): too many"),
    (("tiny",), {"gc_policy": 3}, r"^gc_policy is 3, should be a function of \(plane, blocks\)$"),
    (("tiny",), {"gc_policy": "greedy"}, r"^gc_policy should be a function; .* gc__policy='greedy'$"),
    (("tiny",), {"gc_policy": lambda blocks: 0}, r"^gc_policy should be .* \(plane, blocks\): too many"),
    (("tiny",), {"gc_policy": ssdlab.buffer_policy(lambda pages: 0)}, r"^gc_policy is a buffer_policy"),
    (("tiny",), {"gc_policy": policy, "gc__policy": "fifo"}, r"-s gc.policy=fifo: .* is given, too"),
    (("tiny",), {"gc_policy": ssdlab.policies.GcPolicy(policy, "greedy")}, r"is a policy of ssdlab"),
    (("tiny",), {"buffer_policy": 0.5}, r"^buffer_policy is 0.5, should be a function of \(pages\)$"),
    (("tiny",), {"buffer_policy": "lru"}, r"^buffer_policy should be a function; .* buffer='lru'$"),
    (("tiny",), {"buffer_policy": policy}, r"^buffer_policy should be a function of \(pages\): missing"),
    (("tiny",), {"buffer_policy": lambda pages: 0, "buffer": "lru"}, r"options.buffer_pick is given, too"),
]


class Misuse(unittest.TestCase):
    def refused(self, text: str, call: Callable[[], object], kind: type[Exception] = ssdlab.Mistake) -> None:
        with self.assertRaises(kind) as caught:
            call()
        self.assertIs(type(caught.exception), kind)
        self.assertRegex(str(caught.exception), text)
        self.assertNotIn("\n", str(caught.exception))
        self.assertLess(len(str(caught.exception)), 400)

    def test_each_call_refuses_what_it_cannot_do(self) -> None:
        self.assertGreaterEqual(len(CALLS) + len(DRIVES), 100)
        with fresh(verify=True) as drive:
            entered = 1.0
            drive.write(0, 1)
            for number, (call, text) in enumerate(CALLS):
                with self.subTest(number=number, text=text):
                    before = drive.statistic("run.requests")
                    self.refused(text, functools.partial(call, drive))
                    entered += drive.statistic("run.requests") - before
                    drive.write(number, 1)
                    drive.check()
            drive.drain()
            self.assertEqual(drive.statistic("run.served"), entered + len(CALLS))
            self.assertEqual(entered, 3)  # two requests before a bad one

    def test_each_drive_that_cannot_be_is_refused(self) -> None:
        for given, more, text in DRIVES:
            with self.subTest(given=given, more=more):
                self.refused(text, functools.partial(ssdlab.Drive, *given, **more))

    def test_a_closed_drive_refuses_everything(self) -> None:
        drive = fresh()
        drive.close()
        drive.close()
        for call in (
            lambda: drive.write(0, 1),
            lambda: drive.submit(rows()),
            lambda: drive.run("mixed"),
            lambda: drive.prepare(),
            lambda: drive.advance(1),
            lambda: drive.next(),
            lambda: drive.drain(),
            lambda: drive.completions(),
            lambda: drive.statistic("waf"),
            lambda: drive.statistics,
            lambda: drive.json(),
            lambda: drive.reset_statistics(),
            lambda: drive.check(),
            lambda: drive.blocks(),
            lambda: drive.fork(),
            lambda: drive.save("saved"),
            lambda: drive.load("saved"),
            lambda: drive.now_ns,
            lambda: drive.sectors,
            lambda: drive.in_flight,
        ):
            self.refused("^the drive is closed$", call)
        self.assertIn("closed", repr(drive))

    def test_a_drive_is_not_copied(self) -> None:
        with fresh() as drive:
            calls: list[Callable[[object], object]] = [copy.copy, copy.deepcopy, pickle.dumps]
            for call in calls:
                self.refused(r"drive\.fork\(\) is a second drive", functools.partial(call, drive), TypeError)
            drive.write(0, 1)

    def test_a_policy_that_chooses_no_index(self) -> None:
        for choice, text in (
            (0.7, r"chose 0.7; an index is a whole number"),
            (1.0, r"chose 1.0; an index is a whole number"),
            ("0", r"chose '0'; an index is"),
            (True, r"chose True; an index is"),
            ([0], r"chose \[0\]; an index is"),
            (-1, r"chose -1 of \d+; an index is from 0"),
            (10**6, r"chose 1000000 of \d+"),
        ):
            with fresh(gc_policy=lambda plane, blocks, choice=choice: choice) as drive:
                self.refused(text, functools.partial(fill, drive))
                drive.drain()
                drive.check()

    def test_what_is_natural_is_accepted(self) -> None:
        with fresh(completions=True) as drive:
            second: Any = 1e9  # a float that is a whole number
            drive.write(0, 1, arrival_ns=second)
            drive.advance(2 * second)
            self.assertEqual(drive.now_ns, 2 * 10**9)
            self.assertEqual(drive.submit(sector=[], sectors=[], kind=[]), 0)
            self.assertEqual(drive.submit(sector=(), sectors=array.array("I"), kind=b""), 0)
            self.assertEqual(drive.submit(sector=range(3), sectors=(1, 1, 1), kind=b"\1\1\0"), 3)
            drive.drain()
            self.assertEqual(len(drive.completions(1)), 1)
            self.assertEqual(len(drive.completions()), 3)
        if numpy is not None:
            true = numpy.bool_(True)
            with ssdlab.Drive("tiny", FRESH, trace__fold=true, verify=true) as drive:
                self.assertIs(drive.statistics.parameters["trace.fold"], True)
                drive.write(numpy.uint64(0), numpy.int32(4), tag=numpy.int8(1), fua=numpy.bool_(False))
                drive.drain()


def fill(drive: ssdlab.Drive) -> None:
    """Writes until blocks are collected."""
    n = 900
    places = [(i * 7919) % (END - 8) for i in range(n)]
    drive.submit(sector=places, sectors=[8] * n, kind=[1] * n)


class Hints(unittest.TestCase):
    def test_a_hint_names_a_handle_if_the_drive_reads_it(self) -> None:
        handles = {"fdp.handles": 2, "flash.blocks": 64}
        with ssdlab.Drive(TINY, {**FRESH, **handles, "fdp.by": "hint"}) as drive:
            drive.write(0, 4, hint=1)
            drive.drain()
            self.assertEqual(drive.statistic("fdp.1.units"), 1)
            with self.assertRaisesRegex(ssdlab.Mistake, r"hint 5; with fdp.handles = 2 it is 0 to 1"):
                drive.write(0, 4, hint=5)
        with (
            ssdlab.Drive(TINY, {**FRESH, **handles}) as drive,
            self.assertRaisesRegex(ssdlab.Mistake, r"hint 1, which nothing reads"),
        ):
            drive.write(0, 4, hint=1)


class Times(unittest.TestCase):
    def test_a_write_without_arrival_is_not_scaled(self) -> None:
        with fresh(host__time_scale=3) as drive:
            drive.write(0, 4, arrival_ns=1000)
            drive.drain()
            now = drive.now_ns
            drive.write(0, 4)
            self.assertEqual(drive.now_ns, now)


class Moments(unittest.TestCase):
    """Calls at the wrong moment."""

    def refused_inside(self, drive: ssdlab.Drive, text: str, done: list[object]) -> None:
        for call in (
            lambda: drive.write(0, 1),
            drive.drain,
            lambda: drive.statistics,
            drive.fork,
            lambda: drive.save("saved"),
            drive.close,
        ):
            with self.assertRaisesRegex(ssdlab.Mistake, text):
                call()
            done.append(call)

    def test_a_callback_cannot_call_its_drive(self) -> None:
        done: list[object] = []
        seen: list[tuple[int, int, int]] = []

        def inside(*_given: object) -> None:
            seen.append((drive.now_ns, drive.sectors, drive.in_flight))
            self.refused_inside(drive, "^a callback of a drive must not call that drive$", done)

        drive = ssdlab.Drive(
            TINY,
            FOLDED,
            progress=inside,
            trace__limit=5000,
            dram__buffer_bytes="32K",
            gc_policy=lambda plane, blocks: inside(),
            buffer_policy=lambda pages: inside(),
        )
        drive.run("mixed")
        self.assertGreater(len(done), 100)
        self.assertEqual(seen[-1][1], END)
        drive.check()
        drive.close()

    def test_two_threads_cannot_use_one_drive(self) -> None:
        done: list[object] = []
        text = "^another thread is in a call of this drive; a drive is used by one thread at a time, its"

        def elsewhere() -> None:
            self.refused_inside(drive, text, done)
            with self.assertRaisesRegex(ssdlab.Mistake, text):
                print(drive.now_ns)
            done.append(None)

        def inside(*_given: object) -> None:
            thread = threading.Thread(target=elsewhere)
            thread.start()
            thread.join()

        drive = ssdlab.Drive(TINY, FOLDED, progress=inside, trace__limit=5000)
        drive.run("mixed")
        self.assertEqual(len(done) % 7, 0)
        self.assertGreaterEqual(len(done), 7)
        drive.check()
        drive.close()

    def test_threads_at_one_drive_leave_it_whole(self) -> None:
        refused: list[str] = []
        entered: list[int] = []

        def use(drive: ssdlab.Drive) -> None:
            for i in range(400):
                try:
                    drive.write(i % END, 1)
                    entered.append(i)
                except ssdlab.Mistake as mistake:
                    refused.append(str(mistake))

        with fresh() as drive:
            threads = [threading.Thread(target=use, args=(drive,)) for _ in range(4)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
            self.assertLessEqual(len(set(refused)), 1)
            drive.drain()
            drive.check()
            self.assertEqual(drive.statistic("run.served"), len(entered))

    def test_a_callback_may_use_a_fork(self) -> None:
        with fresh() as other:
            with fresh(gc_policy=lambda plane, blocks: fill(other)) as drive:
                fill(drive)
                drive.check()
            forks: list[ssdlab.Drive] = []
            with (
                fresh(gc_policy=lambda plane, blocks: forks[0].now_ns and None) as drive,
                drive.fork() as fork,
            ):
                forks.append(fork)
                fill(drive)
                drive.check()


class Interrupts(unittest.TestCase):
    """Ctrl-C is a KeyboardInterrupt of the call, whenever it comes."""

    def setUp(self) -> None:
        self.lost: list[object] = []
        self.hook, sys.unraisablehook = sys.unraisablehook, self.lost.append

    def tearDown(self) -> None:
        sys.unraisablehook = self.hook

    def interrupted(self, drive: ssdlab.Drive, call: Callable[[], object]) -> None:
        """Calls without end; a thread interrupts it."""
        handler = signal.getsignal(signal.SIGINT)
        for wait in 0, 0.003, 0.01, 0.03:
            timer = threading.Timer(wait, os.kill, (os.getpid(), signal.SIGINT))
            try:
                with self.assertRaises(KeyboardInterrupt):
                    timer.start()
                    while True:
                        call()
            finally:
                timer.cancel()
            timer.join()
            self.assertIs(signal.getsignal(signal.SIGINT), handler)
            drive.check()
        self.assertEqual(self.lost, [])

    def test_of_a_run(self) -> None:
        choices: list[dict[str, Any]] = [
            {},
            {"gc_policy": policy},
            {"progress": lambda requests, share: False},
        ]
        for more in choices:
            given: dict[str, Any] = {"progress": False, **more}
            with ssdlab.Drive(TINY, FOLDED, **given) as drive:
                self.interrupted(drive, functools.partial(drive.run, "mixed"))

    def test_of_a_submission(self) -> None:
        n = 200000
        zeros = array.array("Q", bytes(8 * n))
        ones = array.array("I", [1]) * n
        with fresh(host__mode="closed") as drive:
            self.interrupted(drive, lambda: drive.submit(sector=zeros, sectors=ones, kind=bytes(n)))

    def test_of_single_writes_with_a_policy(self) -> None:
        with fresh(gc_policy=policy) as drive:
            self.interrupted(drive, lambda: drive.write(drive.now_ns % (END - 8), 8))

    def test_of_a_preparation(self) -> None:
        for wait in 0, 0.01:
            timer = threading.Timer(wait, os.kill, (os.getpid(), signal.SIGINT))
            with self.assertRaises(KeyboardInterrupt):
                timer.start()
                while True:
                    filled = {"mode": "fill", "premap": "none"}
                    with ssdlab.Drive("class", progress=False, precondition=filled) as drive:
                        drive.prepare()
            timer.join()
        self.assertEqual(self.lost, [])


class Memory(unittest.TestCase):
    """A drive that is dropped is freed at once, without the cyclic garbage collector."""

    def setUp(self) -> None:
        gc.collect()
        gc.disable()

    def tearDown(self) -> None:
        gc.enable()

    def freed(self, use: Callable[[ssdlab.Drive], object], **more: Any) -> None:
        given: dict[str, Any] = {"progress": False, **more}
        drive = ssdlab.Drive(TINY, FOLDED, **given)
        fork = drive.fork()
        ends = [one._finalizer for one in (drive, fork)]
        dropped: tuple[weakref.ref[Any], ...] = (
            weakref.ref(drive),
            weakref.ref(fork),
            weakref.ref(drive._callbacks),
        )
        for one in drive, fork:
            with contextlib.suppress(ssdlab.Error, KeyError):
                use(one)
        self.assertTrue(all(end.alive for end in ends))
        del drive, fork, one
        self.assertEqual([kept() for kept in dropped], [None] * 3)
        self.assertFalse(any(end.alive for end in ends))

    def test_it_is_freed_when_it_is_dropped(self) -> None:
        def fail(*_given: object) -> int:
            raise KeyError("mine")

        self.freed(lambda drive: None)
        self.freed(fill)
        self.freed(fill, gc_policy=policy)
        self.freed(fill, gc_policy=fail)
        self.freed(lambda drive: drive.write(END, 1))
        self.freed(lambda drive: drive.run("no-such"))
        self.freed(lambda drive: drive.run("mixed"), progress=fail)
        self.freed(lambda drive: drive.statistics["waf"])
        self.freed(lambda drive: drive.statistic("nonsense"))

    def test_a_drive_that_could_not_be_opened(self) -> None:
        made: list[weakref.ref[ssdlab.Drive]] = []
        begin = ssdlab.Drive._begin

        def note(drive: ssdlab.Drive, *given: Any) -> None:
            made.append(weakref.ref(drive))
            begin(drive, *given)

        with (
            unittest.mock.patch.object(ssdlab.Drive, "_begin", note),
            self.assertRaises(ssdlab.Mistake),
        ):
            ssdlab.Drive("tiny", gc__treshold=1)
        self.assertEqual([one() for one in made], [None])


if __name__ == "__main__":
    unittest.main()
