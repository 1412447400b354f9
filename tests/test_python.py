#!/usr/bin/env python3
"""The Python package: the program's results, an exception for every mistake, the header's declarations.

    SSD=./ssd SSDLAB_LIBRARY=build/dev/libssdlab.so tests/run tests/test_python.py

Needs neither numpy nor pandas; tests/python.sh installs the package with them.
"""

import array
import ast
import ctypes
import functools
import inspect
import json
import os
import re
import subprocess
import sys
import tempfile
import threading
import unittest
import xml.etree.ElementTree
from collections.abc import Callable, Iterator, Mapping
from typing import Any

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
SSD = os.path.join(ROOT, os.environ.get("SSD", "./ssd"))
os.environ.setdefault("SSDLAB_LIBRARY", os.path.join(ROOT, "build/dev/libssdlab.so"))
os.environ["SSDLAB_LIBRARY"] = os.path.join(ROOT, os.environ["SSDLAB_LIBRARY"])

import ssdlab
from ssdlab import _library, columns

TINY = os.path.join(ROOT, "parameters/tiny.cfg")
with open(os.path.join(ROOT, "library/ssdlab.h"), encoding="utf-8") as header:
    HEADER = re.sub(r"/\*.*?\*/", "", header.read(), flags=re.S)
VARIANTS: list[dict[str, Any]] = [
    {"buffer": "lru", "dram.buffer_bytes": "64K"},
    {"gc": {"policy": "cost_benefit"}},
    {"ftl": "across", "buffer": "lru", "dram.buffer_bytes": "64K"},
    {"host.layer": "indirect"},
    {"host.mode": "closed", "host.queue_depth": 7},
]


def ftls() -> list[str]:
    listed = subprocess.run([SSD, "list", "ftls"], capture_output=True, text=True, check=True).stdout
    return re.findall(r"^  (\w+) ", listed, re.M)


def words(settings: Mapping[str, Any], group: str = "") -> Iterator[str]:
    for key, value in settings.items():
        if isinstance(value, dict):
            yield from words(value, f"{key}.")
        else:
            yield f"{group}{key}={value}"


def by_program(settings: Mapping[str, Any], *more: str) -> tuple[str | None, str]:
    """The text of --json, or the line of the refusal."""
    given = [part for word in words(settings) for part in ("-s", word)]
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "run.json")
        command = [SSD, "run", "--quiet", "--json", path, *more, *given, TINY, "mixed"]
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode:
            return None, done.stderr
        with open(path, encoding="utf-8") as file:
            return file.read(), ""


def quiet(**more: Any) -> ssdlab.Drive:
    """A drive without a preparation that reads the workload."""
    return ssdlab.Drive(TINY, precondition__premap="none", progress=False, **more)


def mixed(drive: ssdlab.Drive, n: int, first: int = 0) -> dict[str, list[int]]:
    """Requests of a pattern, as columns."""
    rows = range(first, first + n)
    return {
        "arrival_ns": [i * 30000 for i in rows],
        "sector": [(i * 7919) % (drive.sectors - 8) for i in rows],
        "sectors": [1 + i % 8 for i in rows],
        "kind": [(0, 1, 1, 2 if i % 5 == 0 else 1)[i % 4] for i in rows],
    }


