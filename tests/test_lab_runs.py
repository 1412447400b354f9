#!/usr/bin/env python3
"""scripts/lab: what a run is named by, what it leaves, and what is told of it, with the simulator of $SSD.

Runs from the top of the tree, as `make test` does.
"""

import csv
import hashlib
import io
import json
import os
import re
import shutil
import unittest

from lab_fixture import SSD, Folder
from laboratory import description

ONE = """
[experiment]
drive = {drive}
[axis workload]
w = {workload}
[axis more]
one = {more}
[measures]
programs = flash.program.total
"""


def rows_of(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text), delimiter="\t"))


class Table(Folder):
    def test_the_table_shows_what_was_run(self) -> None:
        """`lab table` prints results.tsv: every place, state and measure; it does no run."""
        before = rows_of(self.lab("table", self.at("sweep")).stdout)
        self.assertEqual({(row["state"], row["programs"]) for row in before}, {("missing", "")})
        self.lab("run", self.at("sweep"))
        shown = self.lab("table", self.at("sweep")).stdout
        self.assertEqual(shown, self.text("results/sweep/n-300/results.tsv"))
        self.assertEqual({row["state"] for row in rows_of(shown)}, {"done"})
        named = rows_of(self.lab("table", self.at("sweep"), "--show", "waf flash.erase.total").stdout)
        self.assertEqual(len(named), 16)
        self.assertTrue(all(float(row["waf"]) > 0 and row["flash.erase.total"] for row in named))


