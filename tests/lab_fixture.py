"""A description of a sweep in a folder of its own, and scripts/lab run on it, for tests/test_lab*.py."""

import argparse
import os
import runpy
import subprocess
import sys
import tempfile
import traceback
import unittest
from collections.abc import Iterator, Mapping
from typing import NoReturn

from laboratory import description
from laboratory.figures import Figure
from laboratory.mistake import Mistake

SSD = os.environ.get("SSD", "./ssd")
SWEEP = """
[experiment]
drive = parameters/tiny.cfg
[numbers]
n = 300
[axis workload]
mixed = mixed requests={n} space={3*1024}K
trace = traces/samples/random.trace trace.limit={n}
[axis ftl]
page across = ftl=*
[axis cache]
1K 4K = map.cache_bytes=*
[axis seed]
1..2 = seed=*
[defaults]
cache = 4K
[grid]
cache = 1K 4K
[grid more]
cache = 1K
ftl = page
[measures]
programs = flash.program.total
doubled = programs * 2
per_read = programs / flash.read.merge
areas = across.direct_write + 0
[figure lines]
title = Fig. 1
plot = lines
measure = programs
x = cache
series = ftl
panels = workload
[figure bars]
plot = bars
measure = programs | doubled
series = ftl
over = page
"""
HEAD = "id\tkind\twhere\twhat\tmeasure\trelation\tpaper\tunit\ttolerance\tnote\n"
PUBLISHED = (
    HEAD
    + """# a remark
same\t\tFig. 1\tnothing\tmean(programs[page] / programs[page])\t=\t1\tfactor\t\t
far\t\tFig. 2\tmuch\tmean(doubled[across cache=*]) / mean(programs[across cache=*]) - 1\t=\t10\tchange\t\t\
because
none\t\tFig. 2\tnothing\tmean(areas[page])\t=\t1\tcount\t\t
count\t\tFig. 3\tboth\tcount(programs[page] < doubled[page])\tholds\t2\tcases\t\t
"""
)


def play(script: str, words: list[str]) -> NoReturn:
    """In a child: runs the script, as the interpreter would, and ends with its status."""
    status = 1
    try:
        sys.argv = [script, *words]
        runpy.run_path(script, run_name="__main__")
        status = 0
    except SystemExit as end:
        status = end.code if isinstance(end.code, int) else 1 if end.code else 0
        if status and not isinstance(end.code, int):
            print(end.code, file=sys.stderr)
    except BaseException:
        traceback.print_exc()
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(status)


def forked(script: str, words: list[str], env: Mapping[str, str]) -> subprocess.CompletedProcess[str]:
    """The script in a child of this process, which has its modules already: an interpreter for each of the
    170 commands of these tests takes longer than what they do."""
    with tempfile.TemporaryFile("w+") as out, tempfile.TemporaryFile("w+") as err:
        child = os.fork()
        if not child:
            os.dup2(out.fileno(), 1)
            os.dup2(err.fileno(), 2)
            sys.stdout, sys.stderr = os.fdopen(1, "w", closefd=False), os.fdopen(2, "w", closefd=False)
            os.environ.update(env)
            play(script, words)
        status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        out.seek(0)
        err.seek(0)
        return subprocess.CompletedProcess([script, *words], status, out.read(), err.read())


LAB = runpy.run_path("scripts/lab")


class Folder(unittest.TestCase):
    """A test with a description in a folder of its own."""

    def setUp(self) -> None:
        kept = tempfile.TemporaryDirectory()
        self.addCleanup(kept.cleanup)
        self.folder, self.ssd, self.jobs = kept.name, SSD, "2"
        os.mkdir(self.at("sweep"))
        self.write("sweep/experiment.ini", SWEEP)
        self.write("sweep/published.tsv", PUBLISHED)

    def at(self, name: str) -> str:
        return os.path.join(self.folder, name)

    def write(self, name: str, text: str) -> None:
        with open(self.at(name), "w", encoding="utf-8") as file:
            file.write(text)

    def text(self, name: str) -> str:
        with open(self.at(name), encoding="utf-8") as file:
            return file.read()

    def command(self, *words: str) -> list[str]:
        return [
            sys.executable,
            "scripts/lab",
            *words,
            "--ssd",
            self.ssd,
            "--results",
            self.at("results"),
            "-j",
            self.jobs,
        ]

    def lab(
        self, *words: str, status: int = 0, env: Mapping[str, str] | None = None
    ) -> subprocess.CompletedProcess[str]:
        """`env`: variables besides those of this process."""
        done = forked("scripts/lab", self.command(*words)[2:], env or {})
        self.assertEqual(done.returncode, status, done.stderr)
        return done

    def figures(self, description: str, *words: str) -> Iterator[Figure]:
        """All figures of the description, made and not drawn."""
        options = {"ssd": self.ssd, "jobs": 1, "results": self.at("results"), "drives": False, "plugin": []}
        lab = LAB["Laboratory"](
            argparse.Namespace(command="report", description=description, words=words, **options)
        )
        for name in lab.experiment.figures:
            for figure, _ in lab.figures(name, lab.values):
                yield figure

    def contains(self, page: str, *parts: str) -> None:
        """As assertIn, without the whole page in the complaint."""
        self.assertEqual([part for part in parts if part not in page], [])

    def mistake(self, text: str, says: str) -> None:
        self.write("wrong.ini", text)
        with self.assertRaises(Mistake) as caught:
            description.read(self.at("wrong.ini"), [])
        self.assertIn(says, str(caught.exception))
