#!/usr/bin/env python3
"""An FTL in a shared object works as if it were compiled in; a faulty one is reported.

    SSD=./ssd SSDLAB_LIBRARY=build/dev/libssdlab.so tests/test_plugin.py

The objects are made as a user makes them, with `make plugin`, from copies of the skeleton.
"""

import json
import os
import re
import subprocess
import sys
import tempfile
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
SSD = os.path.join(ROOT, os.environ.get("SSD", "./ssd"))
os.environ["SSDLAB_LIBRARY"] = os.path.join(ROOT, os.environ.get("SSDLAB_LIBRARY", "build/dev/libssdlab.so"))
sys.path.insert(0, os.path.join(ROOT, "library", "python"))

import ssdlab  # noqa: E402
from lab_fixture import Folder  # noqa: E402

FOLD = {"trace.fold": True}  # the profile addresses terabytes
TINY = os.path.join(ROOT, "parameters/tiny.cfg")
# A write to a page that has data leaves the map as it is: the next read of it gets old data.
BUG = "*entry = (struct mine_entry){ to,", "*entry = (struct mine_entry){ entry->sectors ? entry->ppn : to,"


def make(folder, name, *change):
    with open(os.path.join(ROOT, "ftl/skeleton.c"), encoding="utf-8") as file:
        text = file.read().replace("skeleton", name)
    if change:
        assert change[0].replace("mine", name) in text
        text = text.replace(*(word.replace("mine", name) for word in change))
    path = os.path.join(folder, name)
    with open(path + ".c", "w", encoding="utf-8") as file:
        file.write(text)
    # A user's object is a plain build, whatever the tests are built with.
    made = ("MAKE", "MFLAGS", "BUILD")
    quiet = {key: value for key, value in os.environ.items() if not key.startswith(made)}
    command = ["make", "-s", "plugin", f"FTL={path}.c"]
    subprocess.run(command, cwd=ROOT, env=quiet, check=True, capture_output=True)
    return path + ".so"