class WhatARunDependsOn(Folder):
    def one(self, env: dict[str, str] | None = None) -> dict[str, str]:
        """The only row of the table, after `lab run`."""
        self.lab("run", self.at("one.ini"), env=env)
        (row,) = rows_of(self.text("results/one/default/results.tsv"))
        self.assertEqual(row["state"], "done")
        return row

    def file_of_manifest(self, name: str) -> dict[str, str]:
        files = json.loads(self.text("results/one/default/manifest.json"))["files"]
        return next(found for path, found in files.items() if path.endswith(name))

    def is_run_again(
        self,
        name: str,
        was: str,
        now: str,
        env: dict[str, str] | None = None,
        drive: str = "parameters/tiny.cfg",
        workload: str = "mixed",
        more: str = "",
    ) -> None:
        """When this file has changed: and `lab rerun` and the manifest agree that it is the new one."""
        self.write("one.ini", ONE.format(drive=drive, workload=workload, more=more))
        first, text = self.one(env), self.text(name)
        self.assertIn(was, text)
        self.write(name, text.replace(was, now))
        second = self.one(env)
        self.assertNotEqual(first["run"], second["run"], name)
        self.assertNotEqual(first["programs"], second["programs"], name)
        self.assertEqual(
            self.lab("rerun", self.at("results/one/default"), env=env).stdout, "1 runs of 1 are the same\n"
        )
        with open(self.at(name), "rb") as file:
            digest = hashlib.sha256(file.read()).hexdigest()
        self.assertEqual(self.file_of_manifest(name)["sha256"], digest)
        self.write(name, text)
        self.assertEqual(self.one(env), first)

    def copy(self, path: str, name: str, lines: int | None = None) -> None:
        with open(path, encoding="utf-8") as file:
            self.write(name, "".join(file.readlines()[:lines]))

    def test_a_parameter_file_and_what_it_includes(self) -> None:
        self.copy("parameters/tiny.cfg", "base.cfg")
        self.write("middle.cfg", '@include "base.cfg"\n')
        self.write("drive.cfg", '# a drive\n  @include "middle.cfg"\n')
        self.is_run_again(
            "base.cfg",
            "blocks = 16;",
            "blocks = 14;",
            drive=self.at("drive.cfg"),
            workload="mixed requests=300",
        )

    def test_a_trace(self) -> None:
        self.copy("traces/samples/random.trace", "my.trace", 300)
        self.is_run_again("my.trace", " 4 0\n", " 8 0\n", workload=self.at("my.trace"))

    def test_a_profile_and_what_it_includes(self) -> None:
        """Where the simulator finds it, $SSDLAB_PROFILES before its own folder."""
        os.mkdir(self.at("profiles"))
        self.copy("traces/profiles/mixed.cfg", "profiles/base.cfg")
        self.write("profiles/mixed.cfg", '@include "base.cfg"\n')
        self.is_run_again(
            "profiles/base.cfg",
            "write_share = 0.4",
            "write_share = 0.8",
            env={"SSDLAB_PROFILES": self.at("profiles")},
            workload="mixed requests=300",
        )

    def test_a_profile_beside_the_simulator(self) -> None:
        os.makedirs(self.at("bin/traces/profiles"))
        shutil.copy(SSD, self.at("bin/ssd"))
        self.copy("traces/profiles/mixed.cfg", "bin/traces/profiles/own.cfg")
        self.ssd = self.at("bin/ssd")
        self.is_run_again(
            "bin/traces/profiles/own.cfg",
            "write_share = 0.4",
            "write_share = 0.8",
            workload="own requests=300",
        )

    def test_a_trace_that_prepares_the_drive(self) -> None:
        """Named by a setting, or in the parameter file."""
        self.copy("traces/samples/random.trace", "before.trace", 300)
        trace = f"precondition.trace={self.at('before.trace')}"
        self.is_run_again(
            "before.trace",
            " 4 0\n",
            " 8 0\n",
            workload="mixed requests=300",
            more=f"precondition.mode=trace precondition.used=0.99 {trace}",
        )
        self.copy("parameters/tiny.cfg", "named.cfg")
        self.write(
            "named.cfg",
            self.text("named.cfg").replace(
                'mode = "none"', f'mode = "trace"; used = 0.99; trace = "{self.at("before.trace")}"'
            ),
        )
        self.is_run_again(
            "before.trace", " 4 0\n", " 8 0\n", workload="mixed requests=300", drive=self.at("named.cfg")
        )

    def test_built_in_workloads_are_not_taken_for_each_other(self) -> None:
        self.write(
            "one.ini",
            ONE.format(drive="tiny", workload="uniform requests=300\nv = zipf requests=300", more=""),
        )
        self.lab("run", self.at("one.ini"))
        rows = rows_of(self.text("results/one/default/results.tsv"))
        self.assertEqual(len({row["run"] for row in rows}), 2)

    def test_a_file_that_changes_during_the_sweep(self) -> None:
        """Its run is no result, and the manifest has the file that the others read."""
        self.copy("traces/samples/random.trace", "my.trace", 300)
        digest = hashlib.sha256(self.text("my.trace").encode()).hexdigest()
        self.write(
            "one.ini", ONE.format(drive="tiny", workload=self.at("my.trace"), more="\ntwo = ftl=across")
        )
        self.ssd, self.jobs = self.at("writer"), "1"
        self.write(
            "writer",
            f"""#!/bin/sh
case "$*" in
*--check*) exec {SSD} "$@" ;;
*ftl=across*) echo '300000000 0 0 4 0' >>{self.at("my.trace")}; exec {SSD} "$@" ;;
*) exec {SSD} "$@" ;;
esac
""",
        )
        os.chmod(self.at("writer"), 0o755)
        said = self.lab("run", self.at("one.ini"), status=3).stderr
        self.assertIn("my.trace changed before the run ended", said)
        one, two = rows_of(self.text("results/one/default/results.tsv"))
        self.assertEqual((one["state"], two["programs"]), ("done", ""))
        self.assertIn("my.trace changed before the run ended", two["state"])
        self.assertEqual(self.file_of_manifest("my.trace")["sha256"], digest)
        self.assertEqual(os.listdir(self.at("results/one/default/runs")), [one["run"] + ".json"])

    def test_a_kept_drive_is_of_one_simulator(self) -> None:
        """A prepared drive is not given to another build, which may prepare it otherwise."""
        self.write(
            "one.ini", ONE.format(drive="tiny", workload="mixed requests=300", more="precondition.mode=fill")
        )
        self.lab("run", self.at("one.ini"), "--drives")
        os.makedirs(self.at("bin"))
        with open(SSD, "rb") as file, open(self.at("bin/ssd"), "wb") as other:
            other.write(file.read() + b"another build")
        os.chmod(self.at("bin/ssd"), 0o755)
        self.ssd = self.at("bin/ssd")
        self.lab("run", self.at("one.ini"), "--drives")
        kept = [files for _, _, files in os.walk(self.at("results/drives")) if files]
        self.assertEqual([len(files) for files in kept], [1, 1])


