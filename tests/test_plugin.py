#!/usr/bin/env python3
"""An FTL in a shared object works as if it were compiled in; a faulty one is reported.

    SSD=./ssd SSDLAB_LIBRARY=build/dev/libssdlab.so tests/run tests/test_plugin.py

The objects are made as a user makes them, with `make plugin`, from copies of the skeleton and from the
toolbox of build/dev, whose objects are there.
"""

import json
import os
import re
import shlex
import subprocess
import tempfile
import unittest
from typing import Any, ClassVar

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
SSD = os.path.join(ROOT, os.environ.get("SSD", "./ssd"))
os.environ["SSDLAB_LIBRARY"] = os.path.join(ROOT, os.environ.get("SSDLAB_LIBRARY", "build/dev/libssdlab.so"))

import ssdlab
from lab_fixture import Folder
from tier import LONG

FOLD = {"trace.fold": True}  # the profile addresses terabytes
TINY = os.path.join(ROOT, "parameters/tiny.cfg")
# `make test` runs the first requests of the workload, which fill the drive several times.
PART = {} if LONG else {"trace.limit": 20000}
LIMIT = [word for name, value in PART.items() for word in ("-s", f"{name}={value}")]
# A write to a page that has data leaves the map as it is: the next read of it gets old data.
BUG = "*entry = (struct mine_entry){ to,", "*entry = (struct mine_entry){ entry->sectors ? entry->ppn : to,"
# Shows whether the object has been loaded, by the file that $LOADED names.
TELLS = """
#include <stdio.h>
#include <stdlib.h>
__attribute__((constructor)) static void tell(void)
{
	FILE *file = getenv("LOADED") ? fopen(getenv("LOADED"), "w") : NULL;

	if (file)
		fclose(file);
}
"""


def make(folder: str, name: str, *change: str) -> str:
    with open(os.path.join(ROOT, "ftl/skeleton.c"), encoding="utf-8") as file:
        text = file.read().replace("skeleton", name)
    if change:
        old, new = (word.replace("mine", name) for word in change)
        assert old in text
        text = text.replace(old, new)
    path = os.path.join(folder, name)
    with open(path + ".c", "w", encoding="utf-8") as file:
        file.write(text + TELLS)
    # A user's object is a plain build, whatever the tests are built with.
    made = ("MAKE", "MFLAGS", "BUILD")
    quiet = {key: value for key, value in os.environ.items() if not key.startswith(made)}
    command = ["make", "-s", "plugin", f"FTL={path}.c", "TOOLBOX_IN=build/dev"]
    subprocess.run(command, cwd=ROOT, env=quiet, check=True, capture_output=True)
    return path + ".so"