class Bytes(unittest.TestCase):
    def test_a_run_is_that_of_the_program(self) -> None:
        for variant in [{"ftl": name} for name in ftls()] + VARIANTS:
            settings = {**variant, "trace.limit": 1500}
            written, refused = by_program(settings, "--verify")
            with self.subTest(settings=settings):
                try:
                    with ssdlab.Drive(TINY, settings, verify=True, progress=False, trace__fold=True) as drive:
                        drive.run("mixed")
                        run = json.loads(written or "")["statistics"]
                        text = drive.json(run["run.command"], run["run.parameters"], run["run.workload"])
                        self.assertEqual(text, written)
                except ssdlab.Mistake as mistake:
                    self.assertIn(str(mistake), refused)

    def test_columns_cut_anywhere_are_the_same(self) -> None:
        texts = set()
        for piece in (1, 7, 400):
            with quiet(verify=True) as drive:
                for first in range(0, 400, piece):
                    drive.submit(mixed(drive, min(piece, 400 - first), first))
                drive.drain()
                texts.add(drive.json())
        self.assertEqual(len(texts), 1)

    def test_columns_of_a_buffer_are_not_copied(self) -> None:
        values = array.array("Q", [1, 2, 3])
        address, length, _ = columns.column("sector", values, ctypes.c_uint64)
        self.assertEqual(length, 3)
        self.assertEqual(address, values.buffer_info()[0])

    def test_requests_one_by_one(self) -> None:
        with quiet(verify=True, completions="parts") as drive:
            drive.write(0, 8, arrival_ns=100, tag=5)
            drive.read(0, 8, arrival_ns=9000000, tag=6)
            drive.trim(0, 8, tag=7)
            drive.drain()
            done = [row.tag for most in (0, 1, 0, None) for row in drive.completions(most)]
            self.assertEqual(done, [5, 7, 6])
            self.assertEqual(drive.statistics["run.served"], 3)
            self.assertEqual(drive.statistic("request.write.count"), 1)

    def test_a_flush_and_fua_wait_for_the_flash(self) -> None:
        with quiet(verify=True, completions="times", host__write_done="memory") as drive:
            drive.write(0, 4, arrival_ns=1000, tag=1)
            drive.flush(arrival_ns=2000, tag=2)
            drive.write(4, 4, arrival_ns=1000000, tag=3, fua=True)
            drive.submit(
                sector=[8, 0, 12],
                sectors=[4, 0, 4],
                kind=[ssdlab.Kind.WRITE, ssdlab.Kind.FLUSH, ssdlab.Kind.WRITE],
                arrival_ns=[2000000, 2000000, 3000000],
                flags=[0, 0, ssdlab.Flags.FUA],
                tag=[4, 5, 6],
            )
            drive.drain()
            took = {row.tag: row.completion_ns - row.arrival_ns for row in drive.completions()}
            self.assertEqual([tag for tag in sorted(took) if took[tag] > 100000], [2, 3, 5, 6])
            self.assertEqual(drive.statistic("request.flush.count"), 2)
            self.assertEqual(drive.statistic("request.fua.count"), 2)


class Forks(unittest.TestCase):
    def test_forks_in_threads_give_the_same_bytes(self) -> None:
        with quiet(verify=True) as drive:
            drive.submit(mixed(drive, 300))
            forks = [drive.fork() for _ in range(4)]
            threads = [threading.Thread(target=fork.submit, args=(mixed(drive, 300, 300),)) for fork in forks]
            before = drive.json()
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
            self.assertEqual(drive.json(), before)
            drive.submit(mixed(drive, 300, 300))
            for one in [drive, *forks]:
                one.drain()
            self.assertEqual({one.json() for one in forks}, {drive.json()})
            for one in forks:
                one.close()

    def test_a_drive_is_saved_and_loaded(self) -> None:
        with tempfile.TemporaryDirectory() as folder, quiet() as drive:
            path = os.path.join(folder, "saved")
            drive.submit(mixed(drive, 300))
            drive.save(path)
            with quiet().load(path) as again:
                for one in drive, again:
                    one.submit(mixed(one, 300, 300))
                    one.drain()
                self.assertEqual(drive.json(), again.json())


class Policies(unittest.TestCase):
    def same(self, settings: dict[str, object], key: str, name: str, **brought: Any) -> None:
        """A policy in Python that does what one of ssdlab does: the same results, under its own name."""
        texts = []
        ours: dict[str, Any] = {"settings": {**settings, key: name}}
        theirs: dict[str, Any] = {"settings": settings, **brought}
        for more in ours, theirs:
            with quiet(verify=True, **more) as drive:
                drive.submit(mixed(drive, 900))
                with drive.fork() as fork:
                    fork.submit(mixed(fork, 300, 900))
                    fork.drain()
                    texts.append(json.loads(fork.json()))
        self.assertEqual(texts[0]["parameters"].pop(key), name)
        self.assertEqual(texts[1]["parameters"].pop(key), "mine")
        texts[0]["statistics"].pop("run.buffer")
        texts[1]["statistics"].pop("run.buffer")
        self.assertEqual(texts[0], texts[1])

    def test_a_collection_policy(self) -> None:
        asked = []

        @ssdlab.gc_policy
        def mine(plane: int, blocks: Any) -> int:
            asked.append(plane)
            values = []
            for i, block in enumerate(blocks):
                live, pages = int(block.valid_pages), block.pages
                benefit = (block.age + 1) * (pages - live) / (2 * live) if live else 1e300
                values.append((-benefit, block.block, i))
            return min(values)[2]

        self.same({}, "gc.policy", "cost_benefit", gc_policy=mine)
        self.assertGreater(len(asked), 50)

    def test_a_choice_of_the_buffer(self) -> None:
        def mine(pages: Any) -> int:
            return min(range(len(pages)), key=lambda i: pages[i].used)

        self.same({"dram.buffer_bytes": "32K"}, "buffer", "lru", buffer_policy=mine)

    def test_an_exception_of_a_policy_is_raised_behind_the_call(self) -> None:
        def mine(_plane: int, _blocks: Any) -> int:
            raise KeyError("mine")

        with quiet(gc_policy=mine, verify=True) as drive:
            with self.assertRaises(KeyError):
                drive.submit(mixed(drive, 900))
            drive.drain()
            drive.check()
            self.assertEqual(drive.statistic("run.served"), 900)
        with (
            quiet(gc_policy=lambda plane, blocks: len(blocks)) as drive,
            self.assertRaises(ssdlab.Mistake),
        ):
            drive.submit(mixed(drive, 900))
        with self.assertRaises(ssdlab.Mistake):
            quiet(gc_policy=ssdlab.policies.GcPolicy(mine, "greedy"))