class Stamps(Folder):
    def test_a_figure_says_which_traces_it_is_of(self) -> None:
        """Those of ICPP'23, with the real traces and without."""
        for name in ("16-LUN1", "14-LUN0", "17-LUN2", "18-LUN6", "16-LUN4"):
            self.write(f"additional-01-20160216{name}.csv", "1,1,read,0,0,8\n")
        self.write("additional-01-2016021718-LUN4.csv", "1,1,read,0,0,8\n")
        found: dict[tuple[bool, str], set[str]] = {}
        for words in ["scale=64"], ["scale=64", f"traces={self.folder}"]:
            for figure in self.figures("scripts/icpp23", *words):
                stamp = figure.option.get("stamp", figure.experiment.options["stamp"])
                family = figure.at.get("family", "samples")
                found.setdefault((len(words) > 1, family), set()).add(stamp)
                self.assertEqual("LUN" in figure.option.get("at", ""), "whole files" in stamp)
        fitted = "fitted to the paper's results"
        self.assertEqual(
            found[False, "samples"],
            {"workloads generated; 1/64 of the size; samples", "workloads generated; 1/64 of the size"},
        )
        self.assertEqual(found[False, "inferred"], {f"workloads generated; 1/64 of the size; {fitted}"})
        self.assertEqual(found[True, "samples"], {"1/64 of the size; samples, workloads generated"})
        self.assertEqual(found[True, "inferred"], {f"1/64 of the size; workloads generated, {fitted}"})
        self.assertEqual(
            found[True, "traces"], {"1/64 of the size; the real traces", "the real traces, whole files"}
        )


class Documents(Folder):
    def test_tables_of_documents_are_what_comes_out(self) -> None:
        """Those below the name of a description: columns are points of an axis, rows are measures."""
        with open("docs/buffers.md", encoding="utf-8") as file:
            ((path, table),) = re.findall(r"<!-- (docs/\S+\.ini) -->\n((?:\|.*\n)+)", file.read())
        head, _, *lines = (
            [cell.strip(" `") for cell in line.strip("|\n").split("|")] for line in table.splitlines()
        )
        experiment = description.read(path, [])
        self.lab("run", path)
        axis = experiment.axis_of(head[1])
        rows = {
            row[axis]: row for row in rows_of(self.text(f"results/{experiment.name}/default/results.tsv"))
        }
        measure_of = {experiment.label(measure): measure for measure in experiment.measures}
        ours = [
            [
                line[0],
                *(
                    f"{float(rows[point][measure_of[line[0]]]):,.{len(cell.partition('.')[2])}f}"
                    for point, cell in zip(head[1:], line[1:])
                ),
            ]
            for line in lines
        ]
        self.assertEqual(lines, ours)


SPARE = """
[experiment]
drive = tiny
[axis workload]
w = uniform requests=300 write_share=0.5
[axis spare]
10 20 40 = flash.over_provisioning=0.* flash.blocks=30
[axis ftl]
page sepbit = ftl=*
[figure waf]
plot = lines
x = spare
series = ftl
measure = waf
at = w
"""


class Refused(Folder):
    def test_an_impossible_combination_is_a_row(self) -> None:
        """With the reason; the others are run, and status and last line tell."""
        self.write("spare.ini", SPARE)
        said = self.lab("report", self.at("spare.ini"), status=3).stderr.splitlines()
        rows = rows_of(self.text("results/spare/default/results.tsv"))
        refused = [row for row in rows if row["state"] != "done"]
        self.assertEqual(
            [(row["spare"], row["ftl"]) for row in refused], [("10", "sepbit"), ("20", "sepbit")]
        )
        self.assertRegex(refused[0]["state"], r"^refused: flash\.over_provisioning leaves .* are needed")
        self.assertEqual({row["run"] for row in refused} | {row["waf"] for row in refused}, {""})
        self.assertTrue(all(row["waf"] for row in rows if row not in refused))
        self.assertIn("2 of 6 places are refused: w 10 sepbit: flash.over_provisioning leaves", said[0])
        self.assertIn("4 runs, 0 failed, 2 refused", said[-1])
        self.contains(
            self.text("results/spare/default/report.html"),
            "; 2 places refused",
            "Refused: w 10 sepbit: flash.over_provisioning leaves",
        )
        self.assertEqual(len(self.lab("list", self.at("spare.ini")).stdout.splitlines()), 4)
        self.assertEqual(rows_of(self.lab("table", self.at("spare.ini")).stdout), rows)
        again = self.lab("rerun", self.at("results/spare/default")).stdout
        self.assertEqual(again, "4 runs of 4 are the same\n")

    def test_a_mistake_ends_the_sweep(self) -> None:
        """Also beside a combination that is only impossible."""
        self.write("spare.ini", SPARE.replace("page sepbit = ftl=*", "page sepbit = ftl=*\nwrong = ftl=pgae"))
        said = self.lab("run", self.at("spare.ini"), status=2).stderr
        self.assertIn("lab: w 10 wrong: ssd: -s ftl=pgae: should be", said)

    def test_a_sweep_of_which_nothing_can_be_simulated(self) -> None:
        self.write("spare.ini", SPARE.replace("10 20 40", "01 02"))
        said = self.lab("run", self.at("spare.ini"), status=2).stderr
        self.assertIn("lab: none of 4 places can be simulated: w 01 page: flash.over_provisioning", said)
        self.assertFalse(os.path.exists(self.at("results/spare/default/runs")))


