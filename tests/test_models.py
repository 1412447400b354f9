#!/usr/bin/env python3
"""Models of tests/models: some rows of each, and that a wrong row is found.  All rows: `make models`."""

import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from tier import LONG

HERE = Path(__file__).resolve().parent
MODELS = sorted(path.name for path in (HERE / "models").glob("*.py") if os.access(path, os.X_OK))
SAMPLES = {  # words of the rows that are compared
    "cdftl.py": ["lcg_t0_hot", "256+1 fold=1"],
    "classes.py": ["lcg_runs", "planes=1"],
    "dftl.py": ["websearch", "slru"],
    "events.py": ["ev-parts-110"],
    "handles.py": ["lcg_mix_28"],
    "leaftl.py": ["lcg_t0_uniform", "gamma=1 4096B"],
    "logblock.py": ["financial"],
    "minipage.py": ["syn_5000", "pm page=8 fill=0"],
    "parity.py": ["fail_at", "rebuild=all"],
    "page.py": ["lcg_runs_3", "planes=4"],
    "retention.py": ["lcg_mix", "rreads=60"],
    "sftl.py": ["websearch", "1-bit 4096B"],
    "slc.py": ["lcg_mix_13", "planes=4", "fold"],
    "tpftl.py": ["lcg_t0_hot", "rsbc 1024B"],
    "zones.py": ["zones_55"],
}


def check(folder: Path, model: str, words: list[str]) -> tuple[int, str]:
    done = subprocess.run(
        [sys.executable, str(folder / "models" / model), "--check", *words], capture_output=True, text=True
    )
    return done.returncode, done.stdout


class Models(unittest.TestCase):
    def test_some_rows_of_each_are_equal(self) -> None:
        for model in MODELS if LONG else MODELS[::3]:  # the others: `make check`
            with self.subTest(model):
                status, output = check(HERE, model, SAMPLES[model])
                tables = re.findall(r"^(\d+) of (\d+) equal$", output, re.M)
                self.assertEqual((status, [a for a, _ in tables]), (0, [b for _, b in tables]), output)
                self.assertGreater(sum(int(total) for _, total in tables), 5)

    def test_a_wrong_row_is_found(self) -> None:
        trace, model = "lcg_runs_3_L14336_n1200", "base planes=1 blocks=256 ppb=64 sep=1"
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            shutil.copytree(HERE / "models", folder / "models")
            (folder / "golden" / "traces").mkdir(parents=True)
            shutil.copy(HERE / "golden" / "traces" / f"{trace}.trace.xz", folder / "golden" / "traces")
            for other in ("buffer", "classes"):
                (folder / "golden" / f"{other}-counts.tsv").write_text("")
            (folder / "golden" / "space-counts.tsv").write_text(
                f"golden\t{trace}\t{model}\tprograms\t38391\ngolden\t{trace}\t{model}\trmw_reads\t1\n"
                f"golden\tabsent\t{model}\tprograms\t1\n"
            )
            status, output = check(folder, "page.py", [])
        self.assertEqual(status, 1)
        self.assertIn(f"{trace}, {model}: rmw_reads 0, not 1\n", output)
        self.assertIn("1 rows not compared: no file of trace absent\n1 of 2 equal\n", output)


if __name__ == "__main__":
    unittest.main()