class Mistakes(unittest.TestCase):
    def refused(self, text: str, call: Callable[[], object], kind: type[Exception] = ssdlab.Mistake) -> None:
        with self.assertRaises(kind) as caught:
            call()
        self.assertIn(text, str(caught.exception))
        self.assertNotIn("\n", str(caught.exception))

    def test_each_is_an_exception_with_the_line_of_the_program(self) -> None:
        wrong: list[dict[str, object]] = [
            {"gc.treshold": 1},
            {"gc.threshold": 2},
            {"flash.pages": 0},
            {"ftl": "pages"},
        ]
        for settings in wrong:
            _, said = by_program(settings)
            line = said[len("ssd: ") :].strip()
            self.refused(line, functools.partial(ssdlab.Drive, TINY, settings))
        self.refused("missing.cfg", lambda: ssdlab.Drive("missing.cfg"))
        unknown: Any = "all"
        self.refused("completions", lambda: ssdlab.Drive(TINY, completions=unknown))
        self.assertTrue(issubclass(ssdlab.Mistake, ValueError))

    def test_requests_that_cannot_be(self) -> None:
        with quiet() as drive:
            end = drive.sectors
            self.refused("beyond the drive", lambda: drive.read(end, 1))
            self.refused("kind 9", lambda: drive.submit(sector=[0], sectors=[1], kind=[9]))
            self.refused("0 sectors", lambda: drive.submit(sector=[0], sectors=[1], kind=[4]))
            self.refused("flags 1", lambda: drive.submit(sector=[0], sectors=[1], kind=[0], flags=[1]))
            self.refused("sectors is missing", lambda: drive.submit(sector=[0], kind=[1]))
            self.refused("2 rows", lambda: drive.submit(sector=[0], sectors=[1, 1], kind=[1]))
            self.refused("sector", lambda: drive.submit(sector=[-1], sectors=[1], kind=[1]))
            self.refused("no-such", lambda: drive.run("no-such"))
            self.refused("nonsense", lambda: drive.statistic("nonsense"))
            self.refused("workload", lambda: ssdlab.Drive(TINY).submit(sector=[0], sectors=[1], kind=[1]))
            drive.write(0, 4)
            drive.drain()
            self.assertEqual(drive.statistic("run.served"), 1)
        self.refused("closed", drive.drain)

    def test_a_damaged_file(self) -> None:
        with tempfile.TemporaryDirectory() as folder, quiet() as drive:
            path = os.path.join(folder, "saved")
            drive.save(path)
            with open(path, "r+b") as file:
                file.seek(-20, os.SEEK_END)
                file.write(b"damaged!")
            self.refused("damaged: its content", lambda: quiet().load(path))
            drive.write(0, 4)

    def test_a_full_drive_can_be_asked(self) -> None:
        with quiet(flash__endurance=1, precondition__mode="none") as drive:
            with self.assertRaises(ssdlab.DriveFull):
                for i in range(5000):
                    drive.write(i * 4 % drive.sectors, 4)
            self.refused("worn out after", lambda: drive.write(0, 4), ssdlab.DriveFull)
            drive.drain()
            self.assertEqual(drive.statistics["run.drive_failed"], 1)

    def test_an_exception_of_the_progress_function_ends_the_call(self) -> None:
        def interrupt(_requests: int, _share: float) -> None:
            raise KeyboardInterrupt

        quick = {"precondition.mode": "none", "trace": {"limit": 9000, "fold": True}}
        with (
            ssdlab.Drive(TINY, quick, progress=interrupt) as drive,
            self.assertRaises(KeyboardInterrupt),
        ):
            drive.run("mixed")
        with ssdlab.Drive(TINY, quick, progress=lambda *_: True) as drive:
            self.refused("stopped", lambda: drive.run("mixed"), ssdlab.Stopped)

    def test_a_lack_of_memory_is_an_exception(self) -> None:
        program = (
            "import resource, ssdlab\n"
            "resource.setrlimit(resource.RLIMIT_AS, (400 << 20, 400 << 20))\n"
            "try: ssdlab.Drive(flash__blocks=400000)\n"
            "except MemoryError as error: print(error)\n"
            "ssdlab.Drive('tiny').close()\n"
        )
        environment = {**os.environ, "PYTHONPATH": os.path.join(ROOT, "library", "python")}
        done = subprocess.run(
            [sys.executable, "-c", program], capture_output=True, text=True, env=environment, cwd=ROOT
        )
        self.assertEqual(done.stderr, "")
        self.assertIn("out of memory: the", done.stdout)