class Plugin(unittest.TestCase):
    folder: ClassVar[tempfile.TemporaryDirectory[str]]
    mine: ClassVar[str]  # objects
    wrong: ClassVar[str]

    @classmethod
    def setUpClass(cls) -> None:
        cls.folder = tempfile.TemporaryDirectory()
        cls.mine = make(cls.folder.name, "mine")
        cls.wrong = make(cls.folder.name, "wrong", *BUG)

    @classmethod
    def tearDownClass(cls) -> None:
        cls.folder.cleanup()

    def run_with(self, *settings: str) -> Any:
        path = os.path.join(self.folder.name, "run.json")
        words = [part for setting in settings for part in ("-s", setting)]
        command = [SSD, "run", "--quiet", "--verify", "--json", path, *LIMIT, *words, TINY, "mixed"]
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode:
            return done.stderr
        with open(path, encoding="utf-8") as file:
            return json.load(file)

    def same(self, mine: dict[str, Any], skeleton: dict[str, Any]) -> None:
        """All numbers agree, under the names of each FTL."""
        for result in mine, skeleton:
            for name in "run.command", "run.ftl":
                result["statistics"].pop(name)
            result["parameters"].pop("ftl")
        text = json.dumps(mine).replace("mine.", "skeleton.")
        self.assertEqual(json.loads(text), skeleton)

    def test_it_is_the_same_as_compiled_in(self) -> None:
        lists: list[list[str]] = [[], ["buffer=lru", "dram.buffer_bytes=64K", "gc.policy=fifo"]]
        for more in lists:
            result = self.run_with(f"ftl={self.mine}", "mine.report_partial=true", *more)
            self.assertEqual(result["parameters"]["ftl"], self.mine)
            self.assertEqual(result["statistics"]["run.ftl"], "mine")
            self.assertIn("mine.report_partial", result["parameters"])
            self.same(result, self.run_with("ftl=skeleton", "skeleton.report_partial=true", *more))

    def path(self, name: str, text: str) -> str:
        """A file of the test's folder, with this text."""
        path = os.path.join(self.folder.name, name)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        return path

    def drive(self, name: str, ftl: str) -> str:
        """A parameter file that chooses this FTL in its line 3."""
        with open(TINY, encoding="utf-8") as file:
            rest = re.sub(r"(?m)^ftl = .*\n", "", file.read())
        return self.path(name, f'# a drive\n\nftl = "{ftl}";\n{rest}')

    def loads(self, line: str, cwd: str | None = None) -> tuple[bool, subprocess.CompletedProcess[str]]:
        """Runs a line of arguments.  Was an object loaded, and what was said?"""
        told = os.path.join(self.folder.name, "told")
        done = subprocess.run(
            [SSD, *shlex.split(line)],
            capture_output=True,
            text=True,
            cwd=cwd,
            env={**os.environ, "LOADED": told},
            stdin=subprocess.DEVNULL,
        )
        if os.path.exists(told):
            os.unlink(told)
            return True, done
        return False, done

    def is_refused(self, line: str, text: str) -> None:
        """One line with this text, and nothing is loaded."""
        loaded, done = self.loads(line)
        self.assertFalse(loaded, line)
        self.assertEqual(done.returncode, 2, line)
        self.assertIn(text, done.stderr)
        self.assertEqual(done.stderr.count("\n"), 1, done.stderr)

    def test_an_option_chooses_it(self) -> None:
        """--plugin is -s ftl= of a file, and its name may be used."""
        few = "-s trace.limit=1000"
        asked = f"{few} --plugin {self.mine} -s mine.report_partial=true"
        result = self.run_with(f"ftl={self.mine}", "mine.report_partial=true", "trace.limit=1000")
        written = os.path.join(self.folder.name, "option.json")
        run = f"run --quiet --verify --json {written}"
        beside = os.path.basename(self.mine)
        for line, name in (
            (f"{run} {asked} {TINY} mixed", "mine"),
            (f"{run} {asked} -s ftl=mine {TINY} mixed", "mine"),
            (f"{run} {asked} -s ftl=page {TINY} mixed", "page"),
            (f"{run} {asked} {self.drive('named.cfg', 'mine')} mixed", "mine"),
            (f"{run} {asked} {self.drive('page.cfg', 'page')} mixed", "mine"),
            (f"{run} {asked} {self.drive('path.cfg', self.mine)} mixed", "mine"),
            (f"{run} {few} --plugin {beside} -s mine.report_partial=true {TINY} mixed", "mine"),
        ):
            loaded, done = self.loads(line, cwd=self.folder.name)
            self.assertEqual((loaded, done.returncode), (True, 0), done.stderr)
            with open(written, encoding="utf-8") as file:
                made = json.load(file)
            self.assertEqual(made["statistics"]["run.ftl"], name, line)
            if name == "mine":
                self.assertIn(made["parameters"]["ftl"], (self.mine, "./" + beside))
                self.assertEqual(made["statistics"]["waf"], result["statistics"]["waf"])
        for command in (
            "watch --plain -L w0",
            "quiz --paper --questions 1",
            "measure --random",
            "probe --only empty-read -s flash.blocks=1024",
        ):
            loaded, done = self.loads(f"{command} --plugin {self.mine} {TINY}")
            self.assertEqual((loaded, done.returncode), (True, 0), command + done.stderr)
        self.is_refused(f"run -s ftl=mine {TINY} mixed", 'should be "page"')
        self.is_refused(f"run --plugin {self.mine}x -s ftl=page {TINY} mixed", "mine.sox: No such file")
        loaded, done = self.loads(f"run --plugin {self.mine} -s ftl={self.wrong} {TINY} mixed")
        self.assertEqual(done.returncode, 2)
        self.assertIn("wrong.so: another FTL was brought before it", done.stderr)

    def test_only_the_command_line_loads_it(self) -> None:
        """Not a parameter file, nor what that includes, nor a drive of the current folder."""
        drive = self.drive("drive.cfg", self.mine)
        why = (
            f'drive.cfg:3: ftl = "{self.mine}": a shared object is a program, which a parameter file '
            f"cannot start; name it on the command line: --plugin {self.mine}\n"
        )
        including = self.path("including.cfg", '@include "drive.cfg"\n')
        for more in "", "-s ftl=page":
            self.is_refused(f"run {more} {drive} mixed", why)
        for command in "run", "run --check", "watch --plain", "measure", "probe", "quiz":
            trace = "mixed" if command.startswith(("run", "watch")) else ""
            self.is_refused(f"{command} {including} {trace}", why)
        os.makedirs(os.path.join(self.folder.name, "parameters"))
        os.rename(drive, os.path.join(self.folder.name, "parameters/own.cfg"))
        loaded, done = self.loads("run own mixed", cwd=self.folder.name)
        self.assertEqual((loaded, done.returncode), (False, 2))
        self.assertIn("parameters/own.cfg:3: ftl = ", done.stderr)
        os.environ["LOADED"] = told = os.path.join(self.folder.name, "told")
        try:
            with self.assertRaisesRegex(ssdlab.Mistake, "which a parameter file cannot start"):
                ssdlab.Drive(self.drive("drive.cfg", self.mine))
        finally:
            del os.environ["LOADED"]
        self.assertFalse(os.path.exists(told))

    def test_checking_does_not_load_it(self) -> None:
        for option in f"--plugin {self.mine}", f"-s ftl={self.mine}":
            self.is_refused(f"run --check {option} {TINY} mixed", f"{self.mine} is not loaded")

    def test_a_lab_does_not_load_it(self) -> None:
        """The settings of a description are no command line, although they become one."""
        for words in f"ftl={self.mine}", f"--plugin={self.mine}":
            described = self.path(
                "lab.ini",
                f"[experiment]\ndrive = {TINY}\n[axis workload]\n"
                f"mixed = mixed trace.limit=9\n[axis ftl]\nmine = {words}\n[grid]\n"
                "[measures]\nwaf = waf\n",
            )
            told, results = (os.path.join(self.folder.name, name) for name in ("told", "results"))
            done = subprocess.run(
                [os.path.join(ROOT, "scripts/lab"), "run", described, "--results", results],
                capture_output=True,
                text=True,
                cwd=ROOT,
                env={**os.environ, "LOADED": told, "SSD": SSD},
            )
            self.assertEqual(done.returncode, 2, done.stderr)
            self.assertIn(
                f"name it on the command line, --plugin {self.mine}, and write ftl=mine", done.stderr
            )
            self.assertFalse(os.path.exists(told))

    def test_a_foreign_object_is_never_started(self) -> None:
        """It is refused by what stands in its file, so that its constructor does not run."""
        foreign = self.path("foreign.c", TELLS)
        code = foreign[:-1] + "so"
        subprocess.run(["cc", "-shared", "-fPIC", "-o", code, foreign], check=True)
        why = "foreign.so: it is no FTL; `make plugin FTL=NAME.c` compiles one"
        for option in f"--plugin {code}", f"-s ftl={code}":
            self.is_refused(f"run {option} {TINY} mixed", why)
        with open(self.mine, "rb") as file:
            old = re.sub(
                rb"(\d+\.\d+ \d+ \d)\d*\0",
                lambda stamp: stamp[1].ljust(len(stamp[0]), b"\0"),
                file.read(),
                count=1,
            )
        with open(code, "wb") as file:
            file.write(old)
        self.is_refused(f"run --plugin {code} {TINY} mixed", "foreign.so: compiled from other sources")
        pipe = os.path.join(self.folder.name, "pipe.so")
        os.mkfifo(pipe)
        self.is_refused(f"run --plugin {pipe} {TINY} mixed", "pipe.so: it is a pipe or a device, not a file")

    def test_the_library_takes_it_too(self) -> None:
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

    def test_a_bug_of_it_ends_the_call_and_not_the_process(self) -> None:
        for _ in range(20 if LONG else 3):
            with ssdlab.Drive(TINY, FOLD, ftl=self.wrong, verify=True, progress=False) as drive:
                with self.assertRaises(ssdlab.Broken) as caught:
                    drive.run("mixed")
                self.assertRegex(caught.exception.file, r"^\.?/?(observe|flash|ftl|gc)/.*\.c$|wrong\.c$")
                self.assertGreater(caught.exception.line, 0)
                with self.assertRaises(ssdlab.Broken):
                    drive.drain()
        with ssdlab.Drive(TINY, FOLD | PART, ftl=self.mine, verify=True, progress=False) as drive:
            drive.run("mixed")
        self.assertIn("BUG in", self.run_with(f"ftl={self.wrong}"))

    def refused(self, path: str, text: str) -> None:
        said = self.run_with(f"ftl={path}")
        self.assertIsInstance(said, str)
        self.assertIn(text, said)
        self.assertEqual(said.count("\n"), 1)
        with self.assertRaises(ssdlab.Mistake) as caught:
            ssdlab.Drive(TINY, ftl=path)
        self.assertIn(text, str(caught.exception))

    def test_what_is_no_such_file_is_refused(self) -> None:
        other = os.path.join(self.folder.name, "other.so")
        with open(self.mine, "rb") as file:
            code = file.read()
        self.refused("./no-such.so", "no-such.so")
        self.refused(TINY, "tiny.cfg: it is no FTL")
        with open(other, "wb") as file:
            file.write(code)
        self.refused(other, "it has no table ftl_other")
        other = os.path.join(self.folder.name, "old.so")
        stamp = re.findall(rb"(\d+\.\d+ \d+ \d+)\0", code)[0]
        with open(other, "wb") as file:
            file.write(code.replace(stamp, stamp[:-1] + b"x"))
        self.refused(other, "compiled from other sources")


