"""A description of a sweep in a folder of its own, and scripts/lab run on it, for tests/test_lab*.py."""

import os
import subprocess
import sys
import tempfile
import unittest
from collections.abc import Mapping

from laboratory import description
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
        env = os.environ | (env or {})
        done = subprocess.run(self.command(*words), capture_output=True, text=True, env=env)
        self.assertEqual(done.returncode, status, done.stderr)
        return done

    def contains(self, page: str, *parts: str) -> None:
        """As assertIn, without the whole page in the complaint."""
        self.assertEqual([part for part in parts if part not in page], [])

    def mistake(self, text: str, says: str) -> None:
        self.write("wrong.ini", text)
        with self.assertRaises(Mistake) as caught:
            description.read(self.at("wrong.ini"), [])
        self.assertIn(says, str(caught.exception))