LATE = """
[experiment]
drive = tiny
[axis workload]
short = uniform requests=SHORT space=1M write_share=0.5
long = uniform requests=LONG space=1M write_share=0.5
[axis ftl]
page across = ftl=*
[axis warm]
late = --warmup=1000 flash.blocks=64
[figure waf]
plot = bars
measure = waf
series = ftl
at = late
"""


class Warnings(Folder):
    SAID = "the run ended during the warm-up: statistics cover the whole run"

    def late(self, short: str, long: str, more: str = "", command: str = "report") -> list[str]:
        self.write("late.ini", LATE.replace("SHORT", short).replace("LONG", long) + more)
        return self.lab(command, self.at("late.ini")).stderr.splitlines()

    def test_warnings_of_runs_are_told_everywhere(self) -> None:
        said = self.late("200", "2000")
        self.assertEqual(sum(f"warning: {self.SAID}" in line for line in said), 1)  # of each kind
        self.assertIn("4 runs, 0 failed, 2 with warnings: short page late: " + self.SAID, said[-1])
        rows = rows_of(self.text("results/late/default/warnings.tsv"))
        self.assertEqual(
            [list(row.values())[:3] for row in rows], [["short", "page", "late"], ["short", "across", "late"]]
        )
        self.assertTrue(all(row["warning"].startswith(self.SAID) for row in rows))
        results = rows_of(self.text("results/late/default/results.tsv"))
        self.assertEqual([row["run"] for row in rows], [row["run"] for row in results[:2]])
        page = self.text("results/late/default/report.html")
        self.contains(
            page,
            "; 2 with warnings, see Runs.",
            f"2 runs: {self.SAID}",
            f'<li><a href="#{rows[1]["run"]}">short across late</a>: {self.SAID}',
        )
        self.assertIn("2 with warnings", self.lab("run", self.at("late.ini")).stderr)  # nothing is run again
        self.assertIn("2 with warnings", self.lab("table", self.at("late.ini")).stderr)
        exported = self.lab("export", self.at("late.ini"), "--as", "jsonl").stdout.splitlines()
        self.assertEqual(["warnings" in json.loads(line) for line in exported], [True, True, False, False])
        self.assertEqual(self.late("1500", "2000")[-1], "4 runs, 0 failed")
        self.assertFalse(os.path.exists(self.at("results/late/default/warnings.tsv")))
        self.assertNotIn("warning", self.text("results/late/default/report.html"))

    def test_a_drive_that_failed_says_when(self) -> None:
        said = self.late("1500", "20000", "[axis wear]\nworn = flash.endurance=20\n", "run")
        self.assertIn("2 with warnings: long page late worn: worn out after ", said[-1])

    def test_warnings_of_a_program(self) -> None:
        self.write(
            "program",
            "#!/bin/sh\necho 'ssd: 9 requests in 0.1 s' >&2\n"
            "[ $2 = n=1 ] || echo 'ssd: warning: much too hot' >&2\necho 'n = 1'\n",
        )
        os.chmod(self.at("program"), 0o755)
        self.write(
            "other.ini",
            f"[experiment]\nprogram = {self.at('program')}\n[axis n]\n1..3 = n=*\n"
            "[axis workload]\nw = w\n[measures]\nn = n\n",
        )
        said = self.lab("run", self.at("other.ini")).stderr
        self.assertIn("3 runs, 0 failed, 2 with warnings: 2 w: much too hot\n", said)
        rows = rows_of(self.text("results/other/default/warnings.tsv"))
        self.assertEqual(
            [(row["n"], row["warning"]) for row in rows], [("2", "much too hot"), ("3", "much too hot")]
        )

    def test_a_warning_of_a_tenant_alone(self) -> None:
        self.write(
            "two.ini",
            "[experiment]\ndrive = tiny\nalone = yes\n[axis workload]\n"
            "both = uniform requests=300 space=1M + mixed requests=4000 space=1M\n"
            "[axis warm]\nlate = --warmup=1000 flash.blocks=64\n",
        )
        self.lab("run", self.at("two.ini"))
        (row,) = rows_of(self.text("results/two/default/warnings.tsv"))
        self.assertIn("both late, tenant 0 alone: " + self.SAID, row["warning"])


if __name__ == "__main__":
    unittest.main()