class Sweep(Folder):
    def test_the_lab_runs_a_changed_one_again(self) -> None:
        """Results, and the manifest beside them, are those of the file as it is, also of a kept drive."""
        other = '{ "host", .survivors = 1 }', '{ "host", .survivors = 0 }'
        path, found = os.path.join(self.folder, "mine.so"), []
        self.write(
            "own.ini",
            """
[experiment]
drive = tiny
[axis workload]
w = mixed requests=2000
[axis state]
filled = precondition.mode=fill
[axis ftl]
page = ftl=page
mine = ftl=mine
[measures]
copied = flash.program.gc
partial = mine.partial_writes + 0
""",
        )
        command = [
            SSD,
            "run",
            "-q",
            "--json",
            self.at("it.json"),
            "-s",
            f"ftl={path}",
            "-s",
            "workload.requests=2000",
            "-s",
            "precondition.mode=fill",
            "tiny",
            "mixed",
        ]
        changes: list[tuple[tuple[str, ...], list[str]]] = [
            ((), []),
            (other, []),
            ((), ["--drives"]),
            (other, ["--drives"]),
        ]
        for change, more in changes:
            make(self.folder, "mine", *change)
            self.lab("run", self.at("own.ini"), "--plugin", path, *more)
            subprocess.run(command, check=True, cwd=ROOT)
            page, mine = (
                line.split("\t") for line in self.text("results/own/default/results.tsv").splitlines()[1:]
            )
            self.assertEqual(mine[5], str(json.loads(self.text("it.json"))["statistics"]["flash.program.gc"]))
            self.assertEqual(
                self.lab("rerun", "--plugin", path, self.at("results/own/default")).stdout,
                "2 runs of 2 are the same\n",
            )
            self.assertIn(
                f"--plugin {path}, to load it",
                self.lab("rerun", self.at("results/own/default"), status=2).stderr,
            )
            found.append((page[3], mine[3], mine[5]))
        self.assertEqual(found[:2], found[2:])
        self.assertEqual(found[0][0], found[1][0])
        self.assertNotEqual(found[0][1], found[1][1])
        self.assertNotEqual(found[0][2], found[1][2])


if __name__ == "__main__":
    unittest.main()