class Words(unittest.TestCase):
    """The declarations in Python agree with the header."""

    def test_functions_have_the_arguments_of_the_header(self) -> None:
        declared = re.findall(r"SSDLAB_API ([^;(]*?)(ssdlab_\w+)\(([^;]*)\);", HEADER)
        self.assertEqual([name for _, name, _ in declared], list(_library.FUNCTIONS))
        for result, name, arguments in declared:
            kinds = [] if arguments.strip() == "void" else arguments.split(",")
            has, takes = _library.FUNCTIONS[name]
            self.assertEqual(len(kinds), len(takes), name)
            self.assertEqual(self.kind_of(result), self.sort(has), name)
            for word, kind in zip(kinds, takes):
                self.assertEqual(self.kind_of(word), self.sort(kind), f"{name}: {word}")

    def test_structs_have_the_fields_of_the_header(self) -> None:
        structs = {
            "options": _library.Options,
            "request": _library.Request,
            "columns": _library.Columns,
            "completion": _library.Completion,
            "block": _library.Block,
            "page": _library.Page,
        }
        for name, struct in structs.items():
            body = re.findall(rf"struct ssdlab_{name} \{{(.*?)\n\}};", HEADER, re.S)[0]
            fields = []
            for line in body.split(";")[:-1]:
                first, *rest = line.split(",")
                kind, field = re.findall(r"^\s*(.*?)(\w+)(?:\[\d+\])?$", first, re.S)[0]
                fields += [(field, kind)] + [(re.findall(r"\w+", more)[0], kind) for more in rest]
            self.assertEqual([field for field, _ in fields], [field for field, *_ in struct._fields_], name)
            for (field, kind), (_, has, *_) in zip(fields, struct._fields_):
                has = getattr(has, "_type_", has) if "Array" in type(has).__name__ else has
                self.assertEqual(self.kind_of(kind), self.sort(has), f"{name}.{field}")
        types = dict(field[:2] for field in _library.Request._fields_)
        self.assertEqual({name: types[name] for name in _library.COLUMNS}, _library.COLUMNS)

    def test_numbers_are_those_of_the_header(self) -> None:
        numbers = dict(re.findall(r"SSDLAB_(\w+) = (\d+)", HEADER))
        for name in ("OK", "MISTAKE", "DRIVE_FULL", "NO_MEMORY", "STOPPED", "BROKEN", "TIMES", "PARTS"):
            self.assertEqual(getattr(_library, name), int(numbers[name]))
        for kind in ssdlab.Kind:
            self.assertEqual(kind, int(numbers[kind.name]))
        self.assertEqual(ssdlab.Flags.FUA, int(re.findall(r"SSDLAB_FUA (\d+)", HEADER)[0]))
        self.assertEqual(_library.ABI, int(re.findall(r"SSDLAB_ABI (\d+)", HEADER)[0]))

    def kind_of(self, word: str) -> str:
        if "*" in word:
            return "pointer"
        for kind in ("uint64_t", "uint32_t", "uint8_t", "size_t", "double", "void"):
            if kind in word:
                return {"size_t": "uint64_t"}.get(kind, kind)
        return "int"

    def sort(self, kind: Any) -> str:
        if kind is None:
            return "void"
        names = {
            ctypes.c_uint64: "uint64_t",
            ctypes.c_size_t: "uint64_t",
            ctypes.c_uint32: "uint32_t",
            ctypes.c_uint8: "uint8_t",
            ctypes.c_double: "double",
            ctypes.c_int: "int",
        }
        return names.get(kind, "pointer")

    def test_everything_public_has_words_and_types(self) -> None:
        for name in ssdlab.__all__:
            thing = getattr(ssdlab, name)
            self.assertTrue(thing.__doc__, name)
            for method, function in vars(thing).items() if name in ("Drive", "Statistics") else ():
                function = function.fget if isinstance(function, property) else function
                if method.startswith("_") or not inspect.isfunction(function):
                    continue
                self.assertTrue(function.__doc__, method)
                parameters = list(inspect.signature(function).parameters.values())[1:]
                for parameter in parameters:
                    self.assertIsNot(parameter.annotation, inspect.Parameter.empty, f"{method}: {parameter}")

    def test_every_function_has_types(self) -> None:
        folder = os.path.dirname(ssdlab.__file__)
        for name in sorted(os.listdir(folder)):
            if not name.endswith(".py"):
                continue
            with open(os.path.join(folder, name), encoding="utf-8") as file:
                tree = ast.parse(file.read())
            for function in ast.walk(tree):
                if not isinstance(function, ast.FunctionDef):
                    continue
                given = function.args
                every = [*given.args, *given.kwonlyargs, *filter(None, [given.vararg, given.kwarg])]
                bare = [one.arg for one in every if not one.annotation and one.arg != "self"]
                where = f"{name}:{function.lineno}: {function.name}"
                self.assertEqual(bare, [], where)
                self.assertTrue(function.returns or function.name == "__init__", where)