class Plugin(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.mine = make(cls.folder.name, "mine")
        cls.wrong = make(cls.folder.name, "wrong", *BUG)

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def run_with(self, *settings):
        path = os.path.join(self.folder.name, "run.json")
        words = [part for setting in settings for part in ("-s", setting)]
        command = [SSD, "run", "--quiet", "--verify", "--json", path, *words, TINY, "mixed"]
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode:
            return done.stderr
        with open(path, encoding="utf-8") as file:
            return json.load(file)

    def same(self, mine, skeleton):
        """All numbers agree, under the names of each FTL."""
        for result in mine, skeleton:
            for name in "run.command", "run.ftl":
                result["statistics"].pop(name)
            result["parameters"].pop("ftl")
        text = json.dumps(mine).replace("mine.", "skeleton.")
        self.assertEqual(json.loads(text), skeleton)

    def test_it_is_the_same_as_compiled_in(self):
        for more in [], ["buffer=lru", "dram.buffer_bytes=64K", "gc.policy=fifo"]:
            result = self.run_with(f"ftl={self.mine}", "mine.report_partial=true", *more)
            self.assertEqual(result["parameters"]["ftl"], self.mine)
            self.assertEqual(result["statistics"]["run.ftl"], "mine")
            self.assertIn("mine.report_partial", result["parameters"])
            self.same(result, self.run_with("ftl=skeleton", "skeleton.report_partial=true", *more))

    def test_a_parameter_file_may_name_it(self):
        """As "-s ftl=" does; the command line overrides the file."""
        result = self.run_with(f"ftl={self.mine}", "mine.report_partial=true")
        path = os.path.join(self.folder.name, "drive.cfg")
        with open(TINY, encoding="utf-8") as file:
            text = file.read().replace('ftl = "page"', f'ftl = "{self.mine}"')
        with open(path, "w", encoding="utf-8") as file:
            file.write(text + "mine: { report_partial = true; };\n")
        written = os.path.join(self.folder.name, "file.json")
        command = [SSD, "run", "--quiet", "--verify", "--json", written, path, "mixed"]
        for more, name in ([], "mine"), (["-s", f"ftl={self.mine}"], "mine"), (["-s", "ftl=page"], "page"):
            subprocess.run(command + more, capture_output=True, check=True)
            with open(written, encoding="utf-8") as file:
                statistics = json.load(file)["statistics"]
            self.assertEqual(statistics["run.ftl"], name)
            if name == "mine":
                self.assertEqual(statistics["waf"], result["statistics"]["waf"])
        done = subprocess.run(command + ["-s", f"ftl={self.wrong}"], capture_output=True, text=True)
        self.assertEqual(done.returncode, 2)
        self.assertIn("mine.so: another FTL was brought before it", done.stderr)

    def test_the_library_takes_it_too(self):
        texts = []
        for ftl in self.mine, "skeleton":
            with ssdlab.Drive(TINY, FOLD, ftl=ftl, verify=True, progress=False, trace__limit=1500) as drive:
                drive.run("mixed")
                with drive.fork() as fork:
                    fork.write(0, 8)
                    fork.drain()
                    fork.check()
                texts.append(json.loads(drive.json()))
        self.same(*texts)

    def test_a_bug_of_it_ends_the_call_and_not_the_process(self):
        for _ in range(20):
            with ssdlab.Drive(TINY, FOLD, ftl=self.wrong, verify=True, progress=False) as drive:
                with self.assertRaises(ssdlab.Broken) as caught:
                    drive.run("mixed")
                self.assertRegex(caught.exception.file, r"^\.?/?(observe|flash|ftl|gc)/.*\.c$|wrong\.c$")
                self.assertGreater(caught.exception.line, 0)
                with self.assertRaises(ssdlab.Broken):
                    drive.drain()
        with ssdlab.Drive(TINY, FOLD, ftl=self.mine, verify=True, progress=False) as drive:
            drive.run("mixed")
        self.assertIn("BUG in", self.run_with(f"ftl={self.wrong}"))

    def refused(self, path, text):
        said = self.run_with(f"ftl={path}")
        self.assertIsInstance(said, str)
        self.assertIn(text, said)
        self.assertEqual(said.count("\n"), 1)
        with self.assertRaises(ssdlab.Mistake) as caught:
            ssdlab.Drive(TINY, ftl=path)
        self.assertIn(text, str(caught.exception))

    def test_what_is_no_such_file_is_refused(self):
        other = os.path.join(self.folder.name, "other.so")
        with open(self.mine, "rb") as file:
            code = file.read()
        self.refused("./no-such.so", "no-such.so")
        self.refused(TINY, "tiny.cfg")
        with open(other, "wb") as file:
            file.write(code)
        self.refused(other, "it has no table ftl_other")
        other = os.path.join(self.folder.name, "old.so")
        stamp = re.search(rb"(\d+\.\d+ \d+ \d+)\0", code)[1]
        with open(other, "wb") as file:
            file.write(code.replace(stamp, stamp[:-1] + b"x"))
        self.refused(other, "compiled from other sources")


class Sweep(Folder):
    def test_the_lab_runs_a_changed_one_again(self):
        """Results, and the manifest beside them, are those of the file as it is, also of a kept drive."""
        other = '{ "host", .survivors = 1 }', '{ "host", .survivors = 0 }'
        path, found = os.path.join(self.folder, "mine.so"), []
        self.write("own.ini", f"""
[experiment]
drive = tiny
[axis workload]
w = mixed requests=2000
[axis state]
filled = precondition.mode=fill
[axis ftl]
page = ftl=page
mine = ftl={path}
[measures]
copied = flash.program.gc
partial = mine.partial_writes + 0
""")
        command = [SSD, "run", "-q", "--json", self.at("it.json"), "-s", f"ftl={path}", "-s",
                   "workload.requests=2000", "-s", "precondition.mode=fill", "tiny", "mixed"]
        for change, more in ((), []), (other, []), ((), ["--drives"]), (other, ["--drives"]):
            make(self.folder, "mine", *change)
            self.lab("run", self.at("own.ini"), *more)
            subprocess.run(command, check=True, cwd=ROOT)
            page, mine = (line.split("\t") for line in
                          self.text("results/own/default/results.tsv").splitlines()[1:])
            self.assertEqual(mine[5], str(json.loads(self.text("it.json"))["statistics"]["flash.program.gc"]))
            self.assertEqual(self.lab("rerun", self.at("results/own/default")).stdout,
                             "2 runs of 2 are the same\n")
            found.append((page[3], mine[3], mine[5]))
        self.assertEqual(found[:2], found[2:])
        self.assertEqual(found[0][0], found[1][0])
        self.assertNotEqual(found[0][1], found[1][1])
        self.assertNotEqual(found[0][2], found[1][2])


if __name__ == "__main__":
    unittest.main()
