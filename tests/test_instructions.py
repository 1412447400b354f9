#!/usr/bin/env python3
"""tests/bench/instructions, with a valgrind that counts as it is told."""

import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest

SCRIPT = pathlib.Path(__file__).parent / "bench" / "instructions"
HEAD = "workload\tcommand\tcompiler\tinstructions\n"
# 1,000,000 instructions, and EACH for each request.
VALGRIND = """#!/bin/sh
requests=$(printf '%s' "$*" | sed 's/.*trace.limit=//')
echo "==7== Collected : $((1000000 + requests * EACH))" >&2
"""
READELF = """#!/bin/sh
echo "String dump of section '.comment':"
echo "  [     0]  GCC: 99"
"""


class Instructions(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        shutil.copy(SCRIPT, self.folder)
        for name, text in (("valgrind", VALGRIND), ("readelf", READELF)):
            (self.folder / name).write_text(text)
            (self.folder / name).chmod(0o755)
        self.compiler = f"{os.uname().machine} GCC: 99"

    def table(self, *compilers: str) -> None:
        rows = [f"page\trun mixed\t{compiler}\t5000\n" for compiler in compilers]
        (self.folder / "instructions.tsv").write_text(HEAD + "".join(rows))

    def run_with(self, each: int, *options: str) -> "subprocess.CompletedProcess[str]":
        environment = {**os.environ, "PATH": f"{self.folder}:{os.environ['PATH']}", "EACH": str(each)}
        command = [str(self.folder / "instructions"), *options, "./ssd"]
        return subprocess.run(command, env=environment, capture_output=True, text=True)

    def test_two_per_cent_are_allowed(self) -> None:
        self.table(self.compiler)
        for each, status in ((5000, 0), (5100, 0), (4900, 0), (5101, 1), (4899, 1)):
            run = self.run_with(each)
            self.assertEqual(run.returncode, status, run.stdout)
            self.assertIn(f"{each} instructions a request, 5000 recorded", run.stdout)

    def test_another_compiler_makes_another_program(self) -> None:
        self.table("m68k GCC: 1")
        run = self.run_with(9000)
        self.assertEqual(run.returncode, 0)
        self.assertIn("+80.0 %", run.stdout)
        self.assertIn(f"nothing is checked: no numbers are recorded for {self.compiler}", run.stdout)
        self.table("m68k GCC: 1", self.compiler)
        self.assertEqual(self.run_with(9000).returncode, 1)

    def test_recording_keeps_other_compilers(self) -> None:
        self.table("m68k GCC: 1", self.compiler)
        self.assertEqual(self.run_with(9000, "--record").returncode, 0)
        rows = (self.folder / "instructions.tsv").read_text().splitlines()[1:]
        self.assertEqual(
            sorted(rows),
            sorted(["page\trun mixed\tm68k GCC: 1\t5000", f"page\trun mixed\t{self.compiler}\t9000"]),
        )
        self.assertEqual(self.run_with(9000).returncode, 0)


if __name__ == "__main__":
    unittest.main()