class Examples(unittest.TestCase):
    """They run, and show what they are meant to show."""

    def numbers_of(self, name: str, *arguments: str) -> list[float]:
        environment = {**os.environ, "PYTHONPATH": os.path.join(ROOT, "library", "python")}
        path = os.path.join(ROOT, "library/python/examples", name)
        done = subprocess.run(
            [sys.executable, path, *arguments], capture_output=True, text=True, env=environment, check=True
        )
        return [float(number) for number in re.findall(r"write amplification (\S+\d)", done.stdout)]

    def test_trims_spare_a_store_copies(self) -> None:
        without, with_trims = self.numbers_of("compaction.py", "600")
        self.assertGreater(without, with_trims)

    def test_a_policy_that_tells_hot_from_cold_copies_less(self) -> None:
        greedy, fewest, cold_first = self.numbers_of("hot_cold.py", "20000")
        self.assertGreater(greedy, cold_first)
        self.assertGreater(fewest, cold_first)
        self.assertNotEqual(fewest, greedy)  # as the example says

    def test_a_ring_is_written_without_copies(self) -> None:
        ring, hashed = self.numbers_of("cache_misses.py", "20000")
        self.assertEqual(ring, 1.0)
        self.assertGreater(hashed, 1.5)

    def test_the_notebook_draws_less_amplification_for_more_space(self) -> None:
        with open(os.path.join(ROOT, "library/python/examples/waf.ipynb"), encoding="utf-8") as file:
            cells = [cell for cell in json.load(file)["cells"] if cell["cell_type"] == "code"]
        names: dict[str, Any] = {}
        shown: list[Any] = []
        for cell in cells:
            body = ast.parse("".join(cell["source"]))
            end = body.body.pop()
            assert isinstance(end, ast.Expr)
            last = ast.Expression(end.value)
            exec(compile(body, "cell", "exec"), names)  # pylint: disable=exec-used
            shown.append(eval(compile(last, "cell", "eval"), names))  # pylint: disable=eval-used
        self.assertEqual(shown[0], sorted(shown[0], reverse=True))
        for picture in shown[1:]:
            self.assertIn("<svg", picture._repr_html_())


class Notebook(unittest.TestCase):
    def test_a_drive_is_a_picture_of_its_blocks(self) -> None:
        with quiet() as drive:
            drive.write(0, 8)
            drive.drain()
            html = drive._repr_html_()
            tree = xml.etree.ElementTree.fromstring(f"<div>{html.replace('&#9632;', '')}</div>")
            svg = tree.find(".//{http://www.w3.org/2000/svg}svg")
            assert svg is not None
            self.assertEqual(len(list(svg)), 64)
            self.assertEqual(html.count("1 valid of 1 programmed of 4 pages"), 2)
        self.assertIn("closed", drive._repr_html_())

    def test_statistics_are_a_table(self) -> None:
        with quiet() as drive:
            drive.write(0, 8)
            drive.drain()
            tree = xml.etree.ElementTree.fromstring(drive.statistics._repr_html_())
            self.assertIn("waf", [cell.text for cell in tree.iter("td")])


if __name__ == "__main__":
    unittest.main()
